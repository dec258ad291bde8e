//! Checks of responses, which must be returned as the peer sent them, and of the errors returned instead.

use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use gateway_transport::{Phase, Request, Sent, TransportErrorKind};
use http::{HeaderValue, Method};

use crate::conformance::kit::{Kit, failure, header, read_up_to};
use crate::conformance::peer::{
    METHODS, PATIENCE, SHORT, closes, describe, endless_body, equal, expect_kind, expect_phase,
    expect_unsent, for_each, for_input, get, get_uri, patiently, playing, server, settle, stalling,
    text, with, within,
};
use crate::conformance::requests::MIXED_CASE;
use crate::conformance::time::idle;
use crate::outcome::{Outcome, ensure, fail};
use crate::raw_server::{Connection, Next, RawRequest, RawServer};

/// Fetches the response of a peer that sends these bytes and then does `next`. Expects these headers, with the values
/// of one name joined by ` | `, and this body. If the connection stays open, fetches the response twice.
pub(super) fn arrives(
    kit: &Kit,
    sent: impl Into<Vec<u8>>,
    next: Next,
    headers: &[(&str, &str)],
    body: impl AsRef<[u8]>,
) -> Outcome {
    let server = playing(sent, next)?;
    for _ in 0..if next == Next::KeepAlive { 2 } else { 1 } {
        let response = kit.fetch(get(&server, "/")?)?;
        for (name, value) in headers {
            ensure!(response.headers().contains_key(*name), "the header {name} is missing");
            equal(name, header(&response, name), value)?;
        }
        equal("the body", text(response.body()), text(&body))?;
    }
    Ok(())
}

/// Expects the response of a peer that sends these bytes and then does `next` to be an error of this kind.
pub(super) fn fails(
    kit: &Kit,
    sent: impl Into<Vec<u8>>,
    next: Next,
    kind: TransportErrorKind,
) -> Outcome {
    let server = playing(sent, next)?;
    expect_kind(&kit.failure(get(&server, "/")?)?, &[kind])
}

/// Expects each status to be returned with a header and a body, after a single request by each method.
pub(super) fn statuses(
    kit: &Kit,
    codes: impl IntoIterator<Item = u16>,
    (name, value): (&'static str, &'static str),
) -> Outcome {
    let server = server(move |request, connection| {
        let code = request.target().trim_start_matches('/').to_owned();
        let head = format!("HTTP/1.1 {code} X\r\n{name}: {value}\r\ncontent-length: 3\r\n\r\n");
        connection.send(format!("{head}err").as_bytes());
        Next::KeepAlive
    })?;
    let mut count = 0;
    for code in codes {
        for (method, body) in METHODS {
            count += 1;
            let mut request = with(&method, body, get(&server, &format!("/{code}"))?);
            request.headers_mut().insert("authorization", HeaderValue::from_static("Bearer t"));
            let response = for_input(format_args!("{method}, status {code}"), kit.fetch(request))?;
            equal("the status", response.status().as_u16(), code)?;
            equal("the body", text(response.body()), "err")?;
            equal(name, header(&response, name), value)?;
        }
    }
    settle(Duration::from_millis(30));
    equal("requests", server.progress().requests.len(), count)
}

pub(super) fn header_values_keep_their_case(kit: &Kit) -> Outcome {
    let names = "accept-ranges age allow cache-control content-disposition content-language \
                 content-location content-range content-type date etag expires last-modified link \
                 location retry-after server set-cookie vary via www-authenticate x-own";
    headers_return(kit, names.split(' ').map(|name| (name, MIXED_CASE)).collect())
}

pub(super) fn headers_are_those_of_the_peer(kit: &Kit) -> Outcome {
    let headers = [
        ("age", "7"),
        ("alt-svc", "clear"),
        ("cache-control", "no-store"),
        ("connection", "keep-alive"),
        ("content-disposition", "inline"),
        ("content-language", "en"),
        ("date", "Sun, 22 Nov 2026 08:00:00 GMT"),
        ("keep-alive", "timeout=9"),
        ("proxy-authenticate", "Basic realm=kit"),
        ("server", "kit"),
        ("set-cookie", "a=b"),
        ("strict-transport-security", "max-age=1"),
        ("trailer", "x-trailer"),
        ("vary", "accept"),
        ("via", "1.1 kit"),
        ("www-authenticate", "Bearer realm=kit"),
        ("x-empty", ""),
        ("x-request-id", "1"),
    ];
    headers_return(kit, headers.to_vec())?;
    let server = playing("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", Next::KeepAlive)?;
    let response = kit.fetch(get(&server, "/")?)?;
    let names: Vec<_> = response.headers().keys().map(http::HeaderName::as_str).collect();
    equal("the headers", names.join(", "), "content-length")
}

fn headers_return(kit: &Kit, mut headers: Vec<(&str, &str)>) -> Outcome {
    headers.push(("content-length", "2"));
    let lines = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
    let sent = format!("HTTP/1.1 200 OK\r\n{}\r\n{{}}", lines.collect::<String>());
    let escaped: Vec<_> = headers.iter().map(|(name, value)| (*name, text(value))).collect();
    let headers: Vec<_> = escaped.iter().map(|(name, value)| (*name, value.as_str())).collect();
    arrives(kit, sent, Next::KeepAlive, &headers, "{}")
}

pub(super) fn trailers_are_not_headers(kit: &Kit) -> Outcome {
    let sent = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-trailer\r\n\r\n\
                2\r\n{}\r\n0\r\nx-trailer: 1\r\nretry-after: 9\r\n\r\n";
    let server = playing(sent, Next::KeepAlive)?;
    let response = kit.send(get(&server, "/")?)?;
    for name in ["x-trailer", "retry-after"] {
        let is_header = response.headers().contains_key(name);
        ensure!(!is_header, "the trailer {name} became a header");
    }
    Ok(())
}

pub(super) fn encoded_body_is_not_decoded(kit: &Kit) -> Outcome {
    // `{}` in each coding: RFC 1952, RFC 1950, RFC 7932 and RFC 8878.
    let codings: [(&str, &[u8]); 5] = [
        ("gzip", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xab\xae\x05\0\x43\xbf\xa6\xa3\x02\0\0\0"),
        ("x-gzip", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xab\xae\x05\0\x43\xbf\xa6\xa3\x02\0\0\0"),
        ("deflate", b"\x78\x9c\xab\xae\x05\0\x01\x75\0\xf9"),
        ("br", b"\x8b\0\x80{}\x03"),
        ("zstd", b"\x28\xb5\x2f\xfd\0\x58\x11\0\0{}"),
    ];
    for (coding, bytes) in codings {
        let length = bytes.len();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-encoding: {coding}\r\ncontent-length: {length}\r\n\r\n"
        );
        let sent = [head.as_bytes(), bytes].concat();
        let headers = [("content-encoding", coding)];
        for_input(coding, arrives(kit, sent, Next::KeepAlive, &headers, bytes))?;
    }
    Ok(())
}

pub(super) fn some_responses_have_no_body(kit: &Kit) -> Outcome {
    let server = server(|request, connection| {
        connection.send(match request.target().as_str() {
            "/204" => b"HTTP/1.1 204 No Content\r\n\r\n",
            "/304" => b"HTTP/1.1 304 X\r\ncontent-length: 10\r\n\r\n",
            _ => b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n".as_slice(),
        });
        Next::KeepAlive
    })?;
    for (method, target) in [(Method::GET, "/204"), (Method::GET, "/304"), (Method::HEAD, "/")] {
        for_input(target, kit.gets(with(&method, "", get(&server, target)?), ""))?;
    }
    Ok(())
}

pub(super) fn large_head_is_read(kit: &Kit) -> Outcome {
    let lines = (0..90).map(|index| format!("x-{index}: {}\r\n", "v".repeat(600)));
    let sent =
        format!("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n{}\r\n{{}}", lines.collect::<String>());
    let server = playing(sent, Next::KeepAlive)?;
    let count = kit.fetch(get(&server, "/")?)?.headers().len();
    ensure!(count >= 90, "only {count} of 90 headers were returned");
    Ok(())
}

pub(super) fn chunks_win_over_a_length(kit: &Kit) -> Outcome {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n";
    let server = playing(format!("{head}5\r\nhello\r\n0\r\n\r\n"), Next::Close)?;
    match kit.send(get(&server, "/")?).and_then(|response| response.into_body().collect(100)) {
        Ok(body) => equal("the body", text(body), "hello"),
        Err(error) => expect_kind(&error, &[TransportErrorKind::Protocol]),
    }
}

pub(super) fn folded_lines_do_no_harm(kit: &Kit) -> Outcome {
    let sent = "HTTP/1.1 200 OK\r\nx-folded: a\r\n x-inner: b\r\ncontent-length: 2\r\n\r\n{}";
    let server = playing(sent, Next::Close)?;
    match kit.send(get(&server, "/")?) {
        Ok(response) => {
            let headers = response.headers();
            let is_separate = headers.contains_key("x-inner");
            ensure!(!is_separate, "the second line became a separate header");
            let value = headers.get("x-folded").map_or_else(String::new, |value| {
                String::from_utf8_lossy(value.as_bytes()).into_owned()
            });
            let words: Vec<_> = value.split_whitespace().collect();
            equal("the words of x-folded", words.join(" "), "a x-inner: b")
        }
        Err(error) => expect_kind(&error, &[TransportErrorKind::Protocol]),
    }
}

pub(super) fn large(_: &RawRequest, connection: &mut Connection) -> Next {
    connection.respond("", &large_body());
    Next::KeepAlive
}

fn large_body() -> Vec<u8> {
    (0..1_000_000_u32).map(|index| index.to_le_bytes()[1]).collect()
}

pub(super) fn large_body_is_whole(kit: &Kit, server: &RawServer) -> Outcome {
    let body = kit.fetch(get_uri(&server.uri_by_name("/"))?)?.into_body();
    let is_whole = body == large_body();
    ensure!(is_whole, "the body differs from the one sent; {} bytes arrived", body.len());
    Ok(())
}

pub(super) fn limit_is_exact(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.respond("", &[b'x'; 5000]);
        Next::KeepAlive
    })?;
    kit.send(get(&server, "/")?)?.into_body().collect(5000)?;
    match kit.send(get(&server, "/")?)?.into_body().collect(4999) {
        Ok(_) => fail("a body larger than the limit was accepted"),
        Err(error) => expect_kind(&error, &[TransportErrorKind::TooLarge]),
    }
}

pub(super) fn endless_body_ends_at_the_limit(kit: &Kit) -> Outcome {
    let server = endless_body()?;
    match kit.send(get(&server, "/")?)?.into_body().collect(100_000) {
        Ok(_) => return fail("an endless body was accepted"),
        Err(error) => expect_kind(&error, &[TransportErrorKind::TooLarge])?,
    }
    closes(&server, "after the limit")
}

/// Expects the head and the first part of a body before the rest is sent, with each of several statuses.
pub(super) fn comes_in_parts(kit: &Kit, first: &'static str) -> Outcome {
    for_each(&[200, 206, 404, 503], |&status| {
        for_input(format_args!("status {status}"), comes_with_status(kit, status, first))
    })
}

fn comes_with_status(kit: &Kit, status: u16, first: &'static str) -> Outcome {
    let (release, wait) = sync_channel::<()>(1);
    let wait = Mutex::new(wait);
    let length = first.len() + 3;
    let server = server(move |_, connection| {
        let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n\r\n{first}");
        connection.send(head.as_bytes());
        let is_released = wait.lock().is_ok_and(|wait| wait.recv_timeout(PATIENCE).is_ok());
        connection.send(if is_released { b"end" } else { b"bad" });
        Next::KeepAlive
    })?;
    let mut response = kit.send(within(PATIENCE / 2, get(&server, "/")?))?;
    let (read, error) = read_up_to(&mut response, first.len());
    release.send(()).unwrap_or_default();
    if let Some(error) = error {
        return Err(error.into());
    }
    equal("the first part", text(read), first)?;
    equal("the rest", text(response.into_body().collect(10)?), "end")
}

/// Expects a prefix of `received`, then `Interrupted`, from a peer that sends this response and closes the connection.
pub(super) fn cut(kit: &Kit, sent: &str, received: &str) -> Outcome {
    let server = playing(format!("HTTP/1.1 200 OK\r\n{sent}"), Next::Close)?;
    let mut response = match kit.send(get(&server, "/")?) {
        Ok(response) => response,
        Err(error) => return expect_kind(&error, &[TransportErrorKind::Interrupted]),
    };
    match read_up_to(&mut response, 1000) {
        (_, None) => fail("a truncated body was returned as complete"),
        (bytes, Some(error)) => {
            let was_sent = received.as_bytes().starts_with(&bytes);
            ensure!(was_sent, "the body has bytes that were never sent");
            expect_kind(&error, &[TransportErrorKind::Interrupted])
        }
    }
}

pub(super) fn single_bytes_make_a_whole(kit: &Kit) -> Outcome {
    let server = server(move |_, connection| {
        let head = "HTTP/1.1 200 OK\r\nx-a: b\r\ntransfer-encoding: chunked\r\n\r\n";
        let response = format!("{head}0a\r\n0123456789\r\n3\r\nabc\r\n0\r\n\r\n");
        // Without pauses, the bytes would be received in one piece.
        connection.drip(response.as_bytes(), Duration::from_millis(1));
        Next::KeepAlive
    })?;
    let response = kit.fetch(get(&server, "/")?)?;
    equal("the header x-a", header(&response, "x-a"), "b")?;
    equal("the body", text(response.body()), "0123456789abc")
}

pub(super) fn slow_reader_slows_the_peer(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 134217728\r\n\r\n");
        connection.flood_until_blocked(&[b'x'; 8192], 128 << 20, Duration::from_millis(300));
        Next::Close
    })?;
    let mut response = kit.send(get(&server, "/")?)?;
    if let (_, Some(error)) = read_up_to(&mut response, 1) {
        return Err(error.into());
    }
    let is_blocked = server.wait_until(PATIENCE, |progress| progress.blocked > 0);
    let written = server.progress().written >> 20;
    ensure!(is_blocked && written < 24, "{written} MiB of an unread body were received");
    Ok(())
}

/// Expects a connection to close soon when its body is dropped after this number of bytes.
pub(super) fn dropped(kit: &Kit, server: &RawServer, count: usize) -> Outcome {
    let mut response = kit.send(get(server, "/")?)?;
    let (read, _) = read_up_to(&mut response, count);
    ensure!(read.len() >= count, "only {} bytes arrived", read.len());
    let start = Instant::now();
    drop(response);
    let took = start.elapsed();
    ensure!(took < PATIENCE / 2, "dropping the body took {took:?}");
    closes(server, "after the body was dropped")
}

pub(super) fn small_dropped_body_closes(kit: &Kit) -> Outcome {
    const LENGTH: &str = "content-length: 10\r\n\r\n";
    const CHUNKS: &str = "transfer-encoding: chunked\r\n\r\n";
    // The part of the body that arrives, and how many bytes of it are read.
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
        let server = stalling(format!("HTTP/1.1 200 OK\r\n{framing}{part}"))?;
        for_input(input, dropped(kit, &server, count))?;
    }
    Ok(())
}

pub(super) fn declared_length_is_not_preallocated(kit: &Kit) -> Outcome {
    for length in ["9000000000000000000", "1099511627776"] {
        let response = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\nabc");
        let server = playing(response, Next::Close)?;
        let (read, _) = read_up_to(&mut kit.send(get(&server, "/")?)?, 100);
        equal("the bytes read", text(read), "abc")?;
    }
    Ok(())
}

/// Expects a response with this start and endless repetitions of `block` to be rejected before `limit` bytes arrive.
pub(super) fn endless(kit: &Kit, start: &'static str, block: &str, limit: usize) -> Outcome {
    let blocks = block.repeat(16);
    let server = server(move |_, connection| {
        connection.send(start.as_bytes());
        connection.flood(blocks.as_bytes(), 128 << 20);
        Next::Close
    })?;
    let error = kit.failure(within(PATIENCE, get(&server, "/")?))?;
    expect_kind(&error, &[TransportErrorKind::TooLarge, TransportErrorKind::Protocol])?;
    closes(&server, "after the refusal")?;
    let written = server.progress().written;
    ensure!(written < limit, "{} MiB were received", written >> 20);
    Ok(())
}

pub(super) fn endless_trailers_end(kit: &Kit) -> Outcome {
    let line = format!("x-a: {}\r\n", "v".repeat(1000)).repeat(16);
    let server = server(move |_, connection| {
        let start = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n";
        connection.send(start.as_bytes());
        connection.flood(line.as_bytes(), usize::MAX);
        Next::Close
    })?;
    let error = kit.failure(within(SHORT, get(&server, "/")?))?;
    expect_kind(
        &error,
        &[TransportErrorKind::TooLarge, TransportErrorKind::Protocol, TransportErrorKind::Timeout],
    )?;
    closes(&server, "after the error")
}

pub(super) fn closed_before_the_head(kit: &Kit) -> Outcome {
    let server = server(|_, _| Next::Close)?;
    failed_when_sent(kit, get(&server, "/")?, TransportErrorKind::Interrupted)?;
    settle(Duration::from_millis(30));
    equal("requests", server.progress().requests.len(), 1)
}

/// Expects a transient error of this kind while connecting, which says that nothing was sent.
pub(super) fn unsent(kit: &Kit, uri: &str, kind: TransportErrorKind) -> Outcome {
    let error = kit.failure(get_uri(uri)?)?;
    expect_kind(&error, &[kind])?;
    expect_unsent(&error)?;
    expect_phase(&error, Phase::Connect)?;
    ensure!(error.is_transient(), "the error is not transient: {}", describe(&error));
    Ok(())
}

pub(super) fn sent_and_phase_of_each_failure(kit: &Kit) -> Outcome {
    use TransportErrorKind::{Interrupted, Protocol, Timeout, TooLarge};
    const LENGTH: &str = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc";
    const CHUNK: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n";
    let large = format!("HTTP/1.1 200 OK\r\nx-a: {}\r\n\r\n", "v".repeat(1 << 20));
    let malformed = format!("{CHUNK}zz\r\n");
    // The bytes that the peer sends, what it does next (`KeepAlive`: it waits), and the expected kind of error.
    let cases: [(&str, Next, TransportErrorKind); 14] = [
        ("", Next::Close, Interrupted),
        ("", Next::Reset, Interrupted),
        ("HTTP/1.1 200 OK\r\nx-a", Next::Close, Interrupted),
        ("SSH-2.0-OpenSSH_9.7\r\n\r\n", Next::Close, Protocol),
        ("HTTP/1.1 200 OK\r\ncontent-length: a\r\n\r\n", Next::Close, Protocol),
        (&large, Next::Close, TooLarge),
        ("", Next::KeepAlive, Timeout),
        ("HTTP/1.1 200 OK\r\nx-a", Next::KeepAlive, Timeout),
        (LENGTH, Next::Close, Interrupted),
        (LENGTH, Next::Reset, Interrupted),
        (CHUNK, Next::Close, Interrupted),
        (&malformed, Next::Close, Protocol),
        (LENGTH, Next::KeepAlive, Timeout),
        (CHUNK, Next::KeepAlive, Timeout),
    ];
    for_each(&cases, |&(sent, next, kind)| {
        let is_silent = next == Next::KeepAlive;
        let server = if is_silent { stalling(sent)? } else { playing(sent, next)? };
        for (method, body) in METHODS {
            let start: String = sent.chars().take(80).collect();
            let input = format!("{method}, {next:?} after {start:?}");
            let request = with(&method, body, get(&server, "/")?);
            if !is_silent {
                for_input(input, failed_when_sent(kit, request, kind))?;
                continue;
            }
            let late = |short| failed_when_sent(kit, within(short, request.clone()), kind);
            for_input(format_args!("{input}, with a deadline"), patiently(late))?;
            let outcome =
                patiently(|short| failed_when_sent(&idle(kit, short)?, request.clone(), kind));
            for_input(format_args!("{input}, with an idle timeout"), outcome)?;
        }
        Ok(())
    })
}

/// Sends a request that reaches the peer but fails, and checks the error's kind, phase and `Sent`.
fn failed_when_sent(kit: &Kit, request: Request, kind: TransportErrorKind) -> Outcome {
    let (error, is_right_phase) = match kit.send(request) {
        Ok(response) => {
            let error = failure(response)?;
            let is_of_the_body = error.phase() == Phase::Body;
            (error, is_of_the_body)
        }
        Err(error) => {
            let is_later = !matches!(error.phase(), Phase::Connect | Phase::Body);
            (error, is_later)
        }
    };
    expect_kind(&error, &[kind])?;
    ensure!(error.sent() == Sent::Maybe, "`sent` is not `Maybe`: {}", describe(&error));
    ensure!(is_right_phase, "the phase is wrong: {}", describe(&error));
    Ok(())
}
