//! OpenAPI 3.1: a document for each operation, with its selector as a constant. OpenAPI has one operation per path and method,
//! and all our operations share both, so no document has several.

use askama::Template;
use serde_json::json;

use crate::config::{Document as File, Project};
use crate::emit::file::{GeneratedFile, MARK};
use crate::emit::filters;
use crate::emit::schema::{Schemas, any_of, failure, param};
use crate::ir::{
    Auth, BodyFormat, Example, ListStyle, Operation, Param, Place, Post, Secret, SecretPlace,
    Service,
};

const PREFIX: &str = "#/components/schemas/";

/// A document.
#[derive(Template)]
#[template(path = "openapi.json.jinja")]
struct Document<'a> {
    service: &'a Service,
    operation: &'a Operation,
    schemas: Schemas<'a>,
}

/// A parameter of a call, or a member of its body.
struct Input {
    name: String,
    /// Where it is, unless it is in the body.
    place: &'static str,
    required: bool,
    doc: String,
    style: Option<(&'static str, bool)>,
    schema: String,
}

/// Emits the documents.
pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let Some(folder) = project.config.document(File::OpenApi) else { return Vec::new() };
    let schemas = Schemas { service, prefix: PREFIX };
    let document = |operation: &Operation| {
        let document = Document { service, operation, schemas }.render();
        let path = format!("{folder}/{}.json", operation.rust.kebab());
        GeneratedFile::json(path, &document.unwrap_or_default())
    };
    service.operations.iter().map(document).collect()
}

impl Document<'_> {
    /// Returns the secrets with a security scheme. One in the path is a parameter, and one in the form a member of the body.
    fn schemes(&self) -> Vec<&Secret> {
        let secrets = self.service.auth.secrets().iter();
        secrets.filter(|one| !matches!(one.place, SecretPlace::Path | SecretPlace::Form)).collect()
    }

    fn doc(&self) -> String {
        let pages = self.operation.pages().map(|pages| format!(" {pages}"));
        self.operation.about.doc.clone() + &pages.unwrap_or_default()
    }

    /// Returns the parameters that every call has.
    fn fixed(&self) -> impl Iterator<Item = Input> {
        let dispatch = &self.service.dispatch;
        let fixed = |name: &str, doc: &str, value: &str| {
            Input::new("query", name, doc, format!("\"const\":{},", json!(value)))
        };
        let selectors = dispatch.values(&self.operation.select).into_iter();
        let selectors =
            selectors.map(move |(name, value)| fixed(name, "Selects the operation.", value));
        let constants = dispatch.constants.iter();
        let constants = constants
            .map(move |(name, value)| fixed(name, "Has the same value in every call.", value));
        selectors.chain(constants)
    }

    /// Returns the other parameters.
    fn params(&self) -> impl Iterator<Item = Input> {
        self.operation.params.iter().map(|one| {
            let name = match one.list {
                Some(ListStyle::Bracket) => format!("{}[]", one.wire),
                _ => one.wire.clone(),
            };
            let doc = one.about.doc.clone() + &needs(self.operation, one);
            Input {
                required: one.required,
                style: one.list.and_then(style),
                ..Input::new("query", &name, &doc, param(one))
            }
        })
    }

    fn secrets(&self, place: SecretPlace) -> impl Iterator<Item = Input> {
        let secrets = self.service.auth.secrets().iter().filter(move |one| one.place == place);
        secrets.map(move |one| {
            let name = if place == SecretPlace::Path { "secret" } else { one.name.as_str() };
            let schema = "\"type\":\"string\",\"format\":\"password\",".to_owned();
            Input::new("path", name, &one.doc, schema)
        })
    }

    /// Returns the parameters that are not in a body.
    fn parameters(&self) -> Vec<Input> {
        let is_form = self.service.dispatch.place == Place::Form;
        let fixed = self.fixed().filter(|_| !is_form);
        let params = self.params().filter(|_| self.operation.post.is_none());
        self.secrets(SecretPlace::Path).chain(fixed).chain(params).collect()
    }

    /// Returns the members of a body.
    fn members(&self) -> Vec<Input> {
        let is_form = self.service.dispatch.place == Place::Form;
        let fixed = self.fixed().filter(|_| is_form);
        fixed.chain(self.params()).chain(self.secrets(SecretPlace::Form)).collect()
    }

    /// Returns the schema of a response with status 200.
    fn response(&self) -> String {
        let response = &self.operation.response;
        let failure = response.reported().map(failure);
        any_of(std::iter::once(self.schemas.response(response)).chain(failure).collect())
    }

    /// Returns the examples. A response with records to reject does not fit the schema, on purpose.
    fn examples(&self) -> Vec<&Example> {
        let all = self.service.examples_of(self.operation);
        all.filter(|one| one.rejected.is_empty() && !one.body.trim().is_empty()).collect()
    }
}

impl Input {
    fn new(place: &'static str, name: &str, doc: &str, schema: String) -> Self {
        let (name, doc) = (name.to_owned(), doc.to_owned());
        Self { name, place, required: true, doc, style: None, schema }
    }
}

/// Returns the style of a list, and whether it has a parameter for each value.
fn style(list: ListStyle) -> Option<(&'static str, bool)> {
    match list {
        ListStyle::Comma => Some(("form", false)),
        ListStyle::Pipe => Some(("pipeDelimited", false)),
        ListStyle::Repeat | ListStyle::Bracket => Some(("form", true)),
        // OpenAPI has no style with indexes; most tools send an array in this one with indexes.
        ListStyle::Index => Some(("deepObject", true)),
        ListStyle::Array => None,
    }
}

/// Returns a sentence about the parameters that a parameter needs, which OpenAPI cannot express.
fn needs(operation: &Operation, param: &Param) -> String {
    let Some(names) = operation.needed_names(param, |name| format!("`{name}`")) else {
        return String::new();
    };
    format!(" Without {names} it has no effect.")
}
