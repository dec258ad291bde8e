//! A body streams, and a truncated body is an error.

use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use gateway_transport::{ErrorKind, Phase};

use crate::conformance::Kit;
use crate::conformance::failure::{describe, ensure_eq, expect_kind};
use crate::conformance::peer::{PATIENCE, endless_body, get, playing, server, within};
use crate::outcome::{Outcome, ensure, fail};
use crate::raw_server::Next;

/// A one-megabyte body arrives complete and unchanged.
///
/// RFC 9112 section 6.2.
pub fn large_body_is_whole(kit: &Kit) -> Outcome {
    let body: Vec<u8> = (0..1_000_000_u32).map(|index| index.to_le_bytes()[1]).collect();
    let expected = body.clone();
    let server = server(move |_, connection| {
        connection.respond("", &body);
        Next::KeepAlive
    })?;
    let body = kit.fetch(get(&server, "/")?)?.body;
    ensure!(body == expected, "the body differs from the one sent; {} bytes arrived", body.len());
    Ok(())
}

/// `Body::collect` accepts a body of exactly the limit, and refuses one that is a byte larger.
///
/// The contract of `Body::collect`.
pub fn limit_is_exact(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.respond("", &[b'x'; 5000]);
        Next::KeepAlive
    })?;
    kit.send(get(&server, "/")?)?.collect(5000)?;
    match kit.send(get(&server, "/")?)?.collect(4999) {
        Ok(_) => fail("a body larger than the limit was accepted"),
        Err(error) => expect_kind(&error, &[ErrorKind::TooLarge]),
    }
}

/// An endless body is abandoned at the limit, and its connection is closed.
///
/// The contract of `Body::collect`; RFC 9110 section 17.5.
pub fn endless_body_ends_at_the_limit(kit: &Kit) -> Outcome {
    let server = endless_body()?;
    match kit.send(get(&server, "/")?)?.collect(100_000) {
        Ok(_) => return fail("an endless body was accepted"),
        Err(error) => expect_kind(&error, &[ErrorKind::TooLarge])?,
    }
    let is_closed = server.wait_until(PATIENCE, |progress| progress.closed_by_peer > 0);
    ensure!(is_closed, "the connection is still open after the limit");
    Ok(())
}

/// The head is returned before the body has been sent.
///
/// A caller must not wait for the end of a list that takes hours. Promise 3 of a transport.
pub fn head_comes_before_the_body(kit: &Kit) -> Outcome {
    let (release, wait) = sync_channel::<()>(1);
    let wait = Mutex::new(wait);
    let server = server(move |_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n");
        let released = wait.lock().is_ok_and(|wait| wait.recv_timeout(PATIENCE).is_ok());
        connection.send(if released { b"{}" } else { b"[]" });
        Next::KeepAlive
    })?;
    let response = kit.send(within(PATIENCE / 2, get(&server, "/")?))?;
    release.send(()).unwrap_or_default();
    ensure_eq!(response.collect(10)?, &b"{}"[..], "the body");
    Ok(())
}

/// The first bytes of a body are returned before the server has sent the last.
///
/// Records are processed as they arrive. Promise 3 of a transport.
pub fn chunks_arrive_as_they_are_sent(kit: &Kit) -> Outcome {
    let (release, wait) = sync_channel::<()>(1);
    let wait = Mutex::new(wait);
    let server = server(move |_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n");
        let released = wait.lock().is_ok_and(|wait| wait.recv_timeout(PATIENCE).is_ok());
        let rest: &[u8] = if released { b"3\r\ndef\r\n" } else { b"4\r\nlate\r\n" };
        connection.send(&[rest, b"0\r\n\r\n"].concat());
        Next::KeepAlive
    })?;
    let mut response = kit.send(within(PATIENCE / 2, get(&server, "/")?))?;
    let first = response.read_up_to(3);
    release.send(()).unwrap_or_default();
    match first {
        (bytes, None) => ensure_eq!(bytes, b"abc".to_vec(), "the first chunk"),
        (_, Some(error)) => return Err(error.into()),
    }
    ensure_eq!(response.collect(10)?, &b"def"[..], "the rest");
    Ok(())
}

/// A body shorter than its declared length is an error, returned after the bytes that arrived.
///
/// RFC 9112 section 8.
pub fn shorter_than_its_length(kit: &Kit) -> Outcome {
    interrupted(kit, "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc", b"abc")
}

/// A body that ends within a chunk is an error.
///
/// RFC 9112 section 8.
pub fn cut_within_a_chunk(kit: &Kit) -> Outcome {
    interrupted(kit, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab", b"ab")
}

/// A body that ends without its last chunk is an error, although every byte arrived.
///
/// RFC 9112 section 8.
pub fn without_its_last_chunk(kit: &Kit) -> Outcome {
    let sent = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabcde\r\n";
    interrupted(kit, sent, b"abcde")
}

/// A chunk whose size is not a number is a protocol error.
///
/// RFC 9112 section 7.1.
pub fn chunk_size_that_is_not_a_number(kit: &Kit) -> Outcome {
    let sent = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabcde\r\n0\r\n\r\n";
    let server = playing(sent, Next::Close)?;
    let error = kit.failure(get(&server, "/")?)?;
    expect_kind(&error, &[ErrorKind::Protocol])
}

/// A connection that is reset within the body is an error of kind `Interrupted`.
///
/// RFC 9112 section 8.
pub fn reset_within(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc");
        Next::Reset
    })?;
    let error = kit.failure(get(&server, "/")?)?;
    expect_kind(&error, &[ErrorKind::Interrupted])
}

/// An error in the body has the phase `Body`.
///
/// The caller may have used the first part of the body already, and must be able to report that.
pub fn failure_is_of_the_body(kit: &Kit) -> Outcome {
    let server = playing("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc", Next::Close)?;
    let response = kit.send(within(Duration::from_secs(4), get(&server, "/")?))?;
    match response.collect(100) {
        Ok(_) => fail("a truncated body was returned as complete"),
        Err(error) if error.phase() == Phase::Body => Ok(()),
        Err(error) => fail(format!("the phase is not `Body`: {}", describe(&error))),
    }
}

/// A response that arrives byte by byte equals one that arrives in one piece.
///
/// The network may split a line end or a chunk size anywhere. RFC 9112 section 6.
pub fn single_bytes_make_a_whole(kit: &Kit) -> Outcome {
    let head = "HTTP/1.1 200 OK\r\nx-a: b\r\ntransfer-encoding: chunked\r\n\r\n";
    let response = format!("{head}0a\r\n0123456789\r\n3\r\nabc\r\n0\r\n\r\n");
    let server = server(move |_, connection| {
        // Without pauses, the bytes would be received in one piece.
        connection.drip(response.as_bytes(), Duration::from_millis(1));
        Next::KeepAlive
    })?;
    let response = kit.fetch(get(&server, "/")?)?;
    ensure_eq!(response.body, b"0123456789abc"[..], "the body");
    ensure_eq!(response.header("x-a"), [b"b"], "the header x-a");
    Ok(())
}

/// A reset within a body that ends when the connection closes is an error, not the end of the body.
///
/// Nothing else shows that such a body was truncated. RFC 9112 section 8.
pub fn reset_is_not_the_end_of_an_open_body(kit: &Kit) -> Outcome {
    let server = playing("HTTP/1.1 200 OK\r\n\r\nabc", Next::Reset)?;
    let error = kit.failure(get(&server, "/")?)?;
    expect_kind(&error, &[ErrorKind::Interrupted])
}

/// A chunk size that overflows every integer type is an error, not a small number.
///
/// RFC 9112 section 7.1: recipients must anticipate overflow.
pub fn huge_chunk_size_is_an_error(kit: &Kit) -> Outcome {
    malformed(kit, "10000000000000005\r\nabcde\r\n0\r\n\r\n")
}

/// A chunk that is longer than its size is an error.
///
/// RFC 9112 section 7.1.
pub fn chunk_without_an_end_is_an_error(kit: &Kit) -> Outcome {
    malformed(kit, "5\r\nabcdefgh\r\n0\r\n\r\n")
}

/// The peer sends `sent` and closes: expects an `Interrupted` error after `received`.
fn interrupted(kit: &Kit, sent: &'static str, received: &[u8]) -> Outcome {
    let server = playing(sent, Next::Close)?;
    let mut response = match kit.send(get(&server, "/")?) {
        Ok(response) => response,
        Err(error) => return expect_kind(&error, &[ErrorKind::Interrupted]),
    };
    match response.read_up_to(1000) {
        (_, None) => fail("a truncated body was returned as complete"),
        (bytes, Some(error)) => {
            ensure!(received.starts_with(&bytes), "the body has bytes that were never sent");
            expect_kind(&error, &[ErrorKind::Interrupted])
        }
    }
}

/// Sends chunks, and expects a protocol error.
fn malformed(kit: &Kit, chunks: &str) -> Outcome {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let server = playing(format!("{head}{chunks}"), Next::Close)?;
    let error = kit.failure(get(&server, "/")?)?;
    expect_kind(&error, &[ErrorKind::Protocol])
}
