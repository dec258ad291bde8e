//! The JSON Schema of the spec language, for editors. It follows from the grammar that the spec
//! reader uses.

use serde_json::{Map, Value, json};

use crate::emit::file::{GeneratedFile, MARK};
use crate::project::Project;
use crate::spec::grammar::{DOCUMENT, Form, Key, Shape, Table};

/// Emits the schema, which describes the language and therefore ignores the service.
pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let Some(path) = &project.config.documents.spec_schema else { return Vec::new() };
    let mut definitions = Map::new();
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    schema.insert("$comment".to_owned(), json!(MARK));
    schema.insert("title".to_owned(), json!("Spec language, version 1"));
    schema.extend(table(&DOCUMENT, &mut definitions));
    definitions.sort_keys();
    schema.insert("$defs".to_owned(), Value::Object(definitions));
    vec![GeneratedFile::json(path.as_str(), &Value::Object(schema))]
}

fn table(table: &Table, definitions: &mut Map<String, Value>) -> Map<String, Value> {
    let mut properties = Map::new();
    if table.name == DOCUMENT.name {
        // Editors read the comment `#:schema` in TOML, and this key in other formats.
        properties.insert("$schema".to_owned(), json!({ "type": "string" }));
    }
    for key in table.keys {
        properties.insert(key.name.to_owned(), Value::Object(property(key, definitions)));
    }
    let required: Vec<_> =
        table.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    let mut schema = Map::new();
    schema.insert("description".to_owned(), json!(table.doc));
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("additionalProperties".to_owned(), json!(false));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    if table.exactly_one {
        schema.insert("minProperties".to_owned(), json!(1));
        schema.insert("maxProperties".to_owned(), json!(1));
    }
    schema
}

fn property(key: &Key, definitions: &mut Map<String, Value>) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("description".to_owned(), json!(key.doc));
    schema.extend(shape(&key.shape, definitions));
    schema
}

fn shape(shape: &Shape, definitions: &mut Map<String, Value>) -> Map<String, Value> {
    let schema = match shape {
        Shape::Text(form) => text(*form),
        Shape::Choice(choices) => {
            let choices: Vec<_> = choices
                .iter()
                .map(|(choice, doc)| json!({ "const": choice, "description": doc }))
                .collect();
            json!({ "oneOf": choices })
        }
        Shape::Integer(min, max) if min == max => json!({ "const": min }),
        Shape::Integer(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Shape::Boolean => json!({ "type": "boolean" }),
        Shape::Texts(form) => json!({ "type": "array", "items": text(*form) }),
        Shape::Positions => {
            json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } })
        }
        Shape::Values => {
            json!({ "type": "object", "additionalProperties": { "type": ["string", "integer", "boolean"] } })
        }
        Shape::Table(inner) => define(inner, definitions),
        Shape::Named(form, inner) => json!({
            "type": "object",
            "propertyNames": text(*form),
            "additionalProperties": define(inner, definitions),
        }),
        Shape::Tables(inner) => {
            json!({ "type": "array", "minItems": 1, "items": define(inner, definitions) })
        }
    };
    if let Value::Object(schema) = schema { schema } else { Map::new() }
}

fn define(inner: &Table, definitions: &mut Map<String, Value>) -> Value {
    if !definitions.contains_key(inner.name) {
        let schema = table(inner, definitions);
        definitions.insert(inner.name.to_owned(), Value::Object(schema));
    }
    json!({ "$ref": format!("#/$defs/{}", inner.name) })
}

fn text(form: Form) -> Value {
    json!({ "type": "string", "pattern": form.pattern(), "maxLength": form.longest() })
}
