//! The parameters and the body of a request.

use serde_json::{Map, Value, json};

use crate::emit::type_schemas::describe;
use crate::ir::{BodyFormat, Operation, Place, Secret, SecretPlace, Service};

/// The parameters and the body of a request.
pub(super) struct Request {
    parameters: Vec<Value>,
    /// The schemas of the body with their media types; none for a GET.
    content: Map<String, Value>,
}

impl Request {
    /// Places the parameters that every call has, and those of some operations, which are all called by GET or all by
    /// POST.
    pub(super) fn new(
        service: &Service,
        operations: &[&Operation],
        fixed: Vec<Value>,
        params: Vec<Value>,
    ) -> Self {
        let mut parameters: Vec<_> = secret_in_path(service).into_iter().collect();
        let (mut members, mut given) = (Vec::new(), params);
        if service.dispatch.place == Place::Form {
            members = fixed;
        } else {
            parameters.extend(fixed);
        }
        let mut content = Map::new();
        for format in [BodyFormat::Form, BodyFormat::Json] {
            let is_of_format =
                |one: &&Operation| one.post.is_some_and(|post| post.format == format);
            if operations.iter().any(is_of_format) {
                let members = members.iter().chain(&given);
                let members = members.map(|one| (one.clone(), is_required(one)));
                let secrets = service.auth.secrets().iter();
                let secrets = secrets.filter(|one| one.place == SecretPlace::Form).map(secret);
                let all: Vec<_> = members.chain(secrets.map(|one| (one, true))).collect();
                let encoding = encoding(&all);
                let mut body = Map::from_iter([("schema".to_owned(), object(all))]);
                if format == BodyFormat::Form && !encoding.is_empty() {
                    body.insert("encoding".to_owned(), encoding.into());
                }
                content.insert(format.media_type().to_owned(), body.into());
            }
        }
        if content.is_empty() {
            parameters.append(&mut given);
        }
        Self { parameters, content }
    }

    /// Inserts the parameters and the body into an operation.
    pub(super) fn insert_into(self, operation: &mut Map<String, Value>) {
        operation.insert("parameters".to_owned(), self.parameters.into());
        if !self.content.is_empty() {
            let body = json!({ "required": true, "content": self.content });
            operation.insert("requestBody".to_owned(), body);
        }
    }
}

/// Returns how the lists of a form are written.
fn encoding(parameters: &[(Value, bool)]) -> Map<String, Value> {
    let styles = parameters.iter().filter_map(|(parameter, _)| {
        let name = parameter.get("name")?.as_str()?.to_owned();
        let (style, explode) = (parameter.get("style")?, parameter.get("explode")?);
        Some((name, json!({ "style": style, "explode": explode })))
    });
    styles.collect()
}

fn is_required(parameter: &Value) -> bool {
    parameter.get("required") == Some(&Value::Bool(true))
}

/// Returns the schema of a body from its parameters, and whether each is required.
fn object(parameters: Vec<(Value, bool)>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (mut parameter, is_required) in parameters {
        let Some(name) = parameter.get("name").and_then(Value::as_str).map(str::to_owned) else {
            continue;
        };
        let mut schema = parameter.get_mut("schema").map(Value::take).unwrap_or_default();
        for key in ["description", "deprecated"] {
            if let (Some(value), Some(schema)) = (parameter.get_mut(key), schema.as_object_mut()) {
                schema.insert(key.to_owned(), value.take());
            }
        }
        if is_required {
            required.push(name.clone());
        }
        properties.insert(name, schema);
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.into()
}

fn secret(secret: &Secret) -> Value {
    let mut parameter = Map::new();
    parameter.insert("name".to_owned(), json!(secret.name));
    describe(&mut parameter, &secret.doc);
    parameter.insert("schema".to_owned(), json!({ "type": "string", "format": "password" }));
    parameter.into()
}

/// Returns the parameter for a secret in the path.
fn secret_in_path(service: &Service) -> Option<Value> {
    let secret = service.auth.secrets().iter().find(|one| one.place == SecretPlace::Path)?;
    let mut parameter = Map::new();
    parameter.insert("name".to_owned(), json!("secret"));
    parameter.insert("in".to_owned(), json!("path"));
    parameter.insert("required".to_owned(), json!(true));
    describe(&mut parameter, &secret.doc);
    parameter.insert("schema".to_owned(), json!({ "type": "string", "format": "password" }));
    Some(Value::Object(parameter))
}
