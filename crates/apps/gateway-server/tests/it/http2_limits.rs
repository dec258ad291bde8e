//! HTTP/2 as slow, absent and hostile clients use it: timeouts, the ends of responses, and cheap attacks. `h2` reads
//! the frames, and its tests cover invalid ones.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use bytes::Bytes;
use h2::Reason;
use http::Request;

use crate::front::Here;
use crate::http2_client::Client;
use crate::process::{Served, program};
use crate::support::get;

const HEADERS: u8 = 1;
const PRIORITY: u8 = 2;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const LAST: u8 = END_STREAM | END_HEADERS;

/// Encodes a frame.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Encodes short fields, without Huffman codes and without the table (RFC 7541 section 6.2.2).
fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    fields.iter().flat_map(|(name, value)| [vec![0], text(name), text(value)].concat()).collect()
}

/// The fields of a request with this token.
fn fields<'f>(path: &'f str, authorization: &'f str) -> Vec<(&'f str, &'f str)> {
    let (method, scheme, host) = ((":method", "GET"), (":scheme", "http"), (":authority", "a"));
    vec![method, scheme, host, (":path", path), ("authorization", authorization)]
}

const CREDITS: &str = "/c/oauth/v1?method=credits/get";
const LIST: &str = "/c/oauth/v1?method=candidates/list";

/// Connects, and sends the preface, these settings, and more.
fn connect(base_url: &str, settings: &[u8], more: &[u8]) -> TcpStream {
    let mut socket = TcpStream::connect(base_url.strip_prefix("http://").unwrap()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    socket.set_write_timeout(Some(Duration::from_secs(30))).unwrap();
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    // Fails as soon as the server has closed the connection.
    drop(socket.write_all(&[preface, &*frame(SETTINGS, 0, 0, settings), more].concat()));
    socket
}

/// Encodes a setting.
fn setting(id: u16, value: u32) -> Vec<u8> {
    [&id.to_be_bytes()[..], &value.to_be_bytes()].concat()
}

/// Requests that a proxy may understand in another way than this server.
#[test]
fn no_wrong_frame_leads_to_a_success_or_a_failure_of_the_server() {
    let here = Here::start(|_config| {});
    let ops = here.ops();
    let authorization = format!("Bearer {}", here.token);
    let good = fields(CREDITS, &authorization);
    let with = |more: &[(&str, &str)]| block(&[&good, more].concat());
    let other = |name: &str, value| {
        let change = |&(own, old)| (own, if own == name { value } else { old });
        block(&good.iter().map(change).collect::<Vec<_>>())
    };
    let without = |name: &str| {
        block(&good.iter().filter(|(own, _)| *own != name).copied().collect::<Vec<_>>())
    };
    let cases = [
        with(&[("transfer-encoding", "chunked")]),
        with(&[("connection", "close")]),
        with(&[("content-length", "5")]),
        with(&[("content-length", "0"), ("content-length", "1")]),
        with(&[("content-length", "+0")]),
        with(&[("Accept", "*/*")]),
        with(&[("a", "b\r\nc: d")]),
        with(&[("a b", "c")]),
        with(&[(":path", "/")]),
        with(&[(":authority", "a")]),
        with(&[("host", "b")]),
        with(&[("host", "a"), ("host", "a")]),
        without(":authority"),
        without(":path"),
        other(":authority", "a,b"),
        other(":authority", "u@a"),
        other(":path", "/c/oauth/v1?method=credits/get HTTP/1.1"),
        other(":scheme", "ftp"),
        other(":method", "CONNECT"),
    ];
    // The last request is valid, so the others were answered and are counted.
    for block in cases.iter().chain([&block(&good)]) {
        let more = [frame(HEADERS, LAST, 1, block), frame(PING, 0, 0, &[0; 8])].concat();
        let mut socket = connect(&here.running.base_url(), b"", &more);
        // Until the answer to the ping, or the end of the connection.
        let mut head = [0; 9];
        while socket.read_exact(&mut head).is_ok() && head[3..5] != [PING, 1] {
            let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
            socket.read_exact(&mut vec![0; length as usize]).unwrap();
        }
        ops.wait_for("gateway_requests_in_flight 0");
    }
    let sample = "gateway_requests_total{operation=\"credits/get\",status=\"2xx\"}";
    assert_eq!(ops.value(sample).to_string(), "1");
    let metrics = ops.metrics();
    let mut failures = metrics.lines().filter(|line| line.contains("\"5xx\""));
    assert!(failures.all(|line| line.ends_with(" 0")), "{metrics}");
}

/// A server in another process, watched from outside.
struct Watched {
    served: Served,
    before: u64,
    _directory: tempfile::TempDir,
}

impl Watched {
    fn start(flags: &[&str]) -> Self {
        let (served, directory) = Served::filled(program(), 40_000, flags);
        let mut watched = Self { served, before: 0, _directory: directory };
        watched.before = watched.memory();
        watched
    }

    /// Returns the resident memory, in KiB.
    fn memory(&self) -> u64 {
        let status = format!("/proc/{}/status", self.served.child.id());
        let text = std::fs::read_to_string(status).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    fn assert_small(&self, name: &str) {
        let (before, after) = (self.before, self.memory());
        assert!(after < before + GROWTH, "{name}: {before} KiB before, {after} KiB after");
    }
}

/// Every client sends all of its frames before it reads. After each, the server answers others, holds nothing of the
/// attacker, and has not grown much.
#[test]
fn floods_do_not_harm_others() {
    let target = Watched::start(&[]);
    let Served { base_url, ops, token, .. } = &target.served;
    let authorization = format!("Bearer {token}");
    let heads = [CREDITS, LIST].map(|path| block(&fields(path, &authorization)));
    let [small, list] = heads.each_ref().map(|head| |stream| frame(HEADERS, LAST, stream, head));
    let open = |stream| frame(HEADERS, END_HEADERS, stream, &heads[0]);
    let each = |of: &dyn Fn(u32) -> Vec<u8>| -> Vec<u8> {
        (0..10_000).flat_map(|number| of(2 * number + 1)).collect()
    };
    let reset = |stream| frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes());
    let overflow = |stream| frame(WINDOW_UPDATE, 0, stream, &0x7fff_ffff_u32.to_be_bytes());
    let depend =
        |stream: u32| frame(PRIORITY, 0, stream, &[&stream.to_be_bytes()[..], &[1]].concat());
    let times = |frame: Vec<u8>| frame.repeat(100_000);
    let begun = frame(HEADERS, END_STREAM, 1, b"");
    let long =
        frame(CONTINUATION, 0, 1, &[&[0, 1, b'a', 127, 0x81, 0x7c][..], &[b'b'; 16_000]].concat());
    for (name, bytes) in [
        ("rapid reset", each(&|id| [small(id), reset(id)].concat())),
        ("rapid reset of lists", each(&|id| [list(id), reset(id)].concat())),
        // Streams that the server has to reset.
        ("overflowing windows", each(&|id| [open(id), overflow(id)].concat())),
        ("streams that depend on themselves", each(&|id| [open(id), depend(id)].concat())),
        ("malformed requests", each(&|id| frame(HEADERS, LAST, id, b""))),
        ("more streams than allowed", each(&list)),
        ("empty continuations", [begun.clone(), times(frame(CONTINUATION, 0, 1, b""))].concat()),
        ("long continuations", [begun, long.repeat(500)].concat()),
        ("pings", times(frame(PING, 0, 0, &[0; 8]))),
        ("settings", times(frame(SETTINGS, 0, 0, &setting(1, 0)))),
        ("priorities", times(frame(PRIORITY, 0, 3, &[0, 0, 0, 0, 1]))),
        ("frames of an unknown type", times(frame(200, 0, 0, b""))),
    ] {
        drop(connect(base_url, b"", &bytes));
        assert_eq!(get(base_url, token, "method=credits/get").status, 200, "{name}");
        ops.wait_for("gateway_requests_in_flight 0");
        ops.wait_for("gateway_connections 0");
        target.assert_small(name);
    }
}

/// Each stream holds pieces of a list, which is why there are at most 32.
#[test]
fn streams_that_are_not_read_are_limited_and_cut() {
    let target = Watched::start(&["--response-timeout", "1"]);
    let Served { base_url, ops, token, .. } = &target.served;
    let client = Client::with_window(base_url, 0);
    client.send(Request::get("http://a/").body(Bytes::new()).unwrap()).unwrap_err();
    assert_eq!(client.sender.current_max_send_streams(), 32);
    let request = |method: http::request::Builder| {
        method.uri(format!("http://a{LIST}")).header("authorization", format!("Bearer {token}"))
    };
    let begun = client.wait(async {
        let mut begun = Vec::new();
        for _ in 0..32 {
            let request = request(Request::builder()).body(()).unwrap();
            begun.push(client.sender.clone().ready().await?.send_request(request, true)?.0);
        }
        Ok::<_, h2::Error>(begun)
    });
    for response in begun.unwrap() {
        // On a busy machine, a response is cut before it begins.
        let response = client.wait(response).map_err(|error| error.reason());
        let read = response.and_then(|response| client.rest(&mut response.into_body()));
        assert_late(&read);
    }
    target.assert_small("unread streams");
    ops.wait_for("gateway_requests_in_flight 0");
    ops.wait_for("gateway_response_ends_total{end=\"response_timeout\"} 32");
    // The connection can still be used.
    let head = request(Request::head("/")).body(Bytes::new()).unwrap();
    assert_eq!(client.send(head).unwrap().status(), 200);
}

/// Asserts that the server has reset the response. A list that notices its own deadline has the second reason.
fn assert_late(read: &Result<Vec<u8>, Option<Reason>>) {
    let reason = read.as_ref().unwrap_err().unwrap();
    assert!([Reason::CANCEL, Reason::INTERNAL_ERROR].contains(&reason), "{reason:?}");
}

/// One client answers no ping and opens no window. The other opens the window, but reads nothing from its socket.
#[test]
fn a_client_that_is_not_there_is_cut() {
    let here = Here::large(|config| config.stall_timeout = Duration::from_secs(1));
    let ops = here.ops();
    let head = block(&fields(LIST, &format!("Bearer {}", here.token)));
    let request = |stream| frame(HEADERS, LAST, stream, &head);
    let grant = frame(WINDOW_UPDATE, 0, 0, &0x7ffe_ffff_u32.to_be_bytes());
    let many = (0..8).flat_map(|number| request(2 * number + 1)).collect();
    for (more, ended) in [(request(1), 1), ([grant, many].concat(), 9)] {
        let mut socket = connect(&here.running.base_url(), &setting(4, 0x7fff_ffff), &more);
        let lists = "gateway_requests_total{operation=\"candidates/list\",status=\"2xx\"}";
        ops.wait_for(&format!("{lists} {ended}"));
        assert!(ops.ends().iter().all(|end| end != "complete"), "{:?}", ops.ends());
        drop(socket.read_to_end(&mut Vec::new()));
    }
}

/// Maximum growth of the resident memory, in KiB.
const GROWTH: u64 = 96 * 1024;
