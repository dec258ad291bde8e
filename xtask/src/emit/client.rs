//! The client's methods: one for each operation, on the async and on the blocking client.

use crate::emit::GeneratedFile;
use crate::emit::model::States;
use crate::ir::{Operation, Response, Service};
use crate::text::Rust;

pub(super) fn emit(service: &Service) -> Vec<GeneratedFile> {
    let mut root = Rust::new("The operations of the service, as methods of the clients.");
    root.line("mod blocking;");
    root.line("mod client;");
    vec![
        GeneratedFile { path: format!("{FOLDER}.rs"), text: root.finish() },
        GeneratedFile {
            path: format!("{FOLDER}/client.rs"),
            text: methods(service, &ASYNC).finish(),
        },
        GeneratedFile {
            path: format!("{FOLDER}/blocking.rs"),
            text: methods(service, &BLOCKING).finish(),
        },
    ]
}

/// What differs between the two clients.
struct Mode {
    purpose: &'static str,
    client: &'static str,
    /// Before and after a function or a call.
    keyword: &'static str,
    wait: &'static str,
}

fn methods(service: &Service, mode: &Mode) -> Rust {
    let mut file = Rust::new(mode.purpose);
    file.line(format_args!("use gateway_model::{{{}}};", names(service).join(", ")));
    file.blank();
    file.line("use crate::Error;");
    file.line(format_args!("use {};", mode.client));
    file.blank();
    file.open("impl Client {");
    for (index, operation) in service.operations.iter().enumerate() {
        if index > 0 {
            file.blank();
        }
        method(&mut file, service, operation, mode);
    }
    file.close("}");
    file
}

fn method(file: &mut Rust, service: &Service, operation: &Operation, mode: &Mode) {
    let (name, query) = (operation.rust.method(), operation.rust.pascal());
    let asks = !operation.params.is_empty();
    file.doc(&operation.doc.0);
    file.doc_break();
    if !operation.source.0.is_empty() {
        file.doc(&format!(
            "Section {} of the service text. `{}` selects it.",
            operation.source.0, operation.select
        ));
        file.doc_break();
    }
    if operation.response.is_list() {
        file.doc("A record that cannot be read does not lose the others: it is in `rejected`.");
        file.doc_break();
    }
    file.doc_markdown("# Errors");
    file.doc_break();
    file.doc_markdown(
        "Whatever kept a complete, successful and readable answer from being there; see [`Error::kind`].",
    );
    file.doc_break();
    example(file, operation, mode);
    if let Some(reason) = &operation.deprecated {
        file.line(format_args!("#[deprecated = {}]", crate::text::string(reason)));
    }
    let output = output(service, operation);
    let keyword = mode.keyword;
    if asks {
        let states = States::of(operation).names();
        file.open(format_args!(
            "pub {keyword}fn {name}{states}(&self, query: &{query}{states}) -> Result<{output}, Error> {{"
        ));
        file.line(format_args!("self.send(query){}", mode.wait));
    } else {
        file.open(format_args!("pub {keyword}fn {name}(&self) -> Result<{output}, Error> {{"));
        file.line(format_args!("self.send(&{query}::new()){}", mode.wait));
    }
    file.close("}");
}

fn example(file: &mut Rust, operation: &Operation, mode: &Mode) {
    let (name, query) = (operation.rust.method(), operation.rust.pascal());
    let required = operation.params.iter().any(|param| param.required);
    if required {
        // A value that fits every type a required parameter may have is for the model's own examples.
        return;
    }
    let argument = if operation.params.is_empty() {
        String::new()
    } else {
        format!("&gateway_client::model::{query}::new()")
    };
    let client = if mode.wait.is_empty() { "blocking::Client" } else { "Client" };
    file.doc_markdown("```no_run");
    file.doc_markdown(format_args!(
        "# {}fn example(client: gateway_client::{client}) -> Result<(), gateway_client::Error> {{",
        mode.keyword
    ));
    file.doc_markdown(format_args!("let answer = client.{name}({argument}){}?;", mode.wait));
    file.doc_markdown("# Ok(())");
    file.doc_markdown("# }");
    file.doc_markdown("```");
}

fn output(service: &Service, operation: &Operation) -> String {
    let model = service.response_model(operation).map_or_else(String::new, |one| one.rust.pascal());
    match operation.response {
        Response::Object { .. } => model,
        Response::Envelope { .. } | Response::Array { .. } => format!("Listing<{model}>"),
    }
}

/// Everything of the model that the methods name, sorted.
fn names(service: &Service) -> Vec<String> {
    let mut names: Vec<_> = service
        .operations
        .iter()
        .flat_map(|operation| {
            let model = service.response_model(operation).map(|one| one.rust.pascal());
            [Some(operation.rust.pascal()), model].into_iter().flatten()
        })
        .collect();
    if service.operations.iter().any(|operation| operation.response.is_list()) {
        names.push("Listing".to_owned());
    }
    names.sort();
    names.dedup();
    names
}

const FOLDER: &str = "crates/gateway-client/src/generated";

const ASYNC: Mode = Mode {
    purpose: "The operations of the async client.",
    client: "crate::Client",
    keyword: "async ",
    wait: ".await",
};

const BLOCKING: Mode = Mode {
    purpose: "The operations of the blocking client.",
    client: "crate::blocking::Client",
    keyword: "",
    wait: "",
};
