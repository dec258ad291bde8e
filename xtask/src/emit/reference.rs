//! Reference pages: one per operation, one of the types, one of what the text leaves open.

use crate::emit::GeneratedFile;
use crate::ir::{
    Doc, Enum, Example, Model, OpenRef, Operation, Otherwise, Param, Response, Scalar, Service,
    Source, Type, Wire,
};
use crate::text::{fenced, inline, markdown};

mod page;

use self::page::{Page, code};

pub(super) fn emit(service: &Service) -> Vec<GeneratedFile> {
    let file = |name: &str, page: Page| GeneratedFile {
        path: format!("docs/generated/{name}.md"),
        text: page.finish(),
    };
    let operations = service
        .operations
        .iter()
        .map(|one| file(&format!("operations/{}", one.rust.kebab()), operation(service, one)));
    [
        file("README", index(service)),
        file("types", types(service)),
        file("open-points", open_points(service)),
    ]
    .into_iter()
    .chain(operations)
    .collect()
}

fn index(service: &Service) -> Page {
    let mut page = Page::new(&service.title);
    page.text(&markdown(&service.doc.0));
    page.text(&format!(
        "Every call is `GET {{base_url}}{}?{}=…` with `Authorization: Bearer …` and `Accept: {}`.",
        service.path, service.selector, service.accept
    ));
    let rows = service.operations.iter().map(|one| {
        let link = format!("[{}](operations/{}.md)", one.rust.spaced(), one.rust.kebab());
        vec![link, code(&one.select), cell(&one.doc)]
    });
    page.table(&["operation", "selected by", "what it does"], rows);
    page.text("More: [types](types.md), [what the service text does not show](open-points.md).");
    let mut machines = vec![
        format!("[OpenAPI of the whole service](openapi/{}.json)", service.name),
        format!("[Smithy](./{}.smithy)", service.name),
    ];
    machines.extend(service.operations.iter().map(|one| {
        format!("[OpenAPI of {}](openapi/{}.json)", one.rust.spaced(), one.rust.kebab())
    }));
    machines.extend(service.models.iter().map(|one| {
        format!("[JSON Schema of {}](json-schema/{}.json)", one.rust.spaced(), one.rust.kebab())
    }));
    page.heading("For programs");
    page.list(machines);
    if !service.open.is_empty() {
        page.heading("What the service text does not show about every call");
        points(&mut page, service, &service.open, "");
    }
    page
}

fn operation(service: &Service, operation: &Operation) -> Page {
    let mut page = Page::new(&capitalized(&operation.rust.spaced()));
    page.text(&markdown(&operation.doc.0));
    if let Some(why) = &operation.deprecated {
        page.text(&format!("**Deprecated:** {}", inline(why)));
    }
    page.text(&fenced(
        "text",
        &format!("GET {}?{}={}", service.path, service.selector, operation.select),
    ));
    page.text(&section(&operation.source));
    if !operation.params.is_empty() {
        page.heading("Parameters");
        let rows = operation.params.iter().map(|param| {
            let Param { wire, doc, .. } = param;
            vec![code(wire), param_type(service, param), demand(operation, param), cell(doc)]
        });
        page.table(&["parameter", "type", "given", "what it does"], rows);
    }
    page.heading("Answer");
    page.text(&fenced("text", &shape(service, &operation.response)));
    if let Some(model) = service.response_model(operation) {
        fields(&mut page, service, model, "../types.md");
    }
    page.heading("Examples");
    for one in service.examples_of(operation) {
        example(&mut page, service, one);
    }
    let mut open = operation.open.clone();
    open.extend(operation.params.iter().flat_map(|param| param.open.clone()));
    if let Some(model) = service.response_model(operation) {
        open.extend(model.fields.iter().flat_map(|field| field.open.clone()));
    }
    if !open.is_empty() {
        page.heading("What the service text does not show");
        points(&mut page, service, &open, "../");
    }
    page
}

fn example(page: &mut Page, service: &Service, example: &Example) {
    page.subheading(&capitalized(&example.name.spaced()));
    page.text(&markdown(&example.doc.0));
    // A query holds nothing that a shell reads between double quotes.
    let call = format!(
        "curl -H \"Authorization: Bearer $GATEWAY_TOKEN\" -H \"Accept: {}\" \\\n  \"$GATEWAY_BASE_URL{}?{}\"",
        service.accept, service.path, example.query
    );
    page.text(&fenced("sh", &call));
    page.text(&fenced("json", &example.body));
    if !example.rejected.is_empty() {
        let positions: Vec<_> = example.rejected.iter().map(usize::to_string).collect();
        page.text(&format!(
            "A reader rejects the records at {} (counted from 0) and keeps the others.",
            positions.join(", ")
        ));
    }
}

fn types(service: &Service) -> Page {
    let mut page = Page::new("Types");
    page.text("What records and parameters are made of. Built in: `text`, `integer` (64 bits, signed), `boolean`.");
    for model in &service.models {
        page.heading(&model.rust.pascal());
        page.text(&markdown(&model.doc.0));
        page.text(&section(&model.source));
        fields(&mut page, service, model, "");
    }
    for Enum { rust, open_ended, values, doc, source, .. } in &service.enums {
        page.heading(&rust.pascal());
        page.text(&markdown(&doc.0));
        page.text(&section(source));
        page.text(if *open_ended {
            "Open: a value that is not listed is kept as it came."
        } else {
            "Closed: no other value is possible."
        });
        let rows = values.iter().map(|value| {
            let note = value.deprecated.as_ref().map(|why| format!(" Deprecated: {}", inline(why)));
            vec![
                code(&value.rust.variant()),
                code(&value.wire),
                cell(&value.doc) + &note.unwrap_or_default(),
            ]
        });
        page.table(&["in Rust", "on the wire", "what it means"], rows);
    }
    page.heading("Scalars");
    let rows = service.scalars.iter().map(|scalar| {
        let Scalar { rust, wire, query_wire, example, doc, .. } = scalar;
        vec![
            anchored(&rust.pascal()),
            wire_name(*wire).to_owned(),
            wire_name(query_wire.unwrap_or(*wire)).to_owned(),
            code(example),
            cell(doc),
        ]
    });
    page.table(&["type", "in a record", "in a query", "example", "what it is"], rows);
    page
}

fn fields(page: &mut Page, service: &Service, model: &Model, types: &str) {
    let rows = model.fields.iter().map(|field| {
        let mut presence = if field.required { "always" } else { "optional" }.to_owned();
        if field.personal {
            presence.push_str(", personal");
        }
        if field.deprecated.is_some() {
            presence.push_str(", deprecated");
        }
        vec![code(&field.wire), linked(service, field.ty, types), presence, cell(&field.doc)]
    });
    page.table(&["field", "type", "there", "what it is"], rows);
}

fn open_points(service: &Service) -> Page {
    let mut page = Page::new("What the service text does not show");
    page.text("Each point is decided for our libraries (client) and for our server; the spec says it in one place.");
    for point in &service.open_points {
        page.heading(&format!("{}. {}", point.number, point.id));
        page.text(&markdown(&point.question.0));
        page.list(vec![
            format!("Client: {}", inline(&point.client.0)),
            format!("Server: {}", inline(&point.server.0)),
        ]);
        page.text(&section(&point.source));
    }
    page
}

fn points(page: &mut Page, service: &Service, open: &[OpenRef], up: &str) {
    let mut points: Vec<_> = open.iter().filter_map(|id| service.open_point(id)).collect();
    points.sort_by_key(|point| point.number);
    points.dedup_by_key(|point| point.number);
    let rows = points.into_iter().map(|point| {
        let anchor = format!("{}-{}", point.number, point.id.to_lowercase());
        let link = format!("[{}]({up}open-points.md#{anchor})", point.id);
        vec![link, cell(&point.question), cell(&point.client), cell(&point.server)]
    });
    page.table(&["", "question", "client", "server"], rows);
}

fn cell(doc: &Doc) -> String {
    inline(&doc.0)
}

fn section(source: &Source) -> String {
    if source.0.is_empty() {
        String::new()
    } else {
        format!("Section {} of the service text.", inline(&source.0))
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().to_string() + chars.as_str())
}

fn wire_name(wire: Wire) -> &'static str {
    match wire {
        Wire::String => "string",
        Wire::Integer => "integer",
    }
}

fn anchored(name: &str) -> String {
    format!("<a id=\"{}\"></a>{}", name.to_lowercase(), code(name))
}

fn linked(service: &Service, ty: Type, types: &str) -> String {
    match (ty, service.type_name(ty)) {
        (_, Some(name)) => {
            let name = name.pascal();
            format!("[{}]({types}#{})", code(&name), name.to_lowercase())
        }
        (Type::Integer, None) => "integer".to_owned(),
        (Type::Boolean, None) => "boolean".to_owned(),
        _ => "text".to_owned(),
    }
}

fn param_type(service: &Service, param: &Param) -> String {
    let mut parts = vec![linked(service, param.ty, "../types.md")];
    if param.query_wire == Wire::Integer && param.ty != Type::Integer {
        parts.push("an integer".to_owned());
    }
    parts.extend(param.min.map(|min| format!("at least {min}")));
    parts.extend(param.max.map(|max| format!("at most {max}")));
    parts.extend(param.max_chars.map(|most| format!("at most {most} characters")));
    parts.join(", ")
}

fn demand(operation: &Operation, param: &Param) -> String {
    let needs: Vec<_> = operation.needed_by(param).map(|needed| code(&needed.wire)).collect();
    let demand = match (param.required, needs.is_empty(), param.otherwise) {
        (true, ..) => "always".to_owned(),
        (false, true, _) => "optional".to_owned(),
        (false, false, Otherwise::NoEffect) => {
            format!("only with {}, else no effect", needs.join(" and "))
        }
        (false, false, Otherwise::Error) => {
            format!("only with {}, else refused", needs.join(" and "))
        }
    };
    if param.deprecated.is_some() { demand + ", deprecated" } else { demand }
}

fn shape(service: &Service, response: &Response) -> String {
    let model =
        service.models.get(response.of()).map(|model| model.rust.pascal()).unwrap_or_default();
    let text = |text: &str| serde_json::Value::from(text).to_string();
    match response {
        Response::Envelope { marker, success, items, .. } => {
            format!("{{ {}: {}, {}: [{model}, …] }}", text(marker), text(success), text(items))
        }
        Response::Array { .. } => format!("[{model}, …]"),
        Response::Object { .. } => model,
    }
}
