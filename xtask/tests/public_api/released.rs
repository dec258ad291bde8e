//! Crates with the code that the last released spec generates.

use std::fs;
use std::path::{Path, PathBuf};

use methodical_codegen::diff::Version;
use methodical_codegen::{Config, Project, emit, spec};
use tempfile::TempDir;

/// Copies the sources of crates, and generates their code again.
pub(crate) fn crates(names: &[&str]) -> TempDir {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let copies = tempfile::tempdir().expect("a folder");
    for name in names {
        let (from, to) = (root.join(folder(name)), copies.path().join(name));
        copy(&from.join("src"), &to.join("src"));
        fs::copy(from.join("Cargo.toml"), to.join("Cargo.toml")).expect("a manifest");
    }
    let config = Config::read_file(&root, "spec/codegen.toml").expect("the configuration");
    let released = last_released(&root.join("spec/released"));
    let reading = spec::read_alone(&released, "the last released spec");
    let (service, _) = reading.expect("a valid spec");
    for file in emit::all(&Project { service: &service, config: &config }) {
        let in_crate = |name: &&str| {
            let path = file.path.strip_prefix(&folder(name))?.strip_prefix('/')?;
            Some(copies.path().join(name).join(path))
        };
        if let Some(path) = names.iter().find_map(in_crate) {
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, file.text).expect("written");
        }
    }
    copies
}

/// Returns the folder of a crate from the root of the workspace.
fn folder(name: &str) -> String {
    match name.strip_prefix("methodical-") {
        Some(name) => format!("crates/methodical/{name}"),
        None => format!("crates/{name}"),
    }
}

fn last_released(folder: &Path) -> PathBuf {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let version = |path: &PathBuf| Version::parse(path.file_stem()?.to_str()?);
    paths.max_by_key(version).expect("a released spec")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &copied);
        } else {
            fs::copy(path, copied).expect("copied");
        }
    }
}
