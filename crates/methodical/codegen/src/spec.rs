//! Reads a spec: turns the text of `spec/gateway.toml` into a checked [`Service`].
//!
//! `read` reads the file into the types of `language`. `lower` resolves names and checks the rules that these types
//! cannot express, and `example` checks the examples against the operations.

use std::fmt::Display;
use std::path::Path;

use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;

use crate::diag::Report;
use crate::ir::Service;
use crate::spec::context::Context;
use crate::spec::language::Document;

pub(crate) mod context;
mod example;
pub(crate) mod form;
pub(crate) mod language;
mod lower;
pub(crate) mod read;

/// Reads the spec at a path, with the fixtures in its folder. Messages show the path as `shown`.
///
/// # Errors
/// Fails if the spec or a fixture cannot be read or is invalid.
pub fn read_file(path: &Path, shown: &str) -> Result<Service, Report> {
    read_bytes(&file(path, shown)?, path.parent(), shown)
}

/// Reads a spec from memory, with the fixtures in a folder. Without a folder, the responses of the examples are empty.
///
/// # Errors
/// Fails as [`read_file`] does.
pub fn read_bytes(bytes: &[u8], folder: Option<&Path>, shown: &str) -> Result<Service, Report> {
    parse("spec", bytes, shown, |cx, document: Document| lower::service(cx, &document, folder))
}

/// Returns the JSON Schema of the language, for editors.
pub fn schema() -> serde_json::Value {
    let settings = SchemaSettings::draft2020_12();
    settings.into_generator().into_root_schema_for::<Document>().to_value()
}

pub(crate) fn file(path: &Path, shown: &str) -> Result<Vec<u8>, Report> {
    std::fs::read(path).map_err(|why| not_text("spec", shown, &why))
}

/// Reads TOML text into a `D` and lowers that to a value. Messages call the file `name` and show its path as `shown`.
pub(crate) fn parse<D: DeserializeOwned, T>(
    name: &str,
    bytes: &[u8],
    shown: &str,
    lower: impl FnOnce(&mut Context<'_>, D) -> T,
) -> Result<T, Report> {
    let text = str::from_utf8(bytes).map_err(|why| not_text(name, shown, &why))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let document =
        read::document(&text).map_err(|mistake| Report::new(vec![mistake], shown, &text))?;
    let mut cx = Context { text: &text, ..Context::default() };
    let value = lower(&mut cx, document);
    let mistakes = cx.diagnostics;
    if mistakes.is_empty() { Ok(value) } else { Err(Report::new(mistakes, shown, &text)) }
}

/// Returns the report about a file that cannot be read as text.
pub(crate) fn not_text(name: &str, shown: &str, why: &dyn Display) -> Report {
    Report::of_file(shown, format_args!("cannot read the {name}: {why}"))
}
