//! The configurations of a workspace: one, or one for each of several services.

use std::path::Path;
use std::{fs, io};

use crate::config::{Config, Documents, FILE};
use crate::report::Report;

/// The folder of the configurations, from the root of the workspace.
const FOLDER: &str = "spec";

/// The file name of a configuration.
const NAME: &str = "codegen.toml";

/// Returns the path of the configuration of a service with its own folder: `spec/leads/codegen.toml`.
pub(crate) fn file_of(service: &str) -> String {
    format!("{FOLDER}/{service}/{NAME}")
}

/// Returns the paths of all configurations of a workspace, sorted.
///
/// # Errors
/// If the folder `spec` exists but cannot be read.
pub(crate) fn files(root: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    if root.join(FILE).is_file() {
        found.push(FILE.to_owned());
    }
    let entries = match fs::read_dir(root.join(FOLDER)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        entries => entries?,
    };
    for entry in entries {
        let file = file_of(&entry?.file_name().to_string_lossy());
        if root.join(&file).is_file() {
            found.push(file);
        }
    }
    found.sort();
    Ok(found)
}

/// Reads all configurations of a workspace.
///
/// # Errors
/// If a configuration is missing, invalid or unreadable, or if two of them write the same files.
pub(crate) fn read_all(root: &Path) -> Result<Vec<Config>, Report> {
    let files = files(root).map_err(|error| {
        Report::of_file(FILE, &format!("cannot list the folder `{FOLDER}`: {error}"))
    })?;
    // The error of a missing file says how to create one.
    let files = if files.is_empty() { vec![FILE.to_owned()] } else { files };
    let configs: Vec<_> =
        files.iter().map(|file| Config::read_file(root, file)).collect::<Result<_, _>>()?;
    let mut earlier: Vec<(&Config, Vec<&str>)> = Vec::new();
    for config in &configs {
        let own = written(config);
        for (other, theirs) in &earlier {
            if let Some(path) =
                own.iter().find(|own| theirs.iter().any(|their| overlap(own, their)))
            {
                let why = format!(
                    "cannot generate into `{path}`: {} does so, too; give each service its own crates and folders",
                    other.file
                );
                return Err(Report::of_file(&config.file, &why));
            }
        }
        earlier.push((config, own));
    }
    Ok(configs)
}

/// Returns the folders and files that are generated from a configuration.
fn written(config: &Config) -> Vec<&str> {
    let Documents { reference, openapi, json_schema, spec_schema, .. } = &config.documents;
    let documents = [reference, openapi, json_schema, spec_schema].into_iter().flatten();
    let folders = config.packages.values().map(|package| package.folder.as_str());
    folders.chain(documents.map(String::as_str)).collect()
}

/// Returns whether two paths are equal or one is within the other.
fn overlap(a: &str, b: &str) -> bool {
    let within = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    within(a, b) || within(b, a)
}

#[cfg(test)]
mod tests {
    use super::overlap;

    #[test]
    fn a_folder_contains_what_is_below_it() {
        assert!(overlap("docs", "docs") && overlap("docs/a", "docs") && overlap("docs", "docs/a"));
        assert!(!overlap("docs-of-leads", "docs") && !overlap("docs/a", "docs/b"));
    }
}
