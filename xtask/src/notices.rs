//! The licences of the crates in a program: a text that accompanies it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{fs, io};

use crate::components::Component;

/// Writes the licences of all linked crates of other projects, each text once.
///
/// # Errors
///
/// If a licence cannot be read, or a crate has no licence.
pub fn notices(package: &str, components: &[Component]) -> Result<String, String> {
    let linked: Vec<_> = components.iter().filter(|one| one.is_linked && !one.is_own()).collect();
    let mut by_text: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut without_text = Vec::new();
    let mut text = format!("{package} contains these packages of other projects.\n\n");
    for component in linked {
        let Component { name, version, licence, .. } = component;
        let licence =
            licence.as_deref().ok_or_else(|| format!("{name} {version} has no licence"))?;
        _ = writeln!(text, "{name} {version}: {licence}");
        let failed = |error| format!("cannot read the licence of {name} {version}: {error}");
        let texts = texts(component, licence).map_err(failed)?;
        if texts.is_empty() {
            without_text.push(component);
        }
        for one in texts {
            by_text.entry(one).or_default().push(format!("{name} {version}"));
        }
    }
    if !without_text.is_empty() {
        text.push_str("\nThe packages below name their licence, but do not contain its text:\n\n");
        for Component { name, version, repository, .. } in without_text {
            let repository = repository.as_deref().unwrap_or("unknown sources");
            _ = writeln!(text, "{name} {version}: {repository}");
        }
    }
    for (licence, packages) in by_text {
        let line = "=".repeat(80);
        _ = writeln!(text, "\n{line}\n{}\n{line}\n\n{licence}", packages.join("\n"));
    }
    Ok(text)
}

/// Returns the texts of the licence of a package. If it can be chosen, this takes the MIT licence, which is the shortest.
fn texts(component: &Component, licence: &str) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(&component.folder)? {
        let path = entry?.path();
        if path.is_file() && is_licence(&name(&path)) {
            files.push(path);
        }
    }
    files.sort();
    let is_mit = |path: &PathBuf| name(path).contains("MIT");
    let is_chosen = licence.contains("OR") && !licence.contains("AND") && licence.contains("MIT");
    if is_chosen && files.iter().any(is_mit) {
        files.retain(is_mit);
    }
    let texts = files.iter().map(fs::read).collect::<io::Result<Vec<_>>>()?;
    Ok(texts.iter().map(|text| String::from_utf8_lossy(text).trim().replace('\r', "")).collect())
}

fn is_licence(name: &str) -> bool {
    ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"]
        .iter()
        .any(|start| name.starts_with(start))
}

fn name(path: &std::path::Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().to_uppercase()).unwrap_or_default()
}
