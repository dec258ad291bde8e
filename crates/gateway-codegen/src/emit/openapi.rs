//! OpenAPI 3.1: one document of the whole service, and an exact one for each operation.
//!
//! OpenAPI has one operation per path and method, and all our operations share both. The document
//! of the whole service therefore merges them, with `anyOf` where they differ. The exact documents
//! fix the selector.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::emit::file::{GeneratedFile, MARK};
use crate::emit::openapi::request::Request;
use crate::emit::type_schemas::{TypeSchemas, describe};
use crate::ir::{
    Auth, Doc, ListStyle, Operation, Otherwise, Param, Place, Secret, SecretPlace, Service,
};
use crate::project::Project;
use crate::text::one_line;

mod request;

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let Some(folder) = &project.config.documents.openapi else { return Vec::new() };
    let file = |name: &str, document: &Value| {
        GeneratedFile::json(format!("{folder}/{name}.json"), document)
    };
    let exact = service.operations.iter().map(|operation| {
        let paths =
            json!({ service.path_of(operation): { verb(operation): get(service, operation) } });
        let document = document(service, &paths, &[operation]);
        file(&operation.rust.kebab(), &document)
    });
    let operations: Vec<_> = service.operations.iter().collect();
    let paths = match service.dispatch.place {
        Place::Query | Place::Form => json!({ &service.path: merged_by_verb(service) }),
        // The operations have different paths, so nothing is merged.
        Place::Path => operations
            .iter()
            .map(|one| (service.path_of(one), json!({ verb(one): get(service, one) })))
            .collect::<Map<_, _>>()
            .into(),
    };
    let merged = document(service, &paths, &operations);
    exact.chain([file(&service.name, &merged)]).collect()
}

/// Returns the key of an operation in its path.
fn verb(operation: &Operation) -> &'static str {
    if operation.post.is_some() { "post" } else { "get" }
}

/// Returns the operations of the only path, merged for each method.
fn merged_by_verb(service: &Service) -> Value {
    let verbs = ["get", "post"].into_iter().map(|verb| {
        let operations = service.operations.iter().filter(|one| self::verb(one) == verb);
        (verb, operations.collect::<Vec<_>>())
    });
    let verbs = verbs.filter(|(_, operations)| !operations.is_empty());
    verbs
        .map(|(verb, operations)| (verb.to_owned(), merged(service, &operations)))
        .collect::<Map<_, _>>()
        .into()
}

const PREFIX: &str = "#/components/schemas/";

/// The component of problem documents, a name that no model can have.
const PROBLEM: &str = "Problem";

/// Returns a document around some paths.
fn document(service: &Service, paths: &Value, operations: &[&Operation]) -> Value {
    let schemas = TypeSchemas { service, prefix: PREFIX };
    let models: BTreeSet<_> =
        operations.iter().flat_map(|operation| service.models_of(operation)).collect();
    let mut components = Map::new();
    for id in models {
        let model = service.model(id);
        components.insert(model.rust.pascal(), schemas.model(model));
    }
    components.insert(PROBLEM.to_owned(), problem());
    let mut info = Map::new();
    info.insert("title".to_owned(), json!(one_line(&service.title)));
    info.insert("version".to_owned(), json!(service.version));
    describe(&mut info, &service.doc);
    json!({
        "openapi": "3.1.0",
        "x-generated": MARK,
        "info": info,
        "servers": [{
            "url": "https://{host}",
            "variables": { "host": { "default": "gateway.example.com" } },
        }],
        "security": security(&service.auth),
        "paths": paths,
        "components": {
            "securitySchemes": security_schemes(&service.auth),
            "schemas": components,
        },
    })
}

/// Returns which security schemes a call has: all of them together. A secret in the path is a parameter.
fn security(auth: &Auth) -> Value {
    let all: Map<_, _> = match auth {
        Auth::None => return json!([]),
        Auth::Bearer => [("bearer".to_owned(), json!([]))].into_iter().collect(),
        Auth::Secrets(secrets) => {
            let named = secrets.iter().filter(|one| is_scheme(one));
            named.map(|one| (one.name.clone(), json!([]))).collect()
        }
    };
    json!([all])
}

fn security_schemes(auth: &Auth) -> Value {
    if *auth == Auth::Bearer {
        return json!({ "bearer": { "type": "http", "scheme": "bearer" } });
    }
    let named = auth.secrets().iter().filter(|one| is_scheme(one));
    let schemes: Map<_, _> = named
        .map(|one| {
            let mut scheme = Map::new();
            describe(&mut scheme, &one.doc);
            scheme.insert("type".to_owned(), json!("apiKey"));
            scheme.insert("in".to_owned(), json!(one.place.word()));
            scheme.insert("name".to_owned(), json!(one.name));
            (one.name.clone(), Value::Object(scheme))
        })
        .collect();
    Value::Object(schemes)
}

/// Returns whether a secret is a security scheme. One in the path is a parameter, and one in the form a member of the
/// body.
fn is_scheme(secret: &Secret) -> bool {
    !matches!(secret.place, SecretPlace::Path | SecretPlace::Form)
}

/// Returns the schema of a problem document, for every response that is not a success.
fn problem() -> Value {
    json!({
        "description": "A problem document (RFC 9457).",
        "type": "object",
        "properties": {
            "type": { "type": "string" },
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "detail": { "type": "string" },
            "instance": { "type": "string" },
        },
    })
}

/// Returns one operation exactly: the selector is a constant.
fn get(service: &Service, operation: &Operation) -> Value {
    let schemas = TypeSchemas { service, prefix: PREFIX };
    let selectors = service.dispatch.values(&operation.select).into_iter();
    let selectors = selectors.map(|(name, value)| selector(name, &json!({ "const": value })));
    let fixed = selectors.chain(constants(service)).collect();
    let params = operation.params.iter().map(|param| {
        parameter(param, TypeSchemas::param(param), &needs(operation, param), param.required)
    });
    let request = Request::new(service, &[operation], fixed, params.collect());
    let mut get = Map::new();
    get.insert("operationId".to_owned(), json!(operation.rust.words()));
    let pages = operation.pages().map(|pages| format!(" {pages}")).unwrap_or_default();
    describe(&mut get, &Doc(operation.doc.0.clone() + &pages));
    if operation.deprecated.is_some() {
        get.insert("deprecated".to_owned(), json!(true));
    }
    request.insert_into(&mut get);
    get.insert(
        "responses".to_owned(),
        responses(service, schemas.response(&operation.response), &[operation]),
    );
    Value::Object(get)
}

/// Returns operations merged into one, whose response depends on the selector.
fn merged(service: &Service, operations: &[&Operation]) -> Value {
    let schemas = TypeSchemas { service, prefix: PREFIX };
    let mut names: Vec<&str> = Vec::new();
    let selectors = service.dispatch.selectors.iter();
    let selectors = selectors.map(|name| one_selector(service, operations, name));
    let fixed = selectors.chain(constants(service)).collect();
    let mut params: Vec<_> = Vec::new();
    let all =
        || operations.iter().flat_map(|one| one.params.iter().map(move |param| (*one, param)));
    for (_, param) in all() {
        if names.contains(&param.wire.as_str()) {
            continue;
        }
        names.push(&param.wire);
        let same: Vec<_> = all().filter(|(_, other)| other.wire == param.wire).collect();
        let mut shapes: Vec<Value> = Vec::new();
        for (_, other) in &same {
            let shape = TypeSchemas::param(other);
            if !shapes.contains(&shape) {
                shapes.push(shape);
            }
        }
        let shape = match shapes.as_slice() {
            [one] => one.clone(),
            _ => json!({ "anyOf": shapes }),
        };
        let users: Vec<_> = same.iter().map(|(one, _)| format!("`{}`", one.select)).collect();
        let needed: Vec<_> = same
            .iter()
            .map(|(one, other)| needs(one, other))
            .filter(|text| !text.is_empty())
            .collect();
        let more = format!(" Only for {}.{}", users.join(", "), needed.concat());
        params.push(parameter(param, shape, &more, false));
    }
    let mut schemas_seen: Vec<Value> = Vec::new();
    for operation in operations {
        let schema = schemas.response(&operation.response);
        if !schemas_seen.contains(&schema) {
            schemas_seen.push(schema);
        }
    }
    let schema = match schemas_seen.as_slice() {
        [one] => one.clone(),
        // Not `oneOf`: two models may overlap, because other fields are allowed.
        _ => json!({ "anyOf": schemas_seen }),
    };
    // An identifier is unique in a document.
    let is_second = operations.len() < service.operations.len()
        && operations.iter().all(|one| one.post.is_some());
    let id = service.name.replace('-', "_") + if is_second { "_post" } else { "" };
    let mut merged = Map::new();
    merged.insert("operationId".to_owned(), json!(id));
    merged.insert("description".to_owned(), json!(one_line(&service.doc.0)));
    Request::new(service, operations, fixed, params).insert_into(&mut merged);
    merged.insert("responses".to_owned(), responses(service, schema, operations));
    Value::Object(merged)
}

/// Returns the parameter for a selector, whose value is one of those of all operations.
fn one_selector(service: &Service, operations: &[&Operation], name: &str) -> Value {
    let mut values: Vec<&str> = Vec::new();
    for operation in operations {
        let all = service.dispatch.values(&operation.select);
        let value = all.into_iter().find(|(other, _)| *other == name).map(|(_, value)| value);
        values.extend(value.filter(|value| !values.contains(value)));
    }
    selector(name, &json!({ "enum": values }))
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

/// Returns the parameters that every call has.
fn constants(service: &Service) -> impl Iterator<Item = Value> {
    service.dispatch.constants.iter().map(|(name, value)| {
        json!({
            "name": name,
            "in": "query",
            "required": true,
            "description": "Has the same value in every call.",
            "schema": { "const": value },
        })
    })
}

fn parameter(param: &Param, schema: Value, more: &str, required: bool) -> Value {
    let mut parameter = Map::new();
    let name = match param.list {
        Some(ListStyle::Bracket) => format!("{}[]", param.wire),
        _ => param.wire.clone(),
    };
    parameter.insert("name".to_owned(), json!(name));
    parameter.insert("in".to_owned(), json!("query"));
    parameter.insert("required".to_owned(), json!(required));
    parameter.insert("description".to_owned(), json!(one_line(&param.doc.0) + more));
    if param.deprecated.is_some() {
        parameter.insert("deprecated".to_owned(), json!(true));
    }
    let style = param.list.and_then(|style| match style {
        ListStyle::Comma => Some(("form", false)),
        ListStyle::Pipe => Some(("pipeDelimited", false)),
        ListStyle::Repeat | ListStyle::Bracket => Some(("form", true)),
        // OpenAPI has no style with indexes; most tools send an array in this one with indexes.
        ListStyle::Index => Some(("deepObject", true)),
        ListStyle::Array => None,
    });
    if let Some((style, explode)) = style {
        parameter.insert("style".to_owned(), json!(style));
        parameter.insert("explode".to_owned(), json!(explode));
    }
    parameter.insert("schema".to_owned(), schema);
    Value::Object(parameter)
}

/// Returns a sentence about the parameters that a parameter needs, which OpenAPI cannot express.
fn needs(operation: &Operation, param: &Param) -> String {
    let names: Vec<_> =
        operation.needed_by(param).map(|needed| format!("`{}`", needed.wire)).collect();
    if names.is_empty() {
        return String::new();
    }
    let otherwise = match param.otherwise {
        Otherwise::NoEffect => "it has no effect",
        Otherwise::Error => "the call is refused",
    };
    format!(" Without {} {otherwise}.", names.join(" and "))
}

fn responses(service: &Service, schema: Value, operations: &[&Operation]) -> Value {
    let mut examples = Map::new();
    for example in operations.iter().flat_map(|operation| service.examples_of(operation)) {
        // A response with records to reject does not fit the schema, on purpose.
        if example.rejected.is_empty()
            && let Ok(value) = serde_json::from_str::<Value>(&example.body)
        {
            let summary = one_line(&example.doc.0);
            examples.insert(example.name.kebab(), json!({ "summary": summary, "value": value }));
        }
    }
    let mut failures: Vec<Value> = Vec::new();
    for verdict in operations.iter().filter_map(|one| one.response.body()?.verdict.as_ref()) {
        let failure = TypeSchemas::failure(verdict);
        if !failures.contains(&failure) {
            failures.push(failure);
        }
    }
    let schema = if failures.is_empty() {
        schema
    } else {
        failures.insert(0, schema);
        json!({ "anyOf": failures })
    };
    let mut content = Map::new();
    content.insert("schema".to_owned(), schema);
    if !examples.is_empty() {
        content.insert("examples".to_owned(), Value::Object(examples));
    }
    json!({
        "200": { "description": "The call succeeded.", "content": { &service.accept: content } },
        "default": {
            "description": "The call failed.",
            "content": { "application/problem+json": { "schema": { "$ref": format!("{PREFIX}{PROBLEM}") } } },
        },
    })
}
