//! Scalars: one newtype each, declared by macros of the crate.

use crate::emit::describe;
use crate::ir::{Meaning, Scalar, Service, Wire};
use crate::text::RustFile;

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file = RustFile::new("The scalars of the service.");
    let means = service.scalars.iter().any(|scalar| meaning(scalar).is_some());
    let macros = [(!service.scalars.is_empty()).then_some("scalar"), means.then_some("meaning")];
    file.import("use gateway_model_core::codegen", macros.into_iter().flatten());
    for scalar in &service.scalars {
        let name = scalar.rust.pascal();
        file.blank();
        file.open("scalar! {");
        describe::declaration(&mut file, &scalar.doc, &scalar.source);
        let wire = if scalar.wire == Wire::Integer { "integer" } else { "\"text\"" };
        file.line(format_args!("{name}, {wire}"));
        file.close("}");
        if let Some(meaning) = meaning(scalar) {
            file.blank();
            file.line(format_args!("meaning! {{ {name}, {meaning} }}"));
        }
    }
    file
}

/// Returns the macro argument for the conversions that a text offers.
fn meaning(scalar: &Scalar) -> Option<&'static str> {
    match (scalar.wire, scalar.query_wire, scalar.meaning) {
        (Wire::Integer, ..) => None,
        (Wire::String, Some(Wire::Integer), _) => Some("integer_in_query"),
        (_, _, Meaning::Decimal) => Some("decimal"),
        (_, _, Meaning::CivilDateTime) => Some("civil_date_time"),
        (_, _, Meaning::Id | Meaning::Text | Meaning::Currency) => None,
    }
}
