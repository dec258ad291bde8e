//! The two forms of a record, and how one is made.

use crate::emit::model::about;
use crate::emit::model::records::example;
use crate::emit::model::records::field::Form;
use crate::ir::{Field, Model, Service};
use crate::text::Rust;

pub(super) fn write(file: &mut Rust, service: &Service, model: &Model, forms: &[Form<'_>]) {
    owned(file, model, forms);
    borrowed(file, model, forms);
    constructor(file, service, model, forms);
    copy(file, service, model, forms);
}

fn owned(file: &mut Rust, model: &Model, forms: &[Form<'_>]) {
    file.blank();
    about(file, &model.doc, &model.source);
    file.line("#[non_exhaustive]");
    file.line("#[derive(Clone, PartialEq, Eq)]");
    file.open(format_args!("pub struct {} {{", model.rust.pascal()));
    for form in forms {
        describe(file, form.field);
        file.line(format_args!("pub {}: {},", form.name, presence(form, &form.owned())));
    }
    file.line("pub(in crate::generated) extra: Extra<'static>,");
    file.line("pub(in crate::generated) nulls: Nulls,");
    file.close("}");
}

fn borrowed(file: &mut Rust, model: &Model, forms: &[Form<'_>]) {
    file.blank();
    file.doc(&model.doc.0);
    file.doc_break();
    file.doc_markdown(format_args!(
        "The same as [`{}`], borrowed from the text it was read from.",
        model.rust.pascal()
    ));
    file.line("#[non_exhaustive]");
    file.line("#[derive(Clone, PartialEq, Eq)]");
    file.open(format_args!("pub struct {}<'a> {{", model.rust.followed_by("ref").pascal()));
    for form in forms {
        describe(file, form.field);
        file.line(format_args!("pub {}: {},", form.name, presence(form, &form.borrowed())));
    }
    file.line("extra: Extra<'a>,");
    file.line("nulls: Nulls,");
    file.close("}");
}

fn describe(file: &mut Rust, field: &Field) {
    file.doc(&field.doc.0);
    if let Some(why) = &field.deprecated {
        file.doc_break();
        file.doc(&format!("Deprecated: {why}."));
    }
}

fn presence(form: &Form<'_>, ty: &str) -> String {
    if form.field.required { ty.to_owned() } else { format!("Option<{ty}>") }
}

fn constructor(file: &mut Rust, service: &Service, model: &Model, forms: &[Form<'_>]) {
    let name = model.rust.pascal();
    let required: Vec<_> = forms.iter().filter(|form| form.field.required).collect();
    let arguments: Vec<_> =
        required.iter().map(|form| format!("{}: {}", form.name, form.argument().0)).collect();
    file.blank();
    file.open(format_args!("impl {name} {{"));
    file.doc("Makes a record of what is always there.");
    file.doc_break();
    file.doc_markdown("```");
    file.doc_markdown(format_args!("let record = {};", example::constructor(service, model)));
    file.doc_markdown("assert!(record.extra().is_empty());");
    file.doc_markdown("```");
    file.line("#[must_use]");
    file.open(format_args!("pub fn new({}) -> Self {{", arguments.join(", ")));
    file.open("Self {");
    for form in forms {
        if form.field.required {
            file.line(format_args!("{},", form.argument().1));
        } else {
            file.line(format_args!("{}: None,", form.name));
        }
    }
    file.line("extra: Extra::default(),");
    file.line("nulls: Nulls::default(),");
    file.close("}");
    file.close("}");
    file.blank();
    let json = example::with_an_unlisted_member(service, model);
    unlisted(file, &format!("gateway_model::{name}"), &json);
    file.open("pub fn extra(&self) -> &Extra<'static> {");
    file.line("&self.extra");
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

fn copy(file: &mut Rust, service: &Service, model: &Model, forms: &[Form<'_>]) {
    let name = model.rust.pascal();
    let borrowed = model.rust.followed_by("ref").pascal();
    file.blank();
    file.open(format_args!("impl<'a> {borrowed}<'a> {{"));
    file.doc("Copies the record, so that it borrows no more.");
    file.doc_break();
    file.doc_markdown("```");
    file.doc_markdown(format_args!(
        "let record: gateway_model::{borrowed}<'_> = serde_json::from_str({})?;",
        example::minimal(service, model)
    ));
    file.doc_markdown(format_args!(
        "assert_eq!(record.into_owned(), {});",
        example::constructor(service, model)
    ));
    file.doc_markdown("# Ok::<(), serde_json::Error>(())");
    file.doc_markdown("```");
    file.line("#[inline]");
    file.line("#[must_use]");
    file.open(format_args!("pub fn into_owned(self) -> {name} {{"));
    file.open(format_args!("{name} {{"));
    for form in forms {
        file.line(format_args!("{}: {},", form.name, form.to_owned()));
    }
    file.line("extra: self.extra.into_owned(),");
    file.line("nulls: self.nulls,");
    file.close("}");
    file.close("}");
    file.blank();
    let json = example::with_an_unlisted_member(service, model);
    unlisted(file, &format!("gateway_model::{borrowed}<'_>"), &json);
    file.open("pub fn extra(&self) -> &Extra<'a> {");
    file.line("&self.extra");
    file.close("}");
    file.close("}");
}

fn unlisted(file: &mut Rust, ty: &str, json: &str) {
    file.doc("Returns the members that the service text does not list.");
    file.doc_break();
    file.doc_markdown("```");
    file.doc_markdown(format_args!("let record: {ty} = serde_json::from_str({json})?;"));
    file.doc_markdown(format_args!(
        "assert_eq!(record.extra().raw(\"{}\"), Some(\"1\"));",
        example::UNLISTED
    ));
    file.doc_markdown("# Ok::<(), serde_json::Error>(())");
    file.doc_markdown("```");
}
