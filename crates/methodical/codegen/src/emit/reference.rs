//! Reference pages: one for each operation, one of the types, and one of the open points.

use askama::Template;

use crate::config::{Document, Workspace};
use crate::emit::{GeneratedFile, filters};
use crate::ir::{
    Auth, ErrorClass, Example, Field, Model, OpenPoint, Operation, Param, Place, Response,
    RustName, Service, ValueType, Verdict, Wire, phrase,
};
use crate::text::{capitalized, code, fenced, inline, json_string, relative};

#[derive(Template)]
enum Page<'a> {
    #[template(path = "reference/index.md.jinja")]
    Index { workspace: &'a Workspace, service: &'a Service, folder: &'a str },
    #[template(path = "reference/operation.md.jinja")]
    Operation {
        workspace: &'a Workspace,
        service: &'a Service,
        folder: &'a str,
        operation: &'a Operation,
    },
    #[template(path = "reference/types.md.jinja")]
    Types { workspace: &'a Workspace, service: &'a Service, folder: &'a str },
    #[template(path = "reference/open-points.md.jinja")]
    OpenPoints { workspace: &'a Workspace, service: &'a Service, folder: &'a str },
}

pub(super) fn emit(workspace: &Workspace, folder: &str) -> Vec<GeneratedFile> {
    let service = &workspace.service;
    let inner = &format!("{folder}/operations");
    let page = |path: &str, page| GeneratedFile::new(format!("{folder}/{path}.md"), &page);
    let mut files = vec![
        page("README", Page::Index { workspace, service, folder }),
        page("types", Page::Types { workspace, service, folder }),
        page("open-points", Page::OpenPoints { workspace, service, folder }),
    ];
    files.extend(service.operations.iter().map(|operation| {
        let path = format!("operations/{}", operation.rust.kebab());
        page(&path, Page::Operation { workspace, service, folder: inner, operation })
    }));
    files
}

/// Returns the link text and the path of each other document.
fn others(workspace: &Workspace) -> Vec<(&'static str, &String)> {
    let documents = [
        ("contract", Document::Contract),
        ("OpenAPI documents", Document::OpenApi),
        ("JSON Schemas", Document::JsonSchema),
        ("data contract", Document::DataContract),
    ];
    let path = |one| workspace.config.documents.get(&one);
    documents.into_iter().filter_map(|(name, one)| Some((name, path(one)?))).collect()
}

/// Returns the request of an example, without headers and secrets.
fn request(service: &Service, operation: &Operation, example: &Example) -> String {
    let target = service.target_of(operation, &example.query);
    fenced("text", &format!("{target}\n\n{}", example.sent))
}

/// Returns how a scalar is written in a record.
fn in_record(scalar: &ValueType) -> String {
    let Some(codes) = &scalar.codes else { return scalar.wire.word().to_owned() };
    let [yes, no] = [&codes.yes, &codes.no].map(|codes| {
        codes.iter().map(|one| code(&one.json().to_string())).collect::<Vec<_>>().join(", ")
    });
    format!("true: {yes}; false: {no}")
}

/// Returns how a scalar is written in a query; for a boolean, the code that is sent.
fn in_query(scalar: &ValueType) -> String {
    let Some(codes) = &scalar.codes else {
        let wire = if scalar.in_query.is_integer() { Wire::Integer } else { Wire::String };
        return wire.word().to_owned();
    };
    let [yes, no] = codes.written().map(|one| one.map(|one| code(&one.text())));
    format!("true: {}; false: {}", yes.unwrap_or_default(), no.unwrap_or_default())
}

/// Returns a table of a model's fields.
fn fields(service: &Service, model: &Model, types: &str) -> String {
    let rows = model.fields.iter().map(|field| {
        let ty = linked(field.ty.label(service), field.ty.name(service), types);
        let (name, doc) = (code(&field.wire), inline(&field.about.doc));
        format!("\n| {name} | {ty} | {} | {doc} |", field_presence(field))
    });
    let rows: String = rows.collect();
    format!("| Field | Type | Presence | Description |\n|---|---|---|---|{rows}")
}

/// Returns a Markdown list of open points, with links to them. `up` is the path to the folder of their page.
fn points(points: &[&OpenPoint], up: &str) -> String {
    let link = |one: &&OpenPoint| {
        let anchor = format!("{up}open-points.md#{}", one.id.to_lowercase());
        format!("\n- [{}]({anchor}): {}", one.id, inline(&one.question))
    };
    points.iter().map(link).collect()
}

/// Returns a sentence that names sections of the contract, with a link from a page in `folder`, as a paragraph.
fn section(workspace: &Workspace, source: &str, folder: &str) -> String {
    let Some(sections) = phrase(source).map(|one| inline(&one)) else { return String::new() };
    match workspace.config.documents.get(&Document::Contract) {
        Some(contract) => format!("\n\nSee [{sections}]({}).", relative(folder, contract)),
        None => format!("\n\nSee {sections}."),
    }
}

/// Returns the label of a type. The label of a named type, or of a list or map of one, links to that type.
fn linked(label: String, name: Option<&RustName>, types: &str) -> String {
    match name {
        Some(name) => format!("[{}]({types}#{})", code(&label), name.pascal().to_lowercase()),
        // Markdown would treat `<text>` as HTML.
        None if label.contains('<') => code(&label),
        None => label,
    }
}

/// Returns an outline of a successful response, such as `[Album, …]`.
fn outline(service: &Service, response: &Response) -> String {
    let Some(of) = &response.of else { return "no data".to_owned() };
    let of = of.label(service);
    let data = if response.is_list { format!("[{of}, …]") } else { of };
    if let Some(keys) = response.envelope() {
        let [marker, success, items] = keys.map(json_string);
        return format!("{{ {marker}: {success}, {items}: {data} }}");
    }
    let metadata = response.metadata.map(|id| service.model(id).rust.pascal());
    let keys = response.at.iter().enumerate().rev();
    keys.fold(data, |inner, (depth, key)| match &metadata {
        Some(metadata) if depth == response.metadata_at().len() => {
            format!("{{ {}: {inner}, …{metadata} }}", json_string(key))
        }
        _ => format!("{{ {}: {inner} }}", json_string(key)),
    })
}

/// Returns a sentence for each property of a response that its outline does not show.
fn notes(response: &Response) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |applies: bool, text: String| notes.extend(applies.then_some(text));
    let quoted = |texts: &[String]| {
        texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(" or ")
    };
    let path = |path: &[String]| format!("`{}`", path.join("."));
    note(response.absent_as_empty, "The list may be absent or null if it is empty.".to_owned());
    note(response.one_as_list, "A single record may replace the list.".to_owned());
    let Some(verdict) = response.reported() else { return notes };
    let Verdict { at, is, code, message, empty, .. } = verdict;
    let decides = if is.is_empty() {
        format!("The call failed if {} is present.", path(at))
    } else {
        format!("The call succeeded if {} is {}.", path(at), quoted(is))
    };
    note(true, decides);
    note(!code.is_empty(), format!("The error code is {}.", path(code)));
    note(!message.is_empty(), format!("The error message is {}.", path(message)));
    for class in ErrorClass::ALL {
        let codes = verdict.classes.iter().filter(|(_, of)| of == class);
        let codes: Vec<_> = codes.map(|(code, _)| code.clone()).collect();
        let text = format!("Errors of class `{}`: {}.", class.word(), quoted(&codes));
        note(!codes.is_empty(), text);
    }
    let text = match (&**code, &**message) {
        ([], _) => "message",
        (_, []) => "code",
        _ => "code or message",
    };
    let means = format!("A failure whose {text} is {} means an empty list.", quoted(empty));
    note(!empty.is_empty(), means);
    notes
}

/// Returns when a parameter is sent (`required`, `optional`, or which others it needs), and what it recovers.
fn presence(operation: &Operation, param: &Param) -> String {
    let presence = match operation.needed_names(param, code) {
        _ if param.required => "required".to_owned(),
        None => "optional".to_owned(),
        Some(needed) => format!("no effect without {needed}"),
    };
    match &param.recovers {
        Some(attribute) => format!("{presence}, recovers {}", code(attribute)),
        None => presence,
    }
}

/// Returns whether the field is always present, which other forms a reader accepts, and whether it is personal data.
fn field_presence(field: &Field) -> String {
    let presence = if field.required { "required" } else { "optional" };
    let mut parts = vec![presence];
    parts.extend(field.lenient.iter().map(|one| one.phrase()));
    parts.extend(field.personal.then_some("personal"));
    parts.join(", ")
}

/// Returns a type with a parameter's restrictions, such as `text, at most 9 characters`.
fn restricted(operation: &Operation, param: &Param, ty: String) -> String {
    let mut parts = vec![match param.list {
        None => ty,
        Some(_) if operation.is_json() => format!("list of {ty}"),
        Some(style) => {
            let (first, second) = (style.name(&param.wire, 0), style.name(&param.wire, 1));
            let repeated = format!("as `{first}=…&{second}=…`");
            let separated = style.separator().map(|one| format!("separated by `{one}`"));
            format!("list of {ty}, {}", separated.unwrap_or(repeated))
        }
    }];
    if param.ty.name().is_some() && param.ty.in_query.is_integer() {
        parts.push("sent as an integer".to_owned());
    }
    parts.extend(param.max_chars.map(|most| format!("at most {most} characters")));
    parts.join(", ")
}
