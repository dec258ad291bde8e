//! Timeouts: heads that arrive byte by byte, empty lines, and responses that are read byte by byte.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use gateway_server::Config;

use crate::front::Here;
use crate::process::{Served, program};
use crate::support::{Ops, begin_list};

/// Writes a byte whenever the server is silent for a moment, until it closes the connection, and returns what it sent.
pub(crate) fn drip(socket: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut piece = [0; 1024];
    let begun = Instant::now();
    socket.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    while begun.elapsed() < GENEROUS {
        match socket.read(&mut piece) {
            Ok(0) => return bytes,
            Ok(length) => bytes.extend_from_slice(&piece[..length]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                // Fails if the server has answered and closed the connection.
                drop(socket.write_all(b"a"));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return bytes,
            Err(error) => panic!("{error} after {}", String::from_utf8_lossy(&bytes)),
        }
    }
    panic!("the server still waits for the head after {GENEROUS:?}");
}

#[test]
fn a_head_that_arrives_byte_by_byte_times_out() {
    let here = Here::start(|config| config.head_timeout = Duration::from_millis(300));
    let mut first = here.connect();
    first.write_all(b"GET /c/oauth/v1 HTTP/1.1\r\nHost: a\r\nX-Drip: ").unwrap();
    assert!(drip(&mut first).is_empty());
    // A later head has the same timeout as the first.
    let mut second = here.connect();
    second.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nX-Drip: ").unwrap();
    let text = String::from_utf8(drip(&mut second)).unwrap();
    assert!(text.starts_with("HTTP/1.1 404"), "{text}");
    assert_eq!(text.matches("HTTP/1.1 ").count(), 1, "{text}");
}

/// Old clients send an empty line after a request. After it, the connection is idle.
#[test]
fn an_empty_line_does_not_begin_a_head() {
    let here = Here::start(|config| {
        config.head_timeout = Duration::from_millis(100);
        config.idle_timeout = Duration::from_millis(600);
    });
    for (sent, responses) in [
        ("", 0),
        ("GET / HTTP/1.1\r\nHost: a\r\nX-", 0),
        ("\r\n", 0),
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n", 1),
        ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n", 1),
    ] {
        let mut socket = here.connect();
        socket.write_all(sent.as_bytes()).unwrap();
        let mut text = String::new();
        socket.read_to_string(&mut text).unwrap();
        assert_eq!(text.matches("HTTP/1.1 404").count(), responses, "{sent:?}: {text}");
    }
}

/// Each byte is progress, so that only the timeout of the whole response applies.
#[test]
fn a_response_that_is_read_byte_by_byte_times_out() {
    let mut large = LargeResponse::begin(|config| config.response_timeout = Duration::from_secs(1));
    let begun = Instant::now();
    while large.is_in_flight() {
        assert!(begun.elapsed() < GENEROUS, "still being sent after {GENEROUS:?}");
        large.socket.read_exact(&mut [0]).unwrap();
    }
    assert_eq!(large.ops.ends(), ["response_timeout"]);
    assert_cut(large.socket);
}

#[test]
fn a_response_that_is_not_read_stalls() {
    let large = LargeResponse::begin(|config| config.stall_timeout = Duration::from_secs(1));
    large.ops.wait_for("gateway_requests_in_flight 0");
    assert_eq!(large.ops.ends().last().unwrap(), "stalled");
    assert_cut(large.socket);
}

/// The system buffers several megabytes for this client, which reads 400 KB/s: for seconds it accepts nothing from the
/// server.
#[test]
#[expect(clippy::disallowed_methods, reason = "sets the pace of the client")]
fn a_slow_client_that_reads_does_not_stall() {
    let mut large = LargeResponse::begin(|config| config.stall_timeout = Duration::from_secs(1));
    let begun = Instant::now();
    let mut piece = vec![0; 8 * 1024];
    while begun.elapsed() < Duration::from_secs(3) {
        large.socket.read_exact(&mut piece).unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(large.is_in_flight(), "{:?} after {:?}", large.ops.ends(), begun.elapsed());
    // Read the rest quickly.
    let mut end = [0; 5];
    while end != *b"0\r\n\r\n" {
        let length = match large.socket.read(&mut piece) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read.unwrap(),
        };
        assert!(length > 0, "the list was cut: {:?}", large.ops.ends());
        let last: Vec<u8> = end.iter().chain(&piece[..length]).copied().collect();
        end.copy_from_slice(&last[last.len() - 5..]);
    }
    large.ops.wait_for("gateway_requests_in_flight 0");
    assert_eq!(large.ops.ends(), ["complete"]);
}

/// The metrics end with the server, so the access log names this end.
#[test]
fn a_response_that_outlasts_the_drain_timeout_is_drained() {
    let flags = ["--drain-timeout", "0", "--log-level", "info"];
    let (served, _directory) = Served::filled(program(), 40_000, &flags);
    let (_, socket) = begin_list(&served.base_url, &served.token, "");
    let log = served.stop();
    assert!(log.contains("\"end\":\"drained\""), "{log}");
    assert_cut(socket);
}

#[test]
fn a_response_whose_client_has_closed_the_connection_has_no_client() {
    let large = LargeResponse::begin(|_config| {});
    drop(large.socket);
    large.ops.wait_for("gateway_requests_in_flight 0");
    assert_eq!(large.ops.ends(), ["client_gone"]);
}

/// A response in progress that is larger than the system's buffers.
struct LargeResponse {
    ops: Ops,
    socket: TcpStream,
    _here: Here,
}

impl LargeResponse {
    fn begin(change: impl FnOnce(&mut Config)) -> Self {
        let here = Here::large(change);
        let (_, socket) = begin_list(&here.running.address().to_string(), &here.token, "");
        let large = Self { ops: here.ops(), socket, _here: here };
        assert!(large.is_in_flight(), "the response must not fit into the buffers");
        large
    }

    fn is_in_flight(&self) -> bool {
        self.ops.value("gateway_requests_in_flight") > 0.0
    }
}

/// Reads the rest of the system's buffers, and then the end of the connection.
fn assert_cut(mut socket: TcpStream) {
    let mut rest = Vec::new();
    drop(socket.read_to_end(&mut rest));
    let is_complete = rest.ends_with(b"0\r\n\r\n") || rest.ends_with(b"]}");
    assert!(!is_complete, "the list looks complete");
}

/// Maximum time of any step here, on the slowest machine.
const GENEROUS: Duration = Duration::from_secs(30);
