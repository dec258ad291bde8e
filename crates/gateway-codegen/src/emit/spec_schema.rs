//! The JSON Schema of the spec language, for editors. It follows from the grammar that the spec
//! reader uses.

use serde_json::{Map, Value, json};

use crate::emit::file::{GeneratedFile, MARK};
use crate::project::Project;
use crate::spec::grammar::{DOCUMENT, Form, Key, Language, Shape, Table};

/// Emits the schema, which describes the language and therefore ignores the service.
pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let Some(path) = &project.config.documents.spec_schema else { return Vec::new() };
    let mut definitions = Map::new();
    let [one, two] = Language::ALL
        .map(|language| Schema { language, definitions: &mut definitions }.define(&DOCUMENT));
    definitions.sort_keys();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": MARK,
        "title": "Spec language, versions 1 and 2",
        "type": "object",
        "if": {
            "properties": { "spec-language": { "const": Language::Two.number() } },
            "required": ["spec-language"],
        },
        "then": two,
        "else": one,
        "$defs": definitions,
    });
    vec![GeneratedFile::json(path.as_str(), &schema)]
}

/// The schema of one version of the language. Both versions share the definitions of the tables that
/// are the same in both.
struct Schema<'a> {
    language: Language,
    definitions: &'a mut Map<String, Value>,
}

impl Schema<'_> {
    fn table(&mut self, table: &Table) -> Map<String, Value> {
        let mut properties = Map::new();
        if table.name == DOCUMENT.name {
            // Editors read the comment `#:schema` in TOML, and this key in other formats.
            properties.insert("$schema".to_owned(), json!({ "type": "string" }));
        }
        for key in table.keys_in(self.language) {
            properties.insert(key.name.to_owned(), Value::Object(self.property(key)));
        }
        let required = table.keys_in(self.language).filter(|key| key.required);
        let required: Vec<_> = required.map(|key| key.name).collect();
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

    fn property(&mut self, key: &Key) -> Map<String, Value> {
        let mut schema = Map::new();
        schema.insert("description".to_owned(), json!(key.doc));
        schema.extend(self.shape(&key.shape));
        schema
    }

    fn shape(&mut self, shape: &Shape) -> Map<String, Value> {
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
            Shape::Integer(min, max) => {
                json!({ "type": "integer", "minimum": min, "maximum": max })
            }
            Shape::Boolean => json!({ "type": "boolean" }),
            Shape::Texts(form) => json!({ "type": "array", "items": text(*form) }),
            Shape::OneOrTwo(form) => json!({
                "anyOf": [
                    text(*form),
                    { "type": "array", "items": text(*form), "minItems": 2, "maxItems": 2 },
                ],
            }),
            Shape::Positions => {
                json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } })
            }
            Shape::Codes => {
                json!({ "type": "array", "minItems": 1, "items": { "type": ["string", "integer", "boolean"] } })
            }
            Shape::Values => {
                json!({ "type": "object", "additionalProperties": { "type": ["string", "number", "boolean"] } })
            }
            Shape::Value => json!({ "type": ["string", "number", "boolean"] }),
            Shape::ValuesOrLists => {
                let one = json!({ "type": ["string", "number", "boolean"] });
                let list = json!({ "type": "array", "items": one });
                json!({ "type": "object", "additionalProperties": { "anyOf": [one, list] } })
            }
            Shape::Table(inner) => self.define(inner),
            Shape::Named(form, inner) => json!({
                "type": "object",
                "propertyNames": text(*form),
                "additionalProperties": self.define(inner),
            }),
            Shape::Tables(inner) => {
                json!({ "type": "array", "minItems": 1, "items": self.define(inner) })
            }
        };
        if let Value::Object(schema) = schema { schema } else { Map::new() }
    }

    fn define(&mut self, inner: &Table) -> Value {
        let name = inner.name.trim_matches(['`', '[', ']']);
        let name = if differs(inner) {
            format!("{name}-{}", self.language.number())
        } else {
            name.replace(' ', "-")
        };
        if !self.definitions.contains_key(&name) {
            let schema = self.table(inner);
            self.definitions.insert(name.clone(), Value::Object(schema));
        }
        json!({ "$ref": format!("#/$defs/{name}") })
    }
}

/// Returns whether a table is not the same in all versions of the language.
fn differs(table: &Table) -> bool {
    table.keys.iter().any(|key| {
        key.only.is_some()
            || match &key.shape {
                Shape::Table(inner) | Shape::Named(_, inner) | Shape::Tables(inner) => {
                    differs(inner)
                }
                _ => false,
            }
    })
}

fn text(form: Form) -> Value {
    json!({ "type": "string", "pattern": form.pattern(), "maxLength": form.longest() })
}
