//! `spec/generated.lock`: the spec and the generator of the generated files, and their hashes.
//!
//! Each file has a line in the format of `sha256sum`, so `sha256sum --check spec/generated.lock`
//! lists the files that were changed since.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::ir::Service;
use crate::output::error::Error;
use crate::output::{file, mark};
use crate::project::Project;
use crate::spec::full_hash;
use crate::spec::grammar::Form;

/// Returns the text of the lock for some files.
pub(super) fn text(project: &Project<'_>, files: &BTreeMap<String, String>) -> String {
    let generator = env!("CARGO_PKG_VERSION");
    let Service { version, spec_hash, .. } = project.service;
    let spec = &project.config.spec;
    let mut text =
        format!("#\n# generator {generator}\n# spec {version}, {spec}, SHA-256 {spec_hash}…\n");
    for (path, content) in files {
        _ = writeln!(text, "{}  {path}", full_hash(content.as_bytes()));
    }
    mark::marked(project.config, &project.config.lock(), &text)
}

/// Returns the paths in a lock.
pub(super) fn paths(lock: &Path) -> Result<Vec<String>, Error> {
    let text = file::read(lock)?.unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let paths = lines.filter_map(|line| Some(line.split_once("  ")?.1.to_owned()));
    // Other paths were added by hand, and may lie outside the workspace.
    Ok(paths.filter(|path| Form::File.fits(path)).collect())
}
