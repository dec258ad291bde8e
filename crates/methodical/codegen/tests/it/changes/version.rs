//! A release needs a version that is high enough for its changes.

use std::fs;
use std::path::Path;

use methodical_codegen::cli;

use crate::good;

/// Creates a workspace without a spec.
fn workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("spec/released")).expect("a folder");
    fs::write(folder.path().join("spec/codegen.toml"), "spec = 'spec/gateway.toml'")
        .expect("written");
    folder
}

/// Compares the spec of a workspace with its last release.
fn diff_in(root: &Path) -> cli::Outcome {
    cli::run(&["spec".to_owned(), "diff".to_owned()], root)
}

/// A diff fails until the version is high enough.
#[test]
fn a_breaking_change_requires_a_major_version() {
    let scratch = workspace();
    let root = scratch.path();
    fs::write(root.join("spec/released/1.0.0.toml"), good()).expect("written");
    fs::write(root.join("spec/released/0.9.10.toml"), "not the last").expect("written");
    let diff = || diff_in(root);

    let broken = good().replace("path = \"/api/v2\"", "path = \"/api/v3\"");
    fs::write(root.join("spec/gateway.toml"), &broken).expect("written");
    let outcome = diff();
    assert_eq!(
        (outcome.code, outcome.stderr.as_str()),
        (1, "\nerror: raise `version` in spec/gateway.toml to 2.0.0\n")
    );

    let raised = broken.replace("version = \"1.0.0\"", "version = \"2.0.0\"");
    fs::write(root.join("spec/gateway.toml"), raised).expect("written");
    assert_eq!(diff().code, 0);
}

/// A release has three numbers, which are compared as numbers. Other names and versions are ignored.
#[test]
fn only_releases_are_compared() {
    let scratch = workspace();
    let root = scratch.path();
    for name in ["1.9.0", "1.x", "1.11", "1.11.0-rc.1", "1.11.0+2", "1.11.0.0"] {
        let path = root.join(format!("spec/released/{name}.toml"));
        fs::write(path, "not the last").expect("written");
    }
    let released = good().replace("version = \"1.0.0\"", "version = \"1.10.0\"");
    fs::write(root.join("spec/released/1.10.0.toml"), released).expect("written");
    let changed = good().replace("path = \"/api/v2\"", "path = \"/api/v3\"");
    fs::write(root.join("spec/gateway.toml"), changed).expect("written");
    let crates = |version: &str| {
        let manifest = format!("[workspace.package]\nversion = \"{version}\"\n");
        fs::write(root.join("Cargo.toml"), manifest).expect("written");
        let outcome = diff_in(root);
        let report =
            outcome.stdout.split_once("After 1.10.0, ").map(|(_, report)| report.to_owned());
        report.unwrap_or_else(|| panic!("{outcome:?}"))
    };
    let spec = "the version of the spec must be at least 2.0.0. It is 1.0.0.\n";
    let crates_too = "After 3.0.0, the version of the crates must be at least 4.0.0.\n";
    assert_eq!(crates("3.0.0"), format!("{spec}{crates_too}"));
    assert_eq!(crates("3.0.0-rc.1"), spec);
}

/// Data that was protected until now must not appear in logs unnoticed.
#[test]
fn a_field_that_is_no_longer_personal_is_a_warning() {
    let personal = good().replacen("name = { ", "name = { personal = true, ", 1);
    let scratch = workspace();
    let root = scratch.path();
    fs::write(root.join("spec/released/1.0.0.toml"), personal).expect("written");
    let raised = good().replace("version = \"1.0.0\"", "version = \"1.1.0\"");
    fs::write(root.join("spec/gateway.toml"), raised).expect("written");
    let outcome = diff_in(root);
    let change = "model.Tool.field.name: no longer personal; its values will appear in `Debug` output and logs\n";
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(outcome.stdout.contains(&format!("additive       {change}")), "{}", outcome.stdout);
    assert_eq!(outcome.stderr, format!("\nwarning: {change}"));
}
