//! The locations of generated files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use crate::config::{Config, Documents};
use crate::emit::GeneratedFile;
use crate::output::Error;

/// Returns the `generated.rs` of every crate with generated modules, unless an emitter wrote it.
pub(super) fn modules(files: &[GeneratedFile]) -> Vec<GeneratedFile> {
    let mut crates: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files {
        if let Some((krate, module)) = file.path.split_once("/src/generated/")
            && let Some(module) = module.strip_suffix(".rs")
            && !module.contains('/')
        {
            crates.entry(krate).or_default().push(module);
        }
    }
    let mut roots = Vec::new();
    for (krate, mut modules) in crates {
        let path = format!("{krate}/src/generated.rs");
        if files.iter().any(|file| file.path == path) {
            continue;
        }
        modules.sort_unstable();
        let modules: Vec<_> =
            modules.iter().map(|module| format!("pub(crate) mod {module};\n")).collect();
        roots.push(GeneratedFile { path, text: PURPOSE.to_owned() + &modules.concat() });
    }
    roots
}

const PURPOSE: &str = "\
//! Modules generated from the spec. Other files of the crate re-export their items by name.

";

/// Returns the folders that contain only generated files.
pub(super) fn folders(config: &Config) -> Vec<String> {
    let Documents { reference, openapi, json_schema, .. } = &config.documents;
    let documents = [reference, openapi, json_schema].into_iter().flatten().cloned();
    config.packages.keys().map(|role| config.modules(*role)).chain(documents).collect()
}

/// Returns the paths of all files below a root in some folders for generated files.
pub(super) fn generated(root: &Path, folders: &[String]) -> Result<BTreeSet<String>, Error> {
    let mut found = BTreeSet::new();
    for folder in folders {
        below(root, folder, &mut found)?;
    }
    Ok(found)
}

fn below(root: &Path, folder: &str, found: &mut BTreeSet<String>) -> Result<(), Error> {
    for name in names(&root.join(folder))? {
        let path = format!("{folder}/{name}");
        if root.join(&path).is_dir() {
            below(root, &path, found)?;
        } else {
            found.insert(path);
        }
    }
    Ok(())
}

/// Returns the names in a folder, sorted; empty if the folder does not exist.
fn names(folder: &Path) -> Result<Vec<String>, Error> {
    let failed = |error| Error::io(format!("cannot read `{}`", folder.display()), error);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
