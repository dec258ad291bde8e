//! No peer decides how much memory we use.

use std::time::Duration;

use crate::conformance::outcome::ensure;
use crate::conformance::peer::{PATIENCE, friendly, get, server};
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
