//! Reference pages: one for each operation, one of the types, and one of the open points.

use crate::emit::file::GeneratedFile;
use crate::emit::reference::page::{Page, code};
use crate::ir::{
    Auth, BUILT_IN, Body, BodyFormat, Dispatch, Doc, Example, Model, OpenPoint, Operation, Place,
    RustName, Scalar, Service, Source, built_in_list, joined,
};
use crate::project::Project;
use crate::text::{fenced, inline, markdown, percent_encoded, relative};

mod page;

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let Some(folder) = &project.config.documents.reference else { return Vec::new() };
    let file = |name: &str, page: Page| GeneratedFile {
        path: format!("{folder}/{name}.md"),
        text: page.finish(),
    };
    let operations = service.operations.iter().map(|one| {
        file(&format!("operations/{}", one.rust.kebab()), operation(project, folder, one))
    });
    [
        file("README", index(project, folder)),
        file("types", types(project, folder)),
        file("open-points", open_points(project, folder)),
    ]
    .into_iter()
    .chain(operations)
    .collect()
}

fn index(project: &Project<'_>, folder: &str) -> Page {
    let Project { service, config } = project;
    let mut page = Page::new(&service.title);
    page.text(&markdown(&service.doc.0));
    page.text(&format!(
        "Every call is a request `{}` with {}.",
        any_target(service),
        match &service.auth {
            Auth::Bearer =>
                format!("the headers `Authorization: Bearer …` and `Accept: {}`", service.accept),
            auth => format!("the header `Accept: {}` and {}", service.accept, auth.phrase()),
        }
    ));
    let secrets = service.auth.secrets().iter();
    let rows: Vec<_> = secrets
        .map(|one| vec![code(&one.name), one.place.word().to_owned(), cell(&one.doc)])
        .collect();
    if !rows.is_empty() {
        page.table(&["Secret", "Place", "Description"], rows.into_iter());
    }
    let rows = service.operations.iter().map(|one| {
        let link = format!("[{}](operations/{}.md)", one.rust.spaced(), one.rust.kebab());
        vec![link, code(&one.select), cell(&one.doc)]
    });
    let selectors: Vec<_> = service.dispatch.selectors.iter().map(|name| code(name)).collect();
    let selectors = if selectors.is_empty() { "Call".to_owned() } else { selectors.join(", ") };
    page.table(&["Operation", &selectors, "Description"], rows);
    let contract = config
        .documents
        .contract
        .as_ref()
        .map(|contract| format!("the [contract]({}), ", relative(folder, contract)));
    page.text(&format!(
        "See also {}the [types](types.md) and the [open points](open-points.md).",
        contract.unwrap_or_default()
    ));
    let machines = machines(project, folder);
    if !machines.is_empty() {
        page.heading("Machine-readable descriptions");
        page.list(machines);
    }
    if !service.open.is_empty() {
        page.heading("Open points of every call");
        points(&mut page, service.open_points(&service.open), "");
    }
    page
}

/// Returns the method, the path and the query of any operation, with `…` in place of its name.
fn any_target(service: &Service) -> String {
    let Dispatch { place, selectors, constants } = &service.dispatch;
    let selectors = selectors.iter().map(|name| format!("{name}=…"));
    let constants =
        constants.iter().map(|(name, value)| format!("{name}={}", percent_encoded(value)));
    let query: Vec<_> = selectors.chain(constants).collect();
    let path = match place {
        Place::Form => return format!("POST {{base_url}}{} {}", service.path, query.join("&")),
        Place::Query => service.path.clone(),
        Place::Path => format!("{}/…", service.path),
    };
    let has = |is_post: bool| service.operations.iter().any(|one| one.post.is_some() == is_post);
    let verb = match (has(false), has(true)) {
        (_, false) => "GET",
        (true, true) => "GET or POST",
        (false, true) => "POST",
    };
    format!("{verb} {{base_url}}{}", joined(&path, &query.join("&")))
}

/// Returns links to the documents for programs.
fn machines(project: &Project<'_>, folder: &str) -> Vec<String> {
    let Project { service, config } = project;
    let mut links = Vec::new();
    if let Some(openapi) = &config.documents.openapi {
        let openapi = relative(folder, openapi);
        links.push(format!(
            "[OpenAPI of the whole service]({openapi}/{}.json), with all operations merged into one",
            service.name
        ));
        links.extend(service.operations.iter().map(|one| {
            format!("[OpenAPI of “{}”]({openapi}/{}.json)", one.rust.spaced(), one.rust.kebab())
        }));
    }
    if let Some(json_schema) = &config.documents.json_schema {
        let json_schema = relative(folder, json_schema);
        links.extend(service.models.iter().map(|one| {
            let (name, file) = (code(&one.rust.pascal()), one.rust.kebab());
            format!("[JSON Schema of {name}]({json_schema}/{file}.json)")
        }));
    }
    links
}

fn operation(project: &Project<'_>, folder: &str, operation: &Operation) -> Page {
    let service = project.service;
    let mut page = Page::new(&capitalized(&operation.rust.spaced()));
    page.text(&markdown(&operation.doc.0));
    if let Some(why) = &operation.deprecated {
        page.text(&format!("**Deprecated:** {}", inline(why)));
    }
    page.text(&fenced("text", &service.target_of(operation)));
    if let Some(note) = operation.post_note() {
        page.text(&note);
    }
    page.text(&section(project, &operation.source, &format!("{folder}/operations")));
    if !operation.params.is_empty() {
        page.heading("Parameters");
        let rows = operation.params.iter().map(|param| {
            let ty = param.restricted(linked(param.ty.label(), param.ty.name(), "../types.md"));
            vec![code(&param.wire), ty, operation.presence(param, code), cell(&param.doc)]
        });
        page.table(&["Parameter", "Type", "Presence", "Description"], rows);
        if operation.params.iter().any(|param| param.recovers.is_some()) {
            page.text(RECOVERY);
        }
    }
    page.heading("Response");
    page.text(&fenced("text", &service.outline(&operation.response)));
    for note in operation.response.body().into_iter().flat_map(Body::notes) {
        page.text(&markdown(&note));
    }
    if let Some(pages) = operation.pages() {
        page.text(&markdown(&pages));
    }
    if let Some(model) = service.response_model(operation) {
        fields(&mut page, service, model, "../types.md");
        let columns: Vec<_> = service.columns(model).iter().map(|path| code(path)).collect();
        page.text(&format!("Default columns of a table: {}.", columns.join(", ")));
        if let Some(gauge) = operation.gauge_note() {
            page.text(&markdown(&gauge));
        }
    } else if let Some(of) = operation.response.value() {
        let link = linked(of.label(service), of.name(service), "../types.md");
        page.text(&format!("The value has the type {link}."));
    }
    if let Some(id) = operation.response.beside() {
        let beside = service.model(id);
        let link = linked(beside.rust.pascal(), Some(&beside.rust), "../types.md");
        page.text(&format!("Beside the list are the fields of {link}."));
        fields(&mut page, service, beside, "../types.md");
    }
    page.heading("Examples");
    for one in service.examples_of(operation) {
        example(&mut page, project, operation, one);
    }
    let open = service.open_points_of(operation);
    if !open.is_empty() {
        page.heading("Open points");
        points(&mut page, open, "../");
    }
    page
}

fn example(page: &mut Page, project: &Project<'_>, operation: &Operation, example: &Example) {
    let service = project.service;
    page.subheading(&capitalized(&example.name.spaced()));
    page.text(&markdown(&example.doc.0));
    // A query or a form holds no character that a shell expands between double quotes.
    let (headers, url, body) =
        service.with_variables(operation, example, |ending| project.variable(ending));
    let accept = format!("Accept: {}", service.accept);
    let json = operation.post.filter(|post| post.format == BodyFormat::Json);
    let json = json.map(|post| format!("Content-Type: {}", post.format.media_type()));
    let headers = headers.iter().chain([&accept]).chain(&json);
    let headers: Vec<_> = headers.map(|header| format!("-H \"{header}\" ")).collect();
    let headers = headers.concat();
    let body = match operation.post {
        None => String::new(),
        Some(_) if json.is_none() => format!("--data-raw \"{body}\" "),
        Some(_) => format!("--data-raw '{}' ", body.replace('\'', "'\\''")),
    };
    let base_url = project.variable("BASE_URL");
    let call = format!("curl {headers}{body}\\\n  \"${base_url}{url}\"");
    page.text(&fenced("sh", &call));
    page.text(&fenced("json", &example.body));
    if !example.rejected.is_empty() {
        let positions: Vec<_> = example.rejected.iter().map(usize::to_string).collect();
        page.text(&format!(
            "A client rejects the {} at index {} and keeps the others.",
            if positions.len() == 1 { "record" } else { "records" },
            positions.join(", ")
        ));
    }
}

fn types(project: &Project<'_>, folder: &str) -> Page {
    let service = project.service;
    let mut page = Page::new("Types");
    let shown = BUILT_IN.iter().copied().filter(|one| one.since == 1 || service.uses(one));
    let built_in = built_in_list(shown, |one| one.described.to_owned(), " and ");
    page.text(&format!("The types of fields and parameters. {built_in} are built in."));
    for model in &service.models {
        page.heading(&code(&model.rust.pascal()));
        page.text(&markdown(&model.doc.0));
        page.text(&section(project, &model.source, folder));
        fields(&mut page, service, model, "");
    }
    for one in &service.enums {
        page.heading(&code(&one.rust.pascal()));
        page.text(&markdown(&one.doc.0));
        page.text(&section(project, &one.source, folder));
        if one.primitive().is_integer() {
            page.text(&format!("Written as {}.", one.wire.noun()));
        }
        page.text(if one.open_ended {
            "Open-ended: a value that is not listed is kept."
        } else {
            "Closed: a value that is not listed is invalid."
        });
        let rows = one.values.iter().map(|value| {
            let note = value.deprecated.as_ref().map(|why| format!(" Deprecated: {}", inline(why)));
            vec![
                code(&value.rust.variant()),
                code(&value.wire),
                cell(&value.doc) + &note.unwrap_or_default(),
            ]
        });
        page.table(&["In Rust", "On the wire", "Description"], rows);
    }
    page.heading("Scalars");
    let rows = service.scalars.iter().map(|scalar| {
        vec![
            anchored(&scalar.rust.pascal()),
            in_record(scalar),
            in_query(scalar),
            scalar.meaning.word.to_owned(),
            code(&scalar.example),
            cell(&scalar.doc),
        ]
    });
    page.table(&["Type", "In a record", "In a query", "Meaning", "Example", "Description"], rows);
    page
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
    let [yes, no] = [true, false].map(|value| codes.of(value).map(|one| code(&one.text())));
    format!("true: {}; false: {}", yes.unwrap_or_default(), no.unwrap_or_default())
}

fn fields(page: &mut Page, service: &Service, model: &Model, types: &str) {
    let rows = model.fields.iter().map(|field| {
        let ty = linked(field.ty.label(service), field.ty.name(service), types);
        vec![code(&field.wire), ty, field.presence(), cell(&field.doc)]
    });
    page.table(&["Field", "Type", "Presence", "Description"], rows);
}

fn open_points(project: &Project<'_>, folder: &str) -> Page {
    let mut page = Page::new("Open points");
    page.text("Questions that the contract does not answer, with what our client libraries and our server do.");
    for point in &project.service.open_points {
        page.heading(&format!("{}. {}", point.number, point.id));
        page.text(&markdown(&point.question.0));
        page.list(vec![
            format!("Client: {}", inline(&point.client.0)),
            format!("Server: {}", inline(&point.server.0)),
        ]);
        page.text(&section(project, &point.source, folder));
    }
    page
}

fn points(page: &mut Page, points: Vec<&OpenPoint>, up: &str) {
    let rows = points.into_iter().map(|point| {
        let anchor = format!("{}-{}", point.number, point.id.to_lowercase());
        let link = format!("[{}]({up}open-points.md#{anchor})", point.id);
        vec![link, cell(&point.question), cell(&point.client), cell(&point.server)]
    });
    page.table(&["Id", "Question", "Client", "Server"], rows);
}

fn cell(doc: &Doc) -> String {
    inline(&doc.0)
}

/// Returns a sentence that names sections of the contract, with a link from a page in `folder`.
fn section(project: &Project<'_>, source: &Source, folder: &str) -> String {
    let Some(sections) = source.phrase() else { return String::new() };
    match &project.config.documents.contract {
        Some(contract) => format!("See [{}]({}).", inline(&sections), relative(folder, contract)),
        None => format!("See {}.", inline(&sections)),
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().to_string() + chars.as_str())
}

fn anchored(name: &str) -> String {
    format!("<a id=\"{}\"></a>{}", name.to_lowercase(), code(name))
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

/// The meaning of `recovers` in the table of parameters.
const RECOVERY: &str = "A parameter that *recovers* an attribute selects the records that have the attribute with the value of the parameter. The records themselves do not contain it.";
