//! The emitters: each turns the service into some files, and knows nothing of the others.
//!
//! An emitter lives in `emit/<area>.rs` and is registered in [`all`]. It gets the checked
//! [`Service`] and returns whole files; formatting, the mark in the first line, writing and
//! comparing are done for it. It must be a pure function of the service: no clock, no
//! environment, no hash maps.

use crate::ir::Service;

mod cases;
mod cli;
mod client;
mod json_schema;
mod language;
mod mocks;
mod model;
mod openapi;
mod reference;
mod schema;
mod server;
mod service;
mod smithy;

/// A file as an emitter returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    /// The path from the workspace root, with `/`: `crates/gateway-model/src/generated/ids.rs`.
    pub path: String,
    /// The content, without the mark. Rust need not be formatted and begins with `//! ` and what
    /// the file is for. JSON holds the text [`MARK`] as the value of some key near its top.
    pub text: String,
}

/// Stands in generated JSON where the mark goes, as JSON has no comments.
pub const MARK: &str = "@generated";

/// Every file made from the service, sorted by path.
pub fn all(service: &Service) -> Vec<GeneratedFile> {
    let mut files: Vec<_> = EMITTERS.iter().flat_map(|emit| emit(service)).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

type Emitter = fn(&Service) -> Vec<GeneratedFile>;

/// One line each, in alphabetical order.
#[rustfmt::skip]
const EMITTERS: &[Emitter] = &[
    cases::emit,
    cli::emit,
    client::emit,
    json_schema::emit,
    language::emit,
    mocks::emit,
    model::emit,
    openapi::emit,
    reference::emit,
    server::emit,
    service::emit,
    smithy::emit,
];
