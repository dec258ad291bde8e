//! The metrics, and the operators' files that use them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::http2_client::certificate;
use crate::process::{Served, account, program, run};
use crate::support::{call, get};

/// Returns the metrics of a server that serves HTTPS, so that every metric is there.
fn all_metrics() -> String {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    account(&database, "acme");
    run(&database, &["demo-data", "--account", "acme"]);
    let (tls, _) = certificate(directory.path());
    let flags = tls.iter().map(String::as_str).chain(["--ops-listen", "127.0.0.1:0"]);
    Served::start(&database, &flags.collect::<Vec<_>>()).ops.metrics()
}

/// Checks something with `promtool`, and returns what it printed; `None` with a notice if it is not installed.
fn promtool(arguments: &[&str], input: Stdio) -> Option<String> {
    if Command::new("promtool").arg("--version").output().is_err() {
        eprintln!("SKIPPED: promtool is not installed; `.ci/system prometheus` installs it");
        return None;
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging");
    let mut command = Command::new("promtool");
    let output = command.args(arguments).current_dir(folder).stdin(input).output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(output.status.success(), "{text}");
    Some(text)
}

/// Returns a temporary file with this text.
fn file(text: &str) -> NamedTempFile {
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    file
}

#[test]
fn promtool_accepts_the_metrics() {
    let metrics = file(&all_metrics()).reopen().unwrap();
    let printed = promtool(&["check", "metrics"], metrics.into());
    assert_eq!(printed.unwrap_or_default(), "");
}

/// Returns a file for operators.
fn packaged(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Returns the expressions of the dashboard.
fn dashboard_expressions(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(values) => values.iter().flat_map(dashboard_expressions).collect(),
        Value::Object(fields) => {
            let own = fields.get("expr").and_then(Value::as_str);
            own.into_iter().chain(fields.values().flat_map(dashboard_expressions)).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn alerts_and_dashboard_use_metrics_that_exist() {
    let metrics = all_metrics();
    let lines = metrics.lines().filter(|line| !line.starts_with('#'));
    let names: BTreeSet<&str> = lines.filter_map(|line| line.split(['{', ' ']).next()).collect();
    let dashboard: Value = serde_json::from_str(&packaged("grafana.json")).unwrap();
    let expressions = dashboard_expressions(&dashboard);
    assert!(expressions.len() > 30);
    let alerts = packaged("alerts.yml");
    let mut found = BTreeSet::new();
    for text in expressions.into_iter().chain([&*alerts]) {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let is_metric = |word: &&str| word.starts_with("gateway_") || word.starts_with("process_");
        found.extend(words.filter(is_metric).map(str::to_owned));
    }
    let is_unknown = |name: &&String| !names.contains(&***name);
    let unknown: Vec<_> = found.iter().filter(is_unknown).collect();
    assert!(unknown.is_empty(), "{unknown:?} are not in {names:?}");
    // Conversely, the dashboard shows every metric.
    let shown = |name: &&&str| found.contains(**name);
    assert_eq!(names.iter().filter(shown).count(), names.len(), "{names:?} {found:?}");
}

#[test]
fn promtool_accepts_the_alerts_and_their_tests() {
    for arguments in [["check", "rules", "alerts.yml"], ["test", "rules", "alerts.test.yml"]] {
        promtool(&arguments, Stdio::null());
    }
}

#[test]
fn every_alert_has_a_test_and_a_runbook() {
    let (alerts, tests) = (packaged("alerts.yml"), packaged("alerts.test.yml"));
    let rules: Vec<&str> = alerts.split("- alert: ").skip(1).collect();
    assert!(rules.len() > 15);
    for rule in rules {
        let name = rule.lines().next().unwrap();
        assert!(tests.contains(&format!("alertname=\"{name}\"")), "{name} has no test");
        assert!(rule.contains("runbook: ") && rule.contains("summary: "), "{rule}");
    }
}

#[test]
fn promtool_accepts_the_expressions_of_the_dashboard() {
    let dashboard: Value = serde_json::from_str(&packaged("grafana.json")).unwrap();
    let expressions = dashboard_expressions(&dashboard).into_iter();
    let rules: Vec<Value> = expressions
        .map(|expression| expression.replace("$__rate_interval", "5m"))
        .enumerate()
        .map(|(number, expr)| json!({ "record": format!("panel_{number}"), "expr": expr }))
        .collect();
    let groups = json!({ "groups": [{ "name": "dashboard", "rules": rules }] });
    let file = file(&groups.to_string());
    promtool(&["check", "rules", file.path().to_str().unwrap()], Stdio::null());
}

#[test]
fn requests_problems_and_lists_are_counted() {
    let (served, _directory) = Served::filled(program(), 3_000, &["--rate", "3"]);
    // A response without a body is complete.
    let query = "method=vacancies/list";
    drop(call(&served.base_url, &served.token, "GET", query, "If-None-Match: *\r\n"));
    for _ in 0..4 {
        drop(get(&served.base_url, &served.token, "method=candidates/list"));
    }
    // A slow machine admits more of them before it refuses one.
    let credits = || get(&served.base_url, &served.token, "method=credits/get").status;
    let admitted = (0..50).take_while(|_| credits() == 200).count();
    let count = f64::from(u8::try_from(1 + 4 + admitted + 1 + 1).unwrap());
    drop(get(&served.base_url, "gwt_unknown", "method=credits/get"));
    let metrics = served.ops.metrics();
    for (sample, expected) in [
        ("gateway_requests_total{operation=\"candidates/list\",status=\"2xx\"}", 4.0),
        ("gateway_requests_by_version_total{http=\"1.1\"}", count),
        ("gateway_problems_total{problem=\"too-many-requests\"}", 1.0),
        ("gateway_problems_total{problem=\"token-invalid\"}", 1.0),
        ("gateway_problems_total{problem=\"token-missing\"}", 0.0),
        ("gateway_database_readers_limit", 8.0),
        ("gateway_database_failures_total", 0.0),
        ("gateway_ready", 1.0),
        ("gateway_response_ends_total{end=\"complete\"}", count),
        ("gateway_requests_in_flight", 0.0),
        ("gateway_connections_limit", 10_000.0),
    ] {
        let value = served.ops.value(sample);
        assert_eq!(value.to_bits(), f64::to_bits(expected), "{sample}: {metrics}");
    }
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    for sample in ["gateway_data_revision_timestamp_seconds", "process_start_time_seconds"] {
        let age = now.as_secs_f64() - served.ops.value(sample);
        assert!((-2.0..600.0).contains(&age), "{sample} is {age} s old");
    }
    assert!(served.ops.value("process_resident_memory_bytes") > 1_000_000.0);
    assert!(served.ops.value("process_open_fds") < served.ops.value("process_max_fds"));
    assert!(!metrics.contains(&served.token));
}

/// This also holds without the access log.
#[test]
fn failures_of_the_database_are_logged_and_counted() {
    let flags = ["--log-level", "info", "--access-log", "false"];
    let (served, directory) = Served::filled(program(), 3, &flags);
    let connection = rusqlite::Connection::open(directory.path().join("a.db")).unwrap();
    let get = || get(&served.base_url, &served.token, "method=credits/get").status;
    connection.execute_batch("ALTER TABLE token RENAME TO gone").unwrap();
    assert_eq!([get(), get()], [503; 2]);
    // The scrape also finds the database damaged.
    assert_eq!(served.ops.value("gateway_database_failures_total").to_bits(), 3_f64.to_bits());
    connection.execute_batch("ALTER TABLE gone RENAME TO token").unwrap();
    assert_eq!(get(), 200);
    let log = served.stop();
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let requests: Vec<Value> = lines.filter(|line| line["event"] == "request").collect();
    assert!(requests.len() == 2 && requests.iter().all(|line| line["cause"].is_string()), "{log}");
}
