//! The attributes that filters recover. No record contains them, so the server imports them on their own.

use crate::emit::server::record::value_kind;
use crate::ir::{Operation, Param, Service};
use crate::text::{RustFile, string};

/// Returns `None` if the spec has no such attribute.
pub(super) fn emit(service: &Service) -> Option<RustFile> {
    let purpose = "The attributes that filters recover, because no record contains them.";
    let mut file = RustFile::new(purpose);
    file.line("use crate::fields::{Field, Kind};");
    let mut is_empty = true;
    for operation in &service.operations {
        for param in operation.params.iter().filter(|param| is_whole(operation, param)) {
            is_empty &= attribute(&mut file, service, operation, param).is_none();
        }
    }
    (!is_empty).then_some(file)
}

/// Returns whether a parameter recovers an attribute that is not a part of another one. A photo has a rating in an
/// album: this names the album too.
fn is_whole(operation: &Operation, param: &Param) -> bool {
    let is_part = |other: &Param| {
        other.recovers.is_some() && operation.needed_by(other).any(|needed| needed == param)
    };
    param.recovers.is_some() && !operation.params.iter().any(is_part)
}

/// Emits the fields of an attribute: the parameters that select its records, and the identity of a record.
fn attribute(
    file: &mut RustFile,
    service: &Service,
    operation: &Operation,
    param: &Param,
) -> Option<()> {
    let model = service.response_model(operation)?;
    let identity = model.identity_field()?;
    let select = &operation.select;
    let attribute = param.recovers.as_deref()?;
    let record = model.rust.words();
    file.blank();
    file.doc(&format!(
        "The fields of the attribute `{attribute}` of a {record}, which the parameter `{}` of `{select}` recovers.",
        param.wire
    ));
    let name = operation.rust.followed_by(&param.rust.snake()).screaming_snake();
    file.open(format_args!("pub(crate) const {name}: &[Field] = &["));
    let name_of_identity = format!("{}_{}", model.rust.snake(), identity.wire);
    let identity = (name_of_identity, value_kind(identity.ty.value()?));
    let of = |param: &Param| (param.wire.clone(), value_kind(&param.ty));
    for (name, kind) in operation.needed_by(param).map(of).chain([identity]).chain([of(param)]) {
        file.line(format_args!(
            "Field {{ name: {}, kind: {kind}, is_required: false }},",
            string(&name)
        ));
    }
    file.close("];");
    Some(())
}
