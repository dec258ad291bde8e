//! The program as a person runs it: what it prints, and how it ends.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

use std::fmt::Write as _;
use std::process::Command;

/// Runs the program with nothing of this machine's configuration, and shows everything that a person would see.
fn gateway(environment: &[(&str, &str)], args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_gateway"))
        .args(args)
        .env_remove("GATEWAY_BASE_URL")
        .env_remove("GATEWAY_TOKEN")
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let mut shown = format!("$ gateway {}\n", args.join(" "));
    shown.push_str(std::str::from_utf8(&output.stdout).unwrap());
    for line in std::str::from_utf8(&output.stderr).unwrap().lines() {
        writeln!(shown, "stderr: {line}").unwrap();
    }
    writeln!(shown, "exit code {}", output.status.code().unwrap()).unwrap();
    shown
}

#[cfg(feature = "demo")]
mod demo {
    use super::gateway;

    #[test]
    fn tables() {
        insta::assert_snapshot!(
            [
                gateway(&[], &["--demo", "candidates", "list", "--vacancy-id", "101"]),
                gateway(
                    &[],
                    &[
                        "candidates",
                        "list",
                        "--vacancy-id",
                        "101",
                        "--status",
                        "Shortlist",
                        "--demo"
                    ]
                ),
                gateway(&[], &["--demo", "vacancies", "list"]),
                gateway(&[], &["--demo", "credits", "get"]),
            ]
            .join("\n")
        );
    }

    #[test]
    fn json() {
        insta::assert_snapshot!(
            [
                gateway(
                    &[],
                    &["--demo", "-o", "json", "candidates", "list", "--vacancy-id", "101"]
                ),
                gateway(&[], &["--demo", "-o", "json", "candidates", "list", "--vacancy-id", "9"]),
                gateway(&[], &["--demo", "vacancies", "list", "--output", "json"]),
                gateway(&[], &["--demo", "credits", "get", "-o", "json"]),
            ]
            .join("\n")
        );
    }
}

#[test]
fn usage_errors() {
    let url = ("GATEWAY_BASE_URL", "http://127.0.0.1:9");
    let token = ("GATEWAY_TOKEN", "gwt_x");
    let plain = ("GATEWAY_BASE_URL", "http://gateway.example.com");
    insta::assert_snapshot!(
        [
            gateway(&[], &["credits", "get"]),
            gateway(&[token], &["credits", "get"]),
            gateway(&[url], &["credits", "get"]),
            gateway(&[url, ("GATEWAY_TOKEN", "two words")], &["credits", "get"]),
            gateway(&[plain, token], &["credits", "get"]),
            gateway(&[token], &["credits", "get", "--base-url", "https://u:p@h"]),
            gateway(&[], &["candidates", "list", "--status", "New"]),
            gateway(&[], &["candidates", "list", "--vacancy-id", "x"]),
            gateway(&[], &["candidates", "list", "--vacancy-id", "1", "--status", ""]),
            gateway(&[], &["candidate", "list"]),
        ]
        .join("\n")
    );
}

#[test]
fn help() {
    insta::assert_snapshot!(
        [gateway(&[], &["--help"]), gateway(&[], &["candidates", "list", "--help"]),].join("\n")
    );
}
