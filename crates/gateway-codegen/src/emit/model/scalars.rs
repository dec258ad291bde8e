//! Scalars: one newtype each, declared by macros of the crate.

use crate::emit::describe;
use crate::ir::{Primitive, Scalar, Service};
use crate::text::RustFile;

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file = RustFile::new("The scalars of the service.");
    let means = service.scalars.iter().any(|scalar| conversions(scalar).next().is_some());
    let macros = [(!service.scalars.is_empty()).then_some("scalar"), means.then_some("meaning")];
    file.import("use gateway_model_core::codegen", macros.into_iter().flatten());
    for scalar in &service.scalars {
        let name = scalar.rust.pascal();
        file.blank();
        file.open("scalar! {");
        describe::declaration(&mut file, &scalar.doc, &scalar.source);
        let wire = wire(scalar.form.primitive);
        file.line(format_args!("{name}, {wire}"));
        file.close("}");
        for meaning in conversions(scalar) {
            file.blank();
            file.line(format_args!("meaning! {{ {name}, {meaning} }}"));
        }
    }
    file
}

/// Returns the argument of the macro `scalar!`, which has an arm for each primitive that a meaning has.
fn wire(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Text => "\"text\"",
        Primitive::Signed => "signed_integer",
        Primitive::Unsigned => "integer",
        Primitive::Boolean => "boolean",
    }
}

/// Returns the arguments of the macro `meaning!` for the conversions that a scalar offers.
fn conversions(scalar: &Scalar) -> impl Iterator<Item = &'static str> {
    let is_sent_as_integer = scalar.query_form.primitive.is_integer();
    let sent = scalar.form.sent_as_integer.filter(|_| is_sent_as_integer);
    sent.into_iter().chain(scalar.form.conversions)
}
