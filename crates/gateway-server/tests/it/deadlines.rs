//! Timeouts: heads that arrive byte by byte, empty lines, and responses that are read byte by byte.

use std::io::{BufRead as _, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::front::Here;
use crate::process::{Served, account, run};
use crate::support::{exchange, get, parse};

/// Writes a byte whenever the server is silent for a moment, until it answers, and returns its whole response.
fn drip(socket: &mut TcpStream) -> Vec<u8> {
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
    assert_eq!(parse(&drip(&mut first)).status, 408);
    // A later head has the same timeout as the first.
    let mut second = here.connect();
    second.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nX-Drip: ").unwrap();
    let text = String::from_utf8(drip(&mut second)).unwrap();
    assert!(text.starts_with("HTTP/1.1 404") && text.contains("HTTP/1.1 408"), "{text}");
}

/// Old clients send an empty line after a request. The connection is idle after it.
#[test]
fn an_empty_line_does_not_begin_a_head() {
    let here = Here::start(|config| {
        config.head_timeout = Duration::from_millis(100);
        config.idle_timeout = Duration::from_millis(600);
    });
    for (sent, responses) in [
        ("\r\n", 0),
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n", 1),
        ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n", 1),
    ] {
        let mut socket = here.connect();
        socket.write_all(sent.as_bytes()).unwrap();
        let mut text = String::new();
        socket.read_to_string(&mut text).unwrap();
        assert_eq!(text.matches("HTTP/1.1 404").count(), responses, "{sent:?}: {text}");
        assert!(!text.contains("HTTP/1.1 408"), "{sent:?}: {text}");
    }
    // Half of an empty line begins a head, which times out.
    let mut half = here.connect();
    half.write_all(b"\r").unwrap();
    let mut bytes = Vec::new();
    half.read_to_end(&mut bytes).unwrap();
    assert_eq!(parse(&bytes).status, 408);
}

/// Each byte is progress, so that only the timeout of the whole response applies.
#[test]
fn a_response_that_is_read_byte_by_byte_times_out() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    let token = account(&database, "acme");
    // A list larger than the buffers of the system.
    run(&database, &["demo-data", "--account", "acme", "--candidates", "40000"]);
    let limits = ["--response-timeout", "1", "--stall-timeout", "600"];
    let mut served =
        Served::start(&database, &[&limits[..], &["--ops-listen", "127.0.0.1:0"]].concat());
    let mut line = String::new();
    served.out.read_line(&mut line).unwrap();
    let ops = line.trim().strip_prefix("health and metrics on http://").unwrap().to_owned();
    let in_flight = || {
        let response = exchange(&ops, b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
        parse(&response).text().lines().any(|line| line == "gateway_requests_in_flight 1")
    };
    let mut socket = TcpStream::connect(served.base_url.strip_prefix("http://").unwrap()).unwrap();
    let request = format!(
        "GET /c/oauth/v1?method=candidates/list HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    socket.write_all(request.as_bytes()).unwrap();
    let mut head = [0; 12];
    socket.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
    assert!(in_flight(), "the response must not fit into the buffers");
    let begun = Instant::now();
    while in_flight() {
        assert!(begun.elapsed() < GENEROUS, "still being sent after {GENEROUS:?}");
        socket.read_exact(&mut [0]).unwrap();
    }
    // The rest of the buffers of the system, and then the end of the connection.
    let mut rest = Vec::new();
    drop(socket.read_to_end(&mut rest));
    assert!(!rest.ends_with(b"0\r\n\r\n"), "the list looks complete");
}

/// The program refuses such settings; a server that is configured in code must work with them.
#[test]
fn out_of_range_settings_do_not_break_the_server() {
    let here = Here::start(|config| {
        config.readers = usize::MAX;
        config.connections = usize::MAX;
        config.head_timeout = Duration::MAX;
        config.idle_timeout = Duration::MAX;
        config.stall_timeout = Duration::MAX;
        config.response_timeout = Duration::MAX;
        config.drain_timeout = Duration::MAX;
    });
    let base = here.running.base_url();
    assert_eq!(get(&base, &here.token, "method=candidates/list").status, 200);
}

/// Maximum time of any step here, on the slowest machine.
const GENEROUS: Duration = Duration::from_secs(30);
