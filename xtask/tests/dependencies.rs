//! Checks the dependencies of builds with several sets of features, with `cargo tree`.

#![expect(clippy::expect_used, reason = "a test that cannot start has failed")]

use std::collections::BTreeSet;
use std::env;
use std::path::Path;
use std::process::Command;

#[test]
fn a_blocking_client_has_no_async_runtime() {
    for features in ["ureq,rustls", "ureq,rustls,gzip,cassette,simd"] {
        let crates = client(features);
        assert!(crates.contains("ureq") && crates.contains("rustls"), "{crates:?}");
        assert_eq!(among(&crates, &["hyper", "reqwest", "tokio"]), [""; 0], "{features}");
    }
}

#[test]
fn the_default_client_is_reqwest() {
    let crates = tree(&["--package", "gateway-client"]);
    assert!(crates.contains("reqwest"), "{crates:?}");
    assert!(!crates.contains("ureq"));
}

/// The crates for the browser are dependencies of `wasm32-unknown-unknown` only.
#[test]
fn no_crate_for_the_browser_is_built_for_another_target() {
    let crates = tree(&["--workspace", "--all-features"]);
    let browser = ["gloo-timers", "js-sys", "wasm-bindgen", "wasm-streams", "web-sys", "web-time"];
    assert_eq!(among(&crates, &browser), [""; 0]);
    // A dependency of reqwest's feature `stream`, which only the browser needs.
    assert!(!tree(&["--package", "gateway-client", "--all-features"]).contains("tokio-util"));
}

/// Two providers would double the C code to build, and each rustls configuration without an explicit provider would panic.
#[test]
fn every_build_has_one_cryptography_provider() {
    let ring = ["ring"];
    for package in ["gateway-client", "gateway-cli", "gateway-server"] {
        assert_eq!(providers(&tree(&["--package", package])), ring, "{package}");
    }
    // The program with all its features, such as the keyring.
    assert_eq!(providers(&tree(&["--package", "gateway-cli", "--all-features"])), ring);
    assert_eq!(providers(&client("ureq,rustls")), ring);
    assert_eq!(providers(&client("reqwest,rustls-ring")), ring);
    assert_eq!(providers(&client("reqwest,rustls-aws-lc")), ["aws-lc-rs"]);
    assert_eq!(providers(&client("reqwest,ureq")), [""; 0]);
}

fn providers(crates: &BTreeSet<String>) -> Vec<&'static str> {
    among(crates, &["aws-lc-rs", "graviola", "openssl", "ring"])
}

fn among(crates: &BTreeSet<String>, names: &[&'static str]) -> Vec<&'static str> {
    names.iter().copied().filter(|name| crates.contains(*name)).collect()
}

/// Returns the crates of a build of `gateway-client` with only these features.
fn client(features: &str) -> BTreeSet<String> {
    tree(&["--package", "gateway-client", "--no-default-features", "--features", features])
}

/// Returns the crates of a build, without those that only tests use.
fn tree(arguments: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["tree", "--offline", "--edges", "normal,build", "--prefix", "none"])
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    lines.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}
