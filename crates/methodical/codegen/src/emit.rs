//! The emitters: each turns a service into some files, independently of the others.
//!
//! An emitter is a module that is registered in `CRATES` or `DOCUMENTS`. It receives the [`Workspace`] and returns whole
//! files. Formatting, marking the first line, comparing and writing them happens elsewhere. It must be a pure function
//! of the workspace: no clock, no environment, no hash maps.

#![expect(
    clippy::ref_binding_to_reference,
    unused_qualifications,
    reason = "the macro of the templates writes them"
)]

pub use self::file::{GeneratedFile, MARK};
pub(crate) use self::model::examples::chain as example_query;
pub(crate) use self::model::marker;
use crate::config::{Role, Workspace};

mod cli;
mod file;
mod filters;
mod model;
mod openapi;
mod python;
mod reference;
mod schema;
mod server;
mod testkit;

/// Returns all generated files of a workspace, sorted by path.
pub fn all(workspace: &Workspace) -> Vec<GeneratedFile> {
    let crates = CRATES.iter().filter(|(role, _)| workspace.config.packages.contains_key(role));
    let emitters = crates.map(|(_, emit)| emit).chain(DOCUMENTS);
    let mut files: Vec<_> = emitters.flat_map(|emit| emit(workspace)).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

type Emitter = fn(&Workspace) -> Vec<GeneratedFile>;

/// The emitters of the crates. Each runs if the configuration has its crate.
const CRATES: &[(Role, Emitter)] = &[
    (Role::Model, model::emit),
    (Role::Testkit, testkit::emit),
    (Role::Server, server::emit),
    (Role::Cli, cli::emit),
    (Role::Python, python::emit),
];

/// The emitters of the documents, which return nothing if the configuration lacks their path.
const DOCUMENTS: &[Emitter] =
    &[schema::emit, openapi::emit, reference::emit, schema::emit_language];

/// Removes duplicates, and keeps the order of first occurrence.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}
