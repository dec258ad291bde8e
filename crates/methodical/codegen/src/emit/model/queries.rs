//! Queries: one type per operation, with a setter per optional parameter, and the code that creates an example's query.

use std::fmt::Write as _;

use crate::config::Workspace;
use crate::emit::{distinct, filters};
use crate::ir::{Example, Operation, Param, Primitive, Response, Service, Verdict};
use crate::text::string;

/// Describes the setter of an optional parameter.
pub(super) fn setter_doc(workspace: &Workspace, operation: &Operation, param: &Param) -> String {
    let set = operation.set_with(param).into_iter().map(|one| format!("`{}`", one.wire));
    let set = set.collect::<Vec<_>>().join(" and ");
    format!("Sets {set}.\n\n{}", filters::declaration(workspace, &param.about))
}

pub(super) fn constructor_doc(operation: &Operation) -> String {
    let required = operation.required().into_iter();
    let required = required.map(|one| format!("\n\n`{}`: {}", one.rust.snake(), one.about.doc));
    let required: String = required.collect();
    if !required.is_empty() {
        return format!("Creates the query from its required parameters.{required}");
    }
    let optional = if operation.params.is_empty() { "" } else { " without optional parameters" };
    format!("Creates the query{optional}.")
}

pub(super) fn argument_type(param: &Param) -> String {
    let ty = param.ty.rust();
    let one = if converts(param) { format!("impl Into<{ty}>") } else { ty };
    if param.list.is_some() { format!("impl IntoIterator<Item = {one}>") } else { one }
}

/// Returns the conversion that an argument needs to be stored.
pub(super) fn conversion(param: &Param) -> &'static str {
    match (param.list, converts(param)) {
        (Some(_), true) => ".into_iter().map(Into::into).collect()",
        (Some(_), false) => ".into_iter().collect()",
        (None, true) => ".into()",
        (None, false) => "",
    }
}

/// Returns whether a setter takes `impl Into` of the type. For a boolean, that would be useless.
fn converts(param: &Param) -> bool {
    param.ty.in_record != Primitive::Boolean
}

/// Returns how the values of a list are written: a variant of the runtime's `Items`.
pub(super) fn items(param: &Param) -> &'static str {
    match (param.ty.in_record, param.ty.in_query) {
        (Primitive::Text, Primitive::Signed | Primitive::Unsigned) => "Digits",
        _ if param.ty.is_json_literal() => "Literal",
        _ => "Text",
    }
}

/// Returns whether a body uses every optional feature.
pub(super) fn is_complete(body: &Response) -> bool {
    let is_lenient = body.absent_as_empty && body.one_as_list;
    !body.at.is_empty() && body.verdict.is_some() && is_lenient && body.metadata_above > 0
}

/// Returns the type to which a response decodes.
pub(super) fn output(service: &Service, operation: &Operation) -> String {
    let Some(model) = service.response_model(operation) else {
        let value = operation.response.value();
        return value.map_or_else(|| "()".to_owned(), |of| of.rust(service));
    };
    let model = model.rust.pascal();
    match metadata(service, operation) {
        Some(metadata) => format!("Listing<{model}, {metadata}>"),
        None if operation.response.is_list => format!("Listing<{model}>"),
        None => model,
    }
}

/// Returns the type of a list's metadata, if the contract declares any.
pub(super) fn metadata(service: &Service, operation: &Operation) -> Option<String> {
    service.metadata_model(operation).map(|model| model.rust.pascal())
}

/// Returns the verdicts of the service, each once, in the order of the operations.
pub(super) fn verdicts(service: &Service) -> Vec<&Verdict> {
    distinct(service.operations.iter().filter_map(|one| one.response.verdict.as_ref()))
}

/// Returns the number of the constant that holds a verdict, from 1.
pub(super) fn number(verdicts: &[&Verdict], verdict: &Verdict) -> usize {
    verdicts.iter().position(|other| *other == verdict).map_or(0, |index| index + 1)
}

/// Returns the example with the most parameters, preferably without percent-encoding, and the code for its query.
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
    // The setter of a parameter also sets the parameters that it needs.
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

/// Returns a constructor call such as `ListPhotos::new()`, with values for the required parameters.
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
