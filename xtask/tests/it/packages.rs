//! The published crates have everything that a registry and its readers need.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::{printed, read, root};

/// The list of published crates is `[workspace.dependencies]`: each entry with a path.
#[test]
fn a_crate_is_published_exactly_if_the_workspace_lists_it() {
    let manifest: toml::Table = read(&root().join("Cargo.toml")).parse().expect("TOML");
    let listed = manifest["workspace"]["dependencies"].as_table().expect("a table");
    let listed: BTreeSet<_> = listed
        .iter()
        .filter(|(_, entry)| entry.get("path").is_some())
        .map(|(key, entry)| {
            let path = entry["path"].as_str().expect("a path");
            assert_eq!(key_of(Path::new(path)), *key, "path of {key}");
            (key.clone(), entry["package"].as_str().expect("a package name").to_owned())
        })
        .collect();
    let published: BTreeSet<_> = published().iter().map(|one| (key(one), name(one))).collect();
    assert_eq!(published, listed);
}

#[test]
fn a_published_crate_has_all_its_metadata() {
    for package in published() {
        let name = name(&package);
        for field in ["description", "license", "readme", "repository"] {
            assert!(package[field].is_string(), "{name} has no `{field}`");
        }
        let strings = |field: &str| -> Vec<String> {
            let values = package[field].as_array().expect("a list").iter();
            values.filter_map(|value| Some(value.as_str()?.to_owned())).collect()
        };
        let keywords = strings("keywords");
        assert!((1..=5).contains(&keywords.len()), "{name} needs one to five keywords");
        assert!(keywords.iter().all(|one| one.len() <= 20), "a keyword of {name} is too long");
        assert!(keywords.is_sorted(), "the keywords of {name} are not sorted");
        assert!((1..=5).contains(&strings("categories").len()), "{name} needs categories");

        let folder = folder(&package);
        let readme = read(&folder.join("README.md"));
        assert!(readme.starts_with(&format!("# {}\n", key(&package))), "the README of {name}");
        for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
            assert_eq!(read(&folder.join(file)), read(&root().join(file)), "{file} of {name}");
        }
    }
}

/// `.ci/release` names the archives; `cargo binstall`, Homebrew and the workflow must know the same names.
#[test]
fn every_installer_knows_the_names_of_the_archives() {
    let script = read(&root().join(".ci/release"));
    for part in ["name=$1-$version-$target\n", "*) archive gateway \"${1:-}\" ;;\n"] {
        assert!(script.contains(part), "`{part}` in .ci/release");
    }

    let packages = published();
    let program = packages.iter().find(|one| key(one) == "gateway-cli").expect("the program");
    let binstall = &program["metadata"]["binstall"];
    let url = binstall["pkg-url"].as_str().expect("an address");
    let archive = "gateway-{ version }-{ target }";
    assert!(url.ends_with(&format!("/v{{ version }}/{archive}{{ archive-suffix }}")), "{url}");
    assert_eq!(binstall["bin-dir"], format!("{archive}/{{ bin }}{{ binary-ext }}"));

    let formula = read(&root().join("crates/apps/gateway-cli/packaging/homebrew.rb"));
    let workflow = read(&root().join(".github/workflows/release.yml"));
    let targets: Vec<&str> = workflow
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- { target: ")?.split(',').next())
        .collect();
    assert_eq!(targets.len(), 5, "{targets:?}");
    for target in targets {
        if target.contains("windows") {
            assert_eq!(binstall["overrides"][target]["pkg-fmt"], "zip");
            continue;
        }
        let file = format!("/v@VERSION@/gateway-@VERSION@-{target}.tar.gz\"");
        assert!(formula.contains(&file), "the formula has no {file}");
        assert!(formula.contains(&format!("\"@SHA256 {target}@\"")), "checksum of {target}");
    }
}

/// Returns the members of the workspace that may be published, as `cargo metadata` describes them.
fn published() -> Vec<Value> {
    let arguments = ["metadata", "--format-version", "1", "--no-deps", "--offline"];
    let metadata = printed(Command::new(env!("CARGO")).args(arguments));
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    packages.iter().filter(|package| package["publish"].is_null()).cloned().collect()
}

fn name(package: &Value) -> String {
    package["name"].as_str().expect("a name").to_owned()
}

fn folder(package: &Value) -> PathBuf {
    let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
    manifest.parent().expect("a folder").to_owned()
}

/// Returns the name of a crate in this workspace.
fn key(package: &Value) -> String {
    key_of(&folder(package))
}

/// Returns the name of the crate in a folder: the folder's name, with the prefix `methodical-` for a runtime crate.
fn key_of(folder: &Path) -> String {
    let name = folder.file_name().expect("a name").to_string_lossy();
    let is_runtime = folder.parent().is_some_and(|parent| parent.ends_with("methodical"));
    if is_runtime { format!("methodical-{name}") } else { name.into_owned() }
}
