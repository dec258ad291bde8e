//! JSON Schemas of the types, for all documents that contain some.

use serde_json::{Map, Value, json};

use crate::ir::{
    Body, Code, Decides, Doc, Field, Leniency, Model, Param, Primitive, Response, Service, Type,
    ValueType, Verdict, Wire, other_form,
};
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
    fn reference(self, model: &Model) -> Map<String, Value> {
        let path = format!("{}{}", self.prefix, model.rust.pascal());
        Map::from_iter([("$ref".to_owned(), json!(path))])
    }

    /// Returns the object of a model. Other fields are allowed: a service may send more than its
    /// contract lists.
    pub(super) fn model(self, model: &Model) -> Value {
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
        let ty = self.ty(&field.ty);
        let other = self.other_forms(field);
        if !other.is_empty() {
            let null = (!field.required).then(|| json!({ "type": "null" }));
            let all = std::iter::once(Value::Object(ty)).chain(other).chain(null);
            schema.insert("anyOf".to_owned(), json!(all.collect::<Vec<_>>()));
        } else if field.required {
            schema.extend(ty);
        } else if ty.contains_key("$ref") {
            schema.insert("anyOf".to_owned(), json!([ty, { "type": "null" }]));
        } else {
            schema.extend(nullable(ty));
        }
        if let (Some(text), Type::Value(value)) = (&field.example, &field.ty)
            && let Some(example) = value.json(text)
        {
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

    /// Returns the schemas of the other forms that a reader accepts.
    fn other_forms(self, field: &Field) -> Vec<Value> {
        let form = |leniency: &Leniency| match (leniency, &field.ty) {
            (Leniency::OneAsList, Type::List(of)) => Some(Value::Object(self.ty(of))),
            (Leniency::EmptyArrayAsMap, _) => Some(json!({ "type": "array", "maxItems": 0 })),
            (Leniency::BlankAsNone, _) => Some(json!({ "const": "" })),
            (Leniency::OneAsList | Leniency::AbsentAsEmpty, _) => None,
        };
        field.lenient.iter().filter_map(form).collect()
    }

    fn ty(self, ty: &Type) -> Map<String, Value> {
        let (name, key, of) = match ty {
            Type::Value(value) => return in_record(value),
            Type::Model(id) => return self.reference(self.service.model(*id)),
            Type::List(of) => ("array", "items", of),
            Type::Map(of) => ("object", "additionalProperties", of),
        };
        Map::from_iter([("type".to_owned(), json!(name)), (key.to_owned(), json!(self.ty(of)))])
    }

    /// Returns the value of a parameter.
    pub(super) fn param(param: &Param) -> Value {
        let primitive = param.ty.in_query();
        let mut schema = of_value(&param.ty, primitive);
        if primitive == Primitive::Text && param.ty.as_closed_enum().is_none() {
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
        if let Some(text) = &param.default {
            let number = param.ty.is_json_literal().then(|| serde_json::from_str(text).ok());
            let value = number.flatten().unwrap_or_else(|| Value::from(text.as_str()));
            schema.insert("default".to_owned(), value);
        }
        if param.list.is_some() {
            return json!({ "type": "array", "minItems": 1, "items": schema });
        }
        Value::Object(schema)
    }

    /// Returns the schema of a whole successful response.
    pub(super) fn response(self, response: &Response) -> Value {
        let model = response.of().map(|id| self.reference(self.service.model(id)));
        let item = model.or_else(|| Some(self.ty(response.value()?))).unwrap_or_default();
        let item = Value::Object(item);
        match response {
            Response::Envelope { marker, success, items, .. } => {
                let mut properties = Map::new();
                properties.insert(marker.clone(), json!({ "const": success }));
                properties.insert(items.clone(), json!({ "type": "array", "items": item }));
                json!({ "type": "object", "properties": properties, "required": [marker, items] })
            }
            Response::Array { .. } => json!({ "type": "array", "items": item }),
            Response::Object { .. } => item,
            Response::Body { body, .. }
            | Response::Value { body, .. }
            | Response::Nothing { body } => self.body(body, item),
        }
    }

    /// Returns the schema of a body with the data in its place.
    fn body(self, body: &Body, item: Value) -> Value {
        let list = json!({ "type": "array", "items": item });
        let mut schema = match (body.is_list, body.one_as_list) {
            (false, _) => item,
            (true, false) => list,
            (true, true) => json!({ "anyOf": [list, item] }),
        };
        let beside = body.beside.map(|id| self.service.model(id));
        let needs_beside =
            beside.is_some_and(|model| model.fields.iter().any(|field| field.required));
        for (depth, key) in body.at.iter().enumerate().rev() {
            let leads_to_beside = depth < body.beside_at().len();
            let mut object = if body.absent_as_empty && !(leads_to_beside && needs_beside) {
                let nullable = json!({ "anyOf": [schema, { "type": "null" }] });
                json!({ "type": "object", "properties": { key: nullable } })
            } else {
                json!({ "type": "object", "properties": { key: schema }, "required": [key] })
            };
            if depth == body.beside_at().len()
                && let Some(beside) = beside
            {
                let beside = self.reference(beside);
                object = json!({ "allOf": [beside, object] });
            }
            schema = object;
        }
        match body.verdict.as_ref().map(|verdict| &verdict.decides) {
            None => schema,
            Some(Decides::Success { at, is }) => {
                let values: Vec<_> = is.iter().flat_map(|text| values(text)).collect();
                json!({ "allOf": [schema, below(at, json!({ "enum": values }))] })
            }
            Some(Decides::Failure { present }) => {
                json!({ "allOf": [schema, { "not": below(present, json!({ "not": { "type": "null" } })) }] })
            }
        }
    }

    /// Returns the schema of a failure that a body reports.
    pub(super) fn failure(verdict: &Verdict) -> Value {
        let marker = match &verdict.decides {
            Decides::Success { at, is } => {
                let values: Vec<_> = is.iter().flat_map(|text| values(text)).collect();
                below(at, json!({ "not": { "enum": values } }))
            }
            Decides::Failure { present } => below(present, json!({ "not": { "type": "null" } })),
        };
        let mut all = vec![marker];
        let listed = verdict.classes.iter().filter(|(listed, _)| !listed.ends_with('*'));
        let listed: Vec<_> = listed.flat_map(|(listed, _)| values(listed)).collect();
        let (codes, messages) =
            if verdict.code.is_empty() { (Vec::new(), listed) } else { (listed, Vec::new()) };
        for (path, examples) in [(&verdict.code, codes), (&verdict.message, messages)] {
            if !path.is_empty() {
                let mut schema = Map::new();
                schema.insert("type".to_owned(), json!(["string", "number", "boolean", "null"]));
                if !examples.is_empty() {
                    schema.insert("examples".to_owned(), json!(examples));
                }
                all.push(properties(path, Value::Object(schema)));
            }
        }
        json!({ "description": "A failure with status 200.", "allOf": all })
    }
}

/// Returns the schema of an object with a value at a path.
fn below(path: &[String], schema: Value) -> Value {
    path.iter().rev().fold(
        schema,
        |schema, key| json!({ "type": "object", "properties": { key: schema }, "required": [key] }),
    )
}

/// Returns the schema of an object that may have a value at a path.
fn properties(path: &[String], schema: Value) -> Value {
    path.iter().rev().fold(schema, |schema, key| json!({ "properties": { key: schema } }))
}

/// Returns the JSON values that have a text: the string, and the number or boolean.
fn values(text: &str) -> Vec<Value> {
    [Some(json!(text)), other_form(text)].into_iter().flatten().collect()
}

/// Returns the schema of a single value in a record.
fn in_record(value: &ValueType) -> Map<String, Value> {
    let mut schema = of_value(value, value.in_record());
    if let Some(codes) = value.codes() {
        let codes: Vec<_> = codes.all().map(Code::json).collect();
        schema.remove("type");
        schema.insert("enum".to_owned(), json!(codes));
    }
    match value.wire() {
        Some(Wire::TextOrNumber) => {
            schema.insert("type".to_owned(), json!(["string", "number"]));
        }
        Some(Wire::IntegerOrText) => {
            let sign = if value.in_record() == Primitive::Signed { "-?" } else { "" };
            schema.insert("type".to_owned(), json!(["integer", "string"]));
            // Wider than the decoders: a pattern that limits the digits to 64 bits would be hard to read.
            schema.insert("pattern".to_owned(), json!(format!("^{sign}[0-9]+$")));
            if let Some(Value::Array(values)) = schema.get_mut("enum") {
                let texts: Vec<_> = values.iter().map(|value| json!(value.to_string())).collect();
                values.extend(texts);
            }
        }
        Some(Wire::String | Wire::Integer | Wire::Codes) | None => {}
    }
    schema
}

/// Returns the schema of a single value that is written as a primitive.
fn of_value(value: &ValueType, primitive: Primitive) -> Map<String, Value> {
    let mut schema = primitive.schema();
    match value {
        ValueType::BuiltIn(_) => {}
        ValueType::Scalar(scalar) => {
            if primitive == Primitive::Text {
                schema.insert("examples".to_owned(), json!([scalar.example]));
            }
            if let (Primitive::Coded, Some(codes)) = (primitive, &scalar.codes) {
                let texts: Vec<_> = codes.all().map(Code::text).collect();
                schema.insert("type".to_owned(), json!("string"));
                schema.insert("enum".to_owned(), json!(texts));
            }
            // Not `format`, which a validator may check: a client must accept other text as well.
            if let Some(meaning) = scalar.form.schema {
                schema.insert("x-meaning".to_owned(), json!(meaning));
            }
        }
        ValueType::Enum(one) => {
            let values = one.values.iter();
            let values: Vec<_> =
                values.filter_map(|value| one.primitive().json(&value.wire)).collect();
            let key = if one.open_ended { "examples" } else { "enum" };
            schema.insert(key.to_owned(), json!(values));
        }
    }
    schema
}

fn nullable(mut schema: Map<String, Value>) -> Map<String, Value> {
    match schema.get_mut("type") {
        Some(Value::Array(types)) => types.push(json!("null")),
        Some(ty) => *ty = json!([ty.clone(), "null"]),
        None => {}
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
    schema
}

pub(super) fn describe(schema: &mut Map<String, Value>, doc: &Doc) {
    schema.insert("description".to_owned(), json!(one_line(&doc.0)));
}
