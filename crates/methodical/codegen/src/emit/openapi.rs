//! OpenAPI 3.1: a document for each operation, with its selector as a constant. OpenAPI has one operation per path and
//! method, and all our operations share both, so no document has several.

use askama::Template;
use serde_json::json;

use crate::config::Workspace;
use crate::emit::schema::{Schemas, any_of, failure, param};
use crate::emit::{GeneratedFile, MARK, filters};
use crate::ir::{
    Auth, BodyFormat, Example, ListStyle, Operation, Place, Post, Secret, SecretPlace, Service,
};

/// The OpenAPI document of one operation.
#[derive(Template)]
#[template(path = "openapi.json.jinja")]
struct Document<'a> {
    service: &'a Service,
    operation: &'a Operation,
    schemas: Schemas<'a>,
}

/// A parameter of a call, or a member of the call's body.
struct Input {
    name: String,
    /// Where the parameter is sent; unused for a member of the body.
    place: &'static str,
    required: bool,
    doc: String,
    style: Option<(&'static str, bool)>,
    schema: String,
}

/// Emits the OpenAPI documents.
pub(super) fn emit(workspace: &Workspace, folder: &str) -> Vec<GeneratedFile> {
    let service = &workspace.service;
    let schemas = Schemas { service, prefix: "#/components/schemas/" };
    let document = |operation: &Operation| {
        let document = Document { service, operation, schemas }.render();
        let path = format!("{folder}/{}.json", operation.rust.kebab());
        GeneratedFile::json(path, &document.unwrap_or_default())
    };
    service.operations.iter().map(document).collect()
}

impl Document<'_> {
    /// Returns the secrets that are security schemes. In a path, a secret is a parameter; in a form, a body member.
    fn schemes(&self) -> Vec<&Secret> {
        let secrets = self.service.auth.secrets().iter();
        secrets.filter(|one| !matches!(one.place, SecretPlace::Path | SecretPlace::Form)).collect()
    }

    fn doc(&self) -> String {
        let pages = self.operation.pages().map(|pages| format!(" {pages}"));
        self.operation.about.doc.clone() + &pages.unwrap_or_default()
    }

    /// Returns the members of a call's body or, unless `in_body`, the call's other parameters.
    fn inputs(&self, in_body: bool) -> Vec<Input> {
        let Self { service: Service { dispatch, auth, .. }, operation, .. } = self;
        let secrets = |place| {
            let secrets = auth.secrets().iter().filter(move |one| one.place == place);
            secrets.map(move |one| {
                let name = if place == SecretPlace::Path { "secret" } else { one.name.as_str() };
                let schema = "\"type\":\"string\",\"format\":\"password\",".to_owned();
                Input::new("path", name, one.doc.clone(), schema)
            })
        };
        let selectors = dispatch.values(&operation.select).into_iter();
        let selectors = selectors.map(|(name, value)| (name, value, "Selects the operation."));
        let constants = dispatch.constants.iter();
        let constants = constants.map(|(name, value)| {
            (name.as_str(), value.as_str(), "Has the same value in every call.")
        });
        let fixed = selectors.chain(constants).map(|(name, value, doc)| {
            Input::new("query", name, doc.to_owned(), format!("\"const\":{},", json!(value)))
        });
        let params = operation.params.iter().map(|one| {
            let is_bracket = one.list == Some(ListStyle::Bracket);
            let name = format!("{}{}", one.wire, if is_bracket { "[]" } else { "" });
            // OpenAPI cannot express that a parameter needs others.
            let needed = operation.needed_names(one, |name| format!("`{name}`"));
            let needed = needed.map(|names| format!(" Without {names} it has no effect."));
            let doc = one.about.doc.clone() + &needed.unwrap_or_default();
            Input {
                required: one.required,
                style: one.list.map(style),
                ..Input::new("query", &name, doc, param(one))
            }
        });
        let fixed = fixed.filter(|_| in_body == (dispatch.place == Place::Form));
        let params = params.filter(|_| in_body == operation.post.is_some());
        let before = secrets(SecretPlace::Path).filter(|_| !in_body);
        let after = secrets(SecretPlace::Form).filter(|_| in_body);
        before.chain(fixed).chain(params).chain(after).collect()
    }

    /// Returns the schema of a response with status 200.
    fn response(&self) -> String {
        let response = &self.operation.response;
        let failure = response.reported().map(failure);
        any_of(std::iter::once(self.schemas.response(response)).chain(failure).collect())
    }

    /// Returns the examples with a response, except those with records to reject, which violate the schema on purpose.
    fn examples(&self) -> Vec<&Example> {
        let all = self.service.examples_of(self.operation);
        all.filter(|one| one.rejected.is_empty() && !one.body.trim().is_empty()).collect()
    }
}

impl Input {
    fn new(place: &'static str, name: &str, doc: String, schema: String) -> Self {
        Self { name: name.to_owned(), place, required: true, doc, style: None, schema }
    }
}

/// Returns the OpenAPI style of a list, and whether each value is a separate parameter.
fn style(list: ListStyle) -> (&'static str, bool) {
    match list {
        ListStyle::Comma => ("form", false),
        ListStyle::Pipe => ("pipeDelimited", false),
        ListStyle::Repeat | ListStyle::Bracket => ("form", true),
        // OpenAPI has no style with indexes, but most tools add indexes to an array in this style.
        ListStyle::Index => ("deepObject", true),
    }
}
