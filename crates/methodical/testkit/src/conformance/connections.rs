//! Checks of connections, which are reused only while they are usable, and of threads and runtimes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gateway_transport::{Sent, Transport as _, TransportErrorKind};
use tokio::runtime::Builder;

use crate::conformance::Kit;
use crate::conformance::peer::{
    METHODS, PATIENCE, SHORT, concurrently, describe, echo, equal, expect_kind, for_input,
    friendly, get, get_uri, patiently, playing, sent, server, settle, text, with, within,
};
use crate::outcome::{Outcome, Stop, ensure, fail};
use crate::raw_server::{Next, Progress, RawServer};

/// Expects five consecutive requests to open this number of connections.
pub(super) fn opens(kit: &Kit, connections: usize, server: &RawServer) -> Outcome {
    for _ in 0..5 {
        kit.fetch(get_uri(&server.uri_by_name("/"))?)?;
        // A client may return the connection to its pool a moment after the end of the body.
        settle(Duration::from_millis(10));
    }
    equal("connections of 5 requests", server.progress().connections, connections)
}

pub(super) fn calls_leave_nothing_behind(kit: &Kit) -> Outcome {
    let server = friendly()?;
    for _ in 0..200 {
        equal("the status", kit.fetch(get(&server, "/")?)?.status().as_u16(), 200)?;
    }
    let open = |progress: &Progress| progress.connections - progress.ended;
    let is_small = server.wait_until(PATIENCE, |progress| open(progress) <= 4);
    ensure!(is_small, "{} connections are open after 200 calls", open(&server.progress()));
    Ok(())
}

pub(super) fn stale_connection_is_survived(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.respond("", b"{}");
        Next::Close
    })?;
    for round in 1..=5 {
        kit.fetch(within(PATIENCE, get(&server, "/")?))?;
        let is_closed = server.wait_until(PATIENCE, |progress| progress.ended >= round);
        ensure!(is_closed, "the test server did not close the connection");
        // Time for the close to reach the client.
        settle(Duration::from_millis(20));
    }
    Ok(())
}

pub(super) fn failed_connection_is_not_reused(kit: &Kit) -> Outcome {
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
        kit.gets(get(&server, "/good")?, "good")?;
        settle(Duration::from_millis(10));
    }
    not_reused_after(&server, "/bad")
}

/// Sends requests whose responses stall after `sent` until the deadline. No other request may reuse their connections.
pub(super) fn late_response_reaches_nobody(
    kit: &Kit,
    sent: &'static str,
    late: &'static str,
) -> Outcome {
    let server = server(move |request, connection| {
        if request.target() == "/late" {
            connection.send(sent.as_bytes());
            settle(SHORT * 2);
            connection.send(late.as_bytes());
        } else {
            connection.respond("", request.target().as_bytes());
        }
        Next::KeepAlive
    })?;
    for round in 1..=3 {
        let error = kit.failure(within(SHORT, get(&server, "/late")?))?;
        expect_kind(&error, &[TransportErrorKind::Timeout])?;
        for number in 1..=2 {
            let target = format!("/{round}/{number}");
            let request = within(PATIENCE, get(&server, &target)?);
            for_input("the request after a timeout", kit.gets(request, target))?;
        }
    }
    not_reused_after(&server, "/late")
}

/// Checks that no request followed a request for `target` on the same connection.
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

pub(super) fn requests_run_side_by_side(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        // No request is answered before all four have arrived.
        let are_all_here = connection.wait_for_scripts(4, PATIENCE / 2);
        connection.respond("", if are_all_here { b"together" } else { b"alone" });
        Next::KeepAlive
    })?;
    concurrently(4, || kit.gets(get(&server, "/")?, "together")).into_iter().collect()
}

/// Expects each of `threads` threads to get the responses to its own requests.
pub(super) fn echoes_to_threads(kit: &Kit, threads: usize) -> Outcome {
    let server = echo()?;
    let next = AtomicUsize::new(0);
    let outcomes = concurrently(threads, || {
        (0..20).try_for_each(|_| {
            let target = format!("/{}", next.fetch_add(1, Ordering::Relaxed));
            kit.gets(get(&server, &target)?, target)
        })
    });
    outcomes.into_iter().collect()
}

pub(super) fn every_address_of_a_name_is_tried(kit: &Kit) -> Outcome {
    let server = echo()?;
    kit.gets(get_uri(&server.uri_by_name("/name"))?, "/name")
}

pub(super) fn authorities_do_not_share_connections(kit: &Kit) -> Outcome {
    let named = |name| {
        playing(format!("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{name}"), Next::KeepAlive)
    };
    let (first, other) = (named("first")?, named("other")?);
    for _ in 0..3 {
        for (server, name) in [(&first, "first"), (&other, "other"), (&first, "first")] {
            for uri in [server.uri("/"), server.uri_by_name("/")] {
                for_input(&uri, kit.gets(get_uri(&uri)?, name))?;
                let authority = uri.trim_start_matches("http://").trim_end_matches('/');
                let host = server.progress().requests.pop().map(|request| sent(&request, "host"));
                equal("the host", host.unwrap_or_default(), authority)?;
                // Time for the connection to return to the pool.
                settle(Duration::from_millis(5));
            }
        }
    }
    Ok(())
}

pub(super) fn reused_connection_that_dies(kit: &Kit) -> Outcome {
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
                for_input(&input, expect_kind(&error, &[TransportErrorKind::Interrupted]))?;
                let is_honest = error.sent() == Sent::Maybe;
                ensure!(is_honest, "{input}: `sent` is not `Maybe`: {}", describe(&error));
                calls.push((method.to_string(), format!("/{point}"), input));
            }
        }
        settle(Duration::from_millis(30));
        let requests = server.progress().requests;
        for (method, target, input) in calls {
            let arrived = requests
                .iter()
                .filter(|request| request.method() == method && request.target() == target);
            equal(format_args!("{input}: requests"), arrived.count(), 1)?;
        }
    }
    Ok(())
}

pub(super) fn unsolicited_response_is_not_used(kit: &Kit) -> Outcome {
    for_input("with the response", unsolicited_response(kit, false))?;
    // A client that notices the response in the background may be slow to do so on a busy machine.
    for_input("on an idle connection", patiently(|_| unsolicited_response(kit, true)))
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
        if !is_late {
            connection.send(format!("{first}{second}").as_bytes());
            return Next::KeepAlive;
        }
        connection.send(first.as_bytes());
        if wait.lock().is_ok_and(|wait| wait.recv_timeout(PATIENCE).is_ok()) {
            connection.send(second.as_bytes());
        }
        Next::KeepAlive
    })?;
    kit.gets(get(&server, "/first")?, "/first")?;
    release.send(()).unwrap_or_default();
    settle(Duration::from_millis(60));
    match kit.fetch(get(&server, "/second")?) {
        Ok(response) => equal("the body", text(response.body()), "/second"),
        // An error is also safe.
        Err(_) => Ok(()),
    }
}

pub(super) fn blocking_within_a_runtime(kit: &Kit) -> Outcome {
    let (transport, runtime) = kit.blocking()?;
    let server = friendly()?;
    let request = get(&server, "/")?;
    let transport = Arc::clone(transport);
    let call = runtime.spawn(async move { transport.send(request)?.into_body().collect(100) });
    match runtime.block_on(call) {
        Ok(body) => Ok(body.map(drop)?),
        Err(_) => fail("the call panicked"),
    }
}

pub(super) fn used_from_two_runtimes(kit: &Kit) -> Outcome {
    let (transport, _) = kit.asynchronous()?;
    let server = echo()?;
    for target in ["/first", "/second", "/third"] {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let request = within(PATIENCE, get(&server, target)?);
        let body = runtime.block_on(async {
            let response = transport.send(request).await?;
            response.into_body().collect(100).await
        })?;
        equal("the body", text(body), target)?;
    }
    Ok(())
}

pub(super) fn awaited_without_a_runtime(kit: &Kit) -> Outcome {
    let (transport, _) = kit.asynchronous()?;
    let server = friendly()?;
    let request = within(PATIENCE, get(&server, "/")?);
    let transport = transport.clone();
    let call = std::thread::spawn(move || pollster::block_on(transport.send(request)).map(drop));
    ensure!(call.join().is_ok(), "the call panicked");
    Ok(())
}

pub(super) fn body_can_be_read_elsewhere(kit: &Kit) -> Outcome {
    let server = echo()?;
    let response = kit.send(get(&server, "/elsewhere")?)?;
    let body =
        std::thread::scope(|scope| scope.spawn(move || response.into_body().collect(100)).join());
    let body = body.map_err(|_panicked| Stop::Fail("the read panicked".into()))?;
    equal("the body", text(body?), "/elsewhere")
}
