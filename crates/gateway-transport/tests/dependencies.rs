//! The dependencies of this crate, for several sets of features. The snapshot of the public API
//! (`xtask/tests/public_api`) covers the types that its signatures name.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::collections::BTreeSet;
use std::env;
use std::process::Command;

#[test]
fn the_core_has_few_dependencies() {
    let crates = dependencies("");
    assert!(crates.len() <= 12, "{crates:?}");
}

#[test]
fn a_client_is_a_dependency_only_with_its_feature() {
    let crates = dependencies("bridge,cassette,gzip,tower-service03,rustls");
    let clients = ["hyper", "reqwest", "ureq", "hyper-util", "url"];
    assert_eq!(clients.iter().find(|name| crates.contains(**name)), None);
}

#[test]
fn ureq_does_not_depend_on_tokio() {
    assert!(!dependencies("cassette,gzip,rustls,ureq").contains("tokio"));
}

/// Returns the crates of a build with these features, this one included.
fn dependencies(features: &str) -> BTreeSet<String> {
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["tree", "--offline", "--edges", "normal", "--prefix", "none"])
        .args(["--no-default-features", "--features", features])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}
