//! What the server takes from the contract: which operations there are, how their parameters are read, how a record
//! is written.

use super::GeneratedFile;
use crate::ir::{Field, Model, Operation, Otherwise, Param, Response, Service, Type, Wire};
use crate::text::{Rust, string};

pub(super) fn emit(service: &Service) -> Vec<GeneratedFile> {
    let file = |name: &str, file: Rust| GeneratedFile {
        path: format!("crates/gateway-server/src/generated/{name}.rs"),
        text: file.finish(),
    };
    let mut root = Rust::new("What the server takes from the contract.");
    for module in ["operation", "parameters", "record"] {
        root.line(format_args!("pub(crate) mod {module};"));
    }
    vec![
        GeneratedFile {
            path: "crates/gateway-server/src/generated.rs".to_owned(),
            text: root.finish(),
        },
        file("operation", operations(service)),
        file("parameters", parameters(service)),
        file("record", records(service)),
    ]
}

fn operations(service: &Service) -> Rust {
    let mut file = Rust::new("The operations of the service, and the frames of their answers.");
    file.doc(&format!("An operation, as the parameter `{}` selects it.", service.selector));
    file.line("#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]");
    file.open("pub(crate) enum Operation {");
    for operation in &service.operations {
        file.doc(&operation.doc.0);
        file.line(format_args!("{},", operation.rust.pascal()));
    }
    file.close("}");
    file.blank();
    file.open("impl Operation {");
    let all: Vec<_> =
        service.operations.iter().map(|one| format!("Self::{}", one.rust.pascal())).collect();
    file.doc("All operations, in the order of the contract.");
    file.line(format_args!("pub(crate) const ALL: [Self; {}] = [{}];", all.len(), all.join(", ")));
    file.blank();
    file.doc("Finds the operation that a value of the selector names.");
    file.open("pub(crate) fn from_method(method: &str) -> Option<Self> {");
    file.open("match method {");
    for operation in &service.operations {
        let (select, name) = (string(&operation.select), operation.rust.pascal());
        file.line(format_args!("{select} => Some(Self::{name}),"));
    }
    file.line("_ => None,");
    file.close("}");
    file.close("}");
    file.blank();
    file.doc("Returns the value of the selector that names the operation.");
    file.open("pub(crate) const fn method(self) -> &'static str {");
    file.open("match self {");
    for operation in &service.operations {
        let (select, name) = (string(&operation.select), operation.rust.pascal());
        file.line(format_args!("Self::{name} => {select},"));
    }
    file.close("}");
    file.close("}");
    file.close("}");
    file.blank();
    file.doc("What stands before the first and after the last record of a list.");
    file.line("#[derive(Debug, Clone, Copy, PartialEq, Eq)]");
    file.open("pub(crate) struct Frame {");
    file.doc("Everything before the first record.");
    file.line("pub(crate) open: &'static str,");
    file.doc("Everything after the last record.");
    file.line("pub(crate) close: &'static str,");
    file.close("}");
    for operation in &service.operations {
        let Some((open, close)) = frame(&operation.response) else { continue };
        file.blank();
        file.doc(&format!("The frame of `{}`.", operation.select));
        file.line(format_args!(
            "pub(crate) const {}: Frame = Frame {{ open: {}, close: {} }};",
            operation.rust.shouting(),
            string(&open),
            string(&close)
        ));
    }
    file
}

fn frame(response: &Response) -> Option<(String, String)> {
    match response {
        Response::Envelope { marker, success, items, .. } => {
            let open = format!("{{{}:{},{}:[", json(marker), json(success), json(items));
            Some((open, "]}".to_owned()))
        }
        Response::Array { .. } => Some(("[".to_owned(), "]".to_owned())),
        Response::Object { .. } => None,
    }
}

fn parameters(service: &Service) -> Rust {
    let mut file = Rust::new("The parameters of each operation, read and checked.");
    let refuses = |one: &Operation| alone(one, Otherwise::Error).next().is_some();
    let fault = if service.operations.iter().any(refuses) { ", Fault" } else { "" };
    file.line(format_args!("use crate::parameter::{{self{fault}, Problem}};"));
    file.line("use crate::query::Pairs;");
    for operation in service.operations.iter().filter(|operation| !operation.params.is_empty()) {
        file.blank();
        operation_parameters(&mut file, operation);
    }
    file
}

fn operation_parameters(file: &mut Rust, operation: &Operation) {
    let name = operation.rust.pascal();
    file.doc(&format!("The parameters of `{}`.", operation.select));
    file.line("#[derive(Debug, Clone, PartialEq, Eq, Default)]");
    file.open(format_args!("pub(crate) struct {name} {{"));
    for param in &operation.params {
        file.doc(&param.doc.0);
        let ty = match param.query_wire {
            Wire::Integer => "u64",
            Wire::String => "String",
        };
        file.line(format_args!("pub(crate) {}: Option<{ty}>,", param.rust.snake()));
    }
    file.close("}");
    file.blank();
    file.open(format_args!("impl {name} {{"));
    file.doc("Reads the parameters and ignores those that nobody defined.");
    file.open("pub(crate) fn read(pairs: &Pairs<'_>) -> Result<Self, Problem> {");
    let refused: Vec<_> = alone(operation, Otherwise::Error).collect();
    let (before, after) =
        if refused.is_empty() { ("Ok(Self {", "})") } else { ("let read = Self {", "};") };
    file.open(before);
    for param in &operation.params {
        // A parameter that must be there is read by a function that does not exist yet: the compiler asks for it.
        let reader = match (param.required, param.query_wire) {
            (false, Wire::Integer) => "integer",
            (false, Wire::String) => "text",
            (true, Wire::Integer) => "required_integer",
            (true, Wire::String) => "required_text",
        };
        let (field, wire) = (param.rust.snake(), string(&param.wire));
        file.line(format_args!("{field}: parameter::{reader}(pairs, {wire})?,"));
    }
    file.close(after);
    for (param, needed) in &refused {
        file.open(format_args!("if {} {{", comes_alone("read", param, needed)));
        let needed = string(&needed.wire);
        file.line(format_args!(
            "return Err(Problem {{ parameter: {needed}, fault: Fault::Missing }});"
        ));
        file.close("}");
    }
    if !refused.is_empty() {
        file.line("Ok(read)");
    }
    file.close("}");
    file.blank();
    file.doc(
        "Names a parameter that has no effect because one that it needs is missing, and that one.",
    );
    file.open("pub(crate) fn without_effect(&self) -> Option<(&'static str, &'static str)> {");
    for (param, needed) in alone(operation, Otherwise::NoEffect) {
        file.open(format_args!("if {} {{", comes_alone("self", param, needed)));
        file.line(format_args!(
            "return Some(({}, {}));",
            string(&param.wire),
            string(&needed.wire)
        ));
        file.close("}");
    }
    file.line("None");
    file.close("}");
    file.close("}");
}

/// The parameters of which the service says this when one that they need is missing, each with one that it needs.
fn alone(operation: &Operation, otherwise: Otherwise) -> impl Iterator<Item = (&Param, &Param)> {
    let params = operation.params.iter().filter(move |param| param.otherwise == otherwise);
    params
        .flat_map(|param| operation.needed_by(param).map(move |needed| (param, needed)))
        .filter(|(_, needed)| !needed.required)
}

fn comes_alone(all: &str, param: &Param, needed: &Param) -> String {
    format!("{all}.{}.is_some() && {all}.{}.is_none()", param.rust.snake(), needed.rust.snake())
}

fn records(service: &Service) -> Rust {
    let purpose =
        "The records of the service, borrowed from wherever they are kept, and their JSON.";
    let mut file = Rust::new(purpose);
    if service.models.iter().any(is_personal) {
        file.line("use std::fmt;");
        file.blank();
    }
    file.line("use crate::json;");
    for model in &service.models {
        file.blank();
        record(&mut file, service, model);
    }
    file
}

fn record(file: &mut Rust, service: &Service, model: &Model) {
    let name = row(model);
    file.doc(&model.doc.0);
    let derives = if is_personal(model) { "" } else { ", Debug" };
    file.line(format_args!("#[derive(Clone, Copy, PartialEq, Eq{derives})]"));
    file.open(format_args!("pub struct {name}<'a> {{"));
    for field in &model.fields {
        file.doc(&field.doc.0);
        file.line(format_args!("pub {}: {},", field.rust.snake(), field_type(service, field)));
    }
    file.close("}");
    file.blank();
    file.open(format_args!("impl {name}<'_> {{"));
    file.doc("Appends the record as a JSON object, with every field.");
    file.open("pub(crate) fn write(&self, out: &mut Vec<u8>) {");
    let mut before = "{";
    for field in &model.fields {
        let key = string(&format!("{before}{}:", json(&field.wire)));
        file.line(format_args!("out.extend_from_slice({key}.as_bytes());"));
        let name = field.rust.snake();
        file.line(match field.ty {
            Type::Text | Type::Scalar(_) | Type::Enum(_) => {
                format!("json::text(out, self.{name});")
            }
            Type::Integer | Type::Boolean => {
                format!("out.extend_from_slice(self.{name}.to_string().as_bytes());")
            }
            Type::Model(_) => format!("self.{name}.write(out);"),
        });
        before = ",";
    }
    file.line("out.push(b'}');");
    file.close("}");
    file.close("}");
    if is_personal(model) {
        file.blank();
        redacted_debug(file, model);
    }
}

fn redacted_debug(file: &mut Rust, model: &Model) {
    let name = row(model);
    file.doc("Shows the identity only: the rest is personal data.");
    file.open(format_args!("impl fmt::Debug for {name}<'_> {{"));
    file.open("fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {");
    let identity = model.identity_field().map_or_else(String::new, |field| {
        let field = field.rust.snake();
        format!(".field({}, &self.{field})", string(&field))
    });
    file.line(format_args!("f.debug_struct({}){identity}.finish_non_exhaustive()", string(&name)));
    file.close("}");
    file.close("}");
}

fn field_type(service: &Service, field: &Field) -> String {
    match field.ty {
        Type::Text | Type::Scalar(_) | Type::Enum(_) => "&'a str".to_owned(),
        Type::Integer => "i64".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Model(index) => {
            let name = service.models.get(index).map(row).unwrap_or_default();
            let pointer = if field.boxed { "&'a " } else { "" };
            format!("{pointer}{name}<'a>")
        }
    }
}

fn row(model: &Model) -> String {
    format!("{}Row", model.rust.pascal())
}

fn is_personal(model: &Model) -> bool {
    model.fields.iter().any(|field| field.personal)
}

/// A JSON string, quotes included.
fn json(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.extend(format!("\\u{:04x}", u32::from(c)).chars()),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::json;

    #[test]
    fn a_key_cannot_leave_its_string() {
        assert_eq!(json("a\"b\\c\n"), r#""a\"b\\c\u000a""#);
    }
}
