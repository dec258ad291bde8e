//! The crates in a program, from `cargo tree`, `cargo metadata` and `Cargo.lock`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde::Deserialize;

use crate::layers::Graph;

/// A crate in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The name of its package.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its license, as an SPDX expression.
    pub license: Option<String>,
    /// The address of its sources.
    pub repository: Option<String>,
    /// The SHA-256 of its package, in hexadecimal digits; `None` for a crate of this workspace.
    pub checksum: Option<String>,
    /// The folder of its sources.
    pub folder: PathBuf,
    /// Whether it is part of the program. Procedural macros and build scripts only run during the build.
    pub is_linked: bool,
    /// The names and versions of its dependencies in the program.
    pub dependencies: BTreeSet<(String, String)>,
}

impl Component {
    /// Whether it is a crate of this workspace.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.checksum.is_none()
    }
}

/// Returns the crates in a build of a package, by name and version. The selection consists of flags of `cargo tree`,
/// such as `--all-features` or `--target`. `--manifest-path` selects another workspace than that of the folder.
///
/// # Errors
///
/// Fails if cargo fails, or if `Cargo.lock` lacks a crate.
pub fn components(
    root: &Path,
    package: &str,
    selection: &[&str],
) -> Result<Vec<Component>, String> {
    let tree = |edges: &str| {
        let fixed =
            ["tree", "--locked", "--prefix", "depth", "--edges", edges, "--package", package];
        let printed = cargo(root, &[&fixed, selection].concat())?;
        Ok::<_, String>(String::from_utf8_lossy(&printed).into_owned())
    };
    let (all, linked) = (tree("normal,build")?, tree("normal,no-proc-macro")?);
    let (all, linked) = (Graph::of(&all, with_version), Graph::of(&linked, with_version));
    let (all_names, linked) = (all.names(), linked.names());
    let manifest = selection.iter().position(|word| *word == "--manifest-path");
    let manifest = manifest.and_then(|at| selection.get(at + 1)).copied().unwrap_or("Cargo.toml");
    let selected = ["--all-features", "--manifest-path", manifest];
    let selected = [&["metadata", "--locked", "--format-version", "1"][..], &selected].concat();
    let metadata = cargo(root, &selected)?;
    let metadata: Metadata = serde_json::from_slice(&metadata)
        .map_err(|error| format!("cannot read the output of cargo metadata: {error}"))?;
    let checksums = checksums(&root.join(manifest).with_file_name("Cargo.lock"))?;
    let mut components = Vec::new();
    for Package { name, version, license, repository, source, manifest_path } in metadata.packages {
        let key = format!("{name} v{version}");
        if !all_names.contains(key.as_str()) {
            continue;
        }
        let checksum = checksums.get(&(name.clone(), version.clone())).cloned();
        if source.is_some() && checksum.is_none() {
            return Err(format!("Cargo.lock has no checksum of {name} {version}"));
        }
        let split = |other: &str| {
            let (name, version) = other.split_once(" v")?;
            Some((name.to_owned(), version.to_owned()))
        };
        components.push(Component {
            license: license.map(|license| license.replace(" / ", "/").replace('/', " OR ")),
            repository,
            checksum,
            folder: manifest_path.parent().unwrap_or(&manifest_path).to_owned(),
            is_linked: linked.contains(key.as_str()),
            dependencies: all.direct(&key).filter_map(split).collect(),
            name,
            version,
        });
    }
    components.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(components)
}

/// Returns the name and the version of a package in the output of `cargo tree`, which begins with `name v1.2.3`.
fn with_version(package: &str) -> &str {
    let end = package.match_indices(' ').nth(1).map_or(package.len(), |(end, _)| end);
    package.get(..end).unwrap_or(package)
}

/// The parts of the output of `cargo metadata` that this program uses.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    repository: Option<String>,
    source: Option<String>,
    manifest_path: PathBuf,
}

/// The parts of `Cargo.lock` that this program uses.
#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// Returns the checksums in `Cargo.lock` by names and versions.
fn checksums(lock: &Path) -> Result<BTreeMap<(String, String), String>, String> {
    let text = fs::read_to_string(lock);
    let lock = text
        .map_err(|error| error.to_string())
        .and_then(|text| toml::from_str::<Lock>(&text).map_err(|error| error.to_string()));
    let lock = lock.map_err(|error| format!("cannot read Cargo.lock: {error}"))?;
    let packages = lock.package.into_iter();
    Ok(packages.filter_map(|one| Some(((one.name, one.version), one.checksum?))).collect())
}

/// Runs cargo, and returns what it prints.
pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        let (arguments, stderr) = (arguments.join(" "), String::from_utf8_lossy(&output.stderr));
        Err(format!("`cargo {arguments}` failed:\n{}", stderr.trim_end()))
    }
}
