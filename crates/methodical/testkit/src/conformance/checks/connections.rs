//! Connections are reused while they are usable, and no longer.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gateway_transport::{ErrorKind, Sent};

use crate::conformance::Kit;
use crate::conformance::failure::{ensure_eq, expect_kind, for_input};
use crate::conformance::peer::{
    METHODS, PATIENCE, SHORT, concurrently, echo, friendly, get, get_uri, playing, server, settle,
    with, within,
};
use crate::outcome::{Outcome, ensure};
use crate::raw_server::{Next, RawServer};

/// Consecutive requests use one connection.
///
/// Opening a connection costs round trips, and more of them with TLS. RFC 9112 section 9.3.
pub fn connection_is_reused(kit: &Kit) -> Outcome {
    let server = friendly()?;
    five_requests(kit, &server)?;
    ensure_eq!(server.progress().connections, 1, "connections of 5 requests");
    Ok(())
}

/// A connection is also reused after a chunked response.
///
/// RFC 9112 section 9.3.
pub fn connection_is_reused_after_chunks(kit: &Kit) -> Outcome {
    let response = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    let server = playing(response, Next::KeepAlive)?;
    five_requests(kit, &server)?;
    ensure_eq!(server.progress().connections, 1, "connections of 5 requests");
    Ok(())
}

/// A connection is not reused after a response with `Connection: close`.
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

/// A pooled connection that the peer has closed in the meantime does not fail the next request.
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
        ensure!(is_closed, "the server of the kit did not close the connection");
        // Time for the close to reach the client.
        settle(Duration::from_millis(20));
    }
    Ok(())
}

/// A connection is not reused after a failed response.
///
/// The rest of that response would be read as the next one. RFC 9112 section 9.2.
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
        settle(Duration::from_millis(10));
    }
    not_reused_after(&server, "/bad")
}

/// A connection is not reused after a call whose head did not arrive by its deadline.
///
/// The late response would reach the next caller, who may be another person. RFC 9112 section 9.2.
pub fn connection_of_a_late_head_is_not_reused(kit: &Kit) -> Outcome {
    let server = server(|request, connection| {
        if request.target() == "/late" {
            settle(SHORT * 2);
        }
        connection.respond("", request.target().as_bytes());
        Next::KeepAlive
    })?;
    late_response_reaches_nobody(kit, &server)
}

/// A connection is not reused after a call whose body did not arrive by its deadline.
///
/// The rest of the body would be read as the head of the next response. RFC 9112 section 9.2.
pub fn connection_of_a_late_body_is_not_reused(kit: &Kit) -> Outcome {
    let server = server(|request, connection| {
        if request.target() == "/late" {
            connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc");
            settle(SHORT * 2);
            connection.send(b"defghij");
        } else {
            connection.respond("", request.target().as_bytes());
        }
        Next::KeepAlive
    })?;
    late_response_reaches_nobody(kit, &server)
}

/// Sends a request whose response is late, and then others, on connections that must not be those of the first.
fn late_response_reaches_nobody(kit: &Kit, server: &RawServer) -> Outcome {
    for round in 1..=3 {
        let error = kit.failure(within(SHORT, get(server, "/late")?))?;
        expect_kind(&error, &[ErrorKind::Timeout])?;
        for number in 1..=2 {
            let target = format!("/{round}/{number}");
            let response = kit.fetch(within(PATIENCE, get(server, &target)?));
            let body = for_input("the request after a timeout", response)?.body;
            ensure_eq!(body, target.as_bytes(), "the body after a timeout");
        }
    }
    not_reused_after(server, "/late")
}

/// Checks that no request followed one for `target` on the same connection.
fn not_reused_after(server: &RawServer, target: &str) -> Outcome {
    let requests = server.progress().requests;
    for (index, failed) in requests.iter().enumerate() {
        let mut later = requests.iter().skip(index + 1);
        let is_reused = later.any(|next| next.connection == failed.connection);
        ensure!(
            failed.target() != target || !is_reused,
            "a request was sent on the connection of the failed request {target}"
        );
    }
    Ok(())
}

/// Concurrent requests do not wait for each other.
///
/// One slow list must not delay the rest. `Transport::send` takes `&self`.
pub fn requests_run_side_by_side(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        // No request is answered before all four have arrived.
        let are_all_here = connection.wait_for_scripts(4, PATIENCE);
        connection.respond("", if are_all_here { b"together" } else { b"alone" });
        Next::KeepAlive
    })?;
    let bodies = concurrently(4, || kit.fetch(get(&server, "/")?).map(|response| response.body));
    for body in bodies {
        ensure_eq!(body?, &b"together"[..], "the body");
    }
    Ok(())
}

/// Each response reaches the caller that sent the request, in any order of arrival.
///
/// A mix-up could show the data of one account to another.
pub fn responses_are_not_mixed_up(kit: &Kit) -> Outcome {
    let server = echo()?;
    let next = AtomicUsize::new(0);
    let outcomes = concurrently(16, || {
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

/// A connection of HTTP/1.0 is not reused unless the peer allows it.
///
/// RFC 9112 section 9.3.
pub fn http_1_0_connection_is_not_reused(kit: &Kit) -> Outcome {
    let server = playing("HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n{}", Next::KeepAlive)?;
    for _ in 0..3 {
        kit.fetch(get(&server, "/")?)?;
        settle(Duration::from_millis(10));
    }
    ensure_eq!(server.progress().connections, 3, "connections of 3 requests");
    Ok(())
}

/// If the first address of a host refuses the connection, the next one is tried.
///
/// `localhost` often resolves to `::1` and then to 127.0.0.1, and the server listens only on the second. Where it
/// resolves only to 127.0.0.1, the check passes without a second attempt. RFC 8305 section 5.
pub fn every_address_of_a_name_is_tried(kit: &Kit) -> Outcome {
    let server = echo()?;
    let response = kit.fetch(get_uri(&server.uri_by_name("/name"))?)?;
    ensure_eq!(response.body, b"/name"[..], "the body");
    Ok(())
}

/// Two services on one host each get their own requests in any order, and `Host` is that of the request.
///
/// A pool that is keyed by the host without the port sends a request, with its credentials, to the other service. RFC
/// 9110 section 4.3.3.
pub fn authorities_do_not_share_connections(kit: &Kit) -> Outcome {
    let named = |name: &'static [u8]| {
        server(move |_, connection| {
            connection.respond("", name);
            Next::KeepAlive
        })
    };
    let (first, second) = (named(b"first")?, named(b"second")?);
    for _ in 0..3 {
        for (server, name) in [(&first, &b"first"[..]), (&second, b"second"), (&first, b"first")] {
            for uri in [server.uri("/"), server.uri_by_name("/")] {
                let response = for_input(&uri, kit.fetch(get_uri(&uri)?))?;
                ensure_eq!(response.body, name, format_args!("the body of {uri}"));
                let authority = uri.trim_start_matches("http://").trim_end_matches('/');
                let request = server.progress().requests.pop();
                let host = request.map(|request| request.header("host"));
                ensure_eq!(host, Some(vec![authority.as_bytes().to_vec()]), "the host");
                // Time for the connection to return to the pool.
                settle(Duration::from_millis(5));
            }
        }
    }
    Ok(())
}

/// A request on a reused connection that dies is not sent again, wherever the connection dies.
///
/// A request that has arrived may have had its effect. Sending it again is up to the retry policy of the caller, which
/// knows whether it is safe. Promise 2 of a transport, RFC 9112 section 9.3.1.
pub fn reused_connection_that_dies(kit: &Kit) -> Outcome {
    const POINTS: [&str; 6] = [
        "",
        "HTTP/1.1 2",
        "HTTP/1.1 200 OK\r\ncontent-le",
        "HTTP/1.1 103 Early Hints\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab",
    ];
    for next in [Next::Close, Next::Reset] {
        let server = server(move |request, connection| {
            let point = request.target().trim_start_matches('/').parse().ok();
            let Some(point) = point.and_then(|point: usize| POINTS.get(point)) else {
                connection.respond("", b"{}");
                return Next::KeepAlive;
            };
            connection.send(point.as_bytes());
            next
        })?;
        let mut calls = Vec::new();
        for (method, body) in METHODS {
            for (point, sent) in POINTS.iter().enumerate() {
                kit.fetch(get(&server, "/keep")?)?;
                settle(Duration::from_millis(5));
                let request = with(&method, body, get(&server, &format!("/{point}"))?);
                let input = format!("{method}, {next:?} after {sent:?}");
                let error = for_input(&input, kit.failure(request))?;
                for_input(&input, expect_kind(&error, &[ErrorKind::Interrupted]))?;
                ensure_eq!(error.sent(), Sent::Maybe, format_args!("{input}: `sent`"));
                calls.push((method.to_string(), format!("/{point}"), input));
            }
        }
        settle(Duration::from_millis(30));
        let requests = server.progress().requests;
        for (method, target, input) in calls {
            let arrived = requests
                .iter()
                .filter(|request| request.method() == method && request.target() == target);
            ensure_eq!(arrived.count(), 1, format_args!("{input}: requests"));
        }
    }
    Ok(())
}

/// Sends five consecutive requests.
fn five_requests(kit: &Kit, server: &RawServer) -> Outcome {
    for _ in 0..5 {
        kit.fetch(get(server, "/")?)?;
        // A client may return the connection to its pool a moment after it has returned the end of the body.
        settle(Duration::from_millis(10));
    }
    Ok(())
}
