//! Connections are kept while they are good, and no longer.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::conformance::outcome::{ensure, ensure_eq};
use crate::conformance::peer::{
    PATIENCE, at_once, echo, friendly, get, get_uri, playing, server, settle, within,
};
use crate::conformance::{Kit, Outcome};
use crate::raw_server::{Next, RawServer};

/// Requests one after another use one connection.
///
/// A connection costs round trips, and with TLS more. RFC 9112 section 9.3.
pub fn connection_is_reused(kit: &Kit) -> Outcome {
    let server = friendly()?;
    five_requests(kit, &server)?;
    ensure_eq!(server.progress().connections, 1, "connections of 5 requests");
    Ok(())
}

/// A connection is used again after an answer in chunks, too.
///
/// RFC 9112 section 9.3.
pub fn connection_is_reused_after_chunks(kit: &Kit) -> Outcome {
    let answer = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    let server = playing(answer, Next::KeepAlive)?;
    five_requests(kit, &server)?;
    ensure_eq!(server.progress().connections, 1, "connections of 5 requests");
    Ok(())
}

/// After `Connection: close` the connection is not used again.
///
/// RFC 9112 section 9.6.
pub fn close_is_respected(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.respond("connection: close\r\n", b"{}");
        Next::KeepAlive
    })?;
    for _ in 0..3 {
        kit.fetch(get(&server, "/")?)?;
    }
    ensure_eq!(server.progress().connections, 3, "connections of 3 requests");
    Ok(())
}

/// A kept connection that the peer has closed meanwhile does not fail the next request.
///
/// Servers close idle connections all the time. RFC 9112 section 9.5.
pub fn stale_connection_is_survived(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.respond("", b"{}");
        Next::Close
    })?;
    for round in 1..=5 {
        kit.fetch(within(PATIENCE, get(&server, "/")?))?;
        let is_closed = server.wait_until(PATIENCE, |progress| progress.ended >= round);
        ensure!(is_closed, "the peer of the kit did not close");
        // The news of it reaches this side as soon as it runs.
        settle(Duration::from_millis(20));
    }
    Ok(())
}

/// A connection whose answer failed is not used again.
///
/// What is left of it in the connection would be taken for the next answer. RFC 9112 section 9.2.
pub fn failed_connection_is_not_reused(kit: &Kit) -> Outcome {
    let server = server(|request, connection| {
        if request.target() == "/bad" {
            connection.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n");
        } else {
            connection.respond("", b"good");
        }
        Next::KeepAlive
    })?;
    for _ in 0..3 {
        kit.failure(within(PATIENCE, get(&server, "/bad")?))?;
        ensure_eq!(kit.fetch(get(&server, "/good")?)?.body, &b"good"[..], "the body");
    }
    Ok(())
}

/// Requests at the same time do not wait for each other.
///
/// One slow list must not hold up the rest. The contract of `Transport`: `&self`.
pub fn requests_run_side_by_side(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        // Nobody is answered before all four are there.
        let is_company = connection.wait_for_company(4, PATIENCE);
        connection.respond("", if is_company { b"together" } else { b"alone" });
        Next::KeepAlive
    })?;
    let bodies = at_once(4, || kit.fetch(get(&server, "/")?).map(|answer| answer.body));
    for body in bodies {
        ensure_eq!(body?, &b"together"[..], "the body");
    }
    Ok(())
}

/// Answers reach those who asked, whoever is quicker.
///
/// Another account's candidates are the worst answer there is.
pub fn answers_are_not_mixed_up(kit: &Kit) -> Outcome {
    let server = echo()?;
    let next = AtomicUsize::new(0);
    let outcomes = at_once(16, || {
        for _ in 0..20 {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let target = format!("/{number}");
            let body = kit.fetch(get(&server, &target)?)?.body;
            ensure_eq!(body, target.as_bytes(), "the body");
        }
        Ok(())
    });
    outcomes.into_iter().collect()
}

/// A connection of HTTP/1.0 is not used again unless the peer says so.
///
/// RFC 9112 section 9.3.
pub fn older_version_is_not_reused(kit: &Kit) -> Outcome {
    let server = playing("HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n{}", Next::KeepAlive)?;
    for _ in 0..3 {
        kit.fetch(get(&server, "/")?)?;
        settle(Duration::from_millis(10));
    }
    ensure_eq!(server.progress().connections, 3, "connections of 3 requests");
    Ok(())
}

/// A host that does not answer at its first address is tried at the next one.
///
/// `localhost` is often `::1` and then 127.0.0.1, and the server listens on the second only. RFC 8305 section 3.
pub fn every_address_of_a_name_is_tried(kit: &Kit) -> Outcome {
    let server = echo()?;
    let answer = kit.fetch(get_uri(&server.uri_by_name("/name"))?)?;
    ensure_eq!(answer.body, b"/name"[..], "the body");
    Ok(())
}

/// Sends five requests, one after another.
fn five_requests(kit: &Kit, server: &RawServer) -> Outcome {
    for _ in 0..5 {
        kit.fetch(get(server, "/")?)?;
        // A client may put the connection back a moment after it has handed over the end of the body.
        settle(Duration::from_millis(10));
    }
    Ok(())
}
