//! The examples of the spec as code that creates a query.

use std::fmt::Write as _;

use crate::ir::{Example, Operation, Param, Primitive, Service};
use crate::text::string;

/// Returns the example with the most parameters, one without percent-encoding if possible, and the expression that creates
/// its query.
pub(super) fn shown<'s>(
    service: &'s Service,
    operation: &Operation,
) -> Option<(&'s Example, String)> {
    let examples = service.examples_of(operation);
    let example = examples.max_by_key(|one| (one.is_plain(), one.params.len()))?;
    Some((example, chain(operation, example)?))
}

/// Returns the expression that creates the query of an example.
pub(crate) fn chain(operation: &Operation, example: &Example) -> Option<String> {
    let mut chain = constructor(operation, |param| literal(param, example.given(param)?))?;
    let params = || operation.given(example).map(|(param, _)| param);
    // The setter of a parameter sets those that it needs.
    let is_set = |one: &Param| {
        params().any(|other| operation.needed_options(other).any(|needed| needed.wire == one.wire))
    };
    for param in params().filter(|one| !one.required && !is_set(one)) {
        let set = operation.set_with(param).into_iter();
        let values = set.map(|one| literal(one, example.given(one)?));
        let values = values.collect::<Option<Vec<_>>>()?.join(", ");
        _ = write!(chain, ".{}({values})", operation.setter(param));
    }
    Some(chain)
}

/// Returns an expression for a query without optional parameters.
pub(in crate::emit) fn smallest_query(service: &Service, operation: &Operation) -> Option<String> {
    constructor(operation, |param| literal(param, &service.sample(operation, param)))
}

/// Returns `ListPhotos::new()`, with values for the required parameters.
fn constructor(operation: &Operation, value: impl Fn(&Param) -> Option<String>) -> Option<String> {
    let values: Option<Vec<_>> = operation.required().into_iter().map(value).collect();
    Some(format!("{}::new({})", operation.rust.pascal(), values?.join(", ")))
}

/// Returns a value or a list as a Rust expression.
fn literal(param: &Param, text: &str) -> Option<String> {
    let items = param.items(text).into_iter().map(|item| one_literal(param, item));
    let items = items.collect::<Option<Vec<_>>>()?.join(", ");
    Some(if param.list.is_some() { format!("[{items}]") } else { items })
}

/// Returns a value as a Rust expression.
fn one_literal(param: &Param, text: &str) -> Option<String> {
    let (ty, in_record, in_query) = (&param.ty, param.ty.in_record, param.ty.in_query);
    Some(match (in_record, in_query) {
        // A literal without a suffix would be an `i32` here.
        (Primitive::Signed, _) if ty.name().is_none() && text.parse::<i32>().is_err() => {
            format!("{text}_i64")
        }
        (Primitive::Coded, _) => ty.codes.as_ref()?.value(text)?.to_string(),
        (Primitive::Text, Primitive::Text) => string(text),
        _ => text.to_owned(),
    })
}
