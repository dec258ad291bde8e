//! Code of the model: the service itself. Its types, queries and tables are in the modules below.

use askama::Template;

use crate::config::{Role, Workspace};
use crate::emit::{GeneratedFile, filters};
use crate::ir::{Auth, RustName, Service};

pub(in crate::emit) mod examples;
pub(in crate::emit) mod queries;
pub(in crate::emit) mod tables;
pub(in crate::emit) mod types;

#[derive(Template)]
enum File<'a> {
    #[template(path = "model/root.rs.jinja")]
    Root { service: &'a Service },
    #[template(path = "model/service.rs.jinja")]
    Service { service: &'a Service, marker: String, client: String },
}

pub(super) fn emit(workspace: &Workspace) -> Vec<GeneratedFile> {
    let service = &workspace.service;
    let folder = workspace.config.modules(Role::Model);
    let file = |name: &str| format!("{folder}/{name}.rs");
    let client = workspace.config.packages.get(&Role::Client);
    let client = client.map(|one| format!("{}/", one.name)).unwrap_or_default();
    let root = File::Root { service }.render().unwrap_or_default();
    vec![
        GeneratedFile::root(workspace, Role::Model, &root),
        queries::emit(workspace, file("queries")),
        GeneratedFile::new(
            file("service"),
            &File::Service { service, marker: marker(service), client },
        ),
        tables::emit(service, file("tables")),
        types::emit(workspace, file("types")),
    ]
}

/// Returns the name of the type that is the service.
pub(crate) fn marker(service: &Service) -> String {
    let name = RustName::new(&service.name);
    let name = name.map_or_else(|| "TheService".to_owned(), |name| name.pascal());
    // The types that some services import in addition to their own.
    let is_taken = ["Auth", "Dispatch", "Secret", "SecretPlace"].contains(&name.as_str());
    if is_taken { name + "_" } else { name }
}
