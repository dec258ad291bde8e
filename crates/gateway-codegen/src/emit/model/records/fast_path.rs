//! The fast path that reads a record, and the shape with which a diagnosis compares it.

use crate::emit::model::records::field::RecordField;
use crate::emit::model::records::nulls;
use crate::ir::Model;
use crate::text::{RustFile, json_string, string};

pub(super) fn write(file: &mut RustFile, model: &Model, fields: &[RecordField<'_>]) {
    let owned = model.rust.pascal();
    let borrowed = model.rust.followed_by("ref").pascal();
    fast(file, fields, &borrowed);
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
    shape(file, model, fields);
}

fn fast(file: &mut RustFile, fields: &[RecordField<'_>], borrowed: &str) {
    file.blank();
    file.open(format_args!("impl<'a> Fast<'a> for {borrowed}<'a> {{"));
    file.line("#[inline]");
    file.open("fn read(start: &mut Cursor<'a>) -> Option<Self> {");
    file.line("let mut cursor = *start;");
    file.line("cursor.open()?;");
    for field in fields {
        file.line(format_args!("let mut {} = None;", field.name));
    }
    nulls::declare(file, fields);
    file.line("let mut extra = Span::default();");
    file.open("members! { cursor, nulls, extra;");
    for field in fields {
        let presence = if field.spec.required { "required" } else { "optional" };
        let (index, name, value) = (field.index, &field.name, field.fast());
        // The key as it usually is in the text, with its quotes and colon.
        let key = string(&format!("{}:", json_string(&field.spec.wire)));
        file.line(format_args!("{presence} {index} {key} {name} = {value};"));
    }
    file.close("}");
    file.line("*start = cursor;");
    file.open("Some(Self {");
    for field in fields {
        let name = &field.name;
        file.line(if field.spec.required {
            format!("{name}: {name}?,")
        } else {
            format!("{name},")
        });
    }
    file.line("extra: extra::within(cursor.within(extra), &OBJECT),");
    file.line("nulls,");
    file.close("})");
    file.close("}");
    file.close("}");
}

fn shape(file: &mut RustFile, model: &Model, fields: &[RecordField<'_>]) {
    let words = model.rust.spaced();
    let article = if words.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    file.blank();
    file.doc("The expected shape of the object.");
    file.open("pub(super) static OBJECT: Object = Object {");
    file.line(format_args!("what: {},", string(&format!("{article} {words} object"))));
    file.open("members: &[");
    for field in fields {
        file.line(format_args!(
            "Member {{ name: {}, required: {}, shape: {} }},",
            string(&field.spec.wire),
            field.spec.required,
            field.shape()
        ));
    }
    file.close("],");
    file.close("};");
}
