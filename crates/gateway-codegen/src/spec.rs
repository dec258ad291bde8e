//! Reads a spec: turns the text of `spec/gateway.toml` into a checked [`Service`].
//!
//! There are three steps. Each continues after a mistake, so that one run reports all mistakes:
//! `read` parses the TOML and checks it against the [`grammar`], `lower` resolves names and checks
//! the rules that the grammar cannot express, and `example` checks the examples against the
//! operations.

use std::fmt::Write as _;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::diag::{Diagnostic, Level, SourceText, code};
use crate::ir::Service;
use crate::report::Report;
use crate::spec::grammar::{DOCUMENT, Table};
use crate::spec::node::Node;
pub use crate::spec::upgrade::{upgrade, upgrade_file};

mod context;
mod edits;
mod example;
mod fixture;
mod foreign;
pub mod grammar;
mod help;
mod lower;
pub(crate) mod node;
mod read;
mod syntax;
mod types;
mod upgrade;
mod words;

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

fn load(path: &Path, folder: Option<&Path>, shown: &str) -> Reading {
    match content(path) {
        Ok(bytes) => read(&bytes, folder, shown),
        Err(why) => Parsed::rejected(&DOCUMENT, shown, &why).into(),
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
    let service = |text: &str, root: &Node, rejected: &[String], diagnostics: &mut _| {
        let service = lower::service(root, folder, rejected, diagnostics)?;
        Some(Service { spec_hash: hash(text.as_bytes()), ..service })
    };
    parse(&DOCUMENT, bytes, shown, service).into()
}

/// The result of reading a TOML file with a grammar.
pub(crate) struct Parsed<T> {
    /// The value; `None` if there is an error.
    pub(crate) value: Option<T>,
    pub(crate) report: String,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
}

/// Reads a TOML file: checks it against a grammar, and turns its tree into a value. `lower` gets the
/// text, the tree, the names of rejected declarations, and the list of diagnostics.
pub(crate) fn parse<T>(
    grammar: &Table,
    bytes: &[u8],
    shown: &str,
    lower: impl FnOnce(&str, &Node, &[String], &mut Vec<Diagnostic>) -> Option<T>,
) -> Parsed<T> {
    let rejected = |place: &str, why: &str| Parsed::rejected(grammar, place, why);
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > LARGEST {
        return rejected(shown, TOO_LARGE);
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let good =
                String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or_default());
            let source = SourceText::new(shown, &good);
            let (line, column) = source.position(good.len());
            return rejected(
                &format!("{shown}:{line}:{column}"),
                "the byte at this position is not UTF-8; save the file as UTF-8",
            );
        }
    };
    // The hash must not depend on the line endings of the checkout.
    let text = text.replace("\r\n", "\n");
    if text.trim().is_empty() {
        return rejected(shown, "the file is empty");
    }

    let source = SourceText::new(shown, &text);
    let mut diagnostics = Vec::new();
    let value = read::document(grammar, &text, &mut diagnostics)
        .and_then(|(root, rejected)| lower(&text, &root, &rejected, &mut diagnostics));
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.code.id));
    diagnostics.dedup();

    let warnings = diagnostics.iter().filter(|one| one.code.level == Level::Warning).count();
    let errors = diagnostics.len() - warnings;
    let rendered: Vec<_> = diagnostics.iter().map(|diagnostic| source.render(diagnostic)).collect();
    let report = rendered.join("\n");
    Parsed { value: value.filter(|_| errors == 0), report, errors, warnings }
}

impl<T> Parsed<T> {
    pub(crate) fn rejected(grammar: &Table, place: &str, why: &str) -> Self {
        let (id, name) = (code::NOT_TEXT.id, grammar.name);
        let place =
            if place.matches(':').count() >= 2 { place.to_owned() } else { format!("{place}:1:1") };
        let report = format!("{place}: error[{id}]: cannot read the {name}: {why}\n");
        Self { value: None, report, errors: 1, warnings: 0 }
    }
}

impl From<Parsed<Service>> for Reading {
    fn from(parsed: Parsed<Service>) -> Self {
        let Parsed { value: service, report, errors, warnings } = parsed;
        Self { service, report, errors, warnings }
    }
}

/// Returns the first twelve hexadecimal digits of the SHA-256 of some bytes.
pub fn hash(bytes: &[u8]) -> String {
    full_hash(bytes).chars().take(12).collect()
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
