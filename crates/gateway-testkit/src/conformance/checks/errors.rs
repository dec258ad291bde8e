//! A failure says what failed, and whether the request may have reached the peer.

use std::time::Duration;

use gateway_transport::{ErrorKind, Phase, Sent};

use crate::conformance::outcome::{describe, ensure, ensure_eq, expect_kind};
use crate::conformance::peer::{get, get_uri, nobody, playing, server, settle};
use crate::conformance::{Kit, Outcome};
use crate::raw_server::Next;

/// Two different lengths are no answer.
///
/// RFC 9112 section 6.3: anything else is how answers are smuggled.
pub fn lengths_that_contradict(kit: &Kit) -> Outcome {
    protocol(kit, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 5\r\n\r\nabcde")
}

/// A length that is no number is no answer.
///
/// RFC 9112 section 6.3.
pub fn length_that_is_no_number(kit: &Kit) -> Outcome {
    protocol(kit, "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nabcde")
}

/// What is not HTTP is no answer.
///
/// RFC 9112 section 4.
pub fn peer_that_speaks_something_else(kit: &Kit) -> Outcome {
    protocol(kit, "SSH-2.0-OpenSSH_9.7\r\n\r\n")
}

/// A status that is no number is no answer.
///
/// RFC 9112 section 4.
pub fn status_that_is_no_number(kit: &Kit) -> Outcome {
    protocol(kit, "HTTP/1.1 OK OK\r\ncontent-length: 0\r\n\r\n")
}

/// A header line without a colon is no answer.
///
/// RFC 9112 section 5.
pub fn header_without_a_colon(kit: &Kit) -> Outcome {
    protocol(kit, "HTTP/1.1 200 OK\r\nno colon here\r\ncontent-length: 0\r\n\r\n")
}

/// NUL in a header value is no answer.
///
/// RFC 9110 section 5.5.
pub fn nul_in_a_header(kit: &Kit) -> Outcome {
    protocol(kit, "HTTP/1.1 200 OK\r\nx-a: a\0b\r\ncontent-length: 0\r\n\r\n")
}

/// A connection that closes before the head is an interruption; the request is not sent again in silence.
///
/// RFC 9112 section 9.3.1 lets a client try again; ours leaves that to the policy, which counts.
pub fn closed_before_the_head(kit: &Kit) -> Outcome {
    let server = server(|_, _| Next::Close)?;
    let error = kit.failure(get(&server, "/")?)?;
    expect_kind(&error, &[ErrorKind::Interrupted])?;
    ensure_eq!(error.sent(), Sent::Maybe, "whether it was sent");
    settle(Duration::from_millis(30));
    ensure_eq!(server.progress().requests.len(), 1, "requests");
    Ok(())
}

/// A connection that is reset before the head is an interruption too.
///
/// RFC 9112 section 9.5.
pub fn reset_before_the_head(kit: &Kit) -> Outcome {
    let server = server(|_, _| Next::Reset)?;
    let error = kit.failure(get(&server, "/")?)?;
    expect_kind(&error, &[ErrorKind::Interrupted])?;
    ensure_eq!(error.sent(), Sent::Maybe, "whether it was sent");
    Ok(())
}

/// A head that is cut is an interruption.
///
/// RFC 9112 section 8.
pub fn closed_within_the_head(kit: &Kit) -> Outcome {
    let server = playing("HTTP/1.1 200 OK\r\ncontent-le", Next::Close)?;
    let error = kit.failure(get(&server, "/")?)?;
    expect_kind(&error, &[ErrorKind::Interrupted])
}

/// Where nobody listens, no connection is made, and nothing was sent.
///
/// The seventh promise of a transport: it may safely be tried again.
pub fn nobody_listens(kit: &Kit) -> Outcome {
    let error = kit.failure(get_uri(&format!("http://{}/", nobody()?))?)?;
    expect_kind(&error, &[ErrorKind::Connect])?;
    ensure!(error.sent() == Sent::No, "it may have been sent: {}", describe(&error));
    ensure!(error.phase() == Phase::Connect, "another phase: {}", describe(&error));
    ensure!(error.is_transient(), "it is not transient: {}", describe(&error));
    Ok(())
}

/// A name that does not exist is told from a host that does not answer.
///
/// RFC 6761 section 6.4: `.invalid` never exists.
pub fn name_that_does_not_exist(kit: &Kit) -> Outcome {
    let error = kit.failure(get_uri("http://no-such-host.invalid/")?)?;
    expect_kind(&error, &[ErrorKind::Resolve])?;
    ensure!(error.sent() == Sent::No, "it may have been sent: {}", describe(&error));
    Ok(())
}

/// Bytes of an answer that never was asked for are no answer to the next request.
///
/// RFC 9112 section 9.2: they must not be taken for it.
pub fn answer_nobody_asked_for(kit: &Kit) -> Outcome {
    let server = server(|request, connection| {
        connection.respond("", request.target().as_bytes());
        if request.target() == "/first" {
            connection.respond("", b"smuggled");
        }
        Next::KeepAlive
    })?;
    kit.fetch(get(&server, "/first")?)?;
    settle(Duration::from_millis(30));
    // To give up is safe.
    if let Ok(answer) = kit.fetch(get(&server, "/second")?) {
        ensure_eq!(answer.body, &b"/second"[..], "the body");
    }
    Ok(())
}

/// An answer in a version that does not exist is refused.
///
/// RFC 9110 section 2.5.
pub fn unknown_version(kit: &Kit) -> Outcome {
    protocol(kit, "HTTP/7.3 200 OK\r\ncontent-length: 2\r\n\r\n{}")
}

/// The peer plays `sent` and closes: that is an error of the protocol.
fn protocol(kit: &Kit, sent: &'static str) -> Outcome {
    let server = playing(sent, Next::Close)?;
    let error = kit.failure(get(&server, "/")?)?;
    expect_kind(&error, &[ErrorKind::Protocol])
}
