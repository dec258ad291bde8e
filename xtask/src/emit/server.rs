//! What the server takes from the contract: which operations there are, how their parameters are read, how a record
//! is written.

use crate::emit::GeneratedFile;
use crate::ir::{Field, Model, Response, Service, Type};
use crate::text::{Rust, string};

mod parameters;

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
        file("parameters", parameters::emit(service)),
        file("record", records(service)),
    ]
}

fn operations(service: &Service) -> Rust {
    let mut file = Rust::new("The operations of the service, and the frames of their answers.");
    file.doc(&format!("An operation, as the parameter `{}` selects it.", service.selector));
    file.line("#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]");
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
    file.line("#[derive(Clone, Copy, Debug, PartialEq, Eq)]");
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
    let (declared, elided) = if borrows(service, model) { ("<'a>", "<'_>") } else { ("", "") };
    file.open(format_args!("pub struct {name}{declared} {{"));
    for field in &model.fields {
        file.doc(&field.doc.0);
        file.line(format_args!("pub {}: {},", field.rust.snake(), field_type(service, field)));
    }
    file.close("}");
    file.blank();
    file.open(format_args!("impl {name}{elided} {{"));
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
        redacted_debug(file, model, elided);
    }
}

fn redacted_debug(file: &mut Rust, model: &Model, elided: &str) {
    let name = row(model);
    file.doc("Shows the identity only: the rest is personal data.");
    file.open(format_args!("impl fmt::Debug for {name}{elided} {{"));
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
            let Some(model) = service.models.get(index) else { return String::new() };
            let pointer = if field.boxed { "&'a " } else { "" };
            let lifetime = if borrows(service, model) { "<'a>" } else { "" };
            format!("{pointer}{}{lifetime}", row(model))
        }
    }
}

/// Whether a record holds text that is kept elsewhere, itself or in a record within it.
fn borrows(service: &Service, model: &Model) -> bool {
    model.fields.iter().any(|field| match field.ty {
        Type::Text | Type::Scalar(_) | Type::Enum(_) => true,
        Type::Integer | Type::Boolean => false,
        Type::Model(index) => {
            field.boxed || service.models.get(index).is_some_and(|inner| borrows(service, inner))
        }
    })
}

fn row(model: &Model) -> String {
    model.rust.followed_by("row").pascal()
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
