//! Code of the model: the service itself. The modules below generate its types, queries and tables.

use askama::Template;

use crate::config::{Role, Workspace};
use crate::emit::model::tables::ListedTable;
use crate::emit::{GeneratedFile, filters};
use crate::ir::{Auth, Leniency, PagedBy, Primitive, RustName, Says, Service, Verdict};

pub(in crate::emit) mod queries;
pub(in crate::emit) mod tables;
pub(in crate::emit) mod types;

#[derive(Template)]
enum File<'a> {
    #[template(path = "model/root.rs.jinja")]
    Root { service: &'a Service },
    #[template(path = "model/queries.rs.jinja")]
    Queries { workspace: &'a Workspace, krate: &'a str, verdicts: Vec<&'a Verdict> },
    #[template(path = "model/service.rs.jinja")]
    Service { service: &'a Service, marker: &'a str, client: &'a str },
    #[template(path = "model/tables.rs.jinja")]
    Tables { service: &'a Service, marker: &'a str, lists: &'a [ListedTable<'a>] },
    #[template(path = "model/types.rs.jinja")]
    Types { workspace: &'a Workspace, service: &'a Service, krate: &'a str },
}

pub(super) fn emit(workspace: &Workspace) -> Vec<GeneratedFile> {
    let Workspace { service, config, .. } = workspace;
    let folder = config.modules(Role::Model);
    let file = |name: &str, file| GeneratedFile::new(format!("{folder}/{name}.rs"), &file);
    let (krate, marker) = (&config.rust_name(Role::Model), &marker(service));
    let (verdicts, lists) = (queries::verdicts(service), &tables::lists(service));
    let client = config.packages.get(&Role::Client).map(|one| format!("{}/", one.name));
    let client = &client.unwrap_or_default();
    let root = File::Root { service }.render().unwrap_or_default();
    vec![
        GeneratedFile::root(workspace, Role::Model, &root),
        file("queries", File::Queries { workspace, krate, verdicts }),
        file("service", File::Service { service, marker, client }),
        file("tables", File::Tables { service, marker, lists }),
        file("types", File::Types { workspace, service, krate }),
    ]
}

/// Returns the name of the type that stands for the service.
pub(crate) fn marker(service: &Service) -> String {
    let name = RustName::new(&service.name);
    let name = name.map_or_else(|| "TheService".to_owned(), |name| name.pascal());
    // The types that some services import in addition to their own.
    let is_taken = ["Auth", "Dispatch", "Secret", "SecretPlace"].contains(&name.as_str());
    if is_taken { name + "_" } else { name }
}
