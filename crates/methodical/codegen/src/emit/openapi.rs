//! OpenAPI 3.1: one document of the whole service, and an exact one for each operation.
//!
//! OpenAPI has one operation per path and method, and all our operations share both. The document of the whole service
//! therefore merges them, with `anyOf` where they differ. The exact documents fix the selector.

use askama::Template;

use crate::config::{Document as File, Project};
use crate::emit::file::{GeneratedFile, MARK};
use crate::emit::schema::{Schemas, any_of, failure, param};
use crate::emit::{distinct, filters};
use crate::ir::{
    Auth, BodyFormat, Example, ListStyle, ModelId, Operation, Param, Place, Secret, SecretPlace,
    Service,
};

const PREFIX: &str = "#/components/schemas/";

/// A document.
#[derive(Template)]
#[template(path = "openapi.json.jinja")]
struct Document<'a> {
    service: &'a Service,
    schemas: Schemas<'a>,
    /// The paths with their calls.
    paths: Vec<(String, Vec<Call<'a>>)>,
}

/// The operations with the same path and verb: one exactly, or several merged into one.
struct Call<'a> {
    service: &'a Service,
    operations: Vec<&'a Operation>,
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
    let document = |name: &str, paths| {
        let schemas = Schemas { service, prefix: PREFIX };
        let document = Document { service, schemas, paths }.render();
        GeneratedFile::json(format!("{folder}/{name}.json"), &document.unwrap_or_default())
    };
    let exact = |one| vec![Call { service, operations: vec![one] }];
    let exact = |one| vec![(service.path_of(one), exact(one))];
    let operations = || service.operations.iter();
    let paths = match service.dispatch.place {
        // The operations have different paths, so nothing is merged.
        Place::Path => operations().flat_map(exact).collect(),
        Place::Query | Place::Form => {
            let calls = [false, true].map(|is_post| {
                let operations = operations().filter(|one| one.post.is_some() == is_post).collect();
                Call { service, operations }
            });
            let calls = calls.into_iter().filter(|call| !call.operations.is_empty());
            vec![(service.path.clone(), calls.collect())]
        }
    };
    let exact = operations().map(|one| document(&one.rust.kebab(), exact(one)));
    std::iter::once(document(&service.name, paths)).chain(exact).collect()
}

impl Document<'_> {
    /// Returns the schemas of the models in the responses.
    fn models(&self) -> String {
        let calls = self.paths.iter().flat_map(|(_, calls)| calls);
        let operations = calls.flat_map(|call| &call.operations);
        let mut ids: Vec<ModelId> =
            operations.flat_map(|one| self.service.models_of(one)).collect();
        ids.sort_unstable();
        ids.dedup();
        self.schemas.models(ids)
    }

    /// Returns the secrets with a security scheme. One in the path is a parameter, and one in the form a member of the body.
    fn schemes(&self) -> Vec<&Secret> {
        let secrets = self.service.auth.secrets().iter();
        secrets.filter(|one| !matches!(one.place, SecretPlace::Path | SecretPlace::Form)).collect()
    }
}

impl Call<'_> {
    /// Returns the operation, if there is only one.
    fn one(&self) -> Option<&Operation> {
        if let [one] = self.operations.as_slice() { Some(one) } else { None }
    }

    fn is_post(&self) -> bool {
        self.operations.iter().any(|one| one.post.is_some())
    }

    /// Returns the identifier, which is unique in a document.
    fn id(&self) -> String {
        let is_second = self.operations.len() < self.service.operations.len() && self.is_post();
        let verb = if is_second { "_post" } else { "" };
        let of_service = || self.service.name.replace('-', "_") + verb;
        self.one().map_or_else(of_service, |one| one.rust.words())
    }

    fn doc(&self) -> String {
        let Some(one) = self.one() else { return self.service.about.doc.clone() };
        one.about.doc.clone() + &one.pages().map(|pages| format!(" {pages}")).unwrap_or_default()
    }

    /// Returns the parameters that every call has.
    fn fixed(&self) -> impl Iterator<Item = Input> {
        let dispatch = &self.service.dispatch;
        let fixed = |name: &str, doc: &str, schema| Input::new("query", name, doc, schema);
        let selectors = dispatch.selectors.iter().map(move |name| {
            let values = self.operations.iter().flat_map(|one| dispatch.values(&one.select));
            let values = values.filter(|(other, _)| other == name).map(|(_, value)| value);
            let schema = match (self.one(), distinct(values).as_slice()) {
                (Some(_), [value]) => format!("\"const\":{},", serde_json::json!(value)),
                (_, values) => format!("\"enum\":{},", serde_json::json!(values)),
            };
            fixed(name, "Selects the operation.", schema)
        });
        let constants = dispatch.constants.iter().map(move |(name, value)| {
            let schema = format!("\"const\":{},", serde_json::json!(value));
            fixed(name, "Has the same value in every call.", schema)
        });
        selectors.chain(constants)
    }

    /// Returns the other parameters, each name once.
    fn params(&self) -> impl Iterator<Item = Input> {
        let all = || {
            self.operations.iter().flat_map(|one| one.params.iter().map(move |param| (*one, param)))
        };
        distinct(all().map(|(_, param)| &param.wire)).into_iter().filter_map(move |name| {
            let same: Vec<_> = all().filter(|(_, param)| param.wire == *name).collect();
            let (_, first) = same.first()?;
            let users: Vec<_> = same.iter().map(|(one, _)| format!("`{}`", one.select)).collect();
            let only = format!(" Only for {}.", users.join(", "));
            let only = if self.one().is_some() { String::new() } else { only };
            let needed: String = same.iter().map(|(one, param)| needs(one, param)).collect();
            let name = match first.list {
                Some(ListStyle::Bracket) => format!("{}[]", first.wire),
                _ => first.wire.clone(),
            };
            let doc = format!("{}{only}{needed}", first.about.doc);
            let schema = any_of(distinct(same.iter().map(|(_, one)| param(one))));
            Some(Input {
                required: self.one().is_some() && first.required,
                style: first.list.and_then(style),
                ..Input::new("query", &name, &doc, schema)
            })
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
        let params = self.params().filter(|_| !self.is_post());
        self.secrets(SecretPlace::Path).chain(fixed).chain(params).collect()
    }

    /// Returns the members of a body.
    fn members(&self) -> Vec<Input> {
        let is_form = self.service.dispatch.place == Place::Form;
        let fixed = self.fixed().filter(|_| is_form);
        fixed.chain(self.params()).chain(self.secrets(SecretPlace::Form)).collect()
    }

    /// Returns the formats of the bodies.
    fn formats(&self) -> impl Iterator<Item = BodyFormat> {
        let has =
            |format| move |one: &&Operation| one.post.is_some_and(|post| post.format == format);
        let formats = [BodyFormat::Form, BodyFormat::Json].into_iter();
        formats.filter(move |format| self.operations.iter().any(has(*format)))
    }

    /// Returns the schema of a response with status 200.
    fn response(&self, schemas: &Schemas<'_>) -> String {
        let responses = self.operations.iter().map(|one| schemas.response(&one.response));
        let failures = self.operations.iter().filter_map(|one| one.response.reported());
        any_of(distinct(responses.chain(failures.map(failure))))
    }

    /// Returns the examples. A response with records to reject does not fit the schema, on purpose.
    fn examples(&self) -> Vec<&Example> {
        let all = self.operations.iter().flat_map(|one| self.service.examples_of(one));
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
