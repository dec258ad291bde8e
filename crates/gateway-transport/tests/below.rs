//! Which crates stand below this one, for each of its features. What its signatures name, the snapshot of the public
//! items holds (`xtask/tests/public_api`).
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::collections::BTreeSet;
use std::env;
use std::process::Command;

#[test]
fn the_core_stands_on_few_crates() {
    let crates = crates_below("");
    assert!(crates.len() <= 12, "{crates:?}");
}

#[test]
fn no_client_comes_without_its_feature() {
    let crates = crates_below("bridge,cassette,gzip,tower,rustls");
    let clients = ["hyper", "reqwest", "ureq", "hyper-util", "url"];
    assert_eq!(clients.iter().find(|name| crates.contains(**name)), None);
}

#[test]
fn ureq_comes_without_a_runtime() {
    assert!(!crates_below("cassette,gzip,rustls,ureq").contains("tokio"));
}

/// The crates of a build with these features, this one included.
fn crates_below(features: &str) -> BTreeSet<String> {
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
