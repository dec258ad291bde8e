//! Timeouts of HTTP/2, and the ends of responses that do not reach their last byte.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use crate::http2_raw::{
    CONTINUATION, END_STREAM, Event, HEADERS, PING, RST_STREAM, Raw, WINDOW_UPDATE, frame, setting,
};
use crate::http2_target::Target;

/// Sends `piece` whenever the server is silent for a moment, until it closes the connection. Returns the reason.
fn drip(raw: &mut Raw, piece: &[u8]) -> Option<&'static str> {
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < GENEROUS, "the connection is open after {GENEROUS:?}");
        if is_silent(raw) {
            // Fails if the server has closed the connection.
            let _was_sent = raw.send(piece);
        } else {
            match raw.next() {
                Some(Event::GoAway(reason)) => {
                    while raw.next().is_some() {}
                    return Some(reason);
                }
                None => return None,
                Some(Event::Pong | Event::Pinged) => {}
                event => panic!("{event:?}"),
            }
        }
    }
}

/// Returns whether nothing arrives for a moment.
fn is_silent(raw: &Raw) -> bool {
    raw.socket.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let peeked = raw.socket.peek(&mut [0]);
    raw.socket.set_read_timeout(Some(GENEROUS)).unwrap();
    peeked.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

fn grant(raw: &mut Raw, stream: u32, bytes: u32) {
    raw.send(&frame(WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes()));
    raw.send(&frame(WINDOW_UPDATE, 0, 0, &bytes.to_be_bytes()));
}

/// Reads a response to its end or reset. Returns its bytes, and the reset.
fn read_rest(raw: &mut Raw) -> (Vec<u8>, Option<&'static str>) {
    let mut body = Vec::new();
    loop {
        match raw.next() {
            Some(Event::Data(1, data)) => body.extend(data),
            Some(Event::End(1)) => return (body, None),
            Some(Event::Reset(1, reason)) => return (body, Some(reason)),
            Some(Event::Status(1, 200) | Event::GoAway("NO_ERROR") | Event::Pinged) => {}
            event => panic!("{event:?} after {} bytes", body.len()),
        }
    }
}

#[test]
fn a_head_that_does_not_end_closes_the_connection() {
    let target = Target::start_here(|config| config.idle_timeout = Duration::from_secs(1));
    // The bytes arrive one by one: those of a head, and those of its continuation. Then nothing arrives.
    let long = |kind| frame(kind, 0, 1, &[0; 10_000])[..20].to_vec();
    let begun = frame(HEADERS, END_STREAM, 1, b"");
    let continued = [begun.clone(), long(CONTINUATION)].concat();
    std::thread::scope(|scope| {
        for (beginning, piece) in [(long(HEADERS), &[0][..]), (continued, &[0]), (begun, &[])] {
            let target = &target;
            scope.spawn(move || {
                let mut raw = target.connect(b"");
                // The settings of the server are acknowledged before the head.
                raw.send(&frame(PING, 0, 0, &[0; 8]));
                assert_eq!(raw.next(), Some(Event::Pong));
                assert!(raw.send(&beginning));
                assert!(matches!(drip(&mut raw, piece), Some("NO_ERROR") | None), "{beginning:?}");
            });
        }
    });
}

/// Pings do not make a connection less idle.
#[test]
fn an_idle_connection_is_closed() {
    let target = Target::start_here(|config| config.idle_timeout = Duration::from_secs(1));
    let mut raw = target.connect(b"");
    assert_eq!(drip(&mut raw, &frame(PING, 0, 0, &[0; 8])), Some("NO_ERROR"));
    let mut raw = target.connect(b"");
    raw.send(&target.request(1, "credits/get"));
    let (body, reset) = read_rest(&mut raw);
    assert!(!body.is_empty() && reset.is_none());
    assert_eq!(drip(&mut raw, &frame(PING, 0, 0, &[0; 8])), Some("NO_ERROR"));
}

/// Each byte is progress, so that only the timeout of the whole response applies.
#[test]
fn a_response_that_is_taken_byte_by_byte_times_out() {
    let target = Target::start(&["--response-timeout", "1"]);
    let mut raw = target.connect(&setting(4, 0));
    raw.send(&target.request(1, "candidates/list"));
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < GENEROUS);
        match raw.next() {
            Some(Event::Reset(1, reason)) => {
                assert_eq!(reason, "CANCEL");
                break;
            }
            Some(Event::Status(1, 200) | Event::Data(1, _)) => grant(&mut raw, 1, 1),
            Some(Event::Pinged) => {}
            event => panic!("{event:?}"),
        }
    }
    target.ops.wait_for("gateway_requests_in_flight 0");
    assert_eq!(target.ops.ends(), ["response_timeout"]);
}

/// This client reads 64 KiB at 16 KiB a second, and grants room only afterwards: for seconds, the server sees nothing.
#[test]
fn a_slow_client_that_reads_is_not_cut() {
    let target = Target::start_here(|config| config.stall_timeout = Duration::from_secs(1));
    let mut raw = target.connect(b"");
    raw.send(&target.request(1, "candidates/list"));
    let mut received = 0;
    while received < 65_535 {
        match raw.next() {
            Some(Event::Data(1, data)) => received += data.len(),
            Some(Event::Status(1, 200)) => {}
            event => panic!("{event:?} after {received} bytes"),
        }
    }
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(2_500) {
        // The client answers pings meanwhile.
        assert!(is_silent(&raw) || raw.next() == Some(Event::Pinged));
    }
    // The rest, quickly.
    grant(&mut raw, 1, 1 << 30);
    let (body, reset) = read_rest(&mut raw);
    assert_eq!(reset, None);
    assert!(body.ends_with(b"]}"), "{} bytes", body.len());
    target.ops.wait_for("gateway_requests_in_flight 0");
    assert_eq!(target.ops.ends(), ["complete"]);
}

/// A client that is not there answers no ping.
#[test]
fn a_client_that_answers_no_ping_is_cut() {
    let target = Target::start_here(|config| config.stall_timeout = Duration::from_secs(1));
    let mut raw = target.connect(b"");
    raw.send(&target.request(1, "candidates/list"));
    target.ops.wait_for("gateway_requests_in_flight 1");
    let begun = Instant::now();
    target.ops.wait_for("gateway_requests_in_flight 0");
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert!(target.ops.ends().iter().all(|end| end != "complete"), "{:?}", target.ops.ends());
}

#[test]
fn a_response_that_the_client_resets_has_no_client() {
    let target = Target::start(&[]);
    let mut raw = target.connect(&setting(4, 0));
    raw.send(&target.request(1, "candidates/list"));
    assert_eq!(raw.next(), Some(Event::Status(1, 200)));
    raw.send(&frame(RST_STREAM, 0, 1, &8_u32.to_be_bytes()));
    target.ops.wait_for("gateway_requests_in_flight 0");
    assert_eq!(target.ops.ends(), ["client_gone"]);
}

#[test]
fn a_small_response_that_is_not_taken_times_out() {
    let target = Target::start(&["--response-timeout", "1"]);
    let mut raw = target.connect(&setting(4, 0));
    raw.send(&target.request(1, "credits/get"));
    assert_eq!(read_rest(&mut raw), (Vec::new(), Some("CANCEL")));
    target.ops.wait_for("gateway_requests_in_flight 0");
}

#[test]
fn responses_in_progress_end_before_the_server_stops() {
    let mut target = Target::start(&[]);
    let mut raw = target.connect(b"");
    let mut idle = target.connect(b"");
    idle.send(&frame(PING, 0, 0, &[0; 8]));
    assert_eq!(idle.next(), Some(Event::Pong));
    raw.send(&target.request(1, "candidates/list"));
    assert_eq!(raw.next(), Some(Event::Status(1, 200)));
    target.served().signal("-TERM");
    // The idle connection is closed without delay.
    assert_eq!(idle.next(), Some(Event::GoAway("NO_ERROR")));
    // This client answers no ping, so that the server would wait for it.
    drop(idle);
    while let Some(event) = raw.next() {
        if event == Event::GoAway("NO_ERROR") {
            break;
        }
        assert!(matches!(event, Event::Data(1, _)), "{event:?}");
    }
    grant(&mut raw, 1, 1 << 30);
    let (body, reset) = read_rest(&mut raw);
    assert_eq!(reset, None);
    assert!(body.ends_with(b"]}"));
    drop(raw);
    assert!(target.served().child.wait().unwrap().success());
}

/// Maximum time of any step, on the slowest machine.
const GENEROUS: Duration = Duration::from_secs(30);
