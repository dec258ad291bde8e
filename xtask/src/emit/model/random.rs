//! Random values of every type: strategies for `proptest` and draws for `arbitrary`, of the same parts.

use crate::emit::model::queries::States;
use crate::ir::{
    Enum, Field, Meaning, Model, Operation, Param, RustName, Scalar, Service, Type, Wire,
};
use crate::text::Rust;

mod draws;
mod strategies;

pub(super) use self::draws::emit as draws;
pub(super) use self::strategies::emit as strategies;

/// The function of the support code that makes the text of a scalar; `None` for an integer.
fn text_of(scalar: &Scalar) -> Option<&'static str> {
    match (scalar.wire, scalar.meaning) {
        (Wire::Integer, _) => None,
        (_, Meaning::Id) => Some("identifier"),
        (_, Meaning::Text) => Some("text"),
        (_, Meaning::Decimal) => Some("decimal"),
        (_, Meaning::CivilDateTime) => Some("date_time"),
        (_, Meaning::Currency) => Some("currency"),
    }
}

/// The list of an enum's values.
fn list(one: &Enum) -> &'static str {
    if one.open_ended { "Self::KNOWN" } else { "Self::ALL" }
}

/// The type as it is named from anywhere, so that no name of a spec meets one of the support code.
fn path(name: &RustName) -> String {
    format!("crate::{}", name.pascal())
}

/// The type of a member, if it is declared in the spec; the model itself is `Self`.
fn type_name(service: &Service, model: &Model, field: &Field) -> Option<String> {
    let name = service.type_name(field.ty)?;
    Some(if *name == model.rust { "Self".to_owned() } else { path(name) })
}

/// What a query may carry for a parameter.
enum Value {
    /// Text of so many characters.
    Text(String),
    /// A number of the type, out of a range, as the type that follows if there is one.
    Number { range: String, into: Option<String> },
    /// Any value of a type whose text is not empty.
    Sendable(String),
    /// Any value of a type.
    Any(String),
}

fn value(service: &Service, param: &Param) -> Value {
    let name = service.type_name(param.ty).map(path);
    let is_number = |index: usize| {
        service.scalars.get(index).is_some_and(|scalar| scalar.wire == Wire::Integer)
    };
    let is_closed = |index: usize| service.enums.get(index).is_some_and(|one| !one.open_ended);
    match (param.ty, name) {
        (Type::Boolean, _) => Value::Any("bool".to_owned()),
        (Type::Integer, _) => Value::Number { range: signed(param), into: None },
        (Type::Enum(index), Some(name)) if is_closed(index) => Value::Any(name),
        (Type::Scalar(index), into) if param.query_wire == Wire::Integer || is_number(index) => {
            Value::Number { range: unsigned(param), into }
        }
        (_, Some(name)) if param.max_chars.is_none_or(|max| max >= LONGEST) => {
            Value::Sendable(name)
        }
        _ => {
            let longest = param
                .max_chars
                .map_or_else(|| "crate::random::LONGEST".to_owned(), |max| max.to_string());
            Value::Text(format!("1..={longest}"))
        }
    }
}

fn signed(param: &Param) -> String {
    let limit = |limit: Option<i64>, otherwise: &str| {
        limit.map_or_else(|| otherwise.to_owned(), |limit| format!("{limit}_i64"))
    };
    format!("{}..={}", limit(param.min, "i64::MIN"), limit(param.max, "i64::MAX"))
}

fn unsigned(param: &Param) -> String {
    let smallest = param.min.unwrap_or_default().max(0);
    let largest = param.max.map_or_else(|| "u64::MAX".to_owned(), |max| max.max(0).to_string());
    format!("{smallest}_u64..={largest}")
}

/// When a parameter that may be left out is there.
struct When {
    /// `given`, if the type of the query says that it is there; else `perhaps`.
    function: &'static str,
    /// Whether the type of the query allows it.
    condition: String,
}

fn when(states: &States, param: &Param, index: usize) -> When {
    let own = states.name_of(index);
    let needed = param.needs.iter().filter_map(|index| states.name_of(*index));
    let conditions: Vec<_> = needed.chain(own).map(|state| format!("{state}::GIVEN")).collect();
    When {
        function: if own.is_some() { "given" } else { "perhaps" },
        condition: if conditions.is_empty() { "true".to_owned() } else { conditions.join(" && ") },
    }
}

/// What only queries with states need.
fn imports(file: &mut Rust, operations: &[Operation], helpers: &str) {
    let states = operations.iter().any(|operation| States::of(operation).marker().is_some());
    if states {
        file.line("use core::marker::PhantomData;");
        file.blank();
    }
    file.line("use crate::nulls::Nulls;");
    if states {
        file.line("use crate::query::State;");
    }
    file.line(helpers);
}

/// No random text of the support code has more characters.
const LONGEST: u32 = 64;
