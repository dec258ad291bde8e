//! The records that the server writes: borrowed from its store, and serialized without serde.

use crate::ir::{Field, Model, Service, Type};
use crate::text::{RustFile, json_string, raw_string, string};

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file = RustFile::new("The records of the service, borrowed from the store, as JSON.");
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

fn record(file: &mut RustFile, service: &Service, model: &Model) {
    let name = row(model);
    file.doc(&model.doc.0);
    let debug = if is_personal(model) { "" } else { "Debug, " };
    file.line(format_args!("#[derive(Clone, Copy, {debug}PartialEq, Eq)]"));
    let (declared, elided) = if borrows(service, model) { ("<'a>", "<'_>") } else { ("", "") };
    file.open(format_args!("pub struct {name}{declared} {{"));
    for field in &model.fields {
        file.doc(&field.doc.0);
        file.line(format_args!("pub {}: {},", field.rust.snake(), field_type(service, field)));
    }
    file.close("}");
    file.blank();
    file.open(format_args!("impl {name}{elided} {{"));
    file.doc("Appends the record as a JSON object with all its fields.");
    file.open("pub(crate) fn write(&self, out: &mut Vec<u8>) {");
    let mut before = "{";
    for field in &model.fields {
        let key = raw_string(&format!("{before}{}:", json_string(&field.wire)));
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

fn redacted_debug(file: &mut RustFile, model: &Model, elided: &str) {
    let name = row(model);
    file.doc("Shows only the identity, because other fields hold personal data.");
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

/// Returns whether a record borrows text or another record, itself or in a nested record.
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
