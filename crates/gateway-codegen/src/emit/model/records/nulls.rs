//! The mask of optional fields that are `null`.

use crate::emit::model::records::field::RecordField;
use crate::text::RustFile;

/// Declares the mask, which changes only if some field is optional.
pub(super) fn declare(file: &mut RustFile, fields: &[RecordField<'_>]) {
    let optional = fields.iter().any(|field| !field.spec.required);
    let keyword = if optional { "let mut" } else { "let" };
    file.line(format_args!("{keyword} nulls = Nulls::default();"));
}
