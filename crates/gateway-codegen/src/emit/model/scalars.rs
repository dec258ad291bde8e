//! Scalars: one newtype each, declared by a macro of the crate.

use crate::emit::describe;
use crate::ir::{Primitive, Scalar, Service};
use crate::text::RustFile;

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file = RustFile::new("The scalars of the service.");
    if !service.scalars.is_empty() {
        file.line("use gateway_model_core::codegen::scalar;");
    }
    for scalar in &service.scalars {
        file.blank();
        file.open("scalar! {");
        describe::declaration(&mut file, &scalar.doc, &scalar.source);
        file.line(format_args!("{}, {}", scalar.rust.pascal(), kind(scalar)));
        file.close("}");
    }
    file
}

/// Returns the argument of the macro for the kind of a scalar: that of its meaning, or of its primitive.
fn kind(scalar: &Scalar) -> &'static str {
    let digits = scalar.form.digits.filter(|_| scalar.digits);
    digits.or(scalar.form.kind).unwrap_or(match scalar.form.primitive {
        Primitive::Text => "text",
        Primitive::Signed => "signed_integer",
        Primitive::Unsigned => "integer",
        Primitive::Float => "float",
        Primitive::Boolean => "boolean",
    })
}
