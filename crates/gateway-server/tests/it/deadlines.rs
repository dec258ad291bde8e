//! What may take how long: heads that drip, empty lines, answers that are taken byte by byte.

use std::io::{BufRead as _, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::front::Here;
use crate::program::{Served, account, run};
use crate::support::{exchange, get, parse};

/// Writes a byte whenever the server has said nothing for a moment, until it speaks, and returns all it says.
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
                // Once the server has answered it may be gone.
                drop(socket.write_all(b"a"));
            }
            Err(error) => panic!("{error} after {}", String::from_utf8_lossy(&bytes)),
        }
    }
    panic!("the server still listens after {GENEROUS:?}");
}

#[test]
fn a_head_that_arrives_byte_by_byte_is_late_too() {
    let here = Here::start(|config| config.head_timeout = Duration::from_millis(300));
    let mut first = here.connect();
    first.write_all(b"GET /c/oauth/v1 HTTP/1.1\r\nHost: a\r\nX-Drip: ").unwrap();
    assert_eq!(parse(&drip(&mut first)).status, 408);
    // The head after an answer has no more time than the first.
    let mut second = here.connect();
    second.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nX-Drip: ").unwrap();
    let text = String::from_utf8(drip(&mut second)).unwrap();
    assert!(text.starts_with("HTTP/1.1 404") && text.contains("HTTP/1.1 408"), "{text}");
}

/// The empty line that old clients send after a request begins no head, so that what follows is idleness.
#[test]
fn an_empty_line_begins_no_head() {
    let here = Here::start(|config| {
        config.head_timeout = Duration::from_millis(100);
        config.idle_timeout = Duration::from_millis(600);
    });
    for (sent, answers) in [
        ("\r\n", 0),
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n", 1),
        ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n", 1),
    ] {
        let mut socket = here.connect();
        socket.write_all(sent.as_bytes()).unwrap();
        let mut text = String::new();
        socket.read_to_string(&mut text).unwrap();
        assert_eq!(text.matches("HTTP/1.1 404").count(), answers, "{sent:?}: {text}");
        assert!(!text.contains("HTTP/1.1 408"), "{sent:?}: {text}");
    }
    // Half of it is the beginning of something, and late when the rest does not come.
    let mut half = here.connect();
    half.write_all(b"\r").unwrap();
    let mut bytes = Vec::new();
    half.read_to_end(&mut bytes).unwrap();
    assert_eq!(parse(&bytes).status, 408);
}

/// One byte now and then is progress, so that only the limit of the whole answer ends it.
#[test]
fn an_answer_that_is_taken_byte_by_byte_ends() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    let token = account(&database, "acme");
    // More than fits into the buffers of the system.
    run(&database, &["demo-data", "--account", "acme", "--candidates", "40000"]);
    let limits = ["--answer-timeout", "1", "--stall-timeout", "600"];
    let mut served =
        Served::start(&database, &[&limits[..], &["--ops-listen", "127.0.0.1:0"]].concat());
    let mut line = String::new();
    served.out.read_line(&mut line).unwrap();
    let ops = line.trim().strip_prefix("health and metrics on http://").unwrap().to_owned();
    let in_flight = || {
        let answer = exchange(&ops, b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
        parse(&answer).text().lines().any(|line| line == "gateway_requests_in_flight 1")
    };
    let mut socket = TcpStream::connect(served.base_url.strip_prefix("http://").unwrap()).unwrap();
    let request = format!(
        "GET /c/oauth/v1?method=candidates/list HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    socket.write_all(request.as_bytes()).unwrap();
    let mut head = [0; 12];
    socket.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
    assert!(in_flight(), "so much is not sent at once");
    let begun = Instant::now();
    while in_flight() {
        assert!(begun.elapsed() < GENEROUS, "still sent after {GENEROUS:?}");
        socket.read_exact(&mut [0]).unwrap();
    }
    // What the system still holds comes, and then the end of a list that is none.
    let mut rest = Vec::new();
    drop(socket.read_to_end(&mut rest));
    assert!(!rest.ends_with(b"0\r\n\r\n"), "the list looks whole");
}

/// What the program refuses, a server that is set up in code can be given: it serves all the same.
#[test]
fn settings_without_sense_kill_nobody() {
    let here = Here::start(|config| {
        config.readers = usize::MAX;
        config.connections = usize::MAX;
        config.head_timeout = Duration::MAX;
        config.idle_timeout = Duration::MAX;
        config.stall_timeout = Duration::MAX;
        config.answer_timeout = Duration::MAX;
        config.drain_timeout = Duration::MAX;
    });
    let base = here.running.base_url();
    assert_eq!(get(&base, &here.token, "method=candidates/list").status, 200);
}

/// Longer than anything here takes on the slowest machine.
const GENEROUS: Duration = Duration::from_secs(30);
