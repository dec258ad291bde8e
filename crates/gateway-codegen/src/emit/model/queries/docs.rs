//! The documentation of a query. Its examples run as tests, and are the examples of the spec.

use std::fmt::Write as _;

use crate::config::Role;
use crate::emit::describe;
use crate::emit::model::queries::params;
use crate::ir::{Example, Operation, Otherwise, Param, Primitive, Service, ValueType};
use crate::project::Project;
use crate::text::{RustFile, string};

pub(super) fn of_query(file: &mut RustFile, project: &Project<'_>, operation: &Operation) {
    let service = project.service;
    describe::operation(file, service, operation);
    describe::deprecation(file, operation.deprecated.as_ref());
    if let Some(code) = fullest(service, operation).and_then(|one| call(project, operation, one)) {
        file.doc_example("", code);
    }
    without(file, project, operation);
    if params::name(operation).is_some() {
        file.doc_break();
        file.doc_markdown("[`with`](Self::with) sets parameters that are known only at run time.");
    }
}

/// Describes the structure of the optional parameters.
pub(super) fn of_params(file: &mut RustFile, operation: &Operation) {
    let name = operation.rust.pascal();
    file.doc_markdown(format_args!(
        "The optional parameters of [`{name}`], for values that are known only at run time; see\n\
         [`{name}::with`]."
    ));
}

/// Describes an optional parameter.
pub(super) fn of_param(file: &mut RustFile, operation: &Operation, param: &Param) {
    file.doc(&param.doc.0);
    let needs = names_of_needed(operation, param);
    if !needs.is_empty() {
        file.doc_break();
        file.doc(&format!("Needs {needs}."));
    }
    if let Some(default) = default(param) {
        file.doc_break();
        file.doc(&default);
    }
    describe::deprecation(file, param.deprecated.as_ref());
}

/// Describes the method that takes all optional parameters.
pub(super) fn of_with(file: &mut RustFile, project: &Project<'_>, operation: &Operation) {
    file.doc("Replaces all optional parameters.");
    if params::can_be_refused(operation) {
        file.doc_break();
        file.doc_markdown("# Errors");
        file.doc_break();
        file.doc_markdown(
            "[`ErrorKind::NeedsParameter`](gateway_model_core::ErrorKind::NeedsParameter) if a parameter is\n\
             set without one that it needs.",
        );
    }
    let Some(example) = fullest(project.service, operation) else { return };
    let Some(code) = with(project, operation, example) else { return };
    file.doc_example("", code);
}

/// Returns code that creates the query of an example from parts.
fn with(project: &Project<'_>, operation: &Operation, example: &Example) -> Option<String> {
    let (krate, name) = (&project.config.rust_name(Role::Model), operation.rust.pascal());
    let new =
        constructor(operation, |param| literal(krate, param, given(operation, param, example)?))?;
    let params = params::name(operation)?;
    let mut code = format!(
        "use {krate}::{{{name}, {params}, Operation as _}};\n\n\
         let mut params = {params}::default();\n"
    );
    for (index, text) in &example.params {
        let Some(param) = operation.params.get(*index).filter(|param| !param.required) else {
            continue;
        };
        let field = param.rust.snake();
        let items = param.items(text).into_iter().map(|item| {
            let value = one_literal(krate, param, item)?;
            Some(if is_value(param) { value } else { format!("{value}.into()") })
        });
        let items = items.collect::<Option<Vec<_>>>()?.join(", ");
        let value = if param.list.is_some() { format!("vec![{items}]") } else { items };
        _ = writeln!(code, "params.{field} = Some({value});");
    }
    let refused = if params::can_be_refused(operation) { "?" } else { "" };
    _ = write!(
        code,
        "let query = {new}.with(params){refused}.query()?;\n\
         {}\n\
         # Ok::<(), {krate}::Error>(())",
        expected(request(example))
    );
    Some(code)
}

/// Returns whether the literal of a parameter has the type of the parameter.
fn is_value(param: &Param) -> bool {
    let is_built_in = matches!(param.ty, ValueType::BuiltIn(_));
    param.ty.as_closed_enum().is_some() || is_built_in && param.ty.in_record() != Primitive::Text
}

/// Describes the function that decodes a body without a query.
pub(super) fn of_decode(file: &mut RustFile) {
    file.doc("Decodes the whole body of a successful response.");
    file.doc_break();
    file.doc_markdown(
        "Needs no query; [`Operation::decode`] is the same for code that has one.\n\
         \n\
         # Errors\n\
         \n\
         The same as those of [`Operation::decode`].",
    );
}

/// Shows that a parameter cannot be given without one that it needs.
fn without(file: &mut RustFile, project: &Project<'_>, operation: &Operation) {
    let krate = project.config.rust_name(Role::Model);
    let optional_need = |param: &&Param| params::optional_needs(operation, param).next().is_some();
    for param in operation.params.iter().filter(|param| !param.required).filter(optional_need) {
        let Some(value) = value(project, operation, param) else { continue };
        let sampled = |param: &Param| self::value(project, operation, param);
        let Some(new) = constructor(operation, sampled) else { continue };
        let (wire, needs) = (&param.wire, names_of_needed(operation, param));
        let effect = match param.otherwise {
            Otherwise::NoEffect => format!("`{wire}` has no effect"),
            Otherwise::Error => format!("the service refuses `{wire}`"),
        };
        file.doc_break();
        file.doc(&format!("Without {needs}, {effect}, so such a query does not compile:"));
        let setter = param.rust.snake();
        file.doc_example("compile_fail,E0599", format_args!("{krate}::{new}.{setter}({value});"));
    }
}

pub(super) fn of_constructor(file: &mut RustFile, project: &Project<'_>, operation: &Operation) {
    let service = project.service;
    let required: Vec<_> = operation.params.iter().filter(|param| param.required).collect();
    if required.is_empty() {
        let optional =
            if operation.params.is_empty() { "" } else { " without optional parameters" };
        file.doc(&format!("Creates the query{optional}."));
    } else {
        file.doc("Creates the query from its required parameters.");
        for param in &required {
            file.doc_break();
            file.doc(&format!("`{}`: {}", param.rust.snake(), param.doc.0));
        }
    }
    if let Some(new) = constructor(operation, |param| value(project, operation, param)) {
        let values = required
            .iter()
            .filter_map(|param| Some((*param, sample(service, operation, param)?.to_owned())));
        let (query, body) = service.request_of(operation, &values.collect::<Vec<_>>());
        file.doc_example("", asserts(project, operation, &new, (&query, &body)));
    }
}

/// Describes a setter. An example that was shown before is not shown again.
pub(super) fn of_setter<'a>(
    file: &mut RustFile,
    project: &Project<'a>,
    operation: &Operation,
    param: &Param,
    shown: &mut Vec<&'a Example>,
) {
    file.doc(&format!("Sets `{}`.", param.wire));
    file.doc_break();
    file.doc(&param.doc.0);
    let sections = param.source.phrase().map(|sections| format!("See {sections}."));
    let needs = names_of_needed(operation, param);
    let are = if param.needs.len() > 1 { "are" } else { "is" };
    let needs = (!needs.is_empty()).then(|| format!("Available once {needs} {are} set."));
    let about: Vec<_> = sections.into_iter().chain(needs).chain(default(param)).collect();
    if !about.is_empty() {
        file.doc_break();
        file.doc(&about.join(" "));
    }
    if let Some(example) = shortest(project.service, operation, param)
        && !shown.iter().any(|other| other.name == example.name)
        && let Some(code) = call(project, operation, example)
    {
        shown.push(example);
        file.doc_example("", code);
    }
}

/// Returns the example that the documentation of the type shows.
pub(super) fn shown<'a>(service: &'a Service, operation: &Operation) -> Vec<&'a Example> {
    fullest(service, operation).into_iter().collect()
}

/// Returns the example with the most parameters, except examples of percent-encoding.
fn fullest<'a>(service: &'a Service, operation: &Operation) -> Option<&'a Example> {
    let plain = service.examples_of(operation).filter(|example| example.is_plain());
    plain.max_by_key(|example| example.params.len()).filter(|example| !example.params.is_empty())
}

/// Returns a sentence about what the service does without a parameter.
fn default(param: &Param) -> Option<String> {
    Some(format!("Without it, the service uses `{}`.", param.default.as_ref()?))
}

/// Returns the names of the parameters that a parameter needs: "`a`, `b` and `c`".
fn names_of_needed(operation: &Operation, param: &Param) -> String {
    let names: Vec<_> =
        operation.needed_by(param).map(|needed| format!("`{}`", needed.wire)).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Returns code that creates the query of an example, and compares it with its text.
fn call(project: &Project<'_>, operation: &Operation, example: &Example) -> Option<String> {
    let chain = chain(project, operation, example)?;
    Some(asserts(project, operation, &chain, request(example)))
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
    for (index, text) in &example.params {
        let Some(param) = operation.params.get(*index).filter(|param| !param.required) else {
            continue;
        };
        let value = literal(krate, param, text)?;
        _ = write!(chain, ".{}({value})", param.rust.snake());
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

/// Returns code that compares a query with its text.
fn asserts(
    project: &Project<'_>,
    operation: &Operation,
    query: &str,
    request: (&str, &str),
) -> String {
    let krate = project.config.rust_name(Role::Model);
    format!(
        "use {krate}::{{{}, Operation as _}};\n\n\
         let query = {query}.query()?;\n\
         {}\n\
         # Ok::<(), {krate}::Error>(())",
        operation.rust.pascal(),
        expected(request)
    )
}

/// Returns the query and the body of an example.
fn request(example: &Example) -> (&str, &str) {
    (&example.query, &example.sent)
}

/// Returns code that compares a query with this text and this body.
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

/// Returns the example that has a parameter and the fewest others.
fn shortest<'a>(service: &'a Service, operation: &Operation, param: &Param) -> Option<&'a Example> {
    service
        .examples_of(operation)
        .filter(|example| given(operation, param, example).is_some())
        .min_by_key(|example| example.params.len())
}

/// Returns a value or a list as it is written in Rust, where the model is `krate`.
fn literal(krate: &str, param: &Param, text: &str) -> Option<String> {
    let items = param.items(text).into_iter().map(|item| one_literal(krate, param, item));
    let items = items.collect::<Option<Vec<_>>>()?.join(", ");
    Some(if param.list.is_some() { format!("[{items}]") } else { items })
}

/// Returns a value as it is written in Rust, where the model is `krate`.
fn one_literal(krate: &str, param: &Param, text: &str) -> Option<String> {
    Some(match (&param.ty, param.ty.in_record(), param.ty.in_query()) {
        (ValueType::Enum(one), ..) if !one.open_ended => {
            let value = one.values.iter().find(|value| value.wire == text)?;
            format!("{krate}::{}::{}", one.rust.pascal(), value.rust.variant())
        }
        // A literal without a suffix is an `i32` here.
        (ValueType::BuiltIn(_), Primitive::Signed, _) if text.parse::<i32>().is_err() => {
            format!("{text}_i64")
        }
        (_, Primitive::Coded, _) => param.ty.codes()?.value(text)?.to_string(),
        (_, Primitive::Float, _) => {
            format!("{krate}::Float::new({:?})?", text.parse::<f64>().unwrap_or_default())
        }
        (_, Primitive::Signed | Primitive::Unsigned | Primitive::Boolean, _)
        | (
            _,
            Primitive::Text,
            Primitive::Signed | Primitive::Unsigned | Primitive::Boolean | Primitive::Coded,
        ) => text.to_owned(),
        (_, Primitive::Text, Primitive::Text | Primitive::Float) => string(text),
    })
}
