//! The supply chain: where dependencies come from, which features they have, and the documents about them. `.ci/supply`
//! runs the checks that need other tools.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use xtask::components::{Component, components};
use xtask::{notices, sbom};

use crate::{printed, read, root, tree};

/// Returns the files with a name that git knows.
fn files(name: &str) -> Vec<PathBuf> {
    let names = printed(Command::new("git").args(["ls-files", "--", name]));
    names.lines().map(|name| root().join(name)).collect()
}

#[test]
fn every_dependency_comes_from_crates_io() {
    let locks = files("*Cargo.lock");
    assert!(locks.len() >= 3, "{locks:?}");
    for lock in locks {
        let text = read(&lock);
        let sources: BTreeSet<_> =
            text.lines().filter(|line| line.starts_with("source = ")).collect();
        let crates_io = r#"source = "registry+https://github.com/rust-lang/crates.io-index""#;
        assert_eq!(sources, BTreeSet::from([crates_io]), "{}", lock.display());
        // A package without a source is in the workspace. A package with a source has a checksum.
        let packages = text.split("[[package]]").skip(1);
        for package in packages.filter(|package| package.contains("source = ")) {
            assert!(package.contains("checksum = "), "{}: {package}", lock.display());
        }
    }
}

#[test]
fn every_crate_forbids_unsafe_code() {
    let manifests = files("*Cargo.toml");
    for manifest in &manifests {
        let text = read(manifest);
        let is_workspace = text.contains("[workspace.lints.rust]");
        // The macros of PyO3 expand to unsafe code, which `forbid` would refuse there.
        let level = if manifest.ends_with("gateway-python/Cargo.toml") { "deny" } else { "forbid" };
        assert!(
            !is_workspace || text.contains(&format!("unsafe_code = \"{level}\"")),
            "{}",
            manifest.display()
        );
        // The fuzz targets, the tests with other HTTP clients and the benchmark of decoders are separate workspaces.
        let is_test = ["tests", "crates/gateway-model/benches"]
            .iter()
            .any(|folder| manifest.starts_with(root().join(folder)));
        let is_test_workspace = is_test && text.contains("\n[workspace]");
        if text.contains("[package]") && !is_test_workspace {
            assert!(text.contains("[lints]\nworkspace = true"), "{}", manifest.display());
        }
    }
    assert!(manifests.len() > 15);
}

/// A manifest cannot inherit the lints of another workspace, so each repeats the same text, except for unsafe code.
#[test]
fn every_workspace_with_lints_has_the_same() {
    let texts = files("*Cargo.toml").into_iter().map(|manifest| read(&manifest));
    let mut lints: Vec<String> = texts
        .filter_map(|text| {
            let (_, rest) = text.split_once("[workspace.lints.rust]")?;
            let (section, _) = rest.split_once("\n[profile")?;
            let lines = section.trim_end().lines();
            Some(lines.filter(|line| !line.contains("unsafe")).collect::<Vec<_>>().join("\n"))
        })
        .collect();
    assert_eq!(lints.len(), 3);
    lints.dedup();
    assert_eq!(lints.len(), 1, "{lints:#?}");
}

/// `unbounded_depth` would let a response overflow the stack; `arbitrary_precision` changes how numbers compare.
#[test]
fn serde_json_has_no_dangerous_feature() {
    for package in ["gateway-client", "gateway-cli", "gateway-server"] {
        let tree = tree(&["--package", package, "--all-features", "--format", "{p} {f}"]);
        let line = tree.lines().find(|line| line.starts_with("serde_json v")).expect("serde_json");
        for feature in ["unbounded_depth", "arbitrary_precision"] {
            assert!(!line.contains(feature), "{package}: {line}");
        }
    }
}

/// The server limits floods in HTTP/2. A client with HTTP/2 would need the same limits.
#[test]
fn clients_do_not_speak_http2() {
    for selection in
        [&["--package", "gateway-client"][..], &["--package", "gateway-client", "--all-features"]]
    {
        let tree = tree(selection);
        let has = |name: &str| tree.lines().any(|line| line.starts_with(name));
        assert!(has("reqwest v") && !has("h2 v"), "{selection:?}");
    }
}

fn program() -> Vec<Component> {
    components(root(), "gateway-server", &[]).expect("the components")
}

#[test]
fn the_bill_of_materials_has_what_is_linked() {
    let components = program();
    let text = sbom::bill_of_materials("gateway-server", &components).expect("a bill");
    let bill: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(bill["bomFormat"], "CycloneDX");
    assert_eq!(bill["metadata"]["component"]["name"], "gateway-server");
    let listed = bill["components"].as_array().expect("components");
    let named = |name: &str| listed.iter().find(|one| one["name"] == name);
    let ring = named("ring").expect("ring");
    assert_eq!(ring["scope"], "required");
    assert_eq!(ring["hashes"][0]["content"].as_str().map(str::len), Some(64));
    assert_eq!(named("serde_derive").expect("a macro")["scope"], "excluded");
    for name in ["insta", "proptest", "gateway-testkit", "xtask"] {
        assert!(named(name).is_none(), "{name} is only for tests");
    }
    for one in listed {
        assert!(one["licenses"][0]["expression"].is_string(), "{one}");
    }
    // Every reference leads to a component.
    let references: BTreeSet<_> = listed
        .iter()
        .chain([&bill["metadata"]["component"]])
        .map(|one| &one["bom-ref"])
        .map(Value::to_string)
        .collect();
    let dependencies = bill["dependencies"].as_array().expect("dependencies");
    assert_eq!(dependencies.len(), references.len());
    for one in dependencies {
        let on = one["dependsOn"].as_array().expect("a list");
        assert!(on.iter().chain([&one["ref"]]).all(|to| references.contains(&to.to_string())));
    }
    assert_eq!(sbom::bill_of_materials("gateway-server", &program()).expect("a bill"), text);
}

#[test]
fn the_notices_have_the_license_of_every_linked_crate() {
    let components = program();
    let text = notices::notices("gateway-server", &components).expect("the notices");
    for component in components.iter().filter(|one| one.is_linked && !one.is_own()) {
        let line = format!("\n{} {}", component.name, component.version);
        assert!(text.contains(&line), "{line}");
    }
    assert!(text.contains("Permission is hereby granted"));
    assert!(!text.contains("proptest "), "a crate that is only for tests");
    assert!(!text.contains(&root().display().to_string()), "a path of this machine");
}

/// Every crate that the document explains is a dependency, with its present major version.
#[test]
fn the_trusted_crates_are_dependencies() {
    let text = read(&root().join("docs/supply-chain.md"));
    let locks = ["", "crates/apps/gateway-python/", "crates/methodical/export/"]
        .map(|folder| root().join(folder).join("Cargo.lock"));
    let lock = locks.map(|lock| read(&lock)).concat();
    let section = text.split("## The crates").nth(1).and_then(|rest| rest.split("\n## ").next());
    let rows: Vec<_> =
        section.expect("the crates").lines().filter(|line| line.starts_with("| `")).collect();
    assert!(rows.len() >= 12, "{} rows", rows.len());
    for name in rows
        .iter()
        .flat_map(|row| row.split(" | ").next().unwrap_or_default().split('`').skip(1).step_by(2))
    {
        assert!(lock.contains(&format!("name = \"{name}\"\n")), "{name} is not a dependency");
    }
}
