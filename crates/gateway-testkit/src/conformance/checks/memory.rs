//! No peer decides how much memory we use.

use std::time::Duration;

use gateway_transport::ErrorKind;

use crate::conformance::outcome::{ensure, ensure_eq, expect_kind};
use crate::conformance::peer::{PATIENCE, SHORT, friendly, get, playing, server, within};
use crate::conformance::{Kit, Outcome, Stop};
use crate::raw_server::{Next, Progress};

/// A reader that stops stops the peer: what nobody reads is not received.
///
/// The third promise of a transport. What the systems on both sides keep is a few megabytes.
pub fn slow_reader_slows_the_peer(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 134217728\r\n\r\n");
        connection.flood_until_blocked(&[b'x'; 8192], 128 << 20, Duration::from_millis(300));
        Next::Close
    })?;
    let mut answer = kit.send(get(&server, "/")?)?;
    if let (_, Some(error)) = answer.read_up_to(1) {
        return Err(error.into());
    }
    let is_blocked = server.wait_until(PATIENCE, |progress| progress.blocked > 0);
    let written = server.progress().written;
    ensure!(is_blocked && written < 24 << 20, "{} MiB were taken unread", written >> 20);
    Ok(())
}

/// A body that is dropped closes its connection, rather than being read to its end.
///
/// The sixth promise of a transport.
pub fn dropped_body_closes(kit: &Kit) -> Outcome {
    let server = super::body::endless()?;
    drop(kit.send(get(&server, "/")?)?);
    let is_closed = server.wait_until(PATIENCE, |progress| progress.closed_by_peer > 0);
    ensure!(is_closed, "the connection is still read after the body was dropped");
    Ok(())
}

/// A body that is dropped half-read closes its connection too.
///
/// The sixth promise of a transport.
pub fn body_dropped_half_read_closes(kit: &Kit) -> Outcome {
    let server = super::body::endless()?;
    let mut answer = kit.send(get(&server, "/")?)?;
    let (read, _) = answer.read_up_to(100_000);
    ensure!(read.len() >= 100_000, "only {} bytes came", read.len());
    drop(answer);
    let is_closed = server.wait_until(PATIENCE, |progress| progress.closed_by_peer > 0);
    ensure!(is_closed, "the connection is still read after the body was dropped");
    Ok(())
}

/// Five hundred calls one after another keep no connection but the last.
///
/// A transport that loses connections runs out of them at night.
pub fn calls_leave_nothing_behind(kit: &Kit) -> Outcome {
    let server = friendly()?;
    for _ in 0..500 {
        if kit.fetch(get(&server, "/")?)?.head.status.as_u16() != 200 {
            return Err(Stop::failed("another status than 200"));
        }
    }
    let open = |progress: &Progress| progress.connections - progress.ended;
    let is_small = server.wait_until(PATIENCE, |progress| open(progress) <= 4);
    ensure!(is_small, "{} connections are open after 500 calls", open(&server.progress()));
    Ok(())
}

/// A length that nobody has memory for is believed only as far as bytes arrive.
///
/// A client that sets the memory aside first ends the program. The third promise of a transport.
pub fn announced_size_is_not_set_aside(kit: &Kit) -> Outcome {
    for length in ["9000000000000000000", "1099511627776"] {
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\nabc");
        let server = playing(answer, Next::Close)?;
        let (read, _) = kit.send(get(&server, "/")?)?.read_up_to(100);
        ensure_eq!(read, b"abc", "what can be read");
    }
    Ok(())
}

/// A header line that does not end is refused, too.
///
/// RFC 9112 section 2.3.
pub fn endless_line_is_refused(kit: &Kit) -> Outcome {
    endless(kit, "HTTP/1.1 200 OK\r\nx-a: ", "v".repeat(1000))
}

/// The extension of a chunk does not go on for ever.
///
/// It is thrown away anyway, and a client that does not count it can be kept busy without end. RFC 9112 section 7.1.1.
pub fn endless_chunk_extension_is_refused(kit: &Kit) -> Outcome {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;a=";
    endless(kit, head, "v".repeat(1000))
}

/// Trailers without end are refused, or read at most to the deadline, and not kept.
///
/// They come after all that counts, so nobody looks. RFC 9112 section 7.1.2.
pub fn endless_trailers_end(kit: &Kit) -> Outcome {
    let line = format!("x-a: {}\r\n", "v".repeat(1000)).repeat(16);
    let server = server(move |_, connection| {
        connection
            .send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n");
        connection.flood(line.as_bytes(), usize::MAX);
        Next::Close
    })?;
    let error = kit.failure(within(SHORT, get(&server, "/")?))?;
    expect_kind(&error, &[ErrorKind::TooLarge, ErrorKind::Protocol, ErrorKind::Timeout])?;
    let is_closed = server.wait_until(PATIENCE, |progress| progress.closed_by_peer > 0);
    ensure!(is_closed, "nobody closes the connection");
    Ok(())
}

/// Plays `start` and then `block` without end, and expects that it is refused.
fn endless(kit: &Kit, start: &'static str, block: String) -> Outcome {
    let server = server(move |_, connection| {
        connection.send(start.as_bytes());
        connection.flood(block.as_bytes(), 128 << 20);
        Next::Close
    })?;
    let error = kit.failure(within(PATIENCE, get(&server, "/")?))?;
    expect_kind(&error, &[ErrorKind::TooLarge, ErrorKind::Protocol])?;
    let is_closed = server.wait_until(PATIENCE, |progress| progress.closed_by_peer > 0);
    let written = server.progress().written;
    ensure!(is_closed && written < 24 << 20, "{} MiB were taken", written >> 20);
    Ok(())
}
