//! Reading a spec: from the text of `spec/gateway.toml` to a checked [`Service`].
//!
//! Three steps, each of which goes on after a mistake so that one run reports them all:
//! `read` parses TOML and holds it against the [`grammar`]; `lower` resolves names and checks
//! what a grammar cannot say; `example` holds the examples against the operations.

use std::fmt::Write as _;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::diag::{Code, SourceText, code};
use crate::ir::Service;

mod context;
mod example;
pub mod grammar;
mod lower;
mod read;
mod types;

/// What came of reading a spec.
#[derive(Debug)]
pub struct Reading {
    /// What it says; nothing if there is an error.
    pub service: Option<Service>,
    /// Errors and warnings, in the order of the file, each as it is printed.
    pub report: String,
    /// How many errors there are.
    pub errors: usize,
    /// How many warnings there are.
    pub warnings: usize,
}

/// Reads the spec at a path, with the fixtures beside it. `shown` is the path as messages name it.
pub fn read_file(path: &Path, shown: &str) -> Reading {
    load(path, path.parent(), shown)
}

/// Reads the spec at a path without its fixtures: the answers of the examples are empty. For
/// comparing released specs, whose fixtures are gone.
pub fn read_alone(path: &Path, shown: &str) -> Reading {
    load(path, None, shown)
}

/// Reads a spec from memory; fixtures are looked up in a folder.
pub fn read_bytes(bytes: &[u8], folder: &Path, shown: &str) -> Reading {
    read(bytes, Some(folder), shown)
}

fn load(path: &Path, folder: Option<&Path>, shown: &str) -> Reading {
    let bytes = match std::fs::metadata(path) {
        Ok(metadata) if metadata.len() > LARGEST => return refused(shown, "larger than 4 MiB"),
        Ok(metadata) if metadata.is_dir() => return refused(shown, "a folder, not a file"),
        Ok(_) => std::fs::read(path),
        Err(error) => Err(error),
    };
    match bytes {
        Ok(bytes) => read(&bytes, folder, shown),
        Err(error) => refused(shown, &format!("not readable: {error}")),
    }
}

fn read(bytes: &[u8], folder: Option<&Path>, shown: &str) -> Reading {
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > LARGEST {
        return refused(shown, "larger than 4 MiB");
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let good =
                String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or_default());
            let source = SourceText { path: shown, text: &good };
            let (line, column) = source.position(good.len());
            return refused(&format!("{shown}:{line}:{column}"), "not UTF-8 from here on");
        }
    };
    // A checkout with Windows line ends means the same spec, so it has the same hash.
    let text = text.replace("\r\n", "\n");
    if text.trim().is_empty() {
        return refused(shown, "empty");
    }

    let source = SourceText { path: shown, text: &text };
    let mut diagnostics = Vec::new();
    let service = read::document(&text, &mut diagnostics)
        .and_then(|(root, refused)| lower::service(&root, folder, &refused, &mut diagnostics))
        .map(|service| Service { spec_hash: hash(text.as_bytes()), ..service });
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.code.id));
    diagnostics.dedup();

    let warnings = diagnostics.iter().filter(|diagnostic| diagnostic.code.warning).count();
    let errors = diagnostics.len() - warnings;
    let rendered: Vec<_> = diagnostics.iter().map(|diagnostic| source.render(diagnostic)).collect();
    Reading {
        service: service.filter(|_| errors == 0),
        report: rendered.join("\n"),
        errors,
        warnings,
    }
}

/// The first twelve hexadecimal digits of the SHA-256 of some bytes.
pub fn hash(bytes: &[u8]) -> String {
    full_hash(bytes).chars().take(12).collect()
}

/// The SHA-256 of some bytes in hexadecimal digits.
pub fn full_hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}

fn refused(place: &str, why: &str) -> Reading {
    let Code { id, title, .. } = code::NOT_TEXT;
    let place =
        if place.matches(':').count() >= 2 { place.to_owned() } else { format!("{place}:1:1") };
    Reading {
        service: None,
        report: format!("{place}: error[{id}]: {title}: {why}\n"),
        errors: 1,
        warnings: 0,
    }
}

/// Nobody writes a larger spec by hand; a larger file is a mistake.
const LARGEST: u64 = 4 * 1024 * 1024;
