//! The address of the client behind a trusted proxy.

use std::io::Read as _;
use std::process::Stdio;

use crate::process::{Served, account, error, program};
use crate::support::call;

/// Returns the access log of a server that got one request with these header lines.
fn logged(flags: &[&str], headers: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    let token = account(&database, "acme");
    let mut command = program();
    command.stderr(Stdio::piped());
    let flags = [&["--log-level", "info"], flags].concat();
    let mut served = Served::started_by(command, &database, &flags);
    let response = call(&served.base_url, &token, "GET", "method=credits/get", headers);
    assert_eq!(response.status, 200);
    served.signal("-TERM");
    let mut log = String::new();
    served.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    log
}

#[test]
fn the_log_names_the_client_of_a_trusted_proxy_only() {
    let headers = "X-Forwarded-For: 6.6.6.6, 192.0.2.9, 10.1.1.1\r\n";
    let client = |flags: &[&str], expected: &str| {
        let log = logged(flags, headers);
        assert!(log.contains(&format!("\"{expected}\"")), "{flags:?}: {log}");
    };
    client(&[], "127.0.0.1");
    client(&["--trusted-proxy", "10.0.0.0/8,127.0.0.1"], "192.0.2.9");
    client(&["--trusted-proxy", "127.0.0.0/8", "--trusted-proxy", "::1"], "10.1.1.1");
    client(&["--trusted-proxy", "192.0.2.0/24"], "127.0.0.1");
}

#[test]
fn a_trusted_proxy_is_an_address_or_a_network() {
    for proxy in ["proxy", "10.0.0.0/33"] {
        let output = program().args(["serve", "--trusted-proxy", proxy]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let text = error(&output);
        assert!(text.contains("expected an IP address or a network"), "{text}");
    }
}
