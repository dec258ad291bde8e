//! A server for raw clients of HTTP/2, watched from outside.

use std::io::BufRead as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use gateway_server::Config;
use tempfile::TempDir;

use crate::front::Here;
use crate::http2_raw::{END_HEADERS, END_STREAM, HEADERS, Raw, block, frame};
use crate::process::{Served, account, program, run};
use crate::support::{exchange, get, parse};

/// A server with a list that is larger than all buffers.
pub(crate) struct Target {
    pub(crate) server: Running,
    pub(crate) token: String,
    ops: String,
}

/// A server in another process, or in this one.
pub(crate) enum Running {
    Process(Served, #[expect(dead_code, reason = "removed when it is dropped")] TempDir),
    Here(Here),
}

impl Target {
    pub(crate) fn start(flags: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let database = directory.path().join("a.db").to_str().unwrap().to_owned();
        let token = account(&database, "acme");
        run(&database, &["demo-data", "--account", "acme", "--candidates", "40000"]);
        let flags = [flags, &["--ops-listen", "127.0.0.1:0"]].concat();
        let mut command = program();
        command.stderr(Stdio::piped());
        let mut served = Served::started_by(command, &database, &flags);
        let mut line = String::new();
        served.out.read_line(&mut line).unwrap();
        let ops = line.trim().strip_prefix("health and metrics on http://").unwrap().to_owned();
        Self { server: Running::Process(served, directory), token, ops }
    }

    /// Starts a server in this process, with settings that the program does not have.
    pub(crate) fn start_here(change: impl FnOnce(&mut Config)) -> Self {
        let here = Here::start(|config| {
            config.ops_listen = "127.0.0.1:0".parse().ok();
            change(config);
        });
        here.fill(40_000);
        let (token, ops) = (here.token.clone(), here.running.ops_address().unwrap().to_string());
        Self { server: Running::Here(here), token, ops }
    }

    /// Returns the process of the server.
    pub(crate) fn served(&mut self) -> &mut Served {
        match &mut self.server {
            Running::Process(served, _) => served,
            Running::Here(_) => panic!("the server is in this process"),
        }
    }

    fn base_url(&self) -> String {
        match &self.server {
            Running::Process(served, _) => served.base_url.clone(),
            Running::Here(here) => here.running.base_url(),
        }
    }

    pub(crate) fn connect(&self, settings: &[u8]) -> Raw {
        Raw::connect(self.base_url().strip_prefix("http://").unwrap(), settings)
    }

    /// Encodes a request with the token.
    pub(crate) fn request(&self, stream: u32, method: &str) -> Vec<u8> {
        let path = format!("/c/oauth/v1?method={method}");
        let authorization = format!("Bearer {}", self.token);
        let fields = [
            (":method", "GET"),
            (":scheme", "http"),
            (":authority", "a"),
            (":path", &path),
            ("authorization", &authorization),
        ];
        frame(HEADERS, END_STREAM | END_HEADERS, stream, &block(&fields))
    }

    /// Returns the resident memory of a server in another process, in KiB.
    pub(crate) fn memory(&self) -> u64 {
        let Running::Process(served, _) = &self.server else { return 0 };
        let status = format!("/proc/{}/status", served.child.id());
        let text = std::fs::read_to_string(status).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    pub(crate) fn metrics(&self) -> String {
        let response = exchange(&self.ops, b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
        parse(&response).text().to_owned()
    }

    /// Returns how the responses so far have ended, without counts.
    pub(crate) fn ends(&self) -> Vec<String> {
        let metrics = self.metrics();
        let named = metrics
            .lines()
            .filter_map(|line| line.strip_prefix("gateway_response_ends_total{end=\""));
        let counted = named.filter(|line| !line.ends_with(" 0"));
        counted.filter_map(|line| Some(line.split_once('"')?.0.to_owned())).collect()
    }

    /// Waits for a line of the metrics.
    pub(crate) fn wait_for(&self, expected: &str) {
        let begun = Instant::now();
        loop {
            let metrics = self.metrics();
            if metrics.lines().any(|line| line == expected) {
                return;
            }
            assert!(begun.elapsed() < GENEROUS, "{expected} is missing");
        }
    }

    /// Asserts that the server answers others, holds nothing of the attacker, and has not grown much.
    pub(crate) fn assert_healthy(&self, name: &str, before: u64) {
        assert_eq!(get(&self.base_url(), &self.token, "method=credits/get").status, 200, "{name}");
        self.wait_for("gateway_requests_in_flight 0");
        self.wait_for("gateway_connections 0");
        let after = self.memory();
        assert!(after < before + GROWTH, "{name}: {before} KiB before, {after} KiB after");
    }
}

/// Maximum growth of the resident memory, in KiB.
pub(crate) const GROWTH: u64 = 96 * 1024;

/// Maximum time of any step, on the slowest machine.
const GENEROUS: Duration = Duration::from_secs(30);
