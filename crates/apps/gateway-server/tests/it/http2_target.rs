//! A server for raw clients of HTTP/2, watched from outside.

use gateway_server::Config;
use tempfile::TempDir;

use crate::front::Here;
use crate::http2_raw::{END_HEADERS, END_STREAM, HEADERS, Raw, block, frame};
use crate::process::{Served, program};
use crate::support::{Ops, get};

/// A server with a list that is larger than all buffers.
pub(crate) struct Target {
    pub(crate) server: Running,
    pub(crate) token: String,
    pub(crate) ops: Ops,
}

/// A server in another process, or in this one.
pub(crate) enum Running {
    Process(Served, #[expect(dead_code, reason = "removed when it is dropped")] TempDir),
    Here(Here),
}

impl Target {
    pub(crate) fn start(flags: &[&str]) -> Self {
        let (served, directory) = Served::filled(program(), 40_000, flags);
        let (token, ops) = (served.token.clone(), served.ops.clone());
        Self { server: Running::Process(served, directory), token, ops }
    }

    /// Starts a server in this process, with settings that the program does not have.
    pub(crate) fn start_here(change: impl FnOnce(&mut Config)) -> Self {
        let here = Here::start(|config| {
            config.ops_listen = "127.0.0.1:0".parse().ok();
            change(config);
        });
        here.fill(40_000);
        let (token, ops) =
            (here.token.clone(), Ops(here.running.ops_address().unwrap().to_string()));
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

    /// Asserts that the server answers others, holds nothing of the attacker, and has not grown much.
    pub(crate) fn assert_healthy(&self, name: &str, before: u64) {
        assert_eq!(get(&self.base_url(), &self.token, "method=credits/get").status, 200, "{name}");
        self.ops.wait_for("gateway_requests_in_flight 0");
        self.ops.wait_for("gateway_connections 0");
        let after = self.memory();
        assert!(after < before + GROWTH, "{name}: {before} KiB before, {after} KiB after");
    }
}

/// Maximum growth of the resident memory, in KiB.
pub(crate) const GROWTH: u64 = 96 * 1024;
