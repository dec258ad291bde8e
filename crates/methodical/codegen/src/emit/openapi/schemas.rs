//! JSON Schemas of the types, for all documents that contain some.

use crate::ir::{
    Code, Decides, Doc, Field, Layout, Leniency, Model, Param, Primitive, Response, Service, Type,
    ValueType, Verdict, Wire, other_form,
};
use crate::json::{Map, Value, json};
use crate::text::one_line;

/// Creates the schemas of a service's types.
#[derive(Clone, Copy)]
pub(super) struct Schemas<'a> {
    pub(super) service: &'a Service,
    /// Where references point: `#/$defs/` or `#/components/schemas/`.
    pub(super) prefix: &'a str,
}

impl Schemas<'_> {
    /// Returns a reference to a model.
    fn reference(self, model: &Model) -> Value {
        json!({ "$ref": format!("{}{}", self.prefix, model.rust.pascal()) })
    }

    /// Returns the object of a model. Other fields are allowed: a service may send more than its
    /// contract lists.
    pub(super) fn model(self, model: &Model) -> Value {
        let fields = model.fields.iter();
        let properties: Map =
            fields.clone().map(|field| (field.wire.clone(), self.field(field))).collect();
        let required: Vec<_> = fields.filter(|one| one.required).map(|one| &one.wire).collect();
        object(json!({
            "description": line(&model.doc),
            "type": "object",
            "properties": properties,
            "required": (!required.is_empty()).then_some(required),
        }))
    }

    fn field(self, field: &Field) -> Value {
        let ty = self.ty(&field.ty);
        let nothing = || json!({ "type": "null" });
        let others = self.other_forms(field);
        let shape = if !others.is_empty() {
            let null = (!field.required).then(nothing);
            let all: Vec<_> = std::iter::once(ty).chain(others).chain(null).collect();
            json!({ "anyOf": all })
        } else if field.required {
            ty
        } else if ty.get("$ref").is_some() {
            json!({ "anyOf": [ty, nothing()] })
        } else {
            nullable(ty)
        };
        let example = match (&field.example, &field.ty) {
            (Some(text), Type::Value(value)) => value.json(text),
            _ => None,
        };
        let rest = object(json!({
            "examples": example.map(|example| [example]),
            "x-personal-data": field.personal.then_some(true),
            "deprecated": field.deprecated.as_ref().map(|_| true),
        }));
        merged([json!({ "description": line(&field.doc) }), shape, rest])
    }

    /// Returns the schemas of the other forms that a reader accepts.
    fn other_forms(self, field: &Field) -> Vec<Value> {
        let form = |leniency: &Leniency| match (leniency, &field.ty) {
            (Leniency::OneAsList, Type::List(of)) => Some(self.ty(of)),
            (Leniency::EmptyArrayAsMap, _) => Some(json!({ "type": "array", "maxItems": 0 })),
            (Leniency::BlankAsNone, _) => Some(json!({ "const": "" })),
            (Leniency::OneAsList | Leniency::AbsentAsEmpty, _) => None,
        };
        field.lenient.iter().filter_map(form).collect()
    }

    fn ty(self, ty: &Type) -> Value {
        match ty {
            Type::Value(value) => in_record(value),
            Type::Model(id) => self.reference(self.service.model(*id)),
            Type::List(of) => json!({ "type": "array", "items": self.ty(of) }),
            Type::Map(of) => json!({ "type": "object", "additionalProperties": self.ty(of) }),
        }
    }

    /// Returns the value of a parameter.
    pub(super) fn param(param: &Param) -> Value {
        let primitive = param.ty.in_query();
        let is_text = primitive == Primitive::Text && param.ty.as_closed_enum().is_none();
        let default = param.default.as_ref().map(|text| {
            let literal = param.ty.is_json_literal().then(|| Value::parse(text));
            literal.flatten().unwrap_or_else(|| json!(text))
        });
        let limits = object(json!({
            "minLength": is_text.then_some(1),
            "maxLength": param.max_chars,
            "minimum": param.min,
            "maximum": param.max,
            "default": default,
        }));
        let schema = merged([of_value(&param.ty, primitive), limits]);
        match param.list {
            Some(_) => json!({ "type": "array", "minItems": 1, "items": schema }),
            None => schema,
        }
    }

    /// Returns the schema of a whole successful response.
    pub(super) fn response(self, response: &Response) -> Value {
        let item = response.of.as_ref().map_or_else(|| json!({}), |of| self.ty(of));
        match response.layout() {
            Layout::Envelope { marker, success, items } => json!({
                "type": "object",
                "properties": {
                    marker: { "const": success },
                    items: { "type": "array", "items": item },
                },
                "required": [marker, items],
            }),
            Layout::Array => json!({ "type": "array", "items": item }),
            Layout::Object => item,
            Layout::Body => self.body(response, item),
        }
    }

    /// Returns the schema of a body with the data in its place.
    fn body(self, body: &Response, item: Value) -> Value {
        let list = json!({ "type": "array", "items": item });
        let mut schema = match (body.is_list, body.one_as_list) {
            (false, _) => item,
            (true, false) => list,
            (true, true) => json!({ "anyOf": [list, item] }),
        };
        let beside = body.beside.map(|id| self.service.model(id));
        let needs_beside = beside.is_some_and(|model| model.fields.iter().any(|one| one.required));
        for (depth, key) in body.at.iter().enumerate().rev() {
            let leads_to_beside = depth < body.beside_at().len();
            schema = if body.absent_as_empty && !(leads_to_beside && needs_beside) {
                let nullable = json!({ "anyOf": [schema, { "type": "null" }] });
                json!({ "type": "object", "properties": { key: nullable } })
            } else {
                below(std::slice::from_ref(key), schema)
            };
            if let Some(beside) = beside.filter(|_| depth == body.beside_at().len()) {
                schema = json!({ "allOf": [self.reference(beside), schema] });
            }
        }
        match body.decides() {
            None => schema,
            Some(Decides::Success { at, is }) => {
                json!({ "allOf": [schema, below(at, json!({ "enum": all_values(is) }))] })
            }
            Some(Decides::Failure { present }) => {
                json!({ "allOf": [schema, { "not": below(present, not_null()) }] })
            }
        }
    }

    /// Returns the schema of a failure that a body reports.
    pub(super) fn failure(verdict: &Verdict) -> Value {
        let mut all = vec![match &verdict.decides {
            Decides::Success { at, is } => below(at, json!({ "not": { "enum": all_values(is) } })),
            Decides::Failure { present } => below(present, not_null()),
        }];
        let listed = verdict.classes.iter().map(|(listed, _)| listed);
        let listed = all_values(listed.filter(|listed| !listed.ends_with('*')));
        let has_code = !verdict.code.is_empty();
        for (path, has_listed) in [(&verdict.code, has_code), (&verdict.message, !has_code)] {
            let value = object(json!({
                "type": ["string", "number", "boolean", "null"],
                "examples": (has_listed && !listed.is_empty()).then_some(&listed),
            }));
            let within = |inner, key: &String| json!({ "properties": { key: inner } });
            let schema = (!path.is_empty()).then(|| path.iter().rev().fold(value, within));
            all.extend(schema);
        }
        json!({ "description": "A failure with status 200.", "allOf": all })
    }
}

/// Returns an object without its members that are null.
pub(super) fn object(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            members.into_iter().filter(|(_, value)| *value != Value::Null).collect()
        }
        other => other,
    }
}

/// Returns an object with the members of several.
pub(super) fn merged<const N: usize>(objects: [Value; N]) -> Value {
    let members = objects.into_iter().filter_map(|one| match one {
        Value::Object(members) => Some(members),
        _ => None,
    });
    members.flatten().collect()
}

/// Returns a description on one line.
pub(super) fn line(doc: &Doc) -> String {
    one_line(&doc.0)
}

fn not_null() -> Value {
    json!({ "not": { "type": "null" } })
}

/// Returns the schema of an object with a value at a path.
fn below(path: &[String], schema: Value) -> Value {
    let within = |schema, key: &String| json!({ "type": "object", "properties": { key: schema }, "required": [key] });
    path.iter().rev().fold(schema, within)
}

/// Returns the JSON values that have one of some texts: the string, and the number or boolean.
fn all_values<'a>(texts: impl IntoIterator<Item = &'a String>) -> Vec<Value> {
    let values = |text: &'a String| {
        [Some(json!(text)), other_form(text).map(|form| json!(form))].into_iter().flatten()
    };
    texts.into_iter().flat_map(values).collect()
}

/// Returns the schema of a single value in a record.
fn in_record(value: &ValueType) -> Value {
    let mut schema = of_value(value, value.in_record());
    if let Some(codes) = value.codes() {
        let codes: Vec<_> = codes.all().map(Code::json).collect();
        schema = object(json!({ "x-meaning": schema.get("x-meaning"), "enum": codes }));
    }
    match value.wire() {
        Some(Wire::TextOrNumber) => merged([schema, json!({ "type": ["string", "number"] })]),
        Some(Wire::IntegerOrText) => {
            let sign = if value.in_record() == Primitive::Signed { "-?" } else { "" };
            if let Some(Value::Array(values)) = schema.get_mut("enum") {
                let texts: Vec<_> = values.iter().map(|value| json!(value.to_string())).collect();
                values.extend(texts);
            }
            // Wider than the decoders: a pattern that limits the digits to 64 bits would be hard to read.
            let pattern = format!("^{sign}[0-9]+$");
            merged([schema, json!({ "type": ["integer", "string"], "pattern": pattern })])
        }
        Some(Wire::String | Wire::Integer | Wire::Codes) | None => schema,
    }
}

/// Returns the schema of a single value that is written as a primitive.
fn of_value(value: &ValueType, primitive: Primitive) -> Value {
    let more = match value {
        ValueType::BuiltIn(_) => json!({}),
        ValueType::Scalar(scalar) => {
            let texts = scalar.codes.as_ref().filter(|_| primitive == Primitive::Coded);
            let texts = texts.map(|codes| codes.all().map(Code::text).collect::<Vec<_>>());
            object(json!({
                "examples": (primitive == Primitive::Text).then_some([&scalar.example]),
                "type": texts.as_ref().map(|_| "string"),
                "enum": texts,
                // Not `format`, which a validator may check: a client must accept other text as well.
                "x-meaning": scalar.form.schema,
            }))
        }
        ValueType::Enum(one) => {
            let values = one.values.iter();
            let values: Vec<_> =
                values.filter_map(|value| one.primitive().json(&value.wire)).collect();
            let key = if one.open_ended { "examples" } else { "enum" };
            json!({ key: values })
        }
    };
    merged([of_primitive(primitive), more])
}

/// Returns the schema of any value of a primitive.
fn of_primitive(primitive: Primitive) -> Value {
    match primitive {
        Primitive::Text => json!({ "type": "string" }),
        Primitive::Signed => json!({ "type": "integer", "minimum": i64::MIN, "maximum": i64::MAX }),
        Primitive::Unsigned => json!({ "type": "integer", "minimum": 0, "maximum": u64::MAX }),
        Primitive::Float => json!({ "type": "number" }),
        Primitive::Boolean => json!({ "type": "boolean" }),
        Primitive::Coded => json!({}),
    }
}

fn nullable(mut schema: Value) -> Value {
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
