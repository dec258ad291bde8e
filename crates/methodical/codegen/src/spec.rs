//! Reads a spec: turns the text of `spec/gateway.toml` into a checked [`Service`].
//!
//! `read` reads the file into the types of `language`, and reports every mistake of form. `lower` resolves names and
//! checks the rules that these types cannot express, and `example` checks the examples against the operations.

use std::path::Path;

use toml::de::DeTable;

use crate::diag::{Report, say};
use crate::ir::Service;
use crate::spec::context::Context;
use crate::spec::language::{Document, LANGUAGE};
use crate::spec::read::Read;

pub(crate) mod context;
mod example;
pub(crate) mod form;
pub(crate) mod language;
mod lower;
pub(crate) mod read;
mod syntax;

/// A service with the warnings about its spec, or the reason why the spec is rejected.
pub type Reading = Result<(Service, Report), Report>;

/// Reads the spec at a path, with the fixtures in its folder. Messages show the path as `shown`.
///
/// # Errors
/// If the spec or a fixture cannot be read, or is invalid.
pub fn read_file(path: &Path, shown: &str) -> Reading {
    service(&file(path, shown)?, path.parent(), shown)
}

/// Reads a spec from memory, with the fixtures in a folder.
///
/// # Errors
/// As [`read_file`].
pub fn read_bytes(bytes: &[u8], folder: &Path, shown: &str) -> Reading {
    service(bytes, Some(folder), shown)
}

/// Reads the spec at a path without its fixtures: the responses of the examples are empty. Used to
/// compare released specs, whose fixtures are not kept.
///
/// # Errors
/// As [`read_file`].
pub fn read_alone(path: &Path, shown: &str) -> Reading {
    service(&file(path, shown)?, None, shown)
}

/// Returns the JSON Schema of the language, for editors.
pub fn schema() -> serde_json::Value {
    read::schema::<Document>()
}

fn file(path: &Path, shown: &str) -> Result<Vec<u8>, Report> {
    content(path).map_err(|why| not_text("spec", shown, (1, 1), &why))
}

/// Returns the content of a file, or the reason why it cannot be read.
pub(crate) fn content(path: &Path) -> Result<Vec<u8>, String> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.len() > LARGEST => Err(TOO_LARGE.to_owned()),
        Ok(metadata) if metadata.is_dir() => Err("it is a folder, not a file".to_owned()),
        Ok(_) => std::fs::read(path).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn service(bytes: &[u8], folder: Option<&Path>, shown: &str) -> Reading {
    parse("spec", bytes, shown, |cx, document: &Document| lower::service(cx, document, folder))
}

/// Reads a TOML file whose language is a type, and turns it into a value. Messages call the file by `name`.
pub(crate) fn parse<D: Read, T>(
    name: &str,
    bytes: &[u8],
    shown: &str,
    lower: impl FnOnce(&mut Context<'_>, &D) -> T,
) -> Result<(T, Report), Report> {
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > LARGEST {
        return Err(not_text(name, shown, (1, 1), TOO_LARGE));
    }
    let text = str::from_utf8(bytes).map_err(|error| {
        let good = String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or_default());
        let column = good.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let why = "the byte at this position is not UTF-8; save the file as UTF-8";
        not_text(name, shown, (good.matches('\n').count() + 1, column), why)
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    if text.trim().is_empty() {
        return Err(not_text(name, shown, (1, 1), "the file is empty"));
    }
    let mut cx = Context::new(&text);
    let value = document(&mut cx).map(|document| lower(&mut cx, &document));
    let report = Report::new(cx.diagnostics, shown, &text);
    match value.filter(|_| report.errors == 0) {
        Some(value) => Ok((value, report)),
        None => Err(report),
    }
}

fn document<D: Read>(cx: &mut Context<'_>) -> Option<D> {
    let (root, errors) = DeTable::parse_recoverable(cx.text);
    if !errors.is_empty() {
        cx.diagnostics = syntax::errors(cx.text);
        return None;
    }
    // Nothing else is known about another version of the language.
    let version = root.get_ref().get("spec-language");
    if let Some(version) =
        version.filter(|one| one.get_ref().as_integer().is_none_or(|one| one.as_str() != VERSION))
    {
        say!(cx, version.span(), "unsupported version of the spec language"
            => "this generator reads version {LANGUAGE}; a newer spec needs a newer generator");
        return None;
    }
    cx.document(&root)
}

/// Returns the report about a file that is not text.
pub(crate) fn not_text(
    name: &str,
    shown: &str,
    (line, column): (usize, usize),
    why: &str,
) -> Report {
    let text = format!("error: cannot read the {name}: {why}\n --> {shown}:{line}:{column}\n");
    Report { path: shown.to_owned(), text, errors: 1, warnings: 0 }
}

/// The version of the language, as a spec has it.
const VERSION: &str = "2";

/// Maximum size of a spec, in bytes. A larger file is certainly not a spec.
const LARGEST: u64 = 4 * 1024 * 1024;
const TOO_LARGE: &str = "the file is larger than 4 MiB";
