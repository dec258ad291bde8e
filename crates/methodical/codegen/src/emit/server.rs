//! Code of the server: its operations with their parameters, and the records that it writes.

use askama::Template;

use crate::config::{Role, Workspace};
use crate::emit::model::types::field_value;
use crate::emit::{GeneratedFile, filters};
use crate::ir::{Field, Model, Primitive, Response, Service, Type};
use crate::text::{json_string, raw_string, string};

/// The files. The server matches operations and parameters without a wildcard, so it must handle each to compile.
#[derive(Template)]
enum File<'a> {
    #[template(path = "server/operations.rs.jinja")]
    Operations { service: &'a Service },
    #[template(path = "server/record.rs.jinja")]
    Records { service: &'a Service },
}

pub(super) fn emit(workspace: &Workspace) -> Vec<GeneratedFile> {
    let service = &workspace.service;
    let folder = workspace.config.modules(Role::Server);
    let file = |name: &str, file| GeneratedFile::new(format!("{folder}/{name}.rs"), &file);
    let modules = "pub(crate) mod operations; pub(crate) mod record;";
    vec![
        GeneratedFile::root(workspace, Role::Server, modules),
        file("operations", File::Operations { service }),
        file("record", File::Records { service }),
    ]
}

/// Returns the JSON text before and after the records of a list.
fn frame(response: &Response) -> (String, &'static str) {
    match response.envelope().map(|texts| texts.map(json_string)) {
        Some([marker, success, items]) => (format!("{{{marker}:{success},{items}:["), "]}"),
        None => ("[".to_owned(), "]"),
    }
}

/// Returns how an import reads a value of a type.
fn kind(service: &Service, ty: &Type) -> String {
    match ty {
        Type::Value(ty) => format!("Kind::{}", ty.names().import),
        Type::Model(id) => format!("Kind::Object({}::FIELDS)", row(service.model(*id))),
        Type::List(of) => format!("Kind::List(&{})", kind(service, of)),
        Type::Map(of) => format!("Kind::Map(&{})", kind(service, of)),
    }
}

/// Returns the name of the type that holds a record.
fn row(model: &Model) -> String {
    model.rust.followed_by("row").pascal()
}

fn has_optional(model: &Model) -> bool {
    model.fields.iter().any(|field| !field.required)
}

fn is_personal(model: &Model) -> bool {
    model.fields.iter().any(|field| field.personal)
}

/// How a record stores a field. A missing value is stored as an empty text, a record of empty texts, or else `None`.
struct Slot {
    ty: String,
    /// The attributes that make serde read and write the field as it is on the wire.
    attributes: Vec<String>,
    /// The expression for the example. Sample data has a value in every field, so that clients see its type.
    example: String,
}

fn slot(service: &Service, field: &Field) -> Slot {
    let text = "&'a str".to_owned();
    let value = || raw_string(&field_value(service, field));
    let (ty, attribute, example) = match &field.ty {
        Type::Value(value) if value.in_record == Primitive::Text => {
            let example = value.example().or(field.example.as_deref()).unwrap_or_default();
            (text, None, string(example))
        }
        Type::Value(_) => (text, Some(VALUE_OR_NULL), value()),
        Type::List(_) | Type::Map(_) => (text, Some(VALUE_OR_LIST), value()),
        Type::Model(id) => {
            let row = row(service.model(*id));
            let (ty, example) = (format!("{row}<'a>"), format!("{row}::example()"));
            if !field.required && !has_empty_form(service, field) {
                (format!("Option<{ty}>"), Some("borrow"), format!("Some({example})"))
            } else {
                (ty, Some("borrow"), example)
            }
        }
    };
    let is_renamed = field.rust.snake() != field.wire;
    let rename = is_renamed.then(|| format!("rename = {}", string(&field.wire)));
    let attributes = rename.into_iter().chain(attribute.map(str::to_owned)).collect();
    Slot { ty, attributes, example }
}

/// The serde attributes that write a value's JSON text or, if the value is missing, what a response sends instead.
const VALUE_OR_NULL: &str = "serialize_with = \"crate::fields::value_or_null\"";
const VALUE_OR_LIST: &str = "serialize_with = \"crate::fields::value_or_list\"";

/// Returns whether a record may lack a value for the field.
fn has_empty_form(service: &Service, field: &Field) -> bool {
    match &field.ty {
        Type::Value(value) => value.in_record == Primitive::Text,
        Type::Model(id) => {
            let fields = &service.model(*id).fields;
            fields.iter().all(|field| !field.required || has_empty_form(service, field))
        }
        Type::List(_) | Type::Map(_) => false,
    }
}
