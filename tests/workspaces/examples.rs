//! The examples of the crates, run as programs against the demo server. A snapshot has the output of each.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use gateway_server::demo;
use serde_json::Value;

use crate::process::output;

#[test]
fn every_example_prints_what_its_snapshot_shows() {
    let demo = demo::start().unwrap();
    let programs = programs();
    let listed: Vec<_> = README.split("examples/").skip(1).collect();
    assert_eq!(listed.len(), 11);
    for name in listed.iter().map(|rest| rest.split(".rs)").next().unwrap()) {
        assert!(
            programs.contains_key(name),
            "the README of the client lists `{name}`, which was not built"
        );
    }

    for (name, program) in programs {
        let mut program = Command::new(program);
        program.env("GATEWAY_BASE_URL", demo.base_url()).env("GATEWAY_TOKEN", demo.token());
        let output = output(&mut program, RUN_LIMIT);
        let [stdout, stderr] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(output.status.success(), "{name}: {stderr}");
        assert!(!format!("{stdout}{stderr}").contains(demo.token()), "{name} prints the token");
        insta::assert_snapshot!(name.as_str(), stable(&name, &stdout, &stderr));
    }
}

/// Returns the part of the output of an example that is the same in every run.
fn stable<'a>(name: &str, stdout: &'a str, stderr: &str) -> &'a str {
    match name {
        // Durations and the port differ.
        "tracing" => {
            for field in ["http.response.status_code=200", "gateway.attempts=1", "time.busy="] {
                assert!(stderr.contains(field), "no `{field}`: {stderr}");
            }
            stdout
        }
        // The snapshot has the summary only, because the CSV has many rows.
        "csv_and_sqlite" => {
            let (csv, rest) = stdout.trim_end().rsplit_once('\n').unwrap();
            assert_eq!(csv.lines().next(), Some("id,name,portal.name"));
            assert_eq!(csv.lines().count(), 9);
            rest
        }
        _ => stdout,
    }
}

/// Builds the examples, and returns their names and files.
fn programs() -> BTreeMap<String, PathBuf> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--offline", "--workspace", "--examples"]);
    cargo.args(["--message-format", "json"]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let built = output(cargo.env("CARGO_TARGET_DIR", target), BUILD_LIMIT);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));

    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("crates");
    let messages = String::from_utf8(built.stdout).unwrap();
    let messages = messages.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    messages
        .filter_map(|message| {
            let source = Path::new(message.pointer("/target/src_path")?.as_str()?);
            let package = source.parent()?.parent()?;
            let is_ours = PACKAGES.iter().any(|name| package == crates.join(name));
            let program = message.get("executable")?.as_str().filter(|_| is_ours)?;
            Some((message.pointer("/target/name")?.as_str()?.to_owned(), program.into()))
        })
        .collect()
}

/// Lists every example.
const README: &str = include_str!("../../crates/gateway-client/README.md");

/// The packages whose examples show how to use them. The examples of other packages are parts of their tests.
const PACKAGES: [&str; 3] = ["gateway-client", "gateway-model", "gateway-testkit"];

/// Maximum time to build the examples and everything that they need.
const BUILD_LIMIT: Duration = Duration::from_secs(900);

/// Maximum run time of an example.
const RUN_LIMIT: Duration = Duration::from_secs(60);
