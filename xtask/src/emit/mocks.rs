//! Typed mocks for wiremock: one type per operation, with its parameters and its answer.

use std::fmt::Write as _;

use crate::emit::GeneratedFile;
use crate::ir::{Example, Operation, Param, Response, RustName, Service, Type};
use crate::text::{Rust, string};

pub(super) fn emit(service: &Service) -> Vec<GeneratedFile> {
    let mut root = Rust::new("What `cargo xtask` made of the spec.");
    root.line("#[cfg(feature = \"cases\")]");
    root.line("pub(crate) mod cases;");
    root.line("#[cfg(feature = \"mocks\")]");
    root.line("pub(crate) mod mocks;");
    let mut file = Rust::new("The operations of the service as mocks.");
    file.line(format_args!("use gateway_model::{{{}}};", names(service).join(", ")));
    file.line("use wiremock::Mock;");
    file.blank();
    file.line("use crate::mocks::Call;");
    for operation in &service.operations {
        file.blank();
        mock(&mut file, service, operation);
    }
    let folder = "crates/gateway-testkit/src/generated";
    vec![
        GeneratedFile { path: format!("{folder}.rs"), text: root.finish() },
        GeneratedFile { path: format!("{folder}/mocks.rs"), text: file.finish() },
    ]
}

fn mock(file: &mut Rust, service: &Service, operation: &Operation) {
    let name = operation.rust.preceded_by("mock").pascal();
    file.doc(&format!("Stands in for `{}`.", operation.select));
    file.doc_break();
    file.doc(&operation.doc.0);
    file.line("#[derive(Clone, Debug)]");
    file.line("#[must_use = \"a mock does nothing before it answers and is mounted\"]");
    file.open(format_args!("pub struct {name} {{"));
    file.line("call: Call,");
    file.close("}");
    file.blank();
    file.open(format_args!("impl {name} {{"));
    file.doc("Waits for any call of the operation.");
    file.open("pub const fn new() -> Self {");
    file.line(format_args!("Self {{ call: Call::new({}) }}", string(&operation.select)));
    file.close("}");
    file.blank();
    file.doc("Waits only for calls with this bearer token.");
    file.open("pub fn token(self, token: &str) -> Self {");
    file.line("Self { call: self.call.token(token) }");
    file.close("}");
    for param in &operation.params {
        parameter(file, service, param);
    }
    answer(file, service, operation);
    for example in service.examples_of(operation).filter(|example| example.client) {
        one_example(file, operation, example);
    }
    file.close("}");
    file.blank();
    file.open(format_args!("impl Default for {name} {{"));
    file.open("fn default() -> Self {");
    file.line("Self::new()");
    file.close("}");
    file.close("}");
}

fn parameter(file: &mut Rust, service: &Service, param: &Param) {
    let (setter, wire) = (setter(param), string(&param.wire));
    let text = match (param.ty, service.type_name(param.ty)) {
        (Type::Text, _) => None,
        (Type::Integer, _) => Some("i64".to_owned()),
        (Type::Boolean, _) => Some("bool".to_owned()),
        (_, name) => name.map(|name| format!("impl Into<{}>", name.pascal())),
    };
    let (ty, value) = match text {
        None => ("&str".to_owned(), "value.to_owned()"),
        Some(ty) if ty.starts_with("impl") => (ty, "value.into().to_string()"),
        Some(ty) => (ty, "value.to_string()"),
    };
    file.blank();
    file.doc(&format!("Waits only for calls with this `{}`.", param.wire));
    file.open(format_args!("pub fn {setter}(self, value: {ty}) -> Self {{"));
    file.line(format_args!("Self {{ call: self.call.with({wire}, {value}) }}"));
    file.close("}");
    if !param.required {
        file.blank();
        file.doc(&format!("Waits only for calls without `{}`.", param.wire));
        file.open(format_args!("pub fn without_{}(self) -> Self {{", param.rust.words()));
        file.line(format_args!("Self {{ call: self.call.without({wire}) }}"));
        file.close("}");
    }
}

/// The methods that a mock has anyway are not hidden by a parameter of the same name.
fn setter(param: &Param) -> String {
    let name = param.rust.snake();
    let taken = ["answers", "fails", "token"].contains(&name.as_str())
        || name.starts_with("like_")
        || name.starts_with("without_");
    if taken { name + "_" } else { name }
}

fn answer(file: &mut Rust, service: &Service, operation: &Operation) {
    let Some(model) = service.response_model(operation) else { return };
    let model = model.rust.pascal();
    let json = |text: &str| serde_json::Value::from(text).to_string();
    let frame = match &operation.response {
        Response::Envelope { marker, success, items, .. } => {
            Some((format!("{{{}:{},{}:[", json(marker), json(success), json(items)), "]}"))
        }
        Response::Array { .. } => Some(("[".to_owned(), "]")),
        Response::Object { .. } => None,
    };
    file.blank();
    if let Some((open, close)) = frame {
        file.doc("Answers these records.");
        file.open(format_args!("pub fn answers(self, records: &[{model}]) -> Mock {{"));
        file.line(format_args!("self.call.list(({}, {}), records)", string(&open), string(close)));
    } else {
        file.doc("Answers this record.");
        file.open(format_args!("pub fn answers(self, record: &{model}) -> Mock {{"));
        file.line("self.call.object(record)");
    }
    file.close("}");
    file.blank();
    file.doc("Answers that the call failed, with this status and a problem document (RFC 9457).");
    file.open("pub fn fails(self, status: u16) -> Mock {");
    file.line("self.call.fails(status)");
    file.close("}");
}

fn one_example(file: &mut Rust, operation: &Operation, example: &Example) {
    file.blank();
    file.doc(&format!(
        "Waits for the call of the example `{}`, and answers it byte for byte.",
        example.name.kebab()
    ));
    file.doc_break();
    file.doc(&example.doc.0);
    file.open(format_args!("pub fn like_{}() -> Mock {{", example.name.words()));
    let mut call = format!("Call::new({})", string(&operation.select));
    for (index, param) in operation.params.iter().enumerate() {
        let given = example.params.iter().find(|(given, _)| *given == index);
        let wire = string(&param.wire);
        _ = match given {
            Some((_, text)) => write!(call, ".with({wire}, {}.to_owned())", string(text)),
            None => write!(call, ".without({wire})"),
        };
    }
    file.line(format_args!("{call}.exactly({})", string(&example.body)));
    file.close("}");
}

/// Everything of the model that the mocks name, sorted.
fn names(service: &Service) -> Vec<String> {
    let params = service.operations.iter().flat_map(|operation| &operation.params);
    let types = params.filter_map(|param| service.type_name(param.ty));
    let models =
        service.operations.iter().filter_map(|operation| service.response_model(operation));
    let mut names: Vec<_> =
        types.chain(models.map(|model| &model.rust)).map(RustName::pascal).collect();
    names.sort();
    names.dedup();
    names
}
