//! Checks the dependencies of builds with several sets of features, with `cargo tree`.

use std::collections::BTreeSet;

use crate::tree;

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
    let crates = built(&["--package", "gateway-client"]);
    assert!(crates.contains("reqwest"), "{crates:?}");
    assert!(!crates.contains("ureq"));
}

/// The crates for the browser are dependencies of `wasm32-unknown-unknown` only.
#[test]
fn no_crate_for_the_browser_is_built_for_another_target() {
    let crates = built(&["--workspace", "--all-features"]);
    let browser = ["gloo-timers", "js-sys", "wasm-bindgen", "wasm-streams", "web-sys", "web-time"];
    assert_eq!(among(&crates, &browser), [""; 0]);
    // A dependency of reqwest's feature `stream`, which only the browser needs.
    assert!(!built(&["--package", "gateway-client", "--all-features"]).contains("tokio-util"));
}

/// Two providers would double the C code to build, and each rustls configuration without an explicit provider would
/// panic.
#[test]
fn every_build_has_one_cryptography_provider() {
    let ring = ["ring"];
    for package in ["gateway-client", "gateway-cli", "gateway-server"] {
        assert_eq!(providers(&built(&["--package", package])), ring, "{package}");
    }
    // The program with all features.
    assert_eq!(providers(&built(&["--package", "gateway-cli", "--all-features"])), ring);
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
    built(&["--package", "gateway-client", "--no-default-features", "--features", features])
}

/// Returns the crates of a build, except crates that only tests use.
fn built(arguments: &[&str]) -> BTreeSet<String> {
    let lines = tree(arguments);
    lines.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}
