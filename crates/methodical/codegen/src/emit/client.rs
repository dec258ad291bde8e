//! Code of the client: one method for each operation, on the async and on the blocking client.

use askama::Template;

use crate::config::{Project, Role};
use crate::emit::model::marker;
use crate::emit::model::queries::{States, is_wide, output, required};
use crate::emit::{GeneratedFile, filters};
use crate::ir::{Operation, Service};

#[derive(Template)]
#[template(path = "client.rs.jinja")]
struct Client<'a> {
    is_async: bool,
    service: &'a Service,
    /// The names of the crates in Rust code.
    krate: String,
    model: String,
    /// The path of the client in its crate, and in the runtime crate.
    client: &'static str,
    /// The type that is the service.
    marker: String,
    /// The environment variable with the token.
    variable: String,
    keyword: &'static str,
    wait: &'static str,
}

#[derive(Template)]
#[template(
    ext = "rs",
    source = "//! The clients of the service, with a method for each operation.

pub(crate) mod blocking;
pub(crate) mod client;"
)]
struct Root;

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let Project { service, config } = project;
    let folder = config.modules(Role::Client);
    let client = |is_async| Client {
        is_async,
        service,
        krate: config.rust_name(Role::Client),
        model: config.rust_name(Role::Model),
        client: if is_async { "Client" } else { "blocking::Client" },
        marker: format!("service::{}", marker(service)),
        variable: project.variable("TOKEN"),
        keyword: if is_async { "async " } else { "" },
        wait: if is_async { ".await" } else { "" },
    };
    vec![
        GeneratedFile::rust(format!("{folder}.rs"), &Root),
        GeneratedFile::rust(format!("{folder}/client.rs"), &client(true)),
        GeneratedFile::rust(format!("{folder}/blocking.rs"), &client(false)),
    ]
}

/// Returns the pattern of the statement that keeps the response of an example.
fn kept(service: &Service, operation: &Operation) -> String {
    match service.response_model(operation) {
        Some(_) if operation.response.is_list => "let listing = ".to_owned(),
        Some(model) => format!("let {} = ", model.rust.snake()),
        None if operation.response.of.is_none() => String::new(),
        None => "let value = ".to_owned(),
    }
}
