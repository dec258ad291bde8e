//! The examples of the spec as code that creates a query.

use std::fmt::Write as _;

use crate::config::{Project, Role};
use crate::ir::{Example, Operation, Param, Primitive, Service, ValueType};
use crate::text::string;

/// Returns the example with the most parameters, except examples of percent-encoding.
pub(super) fn fullest<'a>(service: &'a Service, operation: &Operation) -> Option<&'a Example> {
    let plain = service.examples_of(operation).filter(|example| example.is_plain());
    plain.max_by_key(|example| example.params.len()).filter(|example| !example.params.is_empty())
}

/// Returns the example that has a parameter and the fewest others.
pub(super) fn shortest<'a>(
    service: &'a Service,
    operation: &Operation,
    param: &Param,
) -> Option<&'a Example> {
    let examples = service.examples_of(operation);
    let given = examples.filter(|example| given(operation, param, example).is_some());
    given.min_by_key(|example| example.params.len())
}

/// Returns code that creates the query of an example, and compares it with its text.
pub(super) fn call(
    project: &Project<'_>,
    operation: &Operation,
    example: &Example,
) -> Option<String> {
    let chain = chain(project, operation, example)?;
    Some(asserts(project, operation, &chain, (&example.query, &example.sent)))
}

/// Returns code that calls the constructor of a query, with the values of the examples.
pub(super) fn construct(project: &Project<'_>, operation: &Operation) -> Option<String> {
    let service = project.service;
    let new = constructor(operation, |param| value(project, operation, param))?;
    let required = operation.params.iter().filter(|param| param.required);
    let values =
        required.filter_map(|one| Some((one, sample(service, operation, one)?.to_owned())));
    let (query, body) = service.request_of(operation, &values.collect::<Vec<_>>());
    Some(asserts(project, operation, &new, (&query, &body)))
}

/// Returns code that creates the query of an example from the structure of its optional parameters.
pub(super) fn with(
    project: &Project<'_>,
    operation: &Operation,
    example: &Example,
) -> Option<String> {
    let (krate, name) = (&project.config.rust_name(Role::Model), operation.rust.pascal());
    let new =
        constructor(operation, |param| literal(krate, param, given(operation, param, example)?))?;
    let params = super::queries::params(operation)?;
    let mut code = format!(
        "use {krate}::{{{name}, {params}, Operation as _}};\n\nlet mut params = {params}::default();\n"
    );
    for (param, text) in optional(operation, example) {
        let items = param.items(text).into_iter().map(|item| {
            let value = one_literal(krate, param, item)?;
            Some(if is_value(param) { value } else { format!("{value}.into()") })
        });
        let items = items.collect::<Option<Vec<_>>>()?.join(", ");
        let value = if param.list.is_some() { format!("vec![{items}]") } else { items };
        _ = writeln!(code, "params.{} = Some({value});", param.rust.snake());
    }
    let refused = if operation.states().next().is_some() { "?" } else { "" };
    let expected = expected((&example.query, &example.sent));
    _ = write!(
        code,
        "let query = {new}.with(params){refused}.query()?;\n{expected}\n# Ok::<(), {krate}::Error>(())"
    );
    Some(code)
}

/// Returns code with a parameter but without one that it needs.
pub(super) fn without(
    project: &Project<'_>,
    operation: &Operation,
    param: &Param,
) -> Option<String> {
    let new = constructor(operation, |param| value(project, operation, param))?;
    let (krate, value) = (project.config.rust_name(Role::Model), value(project, operation, param)?);
    Some(format!("{krate}::{new}.{}({value});", param.rust.snake()))
}

/// Returns the expression that creates the query of an example.
pub(crate) fn chain(
    project: &Project<'_>,
    operation: &Operation,
    example: &Example,
) -> Option<String> {
    let krate = &project.config.rust_name(Role::Model);
    let mut chain =
        constructor(operation, |param| literal(krate, param, given(operation, param, example)?))?;
    for (param, text) in optional(operation, example) {
        _ = write!(chain, ".{}({})", param.rust.snake(), literal(krate, param, text)?);
    }
    Some(chain)
}

/// Returns an expression for a query without optional parameters, in code where the model is `krate`.
pub(in crate::emit) fn smallest_query(
    krate: &str,
    service: &Service,
    operation: &Operation,
) -> Option<String> {
    constructor(operation, |param| literal(krate, param, &service.sample(operation, param)))
}

/// Returns the optional parameters that an example has, with their texts.
fn optional<'a>(
    operation: &'a Operation,
    example: &'a Example,
) -> impl Iterator<Item = (&'a Param, &'a str)> {
    let given = example.params.iter();
    let given = given.filter_map(|(index, text)| Some((operation.params.get(*index)?, &**text)));
    given.filter(|(param, _)| !param.required)
}

/// Returns code that compares a query with its text and its body.
fn asserts(
    project: &Project<'_>,
    operation: &Operation,
    query: &str,
    request: (&str, &str),
) -> String {
    let (krate, name) = (project.config.rust_name(Role::Model), operation.rust.pascal());
    let expected = expected(request);
    format!(
        "use {krate}::{{{name}, Operation as _}};\n\n\
         let query = {query}.query()?;\n{expected}\n# Ok::<(), {krate}::Error>(())"
    )
}

fn expected((query, body): (&str, &str)) -> String {
    // A GET has no body, and a POST may have no query.
    let has_query = !query.is_empty() || body.is_empty();
    let texts = [("as_str", query, has_query), ("body", body, !body.is_empty())];
    let texts = texts.into_iter().filter(|(.., has)| *has);
    let lines =
        texts.map(|(name, text, _)| format!("assert_eq!(query.{name}(), {});", string(text)));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns `ListPhotos::new()`, with values for the required parameters.
fn constructor(operation: &Operation, value: impl Fn(&Param) -> Option<String>) -> Option<String> {
    let required = operation.params.iter().filter(|param| param.required);
    let values: Option<Vec<_>> = required.map(value).collect();
    Some(format!("{}::new({})", operation.rust.pascal(), values?.join(", ")))
}

/// Returns the value that the examples have for a parameter, as it is written in Rust.
fn value(project: &Project<'_>, operation: &Operation, param: &Param) -> Option<String> {
    let krate = project.config.rust_name(Role::Model);
    literal(&krate, param, sample(project.service, operation, param)?)
}

/// Returns the value that the examples have for a parameter, as wire text.
fn sample<'a>(service: &'a Service, operation: &Operation, param: &Param) -> Option<&'a str> {
    given(operation, param, shortest(service, operation, param)?)
}

/// Returns the value that an example has for a parameter, as wire text.
fn given<'a>(operation: &Operation, param: &Param, example: &'a Example) -> Option<&'a str> {
    let index = operation.params.iter().position(|other| other.wire == param.wire)?;
    let (_, text) = example.params.iter().find(|(given, _)| *given == index)?;
    Some(text)
}

/// Returns whether the literal of a parameter has the type of the parameter.
fn is_value(param: &Param) -> bool {
    let is_built_in = matches!(param.ty, ValueType::BuiltIn(_));
    param.ty.as_closed_enum().is_some() || is_built_in && param.ty.in_record() != Primitive::Text
}

/// Returns a value or a list as it is written in Rust, where the model is `krate`.
fn literal(krate: &str, param: &Param, text: &str) -> Option<String> {
    let items = param.items(text).into_iter().map(|item| one_literal(krate, param, item));
    let items = items.collect::<Option<Vec<_>>>()?.join(", ");
    Some(if param.list.is_some() { format!("[{items}]") } else { items })
}

/// Returns a value as it is written in Rust, where the model is `krate`.
fn one_literal(krate: &str, param: &Param, text: &str) -> Option<String> {
    let (ty, in_record, in_query) = (&param.ty, param.ty.in_record(), param.ty.in_query());
    if let Some(one) = ty.as_closed_enum() {
        let value = one.values.iter().find(|value| value.wire == text)?;
        return Some(format!("{krate}::{}::{}", one.rust.pascal(), value.rust.variant()));
    }
    Some(match (in_record, in_query) {
        // A literal without a suffix is an `i32` here.
        (Primitive::Signed, _) if ty.name().is_none() && text.parse::<i32>().is_err() => {
            format!("{text}_i64")
        }
        (Primitive::Coded, _) => ty.codes()?.value(text)?.to_string(),
        (Primitive::Float, _) => {
            format!("{krate}::Float::new({:?})?", text.parse::<f64>().unwrap_or_default())
        }
        (Primitive::Text, Primitive::Text | Primitive::Float) => string(text),
        _ => text.to_owned(),
    })
}
