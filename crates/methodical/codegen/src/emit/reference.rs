//! Reference pages: one for each operation, one of the types, and one of the open points.

use askama::Template;

use crate::config::Project;
use crate::emit::{GeneratedFile, filters};
use crate::ir::{
    Auth, BodyFormat, BuiltIn, Example, Model, OpenPoint, Operation, Param, RustName, Scalar,
    Service, Source,
};
use crate::text::{code, fenced, inline, list, relative};

#[derive(Template)]
#[template(path = "reference/index.md.jinja")]
struct Index<'a> {
    project: &'a Project<'a>,
    service: &'a Service,
    folder: &'a str,
}

#[derive(Template)]
#[template(path = "reference/operation.md.jinja")]
struct Page<'a> {
    project: &'a Project<'a>,
    service: &'a Service,
    operation: &'a Operation,
    folder: String,
}

#[derive(Template)]
#[template(path = "reference/types.md.jinja")]
struct Types<'a> {
    project: &'a Project<'a>,
    service: &'a Service,
    folder: &'a str,
}

#[derive(Template)]
#[template(path = "reference/open-points.md.jinja")]
struct OpenPoints<'a> {
    project: &'a Project<'a>,
    service: &'a Service,
    folder: &'a str,
}

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let Some(folder) = &project.config.documents.reference else { return Vec::new() };
    let mut files = vec![
        GeneratedFile::text(format!("{folder}/README.md"), &Index { project, service, folder }),
        GeneratedFile::text(format!("{folder}/types.md"), &Types { project, service, folder }),
        GeneratedFile::text(
            format!("{folder}/open-points.md"),
            &OpenPoints { project, service, folder },
        ),
    ];
    files.extend(service.operations.iter().map(|operation| {
        let folder = format!("{folder}/operations");
        let path = format!("{folder}/{}.md", operation.rust.kebab());
        GeneratedFile::text(path, &Page { project, service, operation, folder })
    }));
    files
}

impl Index<'_> {
    /// Returns the method, the path and the query of any operation, with `…` in place of its name.
    fn any_target(&self) -> String {
        let Self { service, .. } = self;
        let Some(first) = service.operations.first() else { return String::new() };
        let select = if service.dispatch.selectors.len() == 2 { "…/…" } else { "…" };
        let any = Operation { select: select.to_owned(), ..first.clone() };
        let target = service.target_of(&any).replacen(' ', " {base_url}", 1);
        let is_get = |one: &Operation| one.post.is_none();
        let is_mixed = service.operations.iter().any(|one| is_get(one) != is_get(first));
        match target.split_once(' ') {
            Some((_, rest)) if is_mixed => format!("GET or POST {rest}"),
            _ => target,
        }
    }

    /// Returns the link to a document from the page.
    fn link(&self, path: &str) -> String {
        relative(self.folder, path)
    }
}

impl Page<'_> {
    /// Returns notes about the response and its pages.
    fn notes(&self) -> Vec<String> {
        let notes = self.operation.response.notes().into_iter();
        notes.chain(self.operation.pages()).collect()
    }

    fn presence(&self, param: &Param) -> String {
        self.operation.presence(param, code)
    }

    fn recovers(&self) -> bool {
        self.operation.params.iter().any(|param| param.recovers.is_some())
    }

    /// Returns the command that sends the request of an example.
    fn curl(&self, example: &Example) -> String {
        let Self { project, service, operation, .. } = self;
        // A query or a form holds no character that a shell expands between double quotes.
        let (headers, url, body) =
            service.with_variables(operation, example, |ending| project.variable(ending));
        let accept = format!("Accept: {}", service.accept);
        let json = operation.post.filter(|post| post.format == BodyFormat::Json);
        let json = json.map(|post| format!("Content-Type: {}", post.format.media_type()));
        let headers = headers.iter().chain([&accept]).chain(&json);
        let headers: Vec<_> = headers.map(|header| format!("-H \"{header}\" ")).collect();
        let body = match operation.post {
            None => String::new(),
            Some(_) if json.is_none() => format!("--data-raw \"{body}\" "),
            Some(_) => format!("--data-raw '{}' ", body.replace('\'', "'\\''")),
        };
        let base_url = project.variable("BASE_URL");
        fenced("sh", &format!("curl {}{body}\\\n  \"${base_url}{url}\"", headers.concat()))
    }
}

/// Returns the type of a parameter, with a link and its limits.
fn param_type(param: &Param) -> String {
    param.restricted(linked(param.ty.label(), param.ty.name(), "../types.md"))
}

/// Returns the built-in types that the service uses.
fn built_in(service: &Service) -> String {
    let shown = BuiltIn::ALL.iter().filter(|one| **one != BuiltIn::Float || service.uses(**one));
    let shown: Vec<_> = shown
        .map(|one| match one {
            BuiltIn::Integer => "`integer` (64-bit, signed)".to_owned(),
            BuiltIn::Float => "`float` (64-bit floating-point number)".to_owned(),
            BuiltIn::Text | BuiltIn::Boolean => format!("`{}`", one.word()),
        })
        .collect();
    list(&shown, " and ")
}

/// Returns how a scalar is written in a record.
fn in_record(scalar: &Scalar) -> String {
    let Some(codes) = &scalar.codes else { return scalar.wire.word().to_owned() };
    let [yes, no] = [&codes.yes, &codes.no].map(|codes| {
        codes.iter().map(|one| code(&one.json().to_string())).collect::<Vec<_>>().join(", ")
    });
    format!("true: {yes}; false: {no}")
}

/// Returns how a scalar is written in a query: of a boolean, the code that is sent.
fn in_query(scalar: &Scalar) -> String {
    let Some(codes) = &scalar.codes else { return scalar.sent_as().word().to_owned() };
    let [yes, no] = codes.written().map(|one| one.map(|one| code(&one.text())));
    format!("true: {}; false: {}", yes.unwrap_or_default(), no.unwrap_or_default())
}

/// Returns the table of the fields of a model.
fn fields(service: &Service, model: &Model, types: &str) -> String {
    let rows = model.fields.iter().map(|field| {
        let ty = linked(field.ty.label(service), field.ty.name(service), types);
        let (name, doc) = (code(&field.wire), inline(&field.doc.0));
        format!("\n| {name} | {ty} | {} | {doc} |", field.presence())
    });
    let rows: String = rows.collect();
    format!("| Field | Type | Presence | Description |\n|---|---|---|---|{rows}")
}

/// Returns the table of open points.
fn points(points: &[&OpenPoint], up: &str) -> String {
    let rows = points.iter().map(|point| {
        let OpenPoint { id, number, .. } = point;
        let [question, client, server] =
            [&point.question, &point.client, &point.server].map(|doc| inline(&doc.0));
        let anchor = format!("{up}open-points.md#{number}-{}", id.to_lowercase());
        format!("\n| [{id}]({anchor}) | {question} | {client} | {server} |")
    });
    let rows: String = rows.collect();
    format!("| Id | Question | Client | Server |\n|---|---|---|---|{rows}")
}

/// Returns a sentence that names sections of the contract, with a link from a page in `folder`, as a paragraph.
fn section(project: &Project<'_>, source: &Source, folder: &str) -> String {
    let Some(sections) = source.phrase() else { return String::new() };
    match &project.config.documents.contract {
        Some(contract) => {
            format!("\n\nSee [{}]({}).", inline(&sections), relative(folder, contract))
        }
        None => format!("\n\nSee {}.", inline(&sections)),
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().to_string() + chars.as_str())
}

/// Returns the label of a type; if it has a name, or is a list or a map of one that has, with a link to that type.
fn linked(label: String, name: Option<&RustName>, types: &str) -> String {
    match name {
        Some(name) => format!("[{}]({types}#{})", code(&label), name.pascal().to_lowercase()),
        // Markdown takes `<float>` for HTML.
        None if label.contains('<') => code(&label),
        None => label,
    }
}
