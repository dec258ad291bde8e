//! Attacks on HTTP/2 that cost the client little. After each, the server answers others, and its memory is bounded.

use std::io::{BufRead as _, Read as _};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::http2_raw::{
    CONTINUATION, END_HEADERS, END_STREAM, Event, HEADERS, PING, PRIORITY, RST_STREAM, Raw,
    SETTINGS, WINDOW_UPDATE, block, frame, setting,
};
use crate::process::{Served, account, run};
use crate::support::{exchange, get, parse};

/// A server with a list that is larger than all buffers.
struct Target {
    served: Served,
    token: String,
    ops: String,
    directory: TempDir,
}

impl Target {
    fn start(flags: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let database = directory.path().join("a.db").to_str().unwrap().to_owned();
        let token = account(&database, "acme");
        run(&database, &["demo-data", "--account", "acme", "--candidates", "40000"]);
        let flags = [flags, &["--ops-listen", "127.0.0.1:0"]].concat();
        let mut served = Served::start(&database, &flags);
        let mut line = String::new();
        served.out.read_line(&mut line).unwrap();
        let ops = line.trim().strip_prefix("health and metrics on http://").unwrap().to_owned();
        Self { served, token, ops, directory }
    }

    fn connect(&self, settings: &[u8]) -> Raw {
        Raw::connect(self.served.base_url.strip_prefix("http://").unwrap(), settings)
    }

    /// Encodes a request with the token.
    fn request(&self, stream: u32, method: &str) -> Vec<u8> {
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

    /// Returns the resident memory, in KiB.
    fn memory(&self) -> u64 {
        let status = format!("/proc/{}/status", self.served.child.id());
        let text = std::fs::read_to_string(status).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    fn metrics(&self) -> String {
        let response = exchange(&self.ops, b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
        parse(&response).text().to_owned()
    }

    /// Waits for a line of the metrics.
    fn wait_for(&self, expected: &str) {
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
    fn assert_healthy(&self, name: &str, before: u64) {
        assert_eq!(
            get(&self.served.base_url, &self.token, "method=credits/get").status,
            200,
            "{name}"
        );
        self.wait_for("gateway_requests_in_flight 0");
        self.wait_for("gateway_connections 0");
        let after = self.memory();
        assert!(after < before + GROWTH, "{name}: {before} KiB before, {after} KiB after");
    }
}

/// Reads to the end of a connection, and returns why it ended.
fn ending(raw: &mut Raw) -> Option<&'static str> {
    let mut ending = None;
    while let Some(event) = raw.next() {
        if let Event::GoAway(reason) = event {
            ending = Some(reason);
        }
    }
    ending
}

/// Every client sends all of its frames before it reads.
#[test]
fn floods_end_the_connection() {
    let target = Target::start(&[]);
    let before = target.memory();
    let streams = || (0..10_000_u32).map(|number| 2 * number + 1);
    let times = |frame: Vec<u8>| frame.repeat(100_000);
    let small = |stream| target.request(stream, "credits/get");
    let list = |stream| target.request(stream, "candidates/list");
    let reset = |stream| frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes());
    let open = |stream| {
        let head = target.request(stream, "credits/get");
        frame(HEADERS, END_HEADERS, stream, &head[9..])
    };
    let cases: [(&str, Vec<u8>); 12] = [
        ("rapid reset", streams().flat_map(|id| [small(id), reset(id)].concat()).collect()),
        ("rapid reset of lists", streams().flat_map(|id| [list(id), reset(id)].concat()).collect()),
        // Streams that the server has to reset.
        (
            "overflowing windows",
            streams()
                .flat_map(|id| {
                    [open(id), frame(WINDOW_UPDATE, 0, id, &0x7fff_ffff_u32.to_be_bytes())].concat()
                })
                .collect(),
        ),
        (
            "streams that depend on themselves",
            streams()
                .flat_map(|id| {
                    let payload = [&id.to_be_bytes()[..], &[1]].concat();
                    [open(id), frame(PRIORITY, 0, id, &payload)].concat()
                })
                .collect(),
        ),
        ("malformed requests", streams().flat_map(|id| frame(HEADERS, 5, id, b"")).collect()),
        ("more streams than allowed", streams().flat_map(list).collect()),
        (
            "empty continuations",
            [frame(HEADERS, END_STREAM, 1, b""), times(frame(CONTINUATION, 0, 1, b""))].concat(),
        ),
        (
            "long continuations",
            [
                frame(HEADERS, END_STREAM, 1, b""),
                frame(CONTINUATION, 0, 1, &block(&[("a", [b'b'; 16_000])])).repeat(500),
            ]
            .concat(),
        ),
        ("pings", times(frame(PING, 0, 0, &[0; 8]))),
        ("settings", times(frame(SETTINGS, 0, 0, &setting(1, 0)))),
        ("priorities", times(frame(PRIORITY, 0, 3, &[0, 0, 0, 0, 1]))),
        ("frames of an unknown type", times(frame(200, 0, 0, b""))),
    ];
    for (name, bytes) in cases {
        let mut raw = target.connect(b"");
        // Fails as soon as the server has closed the connection.
        let _was_read = raw.send(&bytes);
        let ending = ending(&mut raw);
        println!("{name}: {ending:?}, {} KiB", target.memory());
        assert!(matches!(ending, Some("ENHANCE_YOUR_CALM") | None), "{name}: {ending:?}");
        drop(raw);
        target.assert_healthy(name, before);
    }
    drop(target.directory);
}

/// A client that resets many responses, each after it has begun.
#[test]
fn a_client_that_resets_most_responses_is_disconnected() {
    let target = Target::start(&[]);
    let before = target.memory();
    let mut raw = target.connect(b"");
    let mut reset = 0;
    'all: for id in (0..1_000_u32).map(|number| 2 * number + 1) {
        raw.send(&target.request(id, "candidates/list"));
        loop {
            match raw.next() {
                Some(Event::Status(stream, 200)) if stream == id => break,
                Some(Event::GoAway(reason)) => {
                    assert_eq!(reason, "ENHANCE_YOUR_CALM");
                    break 'all;
                }
                Some(_) => {}
                None => break 'all,
            }
        }
        reset += 1;
        raw.send(&frame(RST_STREAM, 0, id, &8_u32.to_be_bytes()));
        // The window of the connection is used by what has been sent.
        raw.send(&frame(WINDOW_UPDATE, 0, 0, &65_535_u32.to_be_bytes()));
    }
    assert!((100..200).contains(&reset), "{reset} resets");
    drop(raw);
    target.assert_healthy("resets", before);
    drop(target.directory);
}

/// Each stream holds a piece of a list, which is why there are at most 32.
#[test]
fn streams_that_are_not_read_are_limited_and_cut() {
    let target = Target::start(&["--stall-timeout", "1"]);
    let before = target.memory();
    let mut raw = target.connect(&setting(4, 0));
    for id in (0..100_u32).map(|number| 2 * number + 1) {
        raw.send(&target.request(id, "candidates/list"));
    }
    let (mut begun, mut refused, mut cut) = (0, 0, 0);
    while begun + refused < 100 || cut < begun {
        match raw.next().expect("an open connection") {
            Event::Status(..) => begun += 1,
            Event::Reset(_, "REFUSED_STREAM") => refused += 1,
            Event::Reset(_, "CANCEL") => cut += 1,
            Event::Pong => {}
            event => panic!("{event:?}"),
        }
    }
    assert!(begun <= 40 && refused >= 60, "{begun} begun, {refused} refused");
    assert!(target.memory() < before + GROWTH);
    target.wait_for("gateway_requests_in_flight 0");
    let metrics = target.metrics();
    let stalled = format!("gateway_response_ends_total{{end=\"stalled\"}} {begun}");
    assert!(metrics.lines().any(|line| line == stalled), "{metrics}");
    // The connection can still be used.
    raw.send(&frame(SETTINGS, 0, 0, &setting(4, 65_535)));
    raw.send(&target.request(1_001, "credits/get"));
    assert_eq!(raw.next(), Some(Event::Status(1_001, 200)));
    drop(raw);
    target.assert_healthy("unread streams", before);
    drop(target.directory);
}

/// The window is open, but the client reads nothing from its socket.
#[test]
fn a_connection_that_is_not_read_is_cut() {
    let target = Target::start(&["--stall-timeout", "1"]);
    let before = target.memory();
    let mut raw = target.connect(&setting(4, 0x7fff_ffff));
    raw.send(&frame(WINDOW_UPDATE, 0, 0, &0x7ffe_ffff_u32.to_be_bytes()));
    for id in (0..8_u32).map(|number| 2 * number + 1) {
        raw.send(&target.request(id, "candidates/list"));
    }
    target.wait_for("gateway_response_ends_total{end=\"stalled\"} 8");
    let mut rest = Vec::new();
    drop(raw.socket.read_to_end(&mut rest));
    drop(raw);
    target.assert_healthy("unread connection", before);
    drop(target.directory);
}

/// Maximum growth of the resident memory, in KiB.
const GROWTH: u64 = 96 * 1024;

/// Maximum time of any step, on the slowest machine.
const GENEROUS: Duration = Duration::from_secs(30);
