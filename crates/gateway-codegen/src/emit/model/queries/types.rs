//! The types of parameters and responses.

use crate::ir::{Service, Type};

/// Returns the Rust type of a value, by its bare name.
pub(super) fn type_name(service: &Service, ty: Type) -> String {
    match (ty, service.type_name(ty)) {
        (_, Some(name)) => name.pascal(),
        (Type::Integer, None) => "i64".to_owned(),
        (Type::Boolean, None) => "bool".to_owned(),
        _ => "String".to_owned(),
    }
}
