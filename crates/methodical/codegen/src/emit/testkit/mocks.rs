//! Typed mocks for wiremock: one type for each operation, with its parameters and its response.

use askama::Template;

use crate::config::{Project, Role};
use crate::emit::filters;
use crate::emit::model::marker;
use crate::emit::model::queries::beside;
use crate::ir::{Auth, Example, Operation, Param, Primitive, Service, Type, Verdict};

#[derive(Template)]
#[template(path = "testkit/mocks.rs.jinja")]
pub(super) struct Mocks<'a> {
    service: &'a Service,
    model: String,
    marker: String,
}

pub(super) fn template<'a>(project: &Project<'a>) -> Mocks<'a> {
    let Project { service, config } = project;
    Mocks { service, model: config.rust_name(Role::Model), marker: marker(service) }
}

impl Mocks<'_> {
    /// Returns what authenticates a call, if something does.
    fn credentials(&self) -> Option<String> {
        match &self.service.auth {
            Auth::None => None,
            Auth::Bearer => Some("bearer token".to_owned()),
            Auth::Secrets(secrets) => Some(format!("`{}`", secrets.first()?.name)),
        }
    }

    /// Returns the type of the records in a response; empty if it has none.
    fn record(&self, operation: &Operation) -> String {
        let model = self.service.response_model(operation);
        model.map(|model| model.rust.pascal()).unwrap_or_default()
    }

    /// Returns the texts before the records, between them and the fields beside the list, and after these.
    fn frame(&self, operation: &Operation) -> (String, String, String) {
        let beside = self.service.beside_model(operation);
        let (open, close) = operation.response.around(beside);
        let above = operation.response.beside_above;
        let (middle, close) = close.split_at_checked(1 + above).unwrap_or((&close, ""));
        (open, middle.to_owned(), close.to_owned())
    }

    /// Returns the marker of success among the fields beside a list, if one of them has its name: an optional field may be
    /// absent, and a nested record may lack the marker.
    fn marker_beside(&self, operation: &Operation) -> Option<String> {
        operation.response.marker(Some(self.service.beside_model(operation)?))
    }
}

/// Returns the values of the parameters in an example; `None` for a parameter that it does not have.
fn given<'a>(
    operation: &'a Operation,
    example: &'a Example,
) -> Vec<(&'a Param, Option<&'a String>)> {
    let params = operation.params.iter().enumerate();
    let given = |at| example.params.iter().find(|(given, _)| *given == at);
    params.map(|(at, param)| (param, given(at).map(|(_, text)| text))).collect()
}

/// Returns the type of the argument for a value, and the expression for a reference to the value.
fn argument(service: &Service, of: &Type) -> (String, &'static str) {
    let name = of.rust(service);
    match of {
        Type::List(of) => (format!("&[{}]", of.rust(service)), "&value"),
        Type::Value(value) if value.name().is_some() => {
            (format!("impl Into<{name}>"), "&value.into()")
        }
        Type::Value(value) if value.in_record() == Primitive::Text => ("&str".to_owned(), "&value"),
        Type::Value(_) => (name, "&value"),
        Type::Map(_) | Type::Model(_) => (format!("&{name}"), "value"),
    }
}

/// Returns the type of the argument for a parameter, and the expression for its text.
fn param_argument(param: &Param) -> (String, &'static str) {
    match (param.ty.name(), param.ty.in_record()) {
        (Some(name), _) => (format!("impl Into<{}>", name.pascal()), "value.into().to_string()"),
        (None, Primitive::Text) if param.list.is_some() => {
            ("impl Into<String>".to_owned(), "value.into()")
        }
        (None, Primitive::Text) => ("&str".to_owned(), "value"),
        (None, primitive) => (primitive.rust().to_owned(), "value.to_string()"),
    }
}

/// Returns the name of the method that matches a parameter. A name that another method of the mock
/// has gets a trailing underscore.
fn setter(param: &Param) -> String {
    let name = param.rust.snake();
    let taken = METHODS.split(' ').any(|one| one == name)
        || name.starts_with("like_")
        || name.starts_with("without_");
    if taken { name + "_" } else { name }
}

/// The other methods of mocks.
const METHODS: &str =
    "answers bad_record delay fails fails_with pages retry_after secret token truncated";

/// Returns the verdict of a body that reports failures.
fn verdict(operation: &Operation) -> Option<&Verdict> {
    operation.response.reported()
}

/// Returns the names of the texts of a failure, with their places in the body.
fn texts(verdict: &Verdict) -> Vec<(&'static str, &Vec<String>)> {
    let places = [("code", &verdict.code), ("message", &verdict.message)];
    places.into_iter().filter(|(_, path)| !path.is_empty()).collect()
}
