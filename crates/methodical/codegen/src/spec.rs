//! Reads a spec: turns the text of `spec/gateway.toml` into a checked [`Service`].
//!
//! `check` compares the file with the JSON Schema of the language, and reports every mistake. serde then reads it into the
//! types of `language`. `lower` resolves names and checks the rules that these types cannot express, and `example`
//! checks the examples against the operations.

use std::fmt::Write as _;
use std::path::Path;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use toml::Spanned;
use toml::de::{DeTable, Deserializer};

use crate::diag::{Diagnostic, Level, Report, SourceText, code};
use crate::ir::Service;
use crate::spec::context::Context;
use crate::spec::language::Document;

pub(crate) mod check;
pub(crate) mod context;
mod example;
mod fixture;
pub(crate) mod form;
mod json;
pub(crate) mod language;
mod lower;
mod syntax;
pub(crate) mod value;

/// The result of reading a spec.
#[derive(Debug)]
pub struct Reading {
    /// The service; `None` if there is an error.
    pub service: Option<Service>,
    /// The printed errors and warnings, in the order of the file.
    pub report: String,
    /// Number of errors.
    pub errors: usize,
    /// Number of warnings.
    pub warnings: usize,
}

impl Reading {
    /// Returns the service and the warnings about the spec, whose path messages show as `shown`.
    ///
    /// # Errors
    /// If there is an error.
    pub fn accepted(self, shown: &str) -> Result<(Service, Report), Report> {
        let Self { service, report: text, errors, warnings } = self;
        let report = Report { path: shown.to_owned(), text, errors, warnings };
        match service {
            Some(service) => Ok((service, report)),
            None => Err(report),
        }
    }
}

/// Reads the spec at a path, with the fixtures in its folder. Messages show the path as `shown`.
pub fn read_file(path: &Path, shown: &str) -> Reading {
    load(path, path.parent(), shown)
}

/// Reads the spec at a path without its fixtures: the responses of the examples are empty. Used to
/// compare released specs, whose fixtures are not kept.
pub fn read_alone(path: &Path, shown: &str) -> Reading {
    load(path, None, shown)
}

/// Reads a spec from memory, with the fixtures in a folder.
pub fn read_bytes(bytes: &[u8], folder: &Path, shown: &str) -> Reading {
    read(bytes, Some(folder), shown)
}

/// Returns the JSON Schema of the language, for editors.
pub fn schema() -> serde_json::Value {
    check::for_editors::<Document>()
}

fn load(path: &Path, folder: Option<&Path>, shown: &str) -> Reading {
    match content(path) {
        Ok(bytes) => read(&bytes, folder, shown),
        Err(why) => Parsed::rejected("spec", &format!("{shown}:1:1"), &why).into(),
    }
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

fn read(bytes: &[u8], folder: Option<&Path>, shown: &str) -> Reading {
    parse("spec", bytes, shown, |cx, document: &Document| lower::service(cx, document, folder))
        .into()
}

/// The result of reading a TOML file.
pub(crate) struct Parsed<T> {
    /// The value; `None` if there is an error.
    pub(crate) value: Option<T>,
    pub(crate) report: String,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
}

/// Reads a TOML file whose language is a type, and turns it into a value. Messages call the file by `name`.
pub(crate) fn parse<D: DeserializeOwned + JsonSchema, T>(
    name: &str,
    bytes: &[u8],
    shown: &str,
    lower: impl FnOnce(&mut Context<'_>, &D) -> T,
) -> Parsed<T> {
    let rejected =
        |line, column, why: &str| Parsed::rejected(name, &format!("{shown}:{line}:{column}"), why);
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > LARGEST {
        return rejected(1, 1, TOO_LARGE);
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let good =
                String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or_default());
            let column = good.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            let why = "the byte at this position is not UTF-8; save the file as UTF-8";
            return rejected(good.matches('\n').count() + 1, column, why);
        }
    };
    let text = text.replace("\r\n", "\n");
    if text.trim().is_empty() {
        return rejected(1, 1, "the file is empty");
    }

    let mut diagnostics = Vec::new();
    let value = document(&text, &mut diagnostics, lower);
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.code.id));
    diagnostics.dedup();
    let source = SourceText::new(shown, &text);
    let warnings = diagnostics.iter().filter(|one| one.code.level == Level::Warning).count();
    let errors = diagnostics.len() - warnings;
    let rendered: Vec<_> = diagnostics.iter().map(|diagnostic| source.render(diagnostic)).collect();
    Parsed { value: value.filter(|_| errors == 0), report: rendered.join("\n"), errors, warnings }
}

fn document<D: DeserializeOwned + JsonSchema, T>(
    text: &str,
    diagnostics: &mut Vec<Diagnostic>,
    lower: impl FnOnce(&mut Context<'_>, &D) -> T,
) -> Option<T> {
    let (root, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        *diagnostics = syntax::errors(text);
        return None;
    }
    let keys = check::document(&check::schema::<D>(), root.get_ref(), diagnostics);
    // Nothing else is known about another version of the language.
    if let Some(version) = diagnostics.iter().position(|one| *one.code == code::LANGUAGE_VERSION) {
        diagnostics.swap(0, version);
        diagnostics.truncate(1);
    }
    if !diagnostics.is_empty() {
        return None;
    }
    match D::deserialize(Deserializer::from(root)) {
        Ok(document) => {
            let (types, points, used) = Default::default();
            Some(lower(&mut Context { text, keys, diagnostics, types, points, used }, &document))
        }
        // The check above is not complete.
        Err(error) => {
            let span = error.span().unwrap_or_default();
            diagnostics.push(Diagnostic::new(&code::SYNTAX, &span, error.message()));
            None
        }
    }
}

/// Returns a single value as it is written in a spec.
fn written(text: &str, value: &Spanned<toml::Value>) -> String {
    match value.get_ref() {
        toml::Value::String(text) => text.clone(),
        toml::Value::Float(_) => text.get(value.span()).unwrap_or_default().replace('_', ""),
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Boolean(flag) => flag.to_string(),
        _ => String::new(),
    }
}

impl<T> Parsed<T> {
    /// Returns the result for a file that is not text.
    pub(crate) fn rejected(name: &str, place: &str, why: &str) -> Self {
        let id = code::NOT_TEXT.id;
        let report = format!("error[{id}]: cannot read the {name}: {why}\n --> {place}\n");
        Self { value: None, report, errors: 1, warnings: 0 }
    }
}

impl From<Parsed<Service>> for Reading {
    fn from(parsed: Parsed<Service>) -> Self {
        let Parsed { value: service, report, errors, warnings } = parsed;
        Self { service, report, errors, warnings }
    }
}

/// Returns the SHA-256 of some bytes in hexadecimal digits.
pub fn full_hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}

/// Maximum size of a spec, in bytes. A larger file is certainly not a spec.
const LARGEST: u64 = 4 * 1024 * 1024;
const TOO_LARGE: &str = "the file is larger than 4 MiB";
