//! The crates in a program, from `cargo tree`, `cargo metadata` and `Cargo.lock`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

/// A crate in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The name of its package.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its licence, as an SPDX expression.
    pub licence: Option<String>,
    /// The address of its sources.
    pub repository: Option<String>,
    /// The SHA-256 of its package, in hexadecimal digits. A crate of this workspace has none.
    pub checksum: Option<String>,
    /// The folder of its sources.
    pub folder: PathBuf,
    /// Whether it is part of the program. Procedural macros and build scripts only run while the program is built.
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

/// Returns the crates in a build of a package, by name and version. The selection has flags of `cargo tree`, such as
/// `--all-features` or `--target`.
///
/// # Errors
///
/// If cargo fails, or `Cargo.lock` lacks a crate.
pub fn components(
    root: &Path,
    package: &str,
    selection: &[String],
) -> Result<Vec<Component>, String> {
    let all = tree(root, package, selection, "normal,build")?;
    let linked = tree(root, package, selection, "normal,no-proc-macro")?;
    let metadata =
        cargo(root, &["metadata", "--locked", "--format-version", "1", "--all-features"])?;
    let metadata: Value = serde_json::from_slice(&metadata)
        .map_err(|error| format!("cannot read the output of cargo metadata: {error}"))?;
    let checksums = checksums(root)?;
    let ids = identities(&metadata);
    let dependencies = dependencies(&metadata, &ids);
    let mut components = Vec::new();
    for package in list(&metadata, "packages") {
        let Some(key) = identity(package).filter(|key| all.contains(key)) else { continue };
        let is_published = package.get("source").is_some_and(Value::is_string);
        let checksum = checksums.get(&key).cloned();
        if is_published && checksum.is_none() {
            return Err(format!("Cargo.lock has no checksum of {} {}", key.0, key.1));
        }
        let of_package = dependencies.get(&key).into_iter().flatten();
        components.push(Component {
            licence: text(package, "license")
                .map(|licence| licence.replace(" / ", "/").replace('/', " OR ")),
            repository: text(package, "repository").map(str::to_owned),
            checksum,
            folder: folder(package),
            is_linked: linked.contains(&key),
            dependencies: of_package.filter(|other| all.contains(*other)).cloned().collect(),
            name: key.0,
            version: key.1,
        });
    }
    components.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(components)
}

/// A name and a version.
type Key = (String, String);

/// Returns the crates of a build.
fn tree(
    root: &Path,
    package: &str,
    selection: &[String],
    edges: &str,
) -> Result<BTreeSet<Key>, String> {
    let mut arguments =
        vec!["tree", "--locked", "--prefix", "none", "--edges", edges, "--package", package];
    arguments.extend(selection.iter().map(String::as_str));
    let output = String::from_utf8_lossy(&cargo(root, &arguments)?).into_owned();
    // `name v1.2.3`, and more about some.
    let mut lines = output.lines().filter(|line| !line.is_empty());
    let key = |line: &str| {
        let (name, rest) = line.split_once(" v")?;
        Some((name.to_owned(), rest.split(' ').next()?.to_owned()))
    };
    lines.try_fold(BTreeSet::new(), |mut found, line| {
        found.insert(key(line).ok_or_else(|| format!("cargo tree printed `{line}`"))?);
        Ok(found)
    })
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

/// Returns the checksums in `Cargo.lock`.
fn checksums(root: &Path) -> Result<BTreeMap<Key, String>, String> {
    let text = fs::read_to_string(root.join("Cargo.lock"))
        .map_err(|error| format!("cannot read Cargo.lock: {error}"))?;
    let value = |block: &str, key: &str| {
        let start = format!("{key} = \"");
        let line = block.lines().find_map(|line| line.strip_prefix(start.as_str()))?;
        line.strip_suffix('"').map(str::to_owned)
    };
    let blocks = text.split("[[package]]").skip(1);
    Ok(blocks
        .filter_map(|block| {
            Some(((value(block, "name")?, value(block, "version")?), value(block, "checksum")?))
        })
        .collect())
}

/// Returns the names and versions of all packages by their ids.
fn identities(metadata: &Value) -> BTreeMap<&str, Key> {
    let packages = list(metadata, "packages").iter();
    packages.filter_map(|package| Some((text(package, "id")?, identity(package)?))).collect()
}

/// Returns the dependencies of all packages, without those for development.
fn dependencies(metadata: &Value, ids: &BTreeMap<&str, Key>) -> BTreeMap<Key, BTreeSet<Key>> {
    let nodes = metadata.get("resolve").map(|resolve| list(resolve, "nodes")).unwrap_or_default();
    let mut found = BTreeMap::new();
    for node in nodes {
        let of_node = list(node, "deps").iter().filter(|dependency| {
            list(dependency, "dep_kinds").iter().any(|kind| text(kind, "kind") != Some("dev"))
        });
        let of_node =
            of_node.filter_map(|one| text(one, "pkg").and_then(|id| ids.get(id)).cloned());
        if let Some(key) = text(node, "id").and_then(|id| ids.get(id)) {
            found.insert(key.clone(), of_node.collect());
        }
    }
    found
}

fn identity(package: &Value) -> Option<Key> {
    Some((text(package, "name")?.to_owned(), text(package, "version")?.to_owned()))
}

fn folder(package: &Value) -> PathBuf {
    let manifest = Path::new(text(package, "manifest_path").unwrap_or_default());
    manifest.parent().unwrap_or(manifest).to_owned()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}
