//! The log of the program: the form of its lines, and what never appears in them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::process::{Served, output, program};
use crate::support::{call, exchange};

/// Replaces what differs between two runs.
fn without_varying(line: &str) -> String {
    let varying = "timestamp|pid|url|ops|token|first_byte|duration|uptime";
    let varying = regex::Regex::new(&format!(r#""({varying})":("[^"]*"|[^,}}]*)"#)).unwrap();
    varying.replace_all(line, "\"$1\":…").into_owned()
}

#[test]
fn each_event_has_its_fields() {
    let (served, _directory) = Served::filled(program(), 100, &["--log-level", "info"]);
    for (method, query) in [
        ("GET", "method=credits/get"),
        ("HEAD", "method=candidates/list"),
        ("GET", "method=unknown"),
        ("BREW", "method=credits/get"),
    ] {
        let id = "X-Request-Id: fixed-1\r\n";
        drop(call(&served.base_url, &served.token, method, query, id));
    }
    // The connection refuses this request.
    let address = served.base_url.strip_prefix("http://").unwrap();
    drop(exchange(address, b"GET / HTTP/1.1\r\n\r\n"));
    let log = served.stop();
    let (refused, others): (Vec<_>, Vec<_>) =
        log.lines().partition(|line| line.contains("host-invalid"));
    assert_eq!(refused.len(), 1, "{log}");
    insta::assert_snapshot!("json", without_varying(&others.join("\n")));
}

/// Returns the Rust files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

#[test]
fn every_event_is_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("../../../docs/server/monitoring.md")).unwrap();
    let mut events = 0;
    for file in sources(&root.join("src")) {
        if file.ends_with("log/tests.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        for call in text.split("tracing::").skip(1) {
            let Some((before, after)) = call.split_once("event = \"") else { continue };
            if before.contains(';') {
                continue;
            }
            let (event, _) = after.split_once('"').unwrap();
            assert!(page.contains(&format!("| `{event}` |")), "{event} of {}", file.display());
            events += 1;
        }
    }
    assert!(events > 10, "{events}");
}

#[test]
fn a_failed_start_is_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db");
    let database = database.to_str().unwrap();
    for (level, is_json) in [("info", true), ("error", true), ("off", false)] {
        let output = output(database, &["serve", "--listen", "192.0.2.1:1", "--log-level", level]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), text.lines().count()), (Some(1), 1), "{text}");
        assert!(text.contains("cannot listen on 192.0.2.1:1: "), "{text}");
        let json = serde_json::from_str::<Value>(&text);
        assert_eq!(json.is_ok_and(|json| json["event"] == "failed"), is_json, "{text}");
    }
}

#[test]
fn a_log_that_nobody_reads_delays_no_response() {
    let (mut served, _directory) = Served::filled(program(), 3, &["--log-level", "info"]);
    let address = served.base_url.strip_prefix("http://").unwrap();
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut responses = BufReader::new(socket.try_clone().unwrap());
    // More lines than the queue and the pipe have room for.
    for _ in 0..80 {
        socket.write_all(&b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100)).unwrap();
        let mut answered = 0;
        while answered < 100 {
            let mut line = String::new();
            assert!(responses.read_line(&mut line).unwrap() > 0);
            answered += u32::from(line.contains("HTTP/1.1 404"));
        }
    }
    assert!(served.ops.value("gateway_log_lines_dropped_total") > 0.0);
    // The server stops although its last lines cannot be written.
    let unread = served.child.stderr.take();
    served.signal("-TERM");
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
    drop(unread);
}

#[test]
fn the_log_names_the_client_of_a_trusted_proxy_only() {
    let headers = "X-Forwarded-For: 6.6.6.6, 192.0.2.9, 10.1.1.1\r\n";
    for (flags, expected) in [
        (&[][..], "127.0.0.1"),
        (&["--trusted-proxy", "10.0.0.0/8,127.0.0.1"], "192.0.2.9"),
        (&["--trusted-proxy", "127.0.0.0/8", "--trusted-proxy", "::1"], "10.1.1.1"),
        (&["--trusted-proxy", "192.0.2.0/24"], "127.0.0.1"),
    ] {
        let flags = [&["--log-level", "info"], flags].concat();
        let (served, _directory) = Served::filled(program(), 3, &flags);
        let query = "method=credits/get";
        assert_eq!(call(&served.base_url, &served.token, "GET", query, headers).status, 200);
        let log = served.stop();
        assert!(log.contains(&format!("\"client\":\"{expected}\"")), "{flags:?}: {log}");
    }
}
