//! Typed mocks for wiremock: one type for each operation, with its parameters and its response.

use std::fmt::Write as _;

use crate::config::Role;
use crate::emit::model::service::marker;
use crate::emit::testkit::fixture::{self, Fixtures};
use crate::ir::{
    Auth, Example, Model, Operation, Param, Primitive, Response, RustName, Service, Type, Verdict,
};
use crate::project::Project;
use crate::text::{RustFile, raw_string, string};

pub(super) fn emit(project: &Project<'_>) -> RustFile {
    let Project { service, config } = project;
    let mut file = RustFile::new("One mock for each operation of the service.");
    let params = service.operations.iter().flat_map(|operation| &operation.params);
    let types = params.clone().filter_map(|param| param.ty.name());
    let mut params = params.map(|param| (param.ty.name(), param.ty.in_record()));
    let float = params.any(|one| one == (None, Primitive::Float)).then(|| "Float".to_owned());
    let models = service.operations.iter().filter_map(|one| service.response_model(one));
    let values = service.operations.iter().filter_map(|one| one.response.value());
    let values = values.flat_map(|ty| ty.imported(service));
    let beside = service.operations.iter().filter_map(|one| one.response.beside());
    let models = models.chain(beside.map(|id| service.model(id)));
    let names = types.chain(models.map(|model| &model.rust)).map(RustName::pascal);
    let paged = || service.operations.iter().filter(|operation| operation.paging.is_some());
    let names = names.chain(paged().map(|operation| operation.rust.pascal()));
    let names = names.chain(values);
    let model = config.rust_name(Role::Model);
    let service_module = std::iter::once("service".to_owned());
    file.import(&format!("use {model}"), names.chain(service_module).chain(float));
    let support = [Some("Call"), Some("MockedCall"), paged().next().map(|_| "MockedPages")];
    let posts = service.operations.iter().any(|one| one.post.is_some()).then_some("BodyFormat");
    let mut params = service.operations.iter().flat_map(|operation| &operation.params);
    let lists = params.any(|param| param.list.is_some()).then_some("ListStyle");
    let support = support.into_iter().flatten().chain(posts).chain(lists);
    file.import("use gateway_testkit_core::mocks", support);
    file.blank();
    if service.examples.iter().any(|example| example.client) {
        file.line(fixture::IMPORT);
    }
    let fixtures = Fixtures::of(service);
    for operation in &service.operations {
        file.blank();
        mock(&mut file, project, &fixtures, operation);
    }
    file
}

fn mock(
    file: &mut RustFile,
    project: &Project<'_>,
    fixtures: &Fixtures<'_>,
    operation: &Operation,
) {
    let service = project.service;
    let name = operation.rust.preceded_by("mock").pascal();
    file.doc(&format!("A mock of `{}`.", operation.select));
    file.doc_break();
    file.doc(&operation.doc.0);
    file.line("#[derive(Clone, Debug)]");
    file.line("#[must_use = \"a mock does nothing until it has a response and is mounted\"]");
    file.open(format_args!("pub struct {name} {{"));
    file.line("call: Call,");
    file.close("}");
    file.blank();
    file.open(format_args!("impl {name} {{"));
    file.doc("Creates a mock that matches every call of the operation.");
    file.open("pub const fn new() -> Self {");
    file.line(format_args!("Self {{ call: {} }}", every_call(service, operation)));
    file.close("}");
    authentication(file, &service.auth);
    for (signature, call, doc) in [
        (
            "delay(self, delay: std::time::Duration)",
            "delay(delay)",
            "Sends the response after this delay.",
        ),
        (
            "retry_after(self, delay: std::time::Duration)",
            "retry_after(delay)",
            "Adds `Retry-After` to the response, in seconds, rounded up.",
        ),
        ("truncated(self)", "truncated()", "Cuts the JSON of the response; HTTP is complete."),
    ] {
        modifier(file, signature, call, doc);
    }
    if operation.response.is_list() {
        let doc = "Adds a record to the end of the list that no client can decode.";
        modifier(file, "bad_record(self)", "bad_record()", doc);
    }
    for param in &operation.params {
        parameter(file, param);
    }
    response(file, service, operation);
    for example in service.examples_of(operation).filter(|example| example.client) {
        one_example(file, service, fixtures, operation, example);
    }
    file.close("}");
    file.blank();
    file.open(format_args!("impl Default for {name} {{"));
    file.open("fn default() -> Self {");
    file.line("Self::new()");
    file.close("}");
    file.close("}");
}

/// Writes a method that changes the response.
fn modifier(file: &mut RustFile, signature: &str, call: &str, doc: &str) {
    file.blank();
    file.doc(doc);
    file.open(format_args!("pub fn {signature} -> Self {{"));
    file.line(format_args!("Self {{ call: self.call.{call} }}"));
    file.close("}");
}

/// Writes the methods that match the token or the secrets of a call.
fn authentication(file: &mut RustFile, auth: &Auth) {
    let first = match auth {
        Auth::None => return,
        Auth::Bearer => "bearer token".to_owned(),
        Auth::Secrets(secrets) => {
            secrets.first().map(|one| format!("`{}`", one.name)).unwrap_or_default()
        }
    };
    file.blank();
    file.doc(&format!("Matches only calls with this {first}."));
    file.open("pub fn token(self, token: &str) -> Self {");
    file.line("Self { call: self.call.token(token) }");
    file.close("}");
    if auth.secrets().len() > 1 {
        file.blank();
        file.doc("Matches only calls with this value of the secret with this name.");
        file.open("pub fn secret(self, name: &'static str, value: &str) -> Self {");
        file.line("Self { call: self.call.secret(name, value) }");
        file.close("}");
    }
}

/// Returns the expression for every call of an operation.
fn every_call(service: &Service, operation: &Operation) -> String {
    let (marker, select) = (marker(service), string(&operation.select));
    match operation.post {
        None => format!("Call::new::<service::{marker}>({select})"),
        Some(post) => {
            format!("Call::post::<service::{marker}>({select}, {})", post.format.variant())
        }
    }
}

fn parameter(file: &mut RustFile, param: &Param) {
    let (setter, wire) = (setter(param), string(&param.wire));
    let (ty, value) = match (param.ty.name(), param.ty.in_record()) {
        (Some(name), _) => (format!("impl Into<{}>", name.pascal()), "value.into().to_string()"),
        (None, Primitive::Text) => ("&str".to_owned(), "value"),
        (None, primitive) => (primitive.rust().to_owned(), "value.to_string()"),
    };
    file.blank();
    file.doc(&format!("Matches only calls with this `{}`.", param.wire));
    if let Some(style) = param.list {
        let is_text = value == "value";
        let ty = if is_text { "impl Into<String>" } else { &ty };
        let value = if is_text { "value.into()" } else { value };
        file.open(format_args!(
            "pub fn {setter}(self, values: impl IntoIterator<Item = {ty}>) -> Self {{"
        ));
        file.line(format_args!("let values = values.into_iter().map(|value| {value});"));
        let style = style.variant();
        file.line(format_args!("Self {{ call: self.call.with_list({wire}, {style}, values) }}"));
    } else {
        file.open(format_args!("pub fn {setter}(self, value: {ty}) -> Self {{"));
        file.line(format_args!("Self {{ call: self.call.with({wire}, {value}) }}"));
    }
    file.close("}");
    if !param.required {
        file.blank();
        file.doc(&format!("Matches only calls without `{}`.", param.wire));
        file.open(format_args!("pub fn without_{}(self) -> Self {{", param.rust.words()));
        file.line(format_args!("Self {{ call: self.call.without({wire}) }}"));
        file.close("}");
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

fn response(file: &mut RustFile, service: &Service, operation: &Operation) {
    let model = service.response_model(operation).map(|model| model.rust.pascal());
    let model = model.unwrap_or_default();
    file.blank();
    let beside = operation.response.beside().map(|id| service.model(id));
    let frame = operation.response.frame(beside);
    if let (Some((open, close)), Some(beside)) = (&frame, beside) {
        let marked = marked(operation, beside);
        let beside = beside.rust.pascal();
        file.doc("Responds with these records, and these fields beside the list.");
        file.open(format_args!(
            "pub fn answers(self, records: &[{model}], beside: &{beside}) -> MockedCall {{"
        ));
        let frame = frame_beside(operation, open, close);
        file.line(format_args!("self.call{marked}.list_beside({frame}, records, beside)"));
    } else if let Some((open, close)) = frame {
        file.doc("Responds with these records.");
        file.open(format_args!("pub fn answers(self, records: &[{model}]) -> MockedCall {{"));
        file.line(format_args!(
            "self.call.list(({}, {}), records)",
            raw_string(&open),
            string(&close)
        ));
    } else if let Response::Nothing { body } = &operation.response {
        file.doc("Responds with success.");
        file.open("pub fn answers(self) -> MockedCall {");
        let marker = body.marker().map(|marker| format!("{{{marker}}}"));
        let marker = marker.unwrap_or_else(|| "null".to_owned());
        file.line(format_args!("self.call.nothing({})", raw_string(&marker)));
    } else if let Response::Value { of, body } = &operation.response {
        file.doc("Responds with this value.");
        let (argument, value) = argument(service, of);
        file.open(format_args!("pub fn answers(self, value: {argument}) -> MockedCall {{"));
        let (open, close) = body.around(None);
        let frame = format!("({}, {})", raw_string(&open), string(&close));
        file.line(format_args!("self.call.object_in({frame}, \"\", {value})"));
    } else {
        file.doc("Responds with this record.");
        file.open(format_args!("pub fn answers(self, record: &{model}) -> MockedCall {{"));
        match operation.response.body() {
            None => file.line("self.call.object(record)"),
            Some(body) => {
                let (open, close) = body.around(None);
                let marker = body.marker().unwrap_or_default();
                file.line(format_args!(
                    "self.call.object_in(({}, {}), {}, record)",
                    raw_string(&open),
                    string(&close),
                    raw_string(&marker)
                ));
            }
        }
    }
    file.close("}");
    if operation.paging.is_some() {
        pages(file, service, operation);
    }
    file.blank();
    file.doc("Responds with this error status and a problem document (RFC 9457).");
    file.open("pub fn fails(self, status: u16) -> MockedCall {");
    file.line("self.call.fails(status)");
    file.close("}");
    if let Some(verdict) = operation.response.body().and_then(|body| body.verdict.as_ref()) {
        reported(file, verdict);
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

/// Returns the texts before the records, between them and the fields beside the list, and after these.
fn frame_beside(operation: &Operation, open: &str, close: &str) -> String {
    let above = operation.response.body().map_or(0, |body| body.beside_above);
    let (middle, close) = close.split_at_checked(1 + above).unwrap_or((close, ""));
    format!("({}, {}, {})", raw_string(open), string(middle), string(close))
}

/// Returns the call that adds the marker to the fields beside a list, if one of them has its name: an optional field may be
/// absent, and a nested record may lack the marker.
fn marked(operation: &Operation, beside: &Model) -> String {
    let marker = operation.response.body().and_then(|body| body.marker_beside(beside));
    marker.map(|marker| format!(".marked({})", raw_string(&marker))).unwrap_or_default()
}

/// Writes the method that responds with pages.
fn pages(file: &mut RustFile, service: &Service, operation: &Operation) {
    let beside = operation.response.beside().map(|id| service.model(id));
    let Some((open, close)) = operation.response.frame(beside) else { return };
    let frame = frame_beside(operation, &open, &close);
    let Some(model) = service.response_model(operation) else { return };
    let (name, model) = (operation.rust.pascal(), model.rust.pascal());
    file.blank();
    file.doc("Responds with these pages, one after another. The first one answers calls without a position.");
    if let Some(beside) = beside {
        let marked = marked(operation, beside);
        let beside = beside.rust.pascal();
        file.open(format_args!(
            "pub fn pages(self, pages: &[(&[{model}], &{beside})]) -> MockedPages {{"
        ));
        file.line(format_args!("self.call{marked}.pages::<{name}>({frame}, pages)"));
    } else {
        file.open(format_args!("pub fn pages(self, pages: &[&[{model}]]) -> MockedPages {{"));
        file.line("let pages: Vec<_> = pages.iter().map(|records| (*records, &())).collect();");
        file.line(format_args!("self.call.pages::<{name}>({frame}, &pages)"));
    }
    file.close("}");
}

/// Writes the method that responds with a failure in the body.
fn reported(file: &mut RustFile, verdict: &Verdict) {
    let places = [("code", &verdict.code), ("message", &verdict.message)];
    let places: Vec<_> = places.into_iter().filter(|(_, path)| !path.is_empty()).collect();
    let params: Vec<_> = places.iter().map(|(name, _)| format!(", {name}: &str")).collect();
    let members: Vec<_> = places
        .iter()
        .map(|(name, path)| {
            let path: Vec<_> = path.iter().map(|key| string(key)).collect();
            format!("(&[{}], {name})", path.join(", "))
        })
        .collect();
    file.blank();
    file.doc("Responds with status 200 and a body that reports a failure.");
    file.open(format_args!("pub fn fails_with(self{}) -> MockedCall {{", params.concat()));
    file.line(format_args!(
        "self.call.reports({}, &[{}])",
        raw_string(&verdict.failing()),
        members.join(", ")
    ));
    file.close("}");
}

fn one_example(
    file: &mut RustFile,
    service: &Service,
    fixtures: &Fixtures<'_>,
    operation: &Operation,
    example: &Example,
) {
    file.blank();
    file.doc(&format!(
        "Creates a mock of the example `{}`, with its exact call and response.",
        example.name.kebab()
    ));
    file.doc_break();
    file.doc(&example.doc.0);
    file.open(format_args!("pub fn like_{}() -> MockedCall {{", example.name.words()));
    let mut call = every_call(service, operation);
    for (index, param) in operation.params.iter().enumerate() {
        let given = example.params.iter().find(|(given, _)| *given == index);
        let wire = string(&param.wire);
        _ = match given {
            Some((_, text)) => match param.list {
                None => write!(call, ".with({wire}, {})", string(text)),
                Some(style) => {
                    let items: Vec<_> = param.items(text).into_iter().map(string).collect();
                    let items = format!("[{}].map(str::to_owned)", items.join(", "));
                    write!(call, ".with_list({wire}, {}, {items})", style.variant())
                }
            },
            None => write!(call, ".without({wire})"),
        };
    }
    file.line(format_args!("{call}.exactly({})", fixtures.expression(example)));
    file.close("}");
}
