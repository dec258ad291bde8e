//! Typed mocks for wiremock: one type for each operation, with its parameters and its response.

use askama::Template;

use crate::config::{Project, Role};
use crate::emit::filters;
use crate::emit::model::marker;
use crate::emit::model::queries::beside;
use crate::emit::testkit::Fixtures;
use crate::ir::{Auth, Example, Operation, Param, Primitive, Response, Service, Type, Verdict};
use crate::text::{raw_string, string, strings};

#[derive(Template)]
#[template(path = "testkit/mocks.rs.jinja")]
pub(super) struct Mocks<'a> {
    service: &'a Service,
    fixtures: &'a Fixtures<'a>,
    model: String,
    marker: String,
}

pub(super) fn template<'a>(project: &Project<'a>, fixtures: &'a Fixtures<'a>) -> Mocks<'a> {
    let Project { service, config } = project;
    Mocks { service, fixtures, model: config.rust_name(Role::Model), marker: marker(service) }
}

/// How a mock responds: the documentation, the arguments and the expression of a method.
struct Answer {
    doc: &'static str,
    arguments: String,
    call: String,
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

    /// Returns the expression for every call of an operation.
    fn every_call(&self, operation: &Operation) -> String {
        let (marker, select) = (&self.marker, string(&operation.select));
        match operation.post {
            None => format!("Call::new::<service::{marker}>({select})"),
            Some(post) => {
                format!("Call::post::<service::{marker}>({select}, {})", post.format.variant())
            }
        }
    }

    /// Returns the method that responds with success.
    fn answer(&self, operation: &Operation) -> Answer {
        let (service, response) = (self.service, &operation.response);
        let model = service.response_model(operation).map(|model| model.rust.pascal());
        let model = model.unwrap_or_default();
        let around = |body: &crate::ir::Body| {
            let (open, close) = body.around(None);
            format!("({}, {})", raw_string(&open), string(&close))
        };
        let (doc, arguments, call) = match (response, beside(service, operation)) {
            (_, Some(beside)) => (
                "Responds with these records, and these fields beside the list.",
                format!(", records: &[{model}], beside: &{beside}"),
                format!(
                    "{}list_beside({}, records, beside)",
                    self.marked(operation),
                    self.frame(operation)
                ),
            ),
            (response, None) if response.is_list() => {
                let (open, close) = response.frame(None).unwrap_or_default();
                (
                    "Responds with these records.",
                    format!(", records: &[{model}]"),
                    format!("list(({}, {}), records)", raw_string(&open), string(&close)),
                )
            }
            (Response::Nothing { body }, _) => {
                let marker = body.marker().map(|marker| format!("{{{marker}}}"));
                let marker = raw_string(&marker.unwrap_or_else(|| "null".to_owned()));
                ("Responds with success.", String::new(), format!("nothing({marker})"))
            }
            (Response::Value { of, body }, _) => {
                let (argument, value) = argument(service, of);
                (
                    "Responds with this value.",
                    format!(", value: {argument}"),
                    format!("object_in({}, \"\", {value})", around(body)),
                )
            }
            _ => (
                "Responds with this record.",
                format!(", record: &{model}"),
                match response.body() {
                    None => "object(record)".to_owned(),
                    Some(body) => {
                        let marker = raw_string(&body.marker().unwrap_or_default());
                        format!("object_in({}, {marker}, record)", around(body))
                    }
                },
            ),
        };
        Answer { doc, arguments, call }
    }

    /// Returns the texts before the records, between them and the fields beside the list, and after these.
    fn frame(&self, operation: &Operation) -> String {
        let beside = operation.response.beside().map(|id| self.service.model(id));
        let (open, close) = operation.response.frame(beside).unwrap_or_default();
        let above = operation.response.body().map_or(0, |body| body.beside_above);
        let (middle, close) = close.split_at_checked(1 + above).unwrap_or((&close, ""));
        format!("({}, {}, {})", raw_string(&open), string(middle), string(close))
    }

    /// Returns the call that adds the marker to the fields beside a list, if one of them has its name: an optional field
    /// may be absent, and a nested record may lack the marker.
    fn marked(&self, operation: &Operation) -> String {
        let beside = operation.response.beside().map(|id| self.service.model(id));
        let body = operation.response.body();
        let marker = body.zip(beside).and_then(|(body, beside)| body.marker_beside(beside));
        marker.map(|marker| format!("marked({}).", raw_string(&marker))).unwrap_or_default()
    }

    /// Returns the expression for the call of an example.
    fn call_of(&self, operation: &Operation, example: &Example) -> String {
        let params = operation.params.iter().enumerate().map(|(index, param)| {
            let given = example.params.iter().find(|(given, _)| *given == index);
            let wire = string(&param.wire);
            match (given, param.list) {
                (None, _) => format!(".without({wire})"),
                (Some((_, text)), None) => format!(".with({wire}, {})", string(text)),
                (Some((_, text)), Some(style)) => {
                    let items = format!("[{}].map(str::to_owned)", strings(param.items(text)));
                    format!(".with_list({wire}, {}, {items})", style.variant())
                }
            }
        });
        self.every_call(operation) + &params.collect::<String>()
    }
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
    let taken = METHODS.contains(&name.as_str())
        || name.starts_with("like_")
        || name.starts_with("without_");
    if taken { name + "_" } else { name }
}

/// The other methods of mocks.
const METHODS: &[&str] = &[
    "answers",
    "bad_record",
    "delay",
    "fails",
    "fails_with",
    "pages",
    "retry_after",
    "secret",
    "token",
    "truncated",
];

/// Returns the verdict of a body that reports failures.
fn verdict(operation: &Operation) -> Option<&Verdict> {
    operation.response.body()?.verdict.as_ref()
}

/// Returns the names of the texts of a failure, with their places in the body.
fn texts(verdict: &Verdict) -> Vec<(&'static str, &Vec<String>)> {
    let places = [("code", &verdict.code), ("message", &verdict.message)];
    places.into_iter().filter(|(_, path)| !path.is_empty()).collect()
}
