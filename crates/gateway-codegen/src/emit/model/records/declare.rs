//! The two forms of a record, with a constructor of the owned one.

use crate::config::Role;
use crate::emit::describe;
use crate::emit::model::records::example;
use crate::emit::model::records::field::RecordField;
use crate::ir::{Field, Model};
use crate::project::Project;
use crate::text::{RustFile, string};

pub(super) fn write(
    file: &mut RustFile,
    project: &Project<'_>,
    model: &Model,
    fields: &[RecordField<'_>],
) {
    owned(file, model, fields);
    borrowed(file, model, fields);
    constructor(file, project, model, fields);
}

fn owned(file: &mut RustFile, model: &Model, fields: &[RecordField<'_>]) {
    file.blank();
    describe::declaration(file, &model.doc, &model.source);
    file.line("#[derive(Clone, PartialEq, Eq)]");
    file.line("#[non_exhaustive]");
    file.open(format_args!("pub struct {} {{", model.rust.pascal()));
    for field in fields {
        describe_field(file, field.spec);
        file.line(format_args!("pub {}: {},", field.name, presence(field, &field.owned())));
    }
    file.line("pub(in crate::generated) extra: Extra<'static>,");
    file.line("pub(in crate::generated) nulls: Nulls,");
    file.close("}");
}

fn borrowed(file: &mut RustFile, model: &Model, fields: &[RecordField<'_>]) {
    file.blank();
    file.doc(&model.doc.0);
    file.doc_break();
    file.doc_markdown(format_args!(
        "The borrowed form of [`{}`]: its text refers to the input where possible.",
        model.rust.pascal()
    ));
    file.line("#[derive(Clone, PartialEq, Eq)]");
    file.line("#[non_exhaustive]");
    file.open(format_args!("pub struct {}<'a> {{", model.rust.followed_by("ref").pascal()));
    for field in fields {
        describe_field(file, field.spec);
        file.line(format_args!("pub {}: {},", field.name, presence(field, &field.borrowed())));
    }
    file.line("extra: Extra<'a>,");
    file.line("nulls: Nulls,");
    file.close("}");
}

fn describe_field(file: &mut RustFile, field: &Field) {
    file.doc(&field.doc.0);
    describe::deprecation(file, field.deprecated.as_ref());
}

fn presence(field: &RecordField<'_>, ty: &str) -> String {
    if field.spec.is_option() { format!("Option<{ty}>") } else { ty.to_owned() }
}

fn constructor(
    file: &mut RustFile,
    project: &Project<'_>,
    model: &Model,
    fields: &[RecordField<'_>],
) {
    let (krate, name) = (project.config.rust_name(Role::Model), model.rust.pascal());
    let required: Vec<_> = fields.iter().filter(|field| field.spec.required).collect();
    let arguments: Vec<_> =
        required.iter().map(|field| format!("{}: {}", field.name, field.argument().0)).collect();
    file.blank();
    file.open(format_args!("impl {name} {{"));
    file.doc(match (required.len(), fields.len()) {
        (0, _) if fields.iter().all(|field| field.spec.is_option()) => {
            "Creates a record whose fields are all `None`."
        }
        (0, _) => "Creates a record whose fields are all `None` or empty.",
        (some, all) if some == all => "Creates a record from its fields.",
        _ => "Creates a record from its required fields; the others are `None`.",
    });
    file.doc_example(
        "",
        format_args!(
            "let record: {krate}::{name} = serde_json::from_str({})?;\n\
             assert_eq!(record, {});\n\
             # Ok::<(), serde_json::Error>(())",
            example::minimal(project.service, model),
            example::constructor(project, model)
        ),
    );
    if required.len() > MOST_ARGUMENTS {
        let reason = string("the contract requires these fields");
        file.line(format_args!("#[expect(clippy::too_many_arguments, reason = {reason})]"));
    }
    file.line("#[must_use]");
    file.open(format_args!("pub fn new({}) -> Self {{", arguments.join(", ")));
    file.open("Self {");
    for field in fields {
        if field.spec.required {
            file.line(format_args!("{},", field.argument().1));
        } else if field.spec.is_option() {
            file.line(format_args!("{}: None,", field.name));
        } else {
            let ty = if field.spec.ty.is_map() { "Map" } else { "Vec" };
            file.line(format_args!("{}: {ty}::new(),", field.name));
        }
    }
    file.line("extra: Extra::default(),");
    file.line("nulls: Nulls::default(),");
    file.close("}");
    file.close("}");
    file.close("}");
    if required.is_empty() {
        file.blank();
        file.open(format_args!("impl Default for {name} {{"));
        file.open("fn default() -> Self {");
        file.line("Self::new()");
        file.close("}");
        file.close("}");
    }
}

/// Maximum number of arguments of a function without a warning of clippy.
const MOST_ARGUMENTS: usize = 7;
