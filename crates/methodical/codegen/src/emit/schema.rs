//! JSON Schema: one document for each model, and the schemas in the OpenAPI documents.
//!
//! A schema is the text of its object's members, each followed by a comma, so that schemas can be concatenated.
//! [`GeneratedFile::json`] formats the documents and removes trailing commas.

use serde::Serialize;
use serde_json::json;

use crate::config::Workspace;
use crate::emit::{GeneratedFile, MARK};
use crate::ir::{
    Code, Field, Leniency, Meaning, Model, ModelId, Param, Primitive, Response, Service, Type,
    ValueType, Verdict, Wire, other_form,
};
use crate::spec;
use crate::text::one_line;

/// Emits a self-contained document for each model.
pub(super) fn emit(workspace: &Workspace, folder: &str) -> Vec<GeneratedFile> {
    let service = &workspace.service;
    let schemas = Schemas { service, prefix: "#/$defs/" };
    let document = |model: &Model| {
        let document = [
            member("$schema", "https://json-schema.org/draft/2020-12/schema"),
            member("$comment", MARK),
            member("title", model.rust.spaced()),
            schemas.reference(model.id),
            object("$defs", &schemas.models(service.reachable(model.id))),
        ];
        let path = format!("{folder}/{}.json", model.rust.kebab());
        GeneratedFile::json(path, &format!("{{{}}}", document.concat()))
    };
    service.models.iter().map(document).collect()
}

/// Emits the schema of the spec language, for editors. It ignores the service.
pub(super) fn emit_language(_: &Workspace, path: &str) -> Vec<GeneratedFile> {
    let mut schema = spec::schema();
    for (key, text) in [("$comment", MARK), ("title", "Spec language, version 2")] {
        schema.as_object_mut().map(|schema| schema.insert(key.to_owned(), text.into()));
    }
    vec![GeneratedFile::json(path, &schema.to_string())]
}

/// Creates the schemas of a service's types.
#[derive(Clone, Copy)]
pub(super) struct Schemas<'a> {
    pub(super) service: &'a Service,
    /// Where references point: `#/$defs/` or `#/components/schemas/`.
    pub(super) prefix: &'a str,
}

impl Schemas<'_> {
    /// Returns the schemas of models, by name.
    pub(super) fn models(self, ids: impl IntoIterator<Item = ModelId>) -> String {
        let models = ids.into_iter().map(|id| self.service.model(id));
        models.map(|model| object(&model.rust.pascal(), &self.model(model))).collect()
    }

    /// Returns a reference to a model.
    fn reference(self, id: ModelId) -> String {
        member("$ref", format!("{}{}", self.prefix, self.service.model(id).rust.pascal()))
    }

    /// Returns the schema of a model. Other fields are allowed: a service may send more than its contract lists.
    fn model(self, model: &Model) -> String {
        let fields: String =
            model.fields.iter().map(|field| object(&field.wire, &self.field(field))).collect();
        let required = model.fields.iter().filter(|field| field.required).map(|field| &field.wire);
        let required: Vec<_> = required.collect();
        [
            member("description", one_line(&model.about.doc)),
            member("type", "object"),
            object("properties", &fields),
            optional("required", (!required.is_empty()).then_some(required)),
        ]
        .concat()
    }

    fn field(self, field: &Field) -> String {
        let is_nullable = !field.required;
        let is_reference = field.ty.model().is_some();
        let mut forms: Vec<_> =
            field.lenient.iter().filter_map(|one| self.other_form(*one, &field.ty)).collect();
        let is_whole = forms.is_empty() && !(is_nullable && is_reference);
        forms.insert(0, self.ty(&field.ty, is_nullable && is_whole));
        forms.extend((is_nullable && !is_whole).then(|| member("type", "null")));
        let example = field.ty.value().zip(field.example.as_ref());
        let example = example.and_then(|(ty, text)| ty.json(text));
        [
            member("description", one_line(&field.about.doc)),
            any_of(forms),
            optional("examples", example.map(|example| [example])),
            optional("x-personal-data", field.personal.then_some(true)),
        ]
        .concat()
    }

    /// Returns the schema of a second form that a reader accepts.
    fn other_form(self, leniency: Leniency, ty: &Type) -> Option<String> {
        match (leniency, ty) {
            (Leniency::OneAsList, Type::List(of)) => Some(self.ty(of, false)),
            (Leniency::EmptyArrayAsMap, _) => {
                Some(member("type", "array") + &member("maxItems", 0))
            }
            (Leniency::BlankAsNone, _) => Some(member("const", "")),
            (Leniency::OneAsList | Leniency::AbsentAsEmpty, _) => None,
        }
    }

    fn ty(self, ty: &Type, is_nullable: bool) -> String {
        let null = is_nullable.then_some("null");
        match ty {
            Type::Value(value) => single(value, None, is_nullable),
            Type::Model(id) => self.reference(*id),
            Type::List(of) => {
                types(["array"].into_iter().chain(null)) + &object("items", &self.ty(of, false))
            }
            Type::Map(of) => {
                let values = object("additionalProperties", &self.ty(of, false));
                types(["object"].into_iter().chain(null)) + &values
            }
        }
    }

    /// Returns the schema of a whole successful response.
    pub(super) fn response(self, response: &Response) -> String {
        let item = response.of.as_ref().map(|of| self.ty(of, false)).unwrap_or_default();
        let list = member("type", "array") + &object("items", &item);
        if let Some([marker, success, items]) = response.envelope() {
            let properties = object(marker, &member("const", success)) + &object(items, &list);
            return [
                member("type", "object"),
                object("properties", &properties),
                member("required", [marker, items]),
            ]
            .concat();
        }
        let mut schema = match (response.is_list, response.one_as_list) {
            (false, _) => item,
            (true, false) => list,
            (true, true) => any_of(vec![list, item]),
        };
        let metadata = response.metadata.map(|id| self.service.model(id));
        let is_needed = metadata.is_some_and(|model| model.fields.iter().any(|one| one.required));
        for (depth, key) in response.at.iter().enumerate().rev() {
            let leads_to_metadata = depth < response.metadata_at().len();
            schema = if response.absent_as_empty && !(leads_to_metadata && is_needed) {
                let nullable = any_of(vec![schema, member("type", "null")]);
                member("type", "object") + &object("properties", &object(key, &nullable))
            } else {
                below(std::slice::from_ref(key), schema)
            };
            if let Some(metadata) = metadata.filter(|_| depth == response.metadata_at().len()) {
                schema = all_of(&[self.reference(metadata.id), schema]);
            }
        }
        let Some(Verdict { at, is, .. }) = &response.verdict else { return schema };
        let succeeds = if is.is_empty() {
            object("not", &below(at, not_null()))
        } else {
            below(at, member("enum", all_values(is)))
        };
        all_of(&[schema, succeeds])
    }
}

/// Returns the schema of a parameter's value.
pub(super) fn param(param: &Param) -> String {
    let schema = single(&param.ty, Some(param), false);
    if param.list.is_none() {
        return schema;
    }
    [member("type", "array"), member("minItems", 1), object("items", &schema)].concat()
}

/// Returns the schema of a failure that a body reports.
pub(super) fn failure(verdict: &Verdict) -> String {
    let fails = match verdict.is.as_slice() {
        [] => not_null(),
        is => object("not", &member("enum", all_values(is))),
    };
    let mut all = vec![below(&verdict.at, fails)];
    let listed = verdict.classes.iter().map(|(listed, _)| listed);
    let listed = all_values(listed.filter(|listed| !listed.ends_with('*')));
    let has_code = !verdict.code.is_empty();
    for (path, has_listed) in [(&verdict.code, has_code), (&verdict.message, !has_code)] {
        let examples = (has_listed && !listed.is_empty()).then_some(&listed);
        let value =
            types(["string", "number", "boolean", "null"]) + &optional("examples", examples);
        let within = |inner: String, key: &String| object("properties", &object(key, &inner));
        all.extend((!path.is_empty()).then(|| path.iter().rev().fold(value, within)));
    }
    member("description", "A failure with status 200.") + &all_of(&all)
}

/// Returns a schema that accepts any of several. Not `oneOf`: models may overlap, because other fields are allowed.
pub(super) fn any_of(mut schemas: Vec<String>) -> String {
    if schemas.len() == 1 { schemas.pop().unwrap_or_default() } else { array("anyOf", &schemas) }
}

fn all_of(schemas: &[String]) -> String {
    array("allOf", schemas)
}

fn not_null() -> String {
    object("not", &member("type", "null"))
}

/// Returns the schema of an object with a value at a path.
fn below(path: &[String], schema: String) -> String {
    let within = |schema: String, key: &String| {
        let properties = object("properties", &object(key, &schema));
        [member("type", "object"), properties, member("required", [key])].concat()
    };
    path.iter().rev().fold(schema, within)
}

/// Returns the JSON values that have one of these texts: each string, and the number or boolean written the same.
fn all_values<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Vec<serde_json::Value> {
    let forms = |text: S| [Some(json!(text.as_ref())), other_form(text.as_ref())];
    texts.into_iter().flat_map(forms).flatten().collect()
}

/// Returns the schema of a single value: in a record or, with `param`, as the value of a parameter.
fn single(value: &ValueType, param: Option<&Param>, is_nullable: bool) -> String {
    let primitive = if param.is_some() { value.in_query } else { value.in_record };
    let kinds = kinds(value, param.is_some());
    let limits = match primitive {
        Primitive::Signed => member("minimum", i64::MIN) + &member("maximum", i64::MAX),
        // A server accepts a larger number in a query, although it identifies no record.
        Primitive::Unsigned if param.is_some() => member("minimum", 0),
        Primitive::Unsigned => member("minimum", 0) + &member("maximum", u64::MAX),
        Primitive::Text | Primitive::Boolean | Primitive::Coded => String::new(),
    };
    let null = is_nullable.then_some("null").filter(|_| !kinds.is_empty());
    let is_text = primitive == Primitive::Text;
    let (mut listed, is_open): (Vec<_>, _) = match (&value.codes, param) {
        _ if value.is_enum() => (value.values.iter().map(|one| json!(one.wire)).collect(), true),
        (Some(codes), Some(_)) => (codes.all().map(|code| json!(code.text())).collect(), false),
        (Some(codes), None) => (codes.all().map(Code::json).collect(), false),
        (None, _) => {
            let example = value.example().filter(|_| is_text);
            (example.into_iter().map(|one| json!(one)).collect(), true)
        }
    };
    if is_nullable && !is_open {
        listed.push(serde_json::Value::Null);
    }
    let listed = (!listed.is_empty()).then_some(listed);
    [
        types(kinds.iter().copied().chain(null)),
        limits,
        optional(if is_open { "examples" } else { "enum" }, listed),
        // Not `format`, which a validator may check: a client must accept other text as well.
        optional("x-meaning", value.meaning.and_then(Meaning::format)),
        optional("minLength", param.filter(|_| is_text).map(|_| 1)),
        optional("maxLength", param.and_then(|one| one.max_chars)),
    ]
    .concat()
}

/// Returns the JSON types of a value in a record or parameter; empty for codes in a record, whose values are listed.
pub(super) fn kinds(value: &ValueType, is_param: bool) -> &'static [&'static str] {
    match if is_param { value.in_query } else { value.in_record } {
        Primitive::Text if value.wire == Wire::TextOrNumber && !is_param => &["string", "number"],
        Primitive::Coded if !is_param => &[],
        Primitive::Text | Primitive::Coded => &["string"],
        Primitive::Signed | Primitive::Unsigned => &["integer"],
        Primitive::Boolean => &["boolean"],
    }
}

/// Returns the keyword `type` for these JSON types; empty without types.
fn types(types: impl IntoIterator<Item = &'static str>) -> String {
    match types.into_iter().collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        [one] => member("type", one),
        all => member("type", all),
    }
}

/// Returns a member of an object.
pub(super) fn member(key: &str, value: impl Serialize) -> String {
    format!("{}:{},", json!(key), json!(value))
}

/// Returns a member of an object; empty without a value.
pub(super) fn optional(key: &str, value: Option<impl Serialize>) -> String {
    value.map(|value| member(key, value)).unwrap_or_default()
}

/// Returns a member that is an object.
pub(super) fn object(key: &str, members: &str) -> String {
    format!("{}:{{{members}}},", json!(key))
}

/// Returns a member that is a list of objects.
pub(super) fn array(key: &str, objects: &[String]) -> String {
    let objects: String = objects.iter().flat_map(|one| ["{", one, "},"]).collect();
    format!("{}:[{objects}],", json!(key))
}
