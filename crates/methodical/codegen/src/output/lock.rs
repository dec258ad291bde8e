//! `spec/generated.lock`: the generator of the generated files, and their hashes.
//!
//! Each file has a line in the format of `sha256sum`, so `sha256sum --check spec/generated.lock`
//! lists the files that were changed since. No other file has a hash. If Git joins the lines of two branches, each of the
//! two hashes of a file is known, and the next run writes one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::config::Project;
use crate::output::error::Error;
use crate::output::{file, mark};
use crate::spec::form::{File, fits};
use crate::spec::full_hash;

/// Returns the text of the lock for some files.
pub(super) fn text(project: &Project<'_>, files: &BTreeMap<String, String>) -> String {
    let mut text = format!("#\n# generator {}\n", env!("CARGO_PKG_VERSION"));
    for (path, content) in files {
        _ = writeln!(text, "{}  {path}", full_hash(content.as_bytes()));
    }
    mark::marked(project.config, &project.config.lock(), &text)
}

/// The files of the last run.
pub(super) struct Lock(BTreeSet<(String, String)>);

impl Lock {
    /// Reads a lock; an empty one if the file does not exist.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let text = file::read(path)?.unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.split_once("  "));
        let files = lines.map(|(hash, path)| (path.to_owned(), hash.to_owned()));
        // Other paths were added by hand, and may lie outside the workspace.
        Ok(Self(files.filter(|(path, _)| fits::<File>(path)).collect()))
    }

    pub(super) fn paths(&self) -> BTreeSet<&str> {
        self.0.iter().map(|(path, _)| path.as_str()).collect()
    }

    /// Returns whether a file was edited since the last run. A file that the run did not write was not.
    pub(super) fn is_edited(&self, path: &str, text: &str) -> bool {
        let hash = full_hash(text.as_bytes());
        self.paths().contains(path) && !self.0.contains(&(path.to_owned(), hash))
    }
}
