//! Code of the client: one method for each operation, on the async and on the blocking client.

use crate::config::Role;
use crate::emit::describe;
use crate::emit::file::GeneratedFile;
use crate::emit::model::states::States;
use crate::ir::{Operation, Response, Service};
use crate::project::Project;
use crate::text::RustFile;

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let folder = project.config.modules(Role::Client);
    let mut root = RustFile::new("The operations of the service, as methods of the clients.");
    root.line("mod blocking;");
    root.line("mod client;");
    vec![
        GeneratedFile::rust(format!("{folder}.rs"), root),
        GeneratedFile::rust(format!("{folder}/client.rs"), methods(project, &ASYNC)),
        GeneratedFile::rust(format!("{folder}/blocking.rs"), methods(project, &BLOCKING)),
    ]
}

/// The differences between the two clients.
struct Mode {
    purpose: &'static str,
    /// The path of the client in its crate.
    client: &'static str,
    /// The keyword before `fn`.
    keyword: &'static str,
    /// The suffix of a call.
    wait: &'static str,
}

fn methods(project: &Project<'_>, mode: &Mode) -> RustFile {
    let Project { service, config } = project;
    let mut file = RustFile::new(mode.purpose);
    file.import(&format!("use {}", config.rust_name(Role::Model)), names(service));
    file.blank();
    file.line("use crate::Error;");
    file.line(format_args!("use crate::{};", mode.client));
    file.blank();
    file.open("impl Client {");
    for (index, operation) in service.operations.iter().enumerate() {
        if index > 0 {
            file.blank();
        }
        method(&mut file, project, operation, mode);
    }
    file.close("}");
    file
}

fn method(file: &mut RustFile, project: &Project<'_>, operation: &Operation, mode: &Mode) {
    let service = project.service;
    let (name, query) = (operation.rust.method(), operation.rust.pascal());
    describe::operation(file, service, operation);
    if operation.response.is_list() {
        file.doc_break();
        file.doc_markdown(
            "A record that cannot be decoded is in [`Listing::rejected`]; the others are returned.",
        );
    }
    file.doc_break();
    file.doc_markdown("# Errors");
    file.doc_break();
    file.doc_markdown(
        "Fails unless a complete, successful and readable response is received; see [`Error::kind`].",
    );
    example(file, project, operation, mode);
    if let Some(reason) = &operation.deprecated {
        file.line(format_args!("#[deprecated = {}]", crate::text::string(reason)));
    }
    let output = output(service, operation);
    let Mode { keyword, wait, .. } = mode;
    if operation.params.is_empty() {
        file.open(format_args!("pub {keyword}fn {name}(&self) -> Result<{output}, Error> {{"));
        file.line(format_args!("self.send(&{query}::new()){wait}"));
    } else {
        let states = States::of(operation).names();
        file.open(format_args!(
            "pub {keyword}fn {name}{states}(&self, query: &{query}{states}) -> Result<{output}, Error> {{"
        ));
        file.line(format_args!("self.send(query){wait}"));
    }
    file.close("}");
}

fn example(file: &mut RustFile, project: &Project<'_>, operation: &Operation, mode: &Mode) {
    // The model has the examples that need values for required parameters.
    if operation.params.iter().any(|param| param.required) {
        return;
    }
    let (name, query) = (operation.rust.method(), operation.rust.pascal());
    let krate = project.config.rust_name(Role::Client);
    let (import, argument) = if operation.params.is_empty() {
        (String::new(), String::new())
    } else {
        (format!("use {krate}::model::{query};\n\n"), format!("&{query}::new()"))
    };
    let model = project.service.response_model(operation).map(|model| model.rust.snake());
    let output =
        model.filter(|_| !operation.response.is_list()).unwrap_or_else(|| "listing".to_owned());
    let Mode { client, keyword, wait, .. } = mode;
    file.doc_example(
        "no_run",
        format_args!(
            "{import}\
             # {keyword}fn example(client: {krate}::{client}) -> Result<(), {krate}::Error> {{\n\
             let {output} = client.{name}({argument}){wait}?;\n\
             # Ok(())\n\
             # }}"
        ),
    );
}

fn output(service: &Service, operation: &Operation) -> String {
    let model = service.response_model(operation).map_or_else(String::new, |one| one.rust.pascal());
    match operation.response {
        Response::Object { .. } => model,
        Response::Envelope { .. } | Response::Array { .. } => format!("Listing<{model}>"),
    }
}

/// Returns the names of the model that the methods use.
fn names(service: &Service) -> impl Iterator<Item = String> {
    service.operations.iter().flat_map(|operation| {
        let model = service.response_model(operation).map(|one| one.rust.pascal());
        let listing = operation.response.is_list().then(|| "Listing".to_owned());
        [Some(operation.rust.pascal()), model, listing].into_iter().flatten()
    })
}

const ASYNC: Mode = Mode {
    purpose: "The operations of the async client.",
    client: "Client",
    keyword: "async ",
    wait: ".await",
};

const BLOCKING: Mode = Mode {
    purpose: "The operations of the blocking client.",
    client: "blocking::Client",
    keyword: "",
    wait: "",
};
