//! No call takes longer than it may.

use std::net::{Ipv4Addr, TcpListener};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gateway_transport::{Deadline, ErrorKind, Phase, Sent};

use crate::conformance::outcome::{describe, ensure, ensure_eq, expect_kind};
use crate::conformance::peer::{
    BlackHole, PATIENCE, SHORT, begun_within, friendly, get, get_uri, patiently, server, settle,
    within,
};
use crate::conformance::{Kit, Outcome, Stop};
use crate::raw_server::Next;

/// The deadline ends the wait for a head.
///
/// The fourth promise of a transport.
pub fn deadline_of_the_head(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.wait_for_close(PATIENCE);
        Next::Close
    })?;
    in_time(kit, within(SHORT, get(&server, "/")?))
}

/// The deadline ends a head that comes byte by byte: it is a limit of the whole, not of each silence.
///
/// The fourth promise of a transport.
pub fn deadline_of_a_dripping_head(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.drip(&[b"HTTP/1.1 200 OK\r\nx: ", [b'v'; 200].as_slice()].concat(), DRIP);
        Next::Close
    })?;
    in_time(kit, within(SHORT, get(&server, "/")?))
}

/// The deadline of the head ends a head that comes byte by byte, although the body might take longer.
///
/// A list may take an hour to read, but one that does not begin is not waited for.
pub fn early_deadline_of_a_dripping_head(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.drip(&[b"HTTP/1.1 200 OK\r\nx: ", [b'v'; 200].as_slice()].concat(), DRIP);
        Next::Close
    })?;
    in_time(kit, begun_within(SHORT, get(&server, "/")?))
}

/// The deadline of the head is none of the body.
///
/// A limit that is shorter than it says cuts good lists.
pub fn body_later_than_the_deadline_of_its_head(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n");
        settle(SHORT * 2);
        connection.send(b"late");
        Next::KeepAlive
    })?;
    let answer = patiently(|| kit.fetch(begun_within(SHORT, get(&server, "/")?)))?;
    ensure_eq!(answer.body, &b"late"[..], "the body");
    Ok(())
}

/// The deadline ends a body that comes byte by byte.
///
/// The fourth promise of a transport: measured on clients in wide use, most limit each silence only.
pub fn deadline_of_a_dripping_body(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 200\r\n\r\n");
        connection.drip(&[b'x'; 200], DRIP);
        Next::Close
    })?;
    in_time(kit, within(SHORT, get(&server, "/")?))
}

/// A deadline that has passed ends the call before anything is sent.
///
/// The fourth promise of a transport.
pub fn deadline_that_has_passed(kit: &Kit) -> Outcome {
    let server = friendly()?;
    let mut request = get(&server, "/")?;
    let past = Instant::now().checked_sub(Duration::from_secs(1));
    let past = past.ok_or_else(|| Stop::failed("the kit has no past"))?;
    request.extensions_mut().insert(Deadline::at(past));
    let error = kit.failure(request)?;
    expect_kind(&error, &[ErrorKind::Timeout])?;
    ensure_eq!(error.sent(), Sent::No, "whether it was sent");
    ensure_eq!(server.progress().requests.len(), 0, "requests");
    Ok(())
}

/// An answer that comes before its deadline is an answer, however slow.
///
/// A limit that is shorter than it says fails good calls.
pub fn slow_answer_within_its_deadline(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        settle(SHORT);
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n");
        connection.drip(b"slow", DRIP);
        Next::KeepAlive
    })?;
    let answer = kit.fetch(within(PATIENCE, get(&server, "/")?))?;
    ensure_eq!(answer.body, &b"slow"[..], "the body");
    Ok(())
}

/// A deadline of one request is not that of the next on the same connection.
///
/// The deadline belongs to the request.
pub fn deadline_belongs_to_its_request(kit: &Kit) -> Outcome {
    let server = server(|request, connection| {
        if request.target() == "/slow" {
            settle(SHORT * 4);
        }
        connection.respond("", b"{}");
        Next::KeepAlive
    })?;
    patiently(|| kit.fetch(within(SHORT * 3, get(&server, "/quick")?)))?;
    kit.fetch(get(&server, "/slow")?)?;
    Ok(())
}

/// The limit of a connection ends an attempt that nobody answers, and says that nothing was sent.
///
/// A firewall that drops packets answers nothing; without a limit the system waits for minutes. RFC 9293 section 3.10.1.
pub fn limit_of_connecting(kit: &Kit) -> Outcome {
    let kit = kit.with(|setup| setup.connect_timeout = SHORT)?;
    let hole = BlackHole::new()?;
    let start = Instant::now();
    let error = kit.failure(get_uri(&format!("http://{}/", hole.address))?)?;
    let took = start.elapsed();
    expect_kind(&error, &[ErrorKind::Timeout])?;
    ensure!(error.phase() == Phase::Connect, "another phase: {}", describe(&error));
    ensure!(error.sent() == Sent::No, "it may have been sent: {}", describe(&error));
    ensure!(took < LATE, "it took {took:?}");
    Ok(())
}

/// The limit of a silence ends a body whose peer says nothing more.
///
/// A peer that has vanished sends no end. The idle limit of the options.
pub fn limit_of_silence(kit: &Kit) -> Outcome {
    let kit = kit.with(|setup| setup.idle_timeout = SHORT)?;
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc");
        connection.wait_for_close(PATIENCE);
        Next::Close
    })?;
    in_time(&kit, get(&server, "/")?)
}

/// A body that stops is left at the deadline.
///
/// The fourth promise of a transport.
pub fn deadline_of_a_silent_body(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc");
        connection.wait_for_close(PATIENCE);
        Next::Close
    })?;
    in_time(kit, within(SHORT, get(&server, "/")?))
}

/// A peer that does not take the request is left at the deadline.
///
/// The fourth promise of a transport.
pub fn deadline_of_sending(kit: &Kit) -> Outcome {
    // The system completes connections to a listener that nobody accepts from.
    let peer = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let request = http::Request::post(format!("http://{}/", peer.local_addr()?));
    in_time(kit, within(SHORT, request.body(Bytes::from(vec![b'x'; 64 << 20]))?))
}

/// A host that does not answer is left at the deadline, although connecting may take longer.
///
/// The fourth promise of a transport.
pub fn deadline_of_connecting(kit: &Kit) -> Outcome {
    let hole = BlackHole::new()?;
    in_time(kit, within(SHORT, get_uri(&format!("http://{}/", hole.address))?))
}

/// Interim answers without end are left at the deadline.
///
/// Each of them looks like progress. RFC 9110 section 15.2.
pub fn deadline_of_interim_answers(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        let hint = b"HTTP/1.1 103 Early Hints\r\n\r\n";
        while connection.send(hint) && !connection.wait_for_close(Duration::from_millis(10)) {}
        Next::Close
    })?;
    let started = Instant::now();
    let error = kit.failure(within(SHORT, get(&server, "/")?))?;
    // To refuse them after some hundreds is as good.
    expect_kind(&error, &[ErrorKind::Timeout, ErrorKind::TooLarge, ErrorKind::Protocol])?;
    ensure!(started.elapsed() < LATE, "it took {:?}", started.elapsed());
    Ok(())
}

/// A deadline in a year does not change anything.
///
/// Some clients add it to a clock that overflows. The fourth promise of a transport.
pub fn far_deadline_does_no_harm(kit: &Kit) -> Outcome {
    let server = friendly()?;
    for limit in [Duration::from_secs(60), Duration::from_secs(365 * 24 * 60 * 60), Duration::MAX] {
        let answer = kit.fetch(within(limit, get(&server, "/")?))?;
        ensure_eq!(answer.body, b"{}"[..], "the body");
    }
    Ok(())
}

/// A peer that is silent before its answer is left after the longest silence allowed.
///
/// The idle limit of the options.
pub fn limit_of_silence_before_the_head(kit: &Kit) -> Outcome {
    let kit = kit.with(|setup| setup.idle_timeout = SHORT)?;
    let server = server(|_, connection| {
        connection.wait_for_close(PATIENCE);
        Next::Close
    })?;
    in_time(&kit, get(&server, "/")?)
}

/// A body that comes slowly, but comes, is not cut by the limit for silence.
///
/// The idle limit of the options.
pub fn slow_body_is_not_silent(kit: &Kit) -> Outcome {
    let kit = kit.with(|setup| setup.idle_timeout = SHORT * 3)?;
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n");
        connection.drip(b"slow body", SHORT / 2);
        Next::KeepAlive
    })?;
    let answer = patiently(|| kit.fetch(get(&server, "/")?))?;
    ensure_eq!(answer.body, b"slow body"[..], "the body");
    Ok(())
}

/// The request must end with a timeout, soon after `SHORT`.
fn in_time(kit: &Kit, request: gateway_transport::Request) -> Outcome {
    let start = Instant::now();
    let error = kit.failure(request)?;
    let took = start.elapsed();
    expect_kind(&error, &[ErrorKind::Timeout])?;
    ensure!(took < LATE, "it took {took:?}");
    Ok(())
}

/// What a busy machine may add to a limit of `SHORT`.
const LATE: Duration = Duration::from_secs(3);

const DRIP: Duration = Duration::from_millis(50);
