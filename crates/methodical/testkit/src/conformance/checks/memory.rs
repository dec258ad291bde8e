//! A peer cannot make a transport use unbounded memory.

use std::time::{Duration, Instant};

use gateway_transport::ErrorKind;

use crate::conformance::Kit;
use crate::conformance::failure::{ensure_eq, expect_kind, for_input};
use crate::conformance::peer::{
    PATIENCE, SHORT, endless_body, friendly, get, playing, server, within,
};
use crate::outcome::{Outcome, ensure, fail};
use crate::raw_server::{Next, Progress};

/// A reader that stops slows the peer down: at most 24 MiB of an unread body are received.
///
/// The operating systems on both sides buffer a few megabytes. Promise 3 of a transport.
pub fn slow_reader_slows_the_peer(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 134217728\r\n\r\n");
        connection.flood_until_blocked(&[b'x'; 8192], 128 << 20, Duration::from_millis(300));
        Next::Close
    })?;
    let mut response = kit.send(get(&server, "/")?)?;
    if let (_, Some(error)) = response.read_up_to(1) {
        return Err(error.into());
    }
    let is_blocked = server.wait_until(PATIENCE, |progress| progress.blocked > 0);
    let written = server.progress().written;
    ensure!(
        is_blocked && written < 24 << 20,
        "{} MiB of an unread body were received",
        written >> 20
    );
    Ok(())
}

/// Dropping a body closes its connection; the rest is not read.
///
/// Promise 6 of a transport.
pub fn dropped_body_closes(kit: &Kit) -> Outcome {
    let server = endless_body()?;
    drop(kit.send(get(&server, "/")?)?);
    let is_closed = server.wait_until(PATIENCE, |progress| progress.closed_by_peer > 0);
    ensure!(is_closed, "the connection is still open after the body was dropped");
    Ok(())
}

/// Dropping a body that was read in part closes its connection.
///
/// Promise 6 of a transport.
pub fn body_dropped_half_read_closes(kit: &Kit) -> Outcome {
    let server = endless_body()?;
    let mut response = kit.send(get(&server, "/")?)?;
    let (read, _) = response.read_up_to(100_000);
    ensure!(read.len() >= 100_000, "only {} bytes arrived", read.len());
    drop(response);
    let is_closed = server.wait_until(PATIENCE, |progress| progress.closed_by_peer > 0);
    ensure!(is_closed, "the connection is still open after the body was dropped");
    Ok(())
}

/// Dropping a body closes its connection, however little of the body is missing, and does not wait for the rest.
///
/// Some clients read the rest of a small body on drop, to reuse the connection. The caller has to wait for that, or the
/// peer is still working for a caller that has left. Promise 6 of a transport.
pub fn small_dropped_body_closes(kit: &Kit) -> Outcome {
    const LENGTH: &str = "content-length: 10\r\n\r\n";
    const CHUNKS: &str = "transfer-encoding: chunked\r\n\r\n";
    // What arrives of the body, and how many bytes of it are read.
    let cases = [
        (LENGTH, "", 0),
        (LENGTH, "abc", 0),
        (LENGTH, "abc", 3),
        (LENGTH, "abcdefghi", 9),
        (CHUNKS, "", 0),
        (CHUNKS, "3\r\nabc\r\n", 0),
        (CHUNKS, "3\r\nabc\r\n", 3),
    ];
    for (framing, part, count) in cases {
        let input = format!("{count} bytes read of {part:?} after {framing:?}");
        let server = server(move |_, connection| {
            connection.send(format!("HTTP/1.1 200 OK\r\n{framing}{part}").as_bytes());
            connection.wait_for_close(PATIENCE * 2);
            Next::Close
        })?;
        let mut response = for_input(&input, kit.send(get(&server, "/")?).map_err(Into::into))?;
        let (read, _) = response.read_up_to(count);
        ensure_eq!(read.len(), count, format_args!("{input}: the bytes that arrived"));
        let start = Instant::now();
        drop(response);
        let took = start.elapsed();
        ensure!(took < PATIENCE / 2, "{input}: dropping the body took {took:?}");
        let is_closed = server.wait_until(PATIENCE, |progress| progress.closed_by_peer > 0);
        ensure!(is_closed, "{input}: the connection is still open after the drop");
    }
    Ok(())
}

/// After 500 consecutive calls, at most four connections are open.
///
/// A transport that leaks connections runs out of them eventually.
pub fn calls_leave_nothing_behind(kit: &Kit) -> Outcome {
    let server = friendly()?;
    for _ in 0..500 {
        if kit.fetch(get(&server, "/")?)?.head.status.as_u16() != 200 {
            return fail("the status is not 200");
        }
    }
    let open = |progress: &Progress| progress.connections - progress.ended;
    let is_small = server.wait_until(PATIENCE, |progress| open(progress) <= 4);
    ensure!(is_small, "{} connections are open after 500 calls", open(&server.progress()));
    Ok(())
}

/// A declared length does not allocate memory before the bytes arrive.
///
/// A client that allocates the declared length first is killed by a peer that lies. Promise 3 of a transport.
pub fn declared_length_is_not_preallocated(kit: &Kit) -> Outcome {
    for length in ["9000000000000000000", "1099511627776"] {
        let response = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\nabc");
        let server = playing(response, Next::Close)?;
        let (read, _) = kit.send(get(&server, "/")?)?.read_up_to(100);
        ensure_eq!(read, b"abc", "the bytes read");
    }
    Ok(())
}

/// An endless header line is refused.
///
/// RFC 9112 section 2.3.
pub fn endless_line_is_refused(kit: &Kit) -> Outcome {
    endless(kit, "HTTP/1.1 200 OK\r\nx-a: ", "v".repeat(1000))
}

/// An endless chunk extension is refused.
///
/// It is discarded, so a client that does not count its bytes can be kept busy without end. RFC 9112 section 7.1.1.
pub fn endless_chunk_extension_is_refused(kit: &Kit) -> Outcome {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;a=";
    endless(kit, head, "v".repeat(1000))
}

/// A response with endless trailers fails, at the deadline at the latest, and its connection is closed.
///
/// They follow the body, where a limit is easily forgotten. RFC 9112 section 7.1.2.
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
    ensure!(is_closed, "the connection is still open");
    Ok(())
}

/// Sends `start` and then `block` without end, and expects the client to refuse it and close the connection.
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
    ensure!(
        is_closed && written < 24 << 20,
        "{} MiB were received, or the connection is still open",
        written >> 20
    );
    Ok(())
}
