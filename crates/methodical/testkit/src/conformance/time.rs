//! Checks of time and cancellation: no call outlives its deadline or timeouts, and a dropped call ends.

use std::net::{Ipv4Addr, TcpListener};
use std::time::{Duration, Instant};

use gateway_transport::{Deadline, Phase, Request, Transport as _, TransportErrorKind};
use http::Method;

use crate::conformance::kit::{Kit, failure, read_up_to};
use crate::conformance::peer::{
    BlackHole, DRIP, METHODS, PATIENCE, SHORT, begun, closes, dripping, equal, expect_kind,
    expect_phase, expect_unsent, for_each, for_input, friendly, get, get_uri, patiently, server,
    settle, stalling, text, until, with, within,
};
use crate::outcome::{Outcome, Stop, ensure, fail};
use crate::raw_server::{Next, RawRequest, RawServer};

/// The start of a response: the head and the first bytes of a 300-byte body.
pub(super) const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-length: 300\r\n\r\nabc";

pub(super) fn idle(kit: &Kit, limit: Duration) -> Outcome<Kit> {
    kit.with(|setup| setup.idle_timeout = limit)
}

/// Sends the request, which must fail with a timeout soon after `SHORT`.
pub(super) fn in_time(kit: &Kit, request: Request) -> Outcome {
    ends_in_time(kit, request, &[TransportErrorKind::Timeout])
}

fn ends_in_time(kit: &Kit, request: Request, kinds: &[TransportErrorKind]) -> Outcome {
    let start = Instant::now();
    let error = kit.failure(request)?;
    let took = start.elapsed();
    expect_kind(&error, kinds)?;
    ensure!(took < LATE, "the call took {took:?}");
    Ok(())
}

/// The limit that ends a body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    Deadline,
    Idle,
}

/// Expects the head of a response, and then a timeout of its body soon after the limit.
///
/// A busy machine may need longer than `SHORT` for the head, so the check tries again with longer limits.
pub(super) fn body_ends(kit: &Kit, server: &RawServer, limit: Limit) -> Outcome {
    for time in [SHORT, SHORT * 3, SHORT * 9] {
        let own;
        let (kit, request) = match limit {
            Limit::Deadline => (kit, within(time, get(server, "/")?)),
            Limit::Idle => {
                own = idle(kit, time)?;
                (&own, get(server, "/")?)
            }
        };
        let start = Instant::now();
        let mut response = match kit.send(request) {
            Err(error) if error.kind() == TransportErrorKind::Timeout => continue,
            response => response?,
        };
        let error = loop {
            let chunk = response.body_mut().chunk();
            let took = start.elapsed();
            ensure!(took < time + LATE, "the body was read for {took:?}");
            match chunk {
                Ok(Some(_)) => {}
                Ok(None) => return fail("the body ended without an error"),
                Err(error) => break error,
            }
        };
        return expect_kind(&error, &[TransportErrorKind::Timeout]);
    }
    fail(format!("the head did not arrive within {:?}", SHORT * 9))
}

/// Expects the deadline to end a body although the caller was busy with its first byte until then.
pub(super) fn deadline_while_the_caller_pauses(kit: &Kit) -> Outcome {
    patiently(|short| {
        let server = dripping(HEAD)?;
        let mut response = kit.send(within(short * 4, get(&server, "/")?))?;
        if let (_, Some(error)) = read_up_to(&mut response, 1) {
            return Err(error.into());
        }
        settle(short * 4);
        let start = Instant::now();
        expect_kind(&failure(response)?, &[TransportErrorKind::Timeout])?;
        let took = start.elapsed();
        ensure!(took < short * 2, "the body was read for {took:?} after the deadline");
        Ok(())
    })
}

pub(super) fn body_later_than_the_deadline_of_its_head(kit: &Kit) -> Outcome {
    patiently(|short| {
        let server = server(move |_, connection| {
            connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n");
            settle(short * 2);
            connection.send(b"late");
            Next::KeepAlive
        })?;
        kit.gets(begun(short, get(&server, "/")?), "late")
    })
}

pub(super) fn deadline_that_has_passed(kit: &Kit) -> Outcome {
    let server = friendly()?;
    let past = Instant::now().checked_sub(Duration::from_secs(1));
    let past =
        past.ok_or_else(|| Stop::Fail("the clock cannot represent a deadline in the past".into()))?;
    let error = kit.failure(until(Deadline::at(past), get(&server, "/")?))?;
    expect_kind(&error, &[TransportErrorKind::Timeout])?;
    expect_unsent(&error)?;
    equal("requests", server.progress().requests.len(), 0)
}

pub(super) fn slow_response_within_its_deadline(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        settle(SHORT);
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n");
        connection.drip(b"slow", DRIP);
        Next::KeepAlive
    })?;
    kit.gets(within(PATIENCE, get(&server, "/")?), "slow")
}

pub(super) fn deadline_belongs_to_its_request(kit: &Kit) -> Outcome {
    patiently(|short| {
        let server = server(move |request, connection| {
            if request.target() == "/slow" {
                settle(short * 4);
            }
            connection.respond("", b"{}");
            Next::KeepAlive
        })?;
        kit.fetch(within(short * 3, get(&server, "/quick")?))?;
        kit.fetch(get(&server, "/slow")?).map(drop)
    })
}

pub(super) fn connect_timeout(kit: &Kit) -> Outcome {
    let kit = kit.with(|setup| setup.connect_timeout = SHORT)?;
    let hole = BlackHole::new()?;
    let request = get_uri(&hole.uri)?;
    for request in [within(PATIENCE, request.clone()), request] {
        let start = Instant::now();
        not_connected_in_time(&kit, request)?;
        let took = start.elapsed();
        ensure!(took < LATE, "the call took {took:?}");
    }
    Ok(())
}

/// Expects a timeout while connecting, with nothing sent.
pub(super) fn not_connected_in_time(kit: &Kit, request: Request) -> Outcome {
    let error = kit.failure(request)?;
    expect_kind(&error, &[TransportErrorKind::Timeout])?;
    expect_phase(&error, Phase::Connect)?;
    expect_unsent(&error)
}

pub(super) fn deadline_of_sending(kit: &Kit) -> Outcome {
    // The system completes connections to a listener that never accepts.
    let peer = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let request = get_uri(&format!("http://{}/", peer.local_addr()?))?;
    in_time(kit, within(SHORT, with(&Method::POST, vec![b'x'; 64 << 20], request)))
}

pub(super) fn deadline_of_connecting(kit: &Kit) -> Outcome {
    let hole = BlackHole::new()?;
    in_time(kit, within(SHORT, get_uri(&hole.uri)?))
}

pub(super) fn deadline_of_interim_responses(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        let hint = b"HTTP/1.1 103 Early Hints\r\n\r\n";
        while connection.send(hint) && !connection.wait_for_close(Duration::from_millis(10)) {}
        Next::Close
    })?;
    // A client may also refuse the response after a few hundred interim responses.
    let kinds =
        [TransportErrorKind::Timeout, TransportErrorKind::TooLarge, TransportErrorKind::Protocol];
    ends_in_time(kit, within(SHORT, get(&server, "/")?), &kinds)
}

pub(super) fn far_deadline_does_no_harm(kit: &Kit) -> Outcome {
    let server = friendly()?;
    for limit in [Duration::from_secs(60), Duration::from_secs(365 * 24 * 60 * 60), Duration::MAX] {
        kit.gets(within(limit, get(&server, "/")?), "{}")?;
    }
    Ok(())
}

pub(super) fn slow_body_is_not_idle(kit: &Kit) -> Outcome {
    patiently(|short| {
        let kit = idle(kit, short * 3)?;
        let server = server(move |_, connection| {
            connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n");
            connection.drip(b"slow body", short / 2);
            Next::KeepAlive
        })?;
        kit.gets(get(&server, "/")?, "slow body")?;
        // A caller that pauses is not a silent peer: everything has been sent.
        let mut response = kit.send(get(&server, "/")?)?;
        let (first, _) = read_up_to(&mut response, 1);
        settle(short * 5);
        let rest = response.into_body().collect(10)?;
        equal("the body", text([first, rest.into()].concat()), "slow body")
    })
}

pub(super) fn deadline_is_not_restarted(kit: &Kit) -> Outcome {
    const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-length: 200\r\n\r\n";
    // The bytes that arrive after two thirds of the time, and the bytes that follow one by one.
    let cases = [
        ("an interim response", "HTTP/1.1 103 Early Hints\r\n\r\n", ""),
        ("a part of the head", "HTTP/1.1 200 OK\r\nx-a", ""),
        ("the head", HEAD, ""),
        ("the head and a slow body", HEAD, "x"),
    ];
    for_each(&cases, |&(input, first, rest)| {
        let attempt = |short: Duration| {
            let server = server(move |_, connection| {
                settle(short * 2);
                connection.send(first.as_bytes());
                connection.drip(rest.repeat(200).as_bytes(), DRIP);
                connection.wait_for_close(PATIENCE);
                Next::Close
            })?;
            let limit = short * 3;
            // A deadline for the head, just before the deadline of the exchange, changes nothing here.
            for head in [limit, short * 8 / 3] {
                let start = Instant::now();
                let deadline = Deadline::since(start, limit).head_by(start + head);
                let error = kit.failure(until(deadline, get(&server, "/")?))?;
                let took = start.elapsed();
                expect_kind(&error, &[TransportErrorKind::Timeout])?;
                ensure!(took < limit + short, "{limit:?} became {took:?}");
            }
            Ok(())
        };
        for_input(input, patiently(attempt))
    })
}

pub(super) fn idle_timeout_beside_a_deadline(kit: &Kit) -> Outcome {
    let kit = idle(kit, SHORT)?;
    for_each(&["", "HTTP/1.1 200 OK\r\n", HEAD], |&sent| {
        let server = stalling(sent)?;
        for (method, body) in METHODS {
            let input = format!("{method}, silent after {sent:?}");
            let request = with(&method, body, get(&server, "/")?);
            for_input(&input, in_time(&kit, within(PATIENCE, request.clone())))?;
            let deadline = Deadline::after(PATIENCE * 2).head_by(Instant::now() + PATIENCE);
            for_input(&input, in_time(&kit, until(deadline, request)))?;
        }
        Ok(())
    })
}

pub(super) fn dropped_while_waiting_closes(kit: &Kit) -> Outcome {
    let (transport, runtime) = kit.asynchronous()?;
    let server = stalling("")?;
    let request = get(&server, "/")?;
    let transport = transport.clone();
    let call = runtime.spawn(async move { transport.send(request).await.map(drop) });
    let is_sent = server.wait_until(PATIENCE, |progress| progress.requests.len() == 1);
    ensure!(is_sent, "the request was never sent");
    call.abort();
    closes(&server, "after the future was dropped")
}

pub(super) fn works_after_a_drop(kit: &Kit) -> Outcome {
    let (transport, runtime) = kit.asynchronous()?;
    let server = server(|request, connection| {
        if request.target() == "/wait" {
            connection.wait_for_close(PATIENCE);
            return Next::Close;
        }
        connection.respond("", request.target().as_bytes());
        Next::KeepAlive
    })?;
    for _ in 0..3 {
        let request = get(&server, "/wait")?;
        let sent = runtime
            .block_on(async { tokio::time::timeout(SHORT / 2, transport.send(request)).await });
        ensure!(sent.is_err(), "the call ended, although the peer never answered");
        kit.gets(get(&server, "/after")?, "/after")?;
    }
    Ok(())
}

pub(super) fn dropped_while_connecting(kit: &Kit) -> Outcome {
    let (transport, runtime) = kit.asynchronous()?;
    let hole = BlackHole::new()?;
    let request = get_uri(&hole.uri)?;
    let start = Instant::now();
    let sent =
        runtime.block_on(async { tokio::time::timeout(SHORT, transport.send(request)).await });
    ensure!(sent.is_err(), "a call to a silent host ended on its own within {SHORT:?}");
    ensure!(start.elapsed() < PATIENCE, "the drop took {:?}", start.elapsed());
    Ok(())
}

pub(super) fn not_awaited_sends_nothing(kit: &Kit) -> Outcome {
    let (transport, _) = kit.asynchronous()?;
    let server = friendly()?;
    drop(transport.send(get(&server, "/")?));
    kit.fetch(get(&server, "/awaited")?)?;
    let targets: Vec<_> = server.progress().requests.iter().map(RawRequest::target).collect();
    ensure!(targets == ["/awaited"], "the server received {targets:?}");
    Ok(())
}

/// Longest time that a call with a limit of `SHORT` may take on a busy machine.
const LATE: Duration = Duration::from_secs(3);
