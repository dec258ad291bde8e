//! The emitters: each turns a service into some files, independently of the others.
//!
//! An emitter is a module that is registered in `EMITTERS`. It gets the checked [`Service`] and
//! returns whole files; they are formatted, marked in the first line, compared and written
//! elsewhere. It must be a pure function of the service: no clock, no environment, no hash maps.

pub use self::file::{GeneratedFile, MARK};
use crate::ir::Service;

mod cli;
mod client;
mod describe;
mod file;
mod json_schema;
mod model;
mod openapi;
mod reference;
mod server;
mod spec_schema;
mod testkit;
mod type_schemas;

/// Returns all files generated from the service, sorted by path.
pub fn all(service: &Service) -> Vec<GeneratedFile> {
    let mut files: Vec<_> = EMITTERS.iter().flat_map(|emit| emit(service)).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

type Emitter = fn(&Service) -> Vec<GeneratedFile>;

/// All emitters, one line each, in alphabetical order.
#[rustfmt::skip]
const EMITTERS: &[Emitter] = &[
    cli::emit,
    client::emit,
    json_schema::emit,
    model::emit,
    openapi::emit,
    reference::emit,
    server::emit,
    spec_schema::emit,
    testkit::emit,
];
