//! An error says what failed, and whether the request may have reached the peer.

use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use gateway_transport::{ErrorKind, Phase, Request, Sent};

use crate::conformance::Kit;
use crate::conformance::failure::{describe, ensure_eq, expect_kind, for_input};
use crate::conformance::peer::{
    METHODS, PATIENCE, SHORT, closed_port, for_each, get, get_uri, patiently, playing, server,
    settle, with, within,
};
use crate::outcome::{Outcome, ensure};
use crate::raw_server::Next;

/// A response with two different lengths is a protocol error.
///
/// Accepting one of them enables response smuggling. RFC 9112 section 6.3.
pub fn lengths_that_contradict(kit: &Kit) -> Outcome {
    protocol(kit, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 5\r\n\r\nabcde")
}

/// A response whose length is not a number is a protocol error.
///
/// RFC 9112 section 6.3.
pub fn length_that_is_not_a_number(kit: &Kit) -> Outcome {
    protocol(kit, "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nabcde")
}

/// A response that is not HTTP is a protocol error.
///
/// RFC 9112 section 4.
pub fn peer_that_does_not_speak_http(kit: &Kit) -> Outcome {
    protocol(kit, "SSH-2.0-OpenSSH_9.7\r\n\r\n")
}

/// A response whose status is not a number is a protocol error.
///
/// RFC 9112 section 4.
pub fn status_that_is_not_a_number(kit: &Kit) -> Outcome {
    protocol(kit, "HTTP/1.1 OK OK\r\ncontent-length: 0\r\n\r\n")
}

/// A response with a header line without a colon is a protocol error.
///
/// RFC 9112 section 5.
pub fn header_without_a_colon(kit: &Kit) -> Outcome {
    protocol(kit, "HTTP/1.1 200 OK\r\nno colon here\r\ncontent-length: 0\r\n\r\n")
}

/// A response with a NUL byte in a header value is a protocol error.
///
/// RFC 9110 section 5.5.
pub fn nul_in_a_header(kit: &Kit) -> Outcome {
    protocol(kit, "HTTP/1.1 200 OK\r\nx-a: a\0b\r\ncontent-length: 0\r\n\r\n")
}

/// A connection that closes before the head is an error of kind `Interrupted`, and the request is not resent.
///
/// RFC 9112 section 9.3.1 lets a client retry. A transport leaves that to the caller's retry policy, which counts
/// attempts.
pub fn closed_before_the_head(kit: &Kit) -> Outcome {
    let server = server(|_, _| Next::Close)?;
    let error = kit.failure(get(&server, "/")?)?;
    expect_kind(&error, &[ErrorKind::Interrupted])?;
    ensure_eq!(error.sent(), Sent::Maybe, "`sent`");
    settle(Duration::from_millis(30));
    ensure_eq!(server.progress().requests.len(), 1, "requests");
    Ok(())
}

/// A connection that is reset before the head is an error of kind `Interrupted`.
///
/// RFC 9112 section 9.5.
pub fn reset_before_the_head(kit: &Kit) -> Outcome {
    let server = server(|_, _| Next::Reset)?;
    let error = kit.failure(get(&server, "/")?)?;
    expect_kind(&error, &[ErrorKind::Interrupted])?;
    ensure_eq!(error.sent(), Sent::Maybe, "`sent`");
    Ok(())
}

/// A truncated head is an error of kind `Interrupted`.
///
/// RFC 9112 section 8.
pub fn closed_within_the_head(kit: &Kit) -> Outcome {
    let server = playing("HTTP/1.1 200 OK\r\ncontent-le", Next::Close)?;
    let error = kit.failure(get(&server, "/")?)?;
    expect_kind(&error, &[ErrorKind::Interrupted])
}

/// A refused connection is a transient error of kind `Connect`, and nothing was sent.
///
/// The caller may safely retry. Promise 7 of a transport.
pub fn connection_refused(kit: &Kit) -> Outcome {
    let error = kit.failure(get_uri(&format!("http://{}/", closed_port()?))?)?;
    expect_kind(&error, &[ErrorKind::Connect])?;
    ensure!(error.sent() == Sent::No, "`sent` is not `No`: {}", describe(&error));
    ensure!(error.phase() == Phase::Connect, "the phase is not `Connect`: {}", describe(&error));
    ensure!(error.is_transient(), "the error is not transient: {}", describe(&error));
    Ok(())
}

/// A host name that does not exist is an error of kind `Resolve`.
///
/// The caller can tell it from a host that does not answer. `.invalid` never exists: RFC 6761 section 6.4.
pub fn name_that_does_not_exist(kit: &Kit) -> Outcome {
    let error = kit.failure(get_uri("http://no-such-host.invalid/")?)?;
    expect_kind(&error, &[ErrorKind::Resolve])?;
    ensure!(error.sent() == Sent::No, "`sent` is not `No`: {}", describe(&error));
    Ok(())
}

/// An unsolicited response is not used as the response to the next request.
///
/// It may arrive together with the response, or later, when the connection is idle. RFC 9112 section 9.2.
pub fn unsolicited_response_is_not_used(kit: &Kit) -> Outcome {
    for_input("with the response", unsolicited_response(kit, false))?;
    // A client that notices it in the background may be slow on a busy machine.
    for_input("on an idle connection", patiently(|| unsolicited_response(kit, true)))
}

fn unsolicited_response(kit: &Kit, is_late: bool) -> Outcome {
    let (release, wait) = sync_channel::<()>(1);
    let wait = Mutex::new(wait);
    let server = server(move |request, connection| {
        if request.target() != "/first" {
            connection.respond("", request.target().as_bytes());
            return Next::KeepAlive;
        }
        let [first, second] = ["/first", "smuggled"]
            .map(|body| format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()));
        if is_late {
            connection.send(first.as_bytes());
            let released = wait.lock().is_ok_and(|wait| wait.recv_timeout(PATIENCE).is_ok());
            if released {
                connection.send(second.as_bytes());
            }
        } else {
            connection.send(format!("{first}{second}").as_bytes());
        }
        Next::KeepAlive
    })?;
    let first = kit.fetch(get(&server, "/first")?)?;
    ensure_eq!(first.body, &b"/first"[..], "the first body");
    release.send(()).unwrap_or_default();
    settle(Duration::from_millis(60));
    // An error is safe, too.
    if let Ok(response) = kit.fetch(get(&server, "/second")?) {
        ensure_eq!(response.body, &b"/second"[..], "the body");
    }
    Ok(())
}

/// A response in an unknown version of HTTP is a protocol error.
///
/// RFC 9110 section 2.5.
pub fn unknown_version(kit: &Kit) -> Outcome {
    protocol(kit, "HTTP/7.3 200 OK\r\ncontent-length: 2\r\n\r\n{}")
}

/// Every failure after the request was sent says so, in its own phase: an error of `send` is not of the body or of
/// connecting, and an error of the body is of the body.
///
/// A caller that reads "nothing was sent" sends a POST again. Promise 7 of a transport.
pub fn sent_and_phase_of_each_failure(kit: &Kit) -> Outcome {
    use ErrorKind::{Interrupted, Protocol, Timeout, TooLarge};
    const LENGTH: &str = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc";
    const CHUNK: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n";
    let large = format!("HTTP/1.1 200 OK\r\nx-a: {}\r\n\r\n", "v".repeat(1 << 20));
    let malformed = format!("{CHUNK}zz\r\n");
    // What the peer sends, what it does then (it waits if that is `KeepAlive`), and the kind of the error.
    let cases: [(&str, Next, ErrorKind); 14] = [
        ("", Next::Close, Interrupted),
        ("", Next::Reset, Interrupted),
        ("HTTP/1.1 200 OK\r\nx-a", Next::Close, Interrupted),
        ("SSH-2.0-OpenSSH_9.7\r\n\r\n", Next::Close, Protocol),
        ("HTTP/1.1 200 OK\r\ncontent-length: a\r\n\r\n", Next::Close, Protocol),
        (&large, Next::Close, TooLarge),
        ("", Next::KeepAlive, Timeout),
        ("HTTP/1.1 200 OK\r\nx-a", Next::KeepAlive, Timeout),
        (LENGTH, Next::Close, Interrupted),
        (LENGTH, Next::Reset, Interrupted),
        (CHUNK, Next::Close, Interrupted),
        (&malformed, Next::Close, Protocol),
        (LENGTH, Next::KeepAlive, Timeout),
        (CHUNK, Next::KeepAlive, Timeout),
    ];
    let idle = kit.with(|setup| setup.idle_timeout = SHORT)?;
    for_each(&cases, |&(sent, next, kind)| {
        let bytes = sent.as_bytes().to_vec();
        let server = server(move |_, connection| {
            connection.send(&bytes);
            if next == Next::KeepAlive {
                connection.wait_for_close(PATIENCE);
                return Next::Close;
            }
            next
        })?;
        for (method, body) in METHODS {
            let start: String = sent.chars().take(80).collect();
            let input = format!("{method}, {next:?} after {start:?}");
            let request = with(&method, body, get(&server, "/")?);
            if kind != Timeout {
                for_input(input, failed_when_sent(kit, request, kind))?;
                continue;
            }
            let deadline = within(SHORT, request.clone());
            let outcome = patiently(|| failed_when_sent(kit, deadline.clone(), kind));
            for_input(format_args!("{input}, with a deadline"), outcome)?;
            let outcome = patiently(|| failed_when_sent(&idle, request.clone(), kind));
            for_input(format_args!("{input}, with an idle timeout"), outcome)?;
        }
        Ok(())
    })
}

/// Sends a request that arrives, and checks the error.
fn failed_when_sent(kit: &Kit, request: Request, kind: ErrorKind) -> Outcome {
    let (error, is_right_phase) = match kit.send(request) {
        Ok(response) => {
            let error = response.failure()?;
            let is_of_the_body = error.phase() == Phase::Body;
            (error, is_of_the_body)
        }
        Err(error) => {
            let is_later = !matches!(error.phase(), Phase::Connect | Phase::Body);
            (error, is_later)
        }
    };
    expect_kind(&error, &[kind])?;
    ensure!(error.sent() == Sent::Maybe, "`sent` is not `Maybe`: {}", describe(&error));
    ensure!(is_right_phase, "the phase is wrong: {}", describe(&error));
    Ok(())
}

/// The peer sends `sent` and closes: expects a protocol error.
fn protocol(kit: &Kit, sent: &'static str) -> Outcome {
    let server = playing(sent, Next::Close)?;
    let error = kit.failure(get(&server, "/")?)?;
    expect_kind(&error, &[ErrorKind::Protocol])
}
