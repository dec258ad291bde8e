//! How a record is read on the fast path, and what a diagnosis compares it with.

use crate::emit::model::records::field::Form;
use crate::emit::model::records::serde::nulls;
use crate::ir::Model;
use crate::text::{Rust, string};

pub(super) fn write(file: &mut Rust, model: &Model, forms: &[Form<'_>]) {
    let owned = model.rust.pascal();
    let borrowed = model.rust.followed_by("ref").pascal();
    fast(file, forms, &borrowed);
    file.blank();
    file.open(format_args!("impl Record for {owned} {{"));
    file.line(format_args!("type Ref<'a> = {borrowed}<'a>;"));
    file.blank();
    file.line("#[inline]");
    file.open(format_args!("fn from_ref(record: {borrowed}<'_>) -> Self {{"));
    file.line("record.into_owned()");
    file.close("}");
    file.close("}");
    file.blank();
    file.open(format_args!("impl Sealed for {owned} {{"));
    file.line("const SHAPE: Shape = Shape::Object(&OBJECT);");
    file.close("}");
    shape(file, model, forms);
}

fn fast(file: &mut Rust, forms: &[Form<'_>], borrowed: &str) {
    file.blank();
    file.open(format_args!("impl<'a> Fast<'a> for {borrowed}<'a> {{"));
    file.line("#[inline]");
    file.open("fn read(start: &mut Cursor<'a>) -> Option<Self> {");
    file.line("let mut cursor = *start;");
    file.line("cursor.open()?;");
    for form in forms {
        file.line(format_args!("let mut {} = None;", form.name));
    }
    nulls(file, forms);
    file.line("let mut extra = Span::default();");
    file.open("members! { cursor, nulls, extra;");
    for form in forms {
        let presence = if form.field.required { "required" } else { "optional" };
        let (index, key, name, value) = (form.index, key(form), &form.name, form.fast());
        file.line(format_args!("{presence} {index} {key} {name} = {value};"));
    }
    file.close("}");
    file.line("*start = cursor;");
    file.open("Some(Self {");
    for form in forms {
        let name = &form.name;
        file.line(if form.field.required {
            format!("{name}: {name}?,")
        } else {
            format!("{name},")
        });
    }
    file.line("extra: Extra::within(cursor.within(extra), &OBJECT),");
    file.line("nulls,");
    file.close("})");
    file.close("}");
    file.close("}");
}

/// The name of the member as it usually stands in the text, with its quotes and colon.
fn key(form: &Form<'_>) -> String {
    let name = serde_json::Value::from(form.field.wire.as_str());
    string(&format!("{name}:"))
}

fn shape(file: &mut Rust, model: &Model, forms: &[Form<'_>]) {
    let words = model.rust.spaced();
    let article = if words.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    file.blank();
    file.doc("What the object should look like.");
    file.open("pub(super) static OBJECT: Object = Object {");
    file.line(format_args!("what: {},", string(&format!("{article} {words} object"))));
    file.open("members: &[");
    for form in forms {
        file.line(format_args!(
            "Member {{ name: {}, required: {}, shape: {} }},",
            string(&form.field.wire),
            form.field.required,
            form.shape()
        ));
    }
    file.close("],");
    file.close("};");
}
