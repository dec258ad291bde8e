//! How a record is read on the fast path, and what a diagnosis compares it with.

use super::{field::Form, serde::nulls};
use crate::{
    ir::Model,
    text::{Rust, string},
};

pub(super) fn write(file: &mut Rust, model: &Model, forms: &[Form<'_>]) {
    let owned = model.rust.pascal();
    let borrowed = model.rust.followed_by("ref").pascal();
    fast(file, forms, &borrowed);
    file.blank();
    file.open(format_args!("impl Record for {owned} {{"));
    file.line(format_args!("type Ref<'a> = {borrowed}<'a>;"));
    file.blank();
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
    file.open("fn read(cursor: &mut Cursor<'a>) -> Option<Self> {");
    file.line("cursor.open()?;");
    for form in forms {
        file.line(format_args!("let mut {} = Slot::Empty;", form.name));
    }
    file.line("let mut extra = Extra::default();");
    file.open("'members: {");
    file.line("// The usual order, without looking back.");
    for form in forms {
        let (name, value) = (&form.name, form.fast());
        file.line(format_args!("usual!('members, cursor, {}, {name} = {value});", key(form)));
    }
    file.open("loop {");
    file.line("let start = cursor.at();");
    file.open("match cursor.name()? {");
    for form in forms {
        let (name, value) = (&form.name, form.fast());
        let wire = string(&form.field.wire);
        file.line(if form.field.boxed {
            // Too long for one line: rustfmt makes a block of it, which ends in a statement.
            format!("{wire} => {{ {name}.put({value})?; }}")
        } else {
            format!("{wire} => {name}.put({value})?,")
        });
    }
    file.line("_ => extra.take(cursor, start)?,");
    file.close("}");
    file.open("if !cursor.more()? {");
    file.line("break 'members;");
    file.close("}");
    file.close("}");
    file.close("}");
    nulls(file, forms);
    file.open("Some(Self {");
    for form in forms {
        let (name, index) = (&form.name, form.index);
        file.line(if form.field.required {
            format!("{name}: {name}.full()?,")
        } else {
            format!("{name}: {name}.note({index}, &mut nulls),")
        });
    }
    file.line("extra,");
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
