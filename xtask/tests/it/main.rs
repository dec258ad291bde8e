//! The tasks, and the rules of this workspace.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot start has failed"
)]

mod commands;
mod dependencies;
mod lists;
mod names;
mod new_field;
mod packages;
mod supply;
mod workspace;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the files below a folder with this extension, with their text.
fn sources(folder: &Path, extension: &str) -> BTreeMap<PathBuf, String> {
    let mut sources = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let is_built = ["target", ".git", "node_modules"].iter().any(|name| path.ends_with(name));
        if path.is_dir() && !is_built {
            sources.extend(self::sources(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) {
            sources.insert(path.clone(), read(&path));
        }
    }
    sources
}

/// Returns what a command prints in the workspace.
fn printed(command: &mut Command) -> String {
    let output = command.current_dir(root()).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Returns the packages in a build, a line each.
///
/// Cargo downloads packages that only other features need, and that the build of the tests did not need.
fn tree(arguments: &[&str]) -> String {
    let fixed = ["tree", "--locked", "--edges", "normal,build", "--prefix", "none"];
    printed(Command::new(env!("CARGO")).args(fixed).args(arguments))
}
