//! Scalars: one newtype each, by the macros of the crate.

use crate::ir::{Meaning, Scalar, Service, Wire};
use crate::text::Rust;

pub(super) fn emit(service: &Service) -> Rust {
    let mut file = Rust::new("The scalars of the service.");
    let means = service.scalars.iter().any(|scalar| meaning(scalar).is_some());
    match (service.scalars.is_empty(), means) {
        (true, _) => {}
        (false, false) => file.line("use crate::scalar::scalar;"),
        (false, true) => file.line("use crate::scalar::{meaning, scalar};"),
    }
    for scalar in &service.scalars {
        let name = scalar.rust.pascal();
        file.blank();
        file.open("scalar! {");
        super::about(&mut file, &scalar.doc, &scalar.source);
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

/// What a text offers on demand.
fn meaning(scalar: &Scalar) -> Option<&'static str> {
    match (scalar.wire, scalar.query_wire, scalar.meaning) {
        (Wire::Integer, ..) => None,
        (Wire::String, Some(Wire::Integer), _) => Some("integer_in_query"),
        (_, _, Meaning::Decimal) => Some("decimal"),
        (_, _, Meaning::CivilDateTime) => Some("civil_date_time"),
        (_, _, Meaning::Id | Meaning::Text | Meaning::Currency) => None,
    }
}
