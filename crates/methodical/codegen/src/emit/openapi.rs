//! OpenAPI 3.1: one document of the whole service, and an exact one for each operation. JSON Schema: one for each model.
//!
//! OpenAPI has one operation per path and method, and all our operations share both. The document
//! of the whole service therefore merges them, with `anyOf` where they differ. The exact documents
//! fix the selector.

use std::collections::BTreeSet;

use crate::config::Project;
use crate::emit::distinct;
use crate::emit::file::{GeneratedFile, MARK};
use crate::emit::openapi::schemas::{Schemas, line, object};
use crate::ir::{
    Auth, BodyFormat, Doc, ListStyle, Model, ModelId, Operation, Otherwise, Param, Place, Secret,
    SecretPlace, Service,
};
use crate::json::{Map, Value, json};
use crate::text::one_line;

mod schemas;

const PREFIX: &str = "#/components/schemas/";

/// Emits the OpenAPI documents.
pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let Some(folder) = &project.config.documents.openapi else { return Vec::new() };
    let document = |name: &str, paths: &Value, operations: &[&Operation]| {
        let document = document(service, paths, operations);
        GeneratedFile::json(format!("{folder}/{name}.json"), &document)
    };
    let operations: Vec<_> = service.operations.iter().collect();
    let exact = |one: &Operation| json!({ (verb(one)): called(service, &[one]) });
    let paths = match service.dispatch.place {
        Place::Query | Place::Form => {
            let verbs = ["get", "post"].into_iter().filter_map(|verb| {
                let operations: Vec<_> =
                    service.operations.iter().filter(|one| self::verb(one) == verb).collect();
                (!operations.is_empty()).then(|| (verb, called(service, &operations)))
            });
            json!({ (service.path): verbs.collect::<Value>() })
        }
        // The operations have different paths, so nothing is merged.
        Place::Path => operations.iter().map(|one| (service.path_of(one), exact(one))).collect(),
    };
    let mut files = vec![document(&service.name, &paths, &operations)];
    files.extend(operations.iter().map(|one| {
        document(&one.rust.kebab(), &json!({ (service.path_of(one)): exact(one) }), &[one])
    }));
    files
}

/// Emits a self-contained JSON Schema for each model.
pub(super) fn emit_schemas(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let Some(folder) = &project.config.documents.json_schema else { return Vec::new() };
    let one = |model: &Model| {
        let definitions = models(service, "#/$defs/", service.reachable(model.id));
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$comment": MARK,
            "title": model.rust.spaced(),
            "$ref": format!("#/$defs/{}", model.rust.pascal()),
            "$defs": definitions.collect::<Value>(),
        });
        GeneratedFile::json(format!("{folder}/{}.json", model.rust.kebab()), &schema)
    };
    service.models.iter().map(one).collect()
}

/// Returns the schemas of models with their names.
fn models<'a>(
    service: &'a Service,
    prefix: &'a str,
    ids: BTreeSet<ModelId>,
) -> impl Iterator<Item = (String, Value)> {
    ids.into_iter().map(move |id| {
        let model = service.model(id);
        (model.rust.pascal(), Schemas { service, prefix }.model(model))
    })
}

/// Returns the key of an operation in its path.
fn verb(operation: &Operation) -> &'static str {
    if operation.post.is_some() { "post" } else { "get" }
}

/// Returns a document around some paths.
fn document(service: &Service, paths: &Value, operations: &[&Operation]) -> Value {
    let ids = operations.iter().flat_map(|operation| service.models_of(operation)).collect();
    // No model can have the name of the problem document, which is every response that is not a success.
    let problem = json!({
        "description": "A problem document (RFC 9457).",
        "type": "object",
        "properties": {
            "type": { "type": "string" },
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "detail": { "type": "string" },
            "instance": { "type": "string" },
        },
    });
    let components = models(service, PREFIX, ids).chain([("Problem".to_owned(), problem)]);
    let (security, schemes) = security(&service.auth);
    json!({
        "openapi": "3.1.0",
        "x-generated": MARK,
        "info": {
            "title": one_line(&service.title),
            "version": service.version,
            "description": line(&service.doc),
        },
        "servers": [{
            "url": "https://{host}",
            "variables": { "host": { "default": "gateway.example.com" } },
        }],
        "security": security,
        "paths": paths,
        "components": {
            "securitySchemes": schemes,
            "schemas": components.collect::<Value>(),
        },
    })
}

/// Returns which security schemes a call has, all of them together, and the schemes.
fn security(auth: &Auth) -> (Value, Value) {
    let secrets = match auth {
        Auth::None => return (json!([]), json!({})),
        Auth::Bearer => {
            let scheme = json!({ "bearer": { "type": "http", "scheme": "bearer" } });
            return (json!([{ "bearer": [] }]), scheme);
        }
        Auth::Secrets(secrets) => secrets.iter(),
    };
    // A secret in the path is a parameter, and one in the form a member of the body.
    let named = secrets
        .filter(|one| !matches!(one.place, SecretPlace::Path | SecretPlace::Form))
        .map(|one| {
            let scheme = json!({
                "description": line(&one.doc),
                "type": "apiKey",
                "in": one.place.word(),
                "name": one.name,
            });
            (one.name.clone(), scheme)
        });
    let all = named.clone().map(|(name, _)| (name, json!([]))).collect::<Value>();
    (json!([all]), named.collect())
}

/// Returns one operation exactly, with its selector as a constant, or several operations merged into one, whose response
/// depends on the selector.
fn called(service: &Service, operations: &[&Operation]) -> Value {
    let schemas = Schemas { service, prefix: PREFIX };
    let one = operations.first().filter(|_| operations.len() == 1);
    let selectors = service.dispatch.selectors.iter().map(|name| {
        let values = operations.iter().flat_map(|one| service.dispatch.values(&one.select));
        let values = values.filter(|(other, _)| other == name).map(|(_, value)| value);
        let schema = match (one, distinct(values).as_slice()) {
            (Some(_), [value]) => json!({ "const": *value }),
            (_, values) => json!({ "enum": values }),
        };
        selector(name, &schema)
    });
    let all =
        || operations.iter().flat_map(|one| one.params.iter().map(move |param| (*one, param)));
    let params = distinct(all().map(|(_, param)| &param.wire)).into_iter().filter_map(|name| {
        let same: Vec<_> = all().filter(|(_, param)| param.wire == *name).collect();
        let shape = any_of(distinct(same.iter().map(|(_, param)| Schemas::param(param))));
        let users: Vec<_> = same.iter().map(|(one, _)| format!("`{}`", one.select)).collect();
        let only = format!(" Only for {}.", users.join(", "));
        let needed: String = same.iter().map(|(one, param)| needs(one, param)).collect();
        let more = if one.is_some() { needed } else { only + &needed };
        let (_, param) = same.first()?;
        Some(parameter(param, &shape, &more, one.is_some() && param.required))
    });
    let (parameters, body) = request(service, operations, selectors.collect(), params.collect());
    let responses_seen = operations.iter().map(|one| schemas.response(&one.response));
    // Not `oneOf`: two models may overlap, because other fields are allowed.
    let schema = any_of(distinct(responses_seen));
    let (id, doc) = if let Some(one) = one {
        let pages = one.pages().map(|pages| format!(" {pages}")).unwrap_or_default();
        (one.rust.words(), Doc(one.doc.0.clone() + &pages))
    } else {
        // An identifier is unique in a document, which may have an operation for each verb.
        let is_second = operations.len() < service.operations.len()
            && operations.iter().all(|one| one.post.is_some());
        let verb = if is_second { "_post" } else { "" };
        (service.name.replace('-', "_") + verb, service.doc.clone())
    };
    object(json!({
        "operationId": id,
        "description": line(&doc),
        "deprecated": one.and_then(|one| one.deprecated.as_ref()).map(|_| true),
        "parameters": parameters,
        "requestBody": body,
        "responses": responses(service, schema, operations),
    }))
}

/// Returns the schema of values that have one of some schemas.
fn any_of(mut schemas: Vec<Value>) -> Value {
    match (schemas.pop(), schemas.is_empty()) {
        (Some(one), true) => one,
        (last, _) => {
            schemas.extend(last);
            json!({ "anyOf": schemas })
        }
    }
}

fn selector(name: &str, schema: &Value) -> Value {
    json!({
        "name": name,
        "in": "query",
        "required": true,
        "description": "Selects the operation.",
        "schema": schema,
    })
}

fn parameter(param: &Param, schema: &Value, more: &str, required: bool) -> Value {
    let name = match param.list {
        Some(ListStyle::Bracket) => format!("{}[]", param.wire),
        _ => param.wire.clone(),
    };
    let style = param.list.and_then(|style| match style {
        ListStyle::Comma => Some(("form", false)),
        ListStyle::Pipe => Some(("pipeDelimited", false)),
        ListStyle::Repeat | ListStyle::Bracket => Some(("form", true)),
        // OpenAPI has no style with indexes; most tools send an array in this one with indexes.
        ListStyle::Index => Some(("deepObject", true)),
        ListStyle::Array => None,
    });
    object(json!({
        "name": name,
        "in": "query",
        "required": required,
        "description": line(&param.doc) + more,
        "deprecated": param.deprecated.as_ref().map(|_| true),
        "style": style.map(|(style, _)| style),
        "explode": style.map(|(_, explode)| explode),
        "schema": schema,
    }))
}

/// Returns a sentence about the parameters that a parameter needs, which OpenAPI cannot express.
fn needs(operation: &Operation, param: &Param) -> String {
    let Some(names) = operation.needed_names(param, |name| format!("`{name}`")) else {
        return String::new();
    };
    let otherwise = match param.otherwise {
        Otherwise::NoEffect => "it has no effect",
        Otherwise::Error => "the call is refused",
    };
    format!(" Without {names} {otherwise}.")
}

/// Returns the parameters and the body of a request, from the selectors and the parameters of some operations, which are
/// all called by GET or all by POST.
fn request(
    service: &Service,
    operations: &[&Operation],
    selectors: Vec<Value>,
    params: Vec<Value>,
) -> (Vec<Value>, Option<Value>) {
    let constants = service.dispatch.constants.iter().map(|(name, value)| {
        json!({
            "name": name,
            "in": "query",
            "required": true,
            "description": "Has the same value in every call.",
            "schema": { "const": value },
        })
    });
    let fixed = selectors.into_iter().chain(constants);
    let secret = |name: &str, secret: &Secret, place: Option<&str>| {
        object(json!({
            "name": name,
            "in": place,
            "required": true,
            "description": line(&secret.doc),
            "schema": { "type": "string", "format": "password" },
        }))
    };
    let secrets = |place| service.auth.secrets().iter().filter(move |one| one.place == place);
    let in_path = secrets(SecretPlace::Path).map(|one| secret("secret", one, Some("path")));
    let (mut parameters, mut members): (Vec<_>, Vec<_>) = (in_path.collect(), Vec::new());
    match service.dispatch.place {
        Place::Form => members.extend(fixed),
        Place::Query | Place::Path => parameters.extend(fixed),
    }
    let mut content = Map::default();
    for format in [BodyFormat::Form, BodyFormat::Json] {
        if operations.iter().any(|one| one.post.is_some_and(|post| post.format == format)) {
            let in_form = secrets(SecretPlace::Form).map(|one| secret(&one.name, one, None));
            let all: Vec<_> = members.iter().chain(&params).cloned().chain(in_form).collect();
            let encoding: Map = all.iter().filter_map(encoding).collect();
            let has_encoding = format == BodyFormat::Form && !encoding.is_empty();
            let body = json!({
                "schema": body(all),
                "encoding": has_encoding.then_some(encoding),
            });
            content = content.with(format.media_type(), object(body));
        }
    }
    if content.is_empty() {
        parameters.extend(params);
        return (parameters, None);
    }
    (parameters, Some(json!({ "required": true, "content": content })))
}

/// Returns how a list of a form is written.
fn encoding(parameter: &Value) -> Option<(String, Value)> {
    let Value::String(name) = parameter.get("name")?.clone() else { return None };
    let (style, explode) = (parameter.get("style")?, parameter.get("explode")?);
    Some((name, json!({ "style": style, "explode": explode })))
}

/// Returns the schema of a body from its parameters.
fn body(parameters: Vec<Value>) -> Value {
    let (mut properties, mut required) = (Map::default(), Vec::new());
    for mut parameter in parameters {
        let mut take = |key| parameter.get_mut(key).map(std::mem::take);
        let Some(Value::String(name)) = take("name") else { continue };
        if take("required") == Some(json!(true)) {
            required.push(name.clone());
        }
        let about = json!({ "description": take("description"), "deprecated": take("deprecated") });
        let schema = take("schema").unwrap_or_default();
        properties = properties.with(&name, schemas::merged([schema, object(about)]));
    }
    object(json!({
        "type": "object",
        "properties": properties,
        "required": (!required.is_empty()).then_some(required),
    }))
}

fn responses(service: &Service, schema: Value, operations: &[&Operation]) -> Value {
    let examples = operations.iter().flat_map(|operation| service.examples_of(operation));
    // A response with records to reject does not fit the schema, on purpose.
    let examples = examples.filter(|example| example.rejected.is_empty()).filter_map(|example| {
        let value = Value::parse(&example.body)?;
        let example_of = json!({ "summary": line(&example.doc), "value": value });
        Some((example.name.kebab(), example_of))
    });
    let examples: Map = examples.collect();
    let verdicts = operations.iter().filter_map(|one| one.response.reported());
    let failures = distinct(verdicts.map(Schemas::failure));
    let schema = any_of([schema].into_iter().chain(failures).collect());
    let content = object(json!({
        "schema": schema,
        "examples": (!examples.is_empty()).then_some(examples),
    }));
    json!({
        "200": { "description": "The call succeeded.", "content": { (service.accept): content } },
        "default": {
            "description": "The call failed.",
            "content": { "application/problem+json": { "schema": { "$ref": format!("{PREFIX}Problem") } } },
        },
    })
}
