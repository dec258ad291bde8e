//! No call outlives its deadline or its timeouts.

use std::net::{Ipv4Addr, TcpListener};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gateway_transport::{Deadline, ErrorKind, Phase, Request, Sent, TransportError};

use crate::conformance::Kit;
use crate::conformance::failure::{describe, ensure_eq, expect_kind, for_input};
use crate::conformance::kit::Response;
use crate::conformance::peer::{
    BlackHole, METHODS, PATIENCE, SHORT, begun_within, for_each, friendly, get, get_uri, patiently,
    server, settle, with, within,
};
use crate::outcome::{Outcome, Stop, ensure, fail};
use crate::raw_server::Next;

/// The deadline ends the wait for a head.
///
/// Promise 4 of a transport.
pub fn deadline_of_the_head(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.wait_for_close(PATIENCE);
        Next::Close
    })?;
    in_time(kit, within(SHORT, get(&server, "/")?))
}

/// The deadline ends the wait for a head that arrives byte by byte: it limits the whole head, not each pause.
///
/// Promise 4 of a transport.
pub fn deadline_of_a_dripping_head(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.drip(&[b"HTTP/1.1 200 OK\r\nx: ", [b'v'; 200].as_slice()].concat(), DRIP);
        Next::Close
    })?;
    in_time(kit, within(SHORT, get(&server, "/")?))
}

/// The deadline of the head ends the wait for a head that arrives byte by byte, although the body may take longer.
///
/// A list may take an hour to read, but it must begin soon. Promise 4 of a transport.
pub fn early_deadline_of_a_dripping_head(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.drip(&[b"HTTP/1.1 200 OK\r\nx: ", [b'v'; 200].as_slice()].concat(), DRIP);
        Next::Close
    })?;
    in_time(kit, begun_within(SHORT, get(&server, "/")?))
}

/// The deadline of the head does not end the body.
///
/// A deadline that ends too early truncates good lists. Promise 4 of a transport.
pub fn body_later_than_the_deadline_of_its_head(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n");
        settle(SHORT * 2);
        connection.send(b"late");
        Next::KeepAlive
    })?;
    let response = patiently(|| kit.fetch(begun_within(SHORT, get(&server, "/")?)))?;
    ensure_eq!(response.body, &b"late"[..], "the body");
    Ok(())
}

/// The deadline ends a body that arrives byte by byte.
///
/// Most of the widely used clients only limit each pause. Promise 4 of a transport.
pub fn deadline_of_a_dripping_body(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 200\r\n\r\n");
        connection.drip(&[b'x'; 200], DRIP);
        Next::Close
    })?;
    body_in_time(|limit| body_failure(kit, within(limit, get(&server, "/")?)))
}

/// A call whose deadline has passed fails before anything is sent.
///
/// Promise 4 of a transport.
pub fn deadline_that_has_passed(kit: &Kit) -> Outcome {
    let server = friendly()?;
    let mut request = get(&server, "/")?;
    let past = Instant::now().checked_sub(Duration::from_secs(1));
    let past =
        past.ok_or_else(|| Stop::Fail("the clock is too young for a past deadline".into()))?;
    request.extensions_mut().insert(Deadline::at(past));
    let error = kit.failure(request)?;
    expect_kind(&error, &[ErrorKind::Timeout])?;
    ensure_eq!(error.sent(), Sent::No, "`sent`");
    ensure_eq!(server.progress().requests.len(), 0, "requests");
    Ok(())
}

/// A slow response that arrives before the deadline is returned.
///
/// A deadline that ends too early fails good calls.
pub fn slow_response_within_its_deadline(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        settle(SHORT);
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n");
        connection.drip(b"slow", DRIP);
        Next::KeepAlive
    })?;
    let response = kit.fetch(within(PATIENCE, get(&server, "/")?))?;
    ensure_eq!(response.body, &b"slow"[..], "the body");
    Ok(())
}

/// The deadline of one request does not apply to the next one on the same connection.
///
/// A deadline belongs to its request.
pub fn deadline_belongs_to_its_request(kit: &Kit) -> Outcome {
    let server = server(|request, connection| {
        if request.target() == "/slow" {
            settle(SHORT * 4);
        }
        connection.respond("", b"{}");
        Next::KeepAlive
    })?;
    patiently(|| kit.fetch(within(SHORT * 3, get(&server, "/quick")?)))?;
    kit.fetch(get(&server, "/slow")?)?;
    Ok(())
}

/// The connect timeout ends an attempt to connect to a silent host, and the error says that nothing was sent.
///
/// A firewall that drops packets never answers; without a timeout the system waits for minutes. RFC 9293 section
/// 3.10.1.
pub fn connect_timeout(kit: &Kit) -> Outcome {
    let kit = kit.with(|setup| setup.connect_timeout = SHORT)?;
    let hole = BlackHole::new()?;
    let request = get_uri(&format!("http://{}/", hole.address))?;
    for request in [within(PATIENCE, request.clone()), request] {
        let start = Instant::now();
        let error = kit.failure(request)?;
        let took = start.elapsed();
        expect_kind(&error, &[ErrorKind::Timeout])?;
        let is_connecting = error.phase() == Phase::Connect;
        ensure!(is_connecting, "the phase is not `Connect`: {}", describe(&error));
        ensure!(error.sent() == Sent::No, "`sent` is not `No`: {}", describe(&error));
        ensure!(took < LATE, "the call took {took:?}");
    }
    Ok(())
}

/// The deadline ends a body that arrives faster than it is read.
///
/// A client that looks at the clock only while it waits for data never looks. Promise 4 of a transport.
pub fn deadline_of_a_fast_body(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        let chunk = [b"4000\r\n".as_slice(), &[b'x'; 0x4000], b"\r\n"].concat();
        connection.flood(&chunk, usize::MAX);
        Next::Close
    })?;
    body_in_time(|limit| {
        let started = Instant::now();
        let Some(mut response) = begin(kit, within(limit, get(&server, "/")?))? else {
            return Ok(None);
        };
        loop {
            match response.chunk() {
                Err(error) => return Ok(Some(error)),
                Ok(None) => return fail("an endless body ended without an error"),
                Ok(Some(_)) => {
                    let took = started.elapsed();
                    ensure!(took < limit + LATE, "the body was read for {took:?}");
                }
            }
        }
    })
}

/// The idle timeout ends a body whose peer stops sending.
///
/// A peer that has vanished never closes the connection. `Setup::idle_timeout`.
pub fn idle_timeout_of_the_body(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc");
        connection.wait_for_close(PATIENCE * 2);
        Next::Close
    })?;
    body_in_time(|limit| {
        let kit = kit.with(|setup| setup.idle_timeout = limit)?;
        body_failure(&kit, get(&server, "/")?)
    })
}

/// The deadline ends a body whose peer stops sending.
///
/// Promise 4 of a transport.
pub fn deadline_of_a_silent_body(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc");
        connection.wait_for_close(PATIENCE * 2);
        Next::Close
    })?;
    body_in_time(|limit| body_failure(kit, within(limit, get(&server, "/")?)))
}

/// The deadline ends a call whose peer does not read the request.
///
/// Promise 4 of a transport.
pub fn deadline_of_sending(kit: &Kit) -> Outcome {
    // The system completes connections to a listener that never accepts.
    let peer = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let request = http::Request::post(format!("http://{}/", peer.local_addr()?));
    in_time(kit, within(SHORT, request.body(Bytes::from(vec![b'x'; 64 << 20]))?))
}

/// The deadline ends an attempt to connect, although the connect timeout is longer.
///
/// Promise 4 of a transport.
pub fn deadline_of_connecting(kit: &Kit) -> Outcome {
    let hole = BlackHole::new()?;
    in_time(kit, within(SHORT, get_uri(&format!("http://{}/", hole.address))?))
}

/// The deadline ends a call whose peer sends endless interim responses.
///
/// Each of them looks like progress. RFC 9110 section 15.2.
pub fn deadline_of_interim_responses(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        let hint = b"HTTP/1.1 103 Early Hints\r\n\r\n";
        while connection.send(hint) && !connection.wait_for_close(Duration::from_millis(10)) {}
        Next::Close
    })?;
    let started = Instant::now();
    let error = kit.failure(within(SHORT, get(&server, "/")?))?;
    // A client may also refuse them after a few hundred.
    expect_kind(&error, &[ErrorKind::Timeout, ErrorKind::TooLarge, ErrorKind::Protocol])?;
    ensure!(started.elapsed() < LATE, "the call took {:?}", started.elapsed());
    Ok(())
}

/// A deadline that is far in the future does not fail the call.
///
/// Adding it to the clock overflows in some clients. Promise 4 of a transport.
pub fn far_deadline_does_no_harm(kit: &Kit) -> Outcome {
    let server = friendly()?;
    for limit in [Duration::from_secs(60), Duration::from_secs(365 * 24 * 60 * 60), Duration::MAX] {
        let response = kit.fetch(within(limit, get(&server, "/")?))?;
        ensure_eq!(response.body, b"{}"[..], "the body");
    }
    Ok(())
}

/// The idle timeout ends the wait for a head from a silent peer.
///
/// `Setup::idle_timeout`.
pub fn idle_timeout_of_the_head(kit: &Kit) -> Outcome {
    let kit = kit.with(|setup| setup.idle_timeout = SHORT)?;
    let server = server(|_, connection| {
        connection.wait_for_close(PATIENCE);
        Next::Close
    })?;
    in_time(&kit, get(&server, "/")?)
}

/// The idle timeout does not end a body that arrives slowly but steadily.
///
/// `Setup::idle_timeout`.
pub fn slow_body_is_not_idle(kit: &Kit) -> Outcome {
    let kit = kit.with(|setup| setup.idle_timeout = SHORT * 3)?;
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n");
        connection.drip(b"slow body", SHORT / 2);
        Next::KeepAlive
    })?;
    let response = patiently(|| kit.fetch(get(&server, "/")?))?;
    ensure_eq!(response.body, b"slow body"[..], "the body");
    Ok(())
}

/// The deadline counts from the call. It does not start again when a part of the response arrives.
///
/// A deadline that restarts at the head lets a call take twice its time. Promise 4 of a transport.
pub fn deadline_is_not_restarted(kit: &Kit) -> Outcome {
    const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-length: 200\r\n\r\n";
    let limit = SHORT * 3;
    // What arrives after two thirds of the time, and what follows, byte by byte.
    let cases = [
        ("an interim response", "HTTP/1.1 103 Early Hints\r\n\r\n", ""),
        ("a part of the head", "HTTP/1.1 200 OK\r\nx-a", ""),
        ("the head", HEAD, ""),
        ("the head and a slow body", HEAD, "x"),
    ];
    for_each(&cases, |&(input, first, rest)| {
        let server = server(move |_, connection| {
            settle(SHORT * 2);
            connection.send(first.as_bytes());
            connection.drip(rest.repeat(200).as_bytes(), DRIP);
            connection.wait_for_close(PATIENCE);
            Next::Close
        })?;
        // A deadline for the head, just before the end, changes nothing here.
        for head in [limit, SHORT * 8 / 3] {
            let outcome = patiently(|| {
                let mut request = get(&server, "/")?;
                let start = Instant::now();
                let deadline = Deadline::since(start, limit).head_by(start + head);
                request.extensions_mut().insert(deadline);
                let error = kit.failure(request)?;
                let took = start.elapsed();
                expect_kind(&error, &[ErrorKind::Timeout])?;
                ensure!(took < limit + SHORT, "{limit:?} became {took:?}");
                Ok(())
            });
            for_input(input, outcome)?;
        }
        Ok(())
    })
}

/// The idle timeout ends the wait for a silent peer, although the deadline is later.
///
/// Each limit applies beside the others; the earliest of them ends the call. `Setup::idle_timeout`.
pub fn idle_timeout_beside_a_deadline(kit: &Kit) -> Outcome {
    let kit = kit.with(|setup| setup.idle_timeout = SHORT)?;
    let head = "HTTP/1.1 200 OK\r\n";
    let body = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc";
    for_each(&["", head, body], |&sent| {
        let server = server(move |_, connection| {
            connection.send(sent.as_bytes());
            connection.wait_for_close(PATIENCE * 2);
            Next::Close
        })?;
        for (method, body) in METHODS {
            let mut request = with(&method, body, get(&server, "/")?);
            let input = format!("{method}, silent after {sent:?}");
            for_input(&input, in_time(&kit, within(PATIENCE, request.clone())))?;
            let deadline = Deadline::after(PATIENCE * 2).head_by(Instant::now() + PATIENCE);
            request.extensions_mut().insert(deadline);
            for_input(&input, in_time(&kit, request))?;
        }
        Ok(())
    })
}

/// Sends the request, which must fail with a timeout soon after `SHORT`.
fn in_time(kit: &Kit, request: Request) -> Outcome {
    let start = Instant::now();
    let error = kit.failure(request)?;
    let took = start.elapsed();
    expect_kind(&error, &[ErrorKind::Timeout])?;
    ensure!(took < LATE, "the call took {took:?}");
    Ok(())
}

/// Calls `call` with a limit, until the head arrives within it; then the body must fail with a timeout soon after it.
///
/// A busy machine may need longer than `SHORT` for the head. That says nothing about the body, so a longer limit
/// follows.
fn body_in_time(call: impl Fn(Duration) -> Outcome<Option<TransportError>>) -> Outcome {
    for limit in [SHORT, SHORT * 3, SHORT * 9] {
        let start = Instant::now();
        if let Some(error) = call(limit)? {
            let took = start.elapsed();
            expect_kind(&error, &[ErrorKind::Timeout])?;
            ensure!(took < limit + LATE, "the call took {took:?}");
            return Ok(());
        }
    }
    fail(format!("the head did not arrive within {:?}", SHORT * 9))
}

/// Sends the request, and returns the error of its body, or `None` if the head does not arrive in time.
fn body_failure(kit: &Kit, request: Request) -> Outcome<Option<TransportError>> {
    let Some(response) = begin(kit, request)? else {
        return Ok(None);
    };
    response.failure().map(Some)
}

/// Sends the request and waits for the head. Returns `None` if it does not arrive in time.
fn begin(kit: &Kit, request: Request) -> Outcome<Option<Response>> {
    match kit.send(request) {
        Ok(response) => Ok(Some(response)),
        Err(error) if error.kind() == ErrorKind::Timeout => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Longest time that a call with a limit of `SHORT` may take on a busy machine.
const LATE: Duration = Duration::from_secs(3);

/// Pause between two bytes of a slow response.
const DRIP: Duration = Duration::from_millis(50);
