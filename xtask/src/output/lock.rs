//! `spec/generated.lock`: which spec and which generator made the files that stand here.
//!
//! One line per file, as `sha256sum` writes them, so that `sha256sum --check spec/generated.lock`
//! names every file that was changed since.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::ir::Service;
use crate::output::error::Error;
use crate::output::file::SPEC;
use crate::output::{file, mark};
use crate::spec::full_hash;
use crate::spec::grammar::Form;

/// The path of the lock, from the workspace root.
pub(super) const LOCK: &str = "spec/generated.lock";

/// The lock for some files.
pub(super) fn text(service: &Service, files: &BTreeMap<String, String>) -> String {
    let generator = env!("CARGO_PKG_VERSION");
    let Service { version, spec_hash, .. } = service;
    let mut text =
        format!("#\n# generator {generator}\n# spec {version}, {SPEC}, SHA-256 {spec_hash}…\n");
    for (path, content) in files {
        _ = writeln!(text, "{}  {path}", full_hash(content.as_bytes()));
    }
    mark::marked(LOCK, &text)
}

/// The paths that the lock below a root names.
pub(super) fn paths(root: &Path) -> Result<Vec<String>, Error> {
    let text = file::read(&root.join(LOCK))?.unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let paths = lines.filter_map(|line| Some(line.split_once("  ")?.1.to_owned()));
    // What cannot be a path of ours came there by hand.
    Ok(paths.filter(|path| Form::File.fits(path)).collect())
}
