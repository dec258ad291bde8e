//! JSON Schemas of the types, for all documents that contain some.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::ir::{Doc, Field, Meaning, Param, Response, Service, Type, Wire};
use crate::text::one_line;

/// Creates the schemas of a service's types.
#[derive(Clone, Copy)]
pub(super) struct TypeSchemas<'a> {
    pub(super) service: &'a Service,
    /// Where references point: `#/$defs/` or `#/components/schemas/`.
    pub(super) prefix: &'a str,
}

impl TypeSchemas<'_> {
    /// Returns a reference to a model.
    pub(super) fn reference(self, model: usize) -> Value {
        let name = self.service.models.get(model).map(|model| model.rust.pascal());
        json!({ "$ref": format!("{}{}", self.prefix, name.unwrap_or_default()) })
    }

    /// Returns the object of a model. Other fields are allowed: a service may send more than its
    /// contract lists.
    pub(super) fn model(self, index: usize) -> Value {
        let Some(model) = self.service.models.get(index) else { return json!({}) };
        let mut properties = Map::new();
        for field in &model.fields {
            properties.insert(field.wire.clone(), self.field(field));
        }
        let required: Vec<_> =
            model.fields.iter().filter(|field| field.required).map(|field| &field.wire).collect();
        let mut schema = Map::new();
        describe(&mut schema, &model.doc);
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        Value::Object(schema)
    }

    fn field(self, field: &Field) -> Value {
        let mut schema = Map::new();
        describe(&mut schema, &field.doc);
        let ty = self.of_type(field.ty, false);
        if field.required {
            schema.extend(ty);
        } else if ty.contains_key("$ref") {
            schema.insert("anyOf".to_owned(), json!([ty, { "type": "null" }]));
        } else {
            schema.extend(nullable(ty));
        }
        if let Some(example) = field.example.as_ref().and_then(|text| self.value(field.ty, text)) {
            schema.insert("examples".to_owned(), json!([example]));
        }
        if field.personal {
            schema.insert("x-personal-data".to_owned(), json!(true));
        }
        if field.deprecated.is_some() {
            schema.insert("deprecated".to_owned(), json!(true));
        }
        Value::Object(schema)
    }

    /// Returns the value of a parameter.
    pub(super) fn param(self, param: &Param) -> Value {
        let mut schema = self.of_type(param.ty, true);
        if schema.get("type") == Some(&json!("string")) && !schema.contains_key("enum") {
            schema.insert("minLength".to_owned(), json!(1));
        }
        if let Some(most) = param.max_chars {
            schema.insert("maxLength".to_owned(), json!(most));
        }
        if let Some(min) = param.min {
            schema.insert("minimum".to_owned(), json!(min));
        }
        if let Some(max) = param.max {
            schema.insert("maximum".to_owned(), json!(max));
        }
        Value::Object(schema)
    }

    /// Returns the schema of a whole successful response.
    pub(super) fn response(self, response: &Response) -> Value {
        let item = self.reference(response.of());
        match response {
            Response::Envelope { marker, success, items, .. } => {
                let mut properties = Map::new();
                properties.insert(marker.clone(), json!({ "const": success }));
                properties.insert(items.clone(), json!({ "type": "array", "items": item }));
                json!({ "type": "object", "properties": properties, "required": [marker, items] })
            }
            Response::Array { .. } => json!({ "type": "array", "items": item }),
            Response::Object { .. } => item,
        }
    }

    /// Returns the JSON value of a wire text.
    pub(super) fn value(self, ty: Type, text: &str) -> Option<Value> {
        match ty {
            Type::Integer => text.parse::<i64>().ok().map(Value::from),
            Type::Boolean => text.parse::<bool>().ok().map(Value::from),
            Type::Scalar(index) => match self.service.scalars.get(index)?.wire {
                Wire::Integer => text.parse::<u64>().ok().map(Value::from),
                Wire::String => Some(Value::from(text)),
            },
            Type::Text | Type::Enum(_) => Some(Value::from(text)),
            Type::Model(_) => None,
        }
    }

    fn of_type(self, ty: Type, in_query: bool) -> Map<String, Value> {
        let schema = match ty {
            Type::Text => json!({ "type": "string" }),
            Type::Integer => {
                json!({ "type": "integer", "minimum": i64::MIN, "maximum": i64::MAX })
            }
            Type::Boolean => json!({ "type": "boolean" }),
            Type::Scalar(index) => self.scalar(index, in_query),
            Type::Enum(index) => self.one_enum(index),
            Type::Model(index) => self.reference(index),
        };
        if let Value::Object(schema) = schema { schema } else { Map::new() }
    }

    fn scalar(self, index: usize, in_query: bool) -> Value {
        let Some(scalar) = self.service.scalars.get(index) else { return json!({}) };
        let wire = scalar.query_wire.filter(|_| in_query).unwrap_or(scalar.wire);
        let mut schema = match wire {
            Wire::Integer => json!({ "type": "integer", "minimum": 0, "maximum": u64::MAX }),
            Wire::String => json!({ "type": "string", "examples": [scalar.example] }),
        };
        let meaning = match scalar.meaning {
            Meaning::Decimal => Some("decimal"),
            Meaning::CivilDateTime => Some("civil-datetime"),
            Meaning::Currency => Some("currency"),
            Meaning::Id | Meaning::Text => None,
        };
        // Not `format`, which a validator may check: a client must accept other text as well.
        if let (Some(meaning), Some(schema)) = (meaning, schema.as_object_mut()) {
            schema.insert("x-meaning".to_owned(), json!(meaning));
        }
        schema
    }

    fn one_enum(self, index: usize) -> Value {
        let Some(one) = self.service.enums.get(index) else { return json!({}) };
        let values: Vec<_> = one.values.iter().map(|value| &value.wire).collect();
        if one.open_ended {
            json!({ "type": "string", "examples": values })
        } else {
            json!({ "type": "string", "enum": values })
        }
    }
}

fn nullable(mut schema: Map<String, Value>) -> Map<String, Value> {
    if let Some(ty) = schema.get("type").cloned() {
        schema.insert("type".to_owned(), json!([ty, "null"]));
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
    schema
}

pub(super) fn describe(schema: &mut Map<String, Value>, doc: &Doc) {
    schema.insert("description".to_owned(), json!(one_line(&doc.0)));
}

/// Returns the models that a model contains, including itself, in the order of the spec.
pub(super) fn reachable(service: &Service, from: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([from]);
    let mut pending = vec![from];
    while let Some(model) = pending.pop().and_then(|index| service.models.get(index)) {
        for field in &model.fields {
            if let Type::Model(next) = field.ty
                && found.insert(next)
            {
                pending.push(next);
            }
        }
    }
    found
}
