//! The call of the macro that implements everything of a record except its constructor.

use crate::emit::model::records::field::RecordField;
use crate::ir::{Leniency, Model, Service};
use crate::text::{RustFile, string};

pub(super) fn write(
    file: &mut RustFile,
    service: &Service,
    model: &Model,
    fields: &[RecordField<'_>],
) {
    let (owned, borrowed) = (model.rust.pascal(), model.rust.followed_by("ref").pascal());
    let words = model.rust.spaced();
    let article = if words.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    file.blank();
    file.open("record! {");
    file.line(format_args!(
        "{owned}, {borrowed}, {};",
        string(&format!("{article} {words} object"))
    ));
    for (index, field) in fields.iter().enumerate() {
        let presence = match field.spec {
            spec if spec.required => "required",
            spec if spec.is(Leniency::AbsentAsEmpty) => "absent",
            spec if spec.is(Leniency::BlankAsNone) => "blank",
            _ => "optional",
        };
        let secrecy = if field.spec.personal { "personal" } else { "plain" };
        let (name, ty, wire) = (&field.name, field.reader(), string(&field.spec.wire));
        file.line(format_args!("{index} {presence} {secrecy} {name}: {ty} = {wire};"));
    }
    let columns: Vec<_> = service.flat_columns(model).iter().map(|one| string(one)).collect();
    file.line(format_args!("columns [{}];", columns.join(", ")));
    file.close("}");
}
