//! Checks of requests, which must be sent as the caller gave them, byte for byte.

use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use gateway_transport::{Request, TransportErrorKind};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue, Method};

use crate::conformance::Kit;
use crate::conformance::peer::{
    describe, echo, equal, expect_kind, for_input, friendly, get, get_uri, only_request, playing,
    sent, server, text, with,
};
use crate::outcome::{Outcome, ensure};
use crate::raw_server::{Next, RawRequest};

/// Sends a GET, changed by `change`, and returns the only request that arrived.
fn arrived(kit: &Kit, change: impl FnOnce(&mut Request)) -> Outcome<RawRequest> {
    let server = friendly()?;
    let mut request = get(&server, "/")?;
    change(&mut request);
    kit.fetch(request)?;
    only_request(&server)
}

/// Expects the first target of each pair to arrive as the second.
pub(super) fn targets_arrive(kit: &Kit, targets: &[(&str, &str)]) -> Outcome {
    for (target, expected) in targets {
        let server = friendly()?;
        for_input(target, kit.fetch(get(&server, target)?))?;
        equal("the target", only_request(&server)?.target(), expected)?;
    }
    Ok(())
}

pub(super) fn odd_target_is_verbatim_or_refused(kit: &Kit) -> Outcome {
    for target in ["/v1?n=O'Brien", "/a/./b/../c?x=1", "/a/%2e%2e/b", "/p?q={a|b}^`", "/p?a=\"x\""]
    {
        let server = friendly()?;
        let Ok(request) = get(&server, target) else { continue };
        let expected = if kit.fetch(request).is_ok() { vec![target] } else { Vec::new() };
        let arrived: Vec<_> = server.progress().requests.iter().map(RawRequest::target).collect();
        ensure!(arrived == expected, "{target}: the server received {arrived:?}");
    }
    Ok(())
}

pub(super) fn method_and_host(kit: &Kit) -> Outcome {
    let server = friendly()?;
    kit.fetch(get(&server, "/")?)?;
    let request = only_request(&server)?;
    equal("the request line", request.line(), "GET / HTTP/1.1")?;
    equal("the host", sent(&request, "host"), server.address())
}

/// Expects each header to arrive once, and values with the same name in order. Every second header is marked sensitive.
pub(super) fn headers_arrive(kit: &Kit, headers: &[(&'static str, &[u8])]) -> Outcome {
    let mut given = HeaderMap::new();
    for (index, (name, value)) in headers.iter().enumerate() {
        let mut value = HeaderValue::from_bytes(value)?;
        value.set_sensitive(index % 2 == 0);
        given.append(HeaderName::from_static(name), value);
    }
    let request = arrived(kit, |request| request.headers_mut().extend(given.clone()))?;
    for name in given.keys() {
        let values: Vec<_> = given.get_all(name).iter().map(HeaderValue::as_bytes).collect();
        ensure!(!request.header(name.as_str()).is_empty(), "the header {name} is missing");
        equal(name, sent(&request, name.as_str()), text(values.join(&b", "[..])))?;
    }
    Ok(())
}

pub(super) fn header_bytes_are_preserved(kit: &Kit) -> Outcome {
    let long = "v".repeat(8 << 10);
    let headers = [
        ("authorization", b"Bearer aB-._~+/09==".as_slice()),
        ("x-latin", b"caf\xe9"),
        ("x-inner", b"a  b\tc"),
        ("x-long", long.as_bytes()),
    ];
    headers_arrive(kit, &headers)?;
    headers_arrive(kit, &[("x-many", b"1".as_slice()); 90])
}

pub(super) fn header_values_keep_their_case(kit: &Kit) -> Outcome {
    // All common headers except those that a client or a browser sets itself.
    let names = "accept accept-language authorization cache-control content-disposition \
                 content-language content-location content-type from if-match if-modified-since \
                 if-none-match if-range if-unmodified-since link pragma range traceparent \
                 user-agent x-api-key";
    let headers: Vec<_> = names.split(' ').map(|name| (name, MIXED_CASE.as_bytes())).collect();
    headers_arrive(kit, &headers)
}

pub(super) fn nothing_is_added(kit: &Kit) -> Outcome {
    for (name, _) in arrived(kit, |_| {})?.headers() {
        ensure!(OWN.contains(&&*name), "the client adds the header {name}");
    }
    Ok(())
}

pub(super) fn body_is_sent_with_its_length(kit: &Kit) -> Outcome {
    let form = "application/x-www-form-urlencoded";
    let body = "grant_type=client_credentials";
    let request = arrived(kit, |request| {
        *request.method_mut() = Method::POST;
        *request.body_mut() = body.into();
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(form));
    })?;
    equal("the method", request.method(), "POST")?;
    equal("the length", sent(&request, "content-length"), "29")?;
    equal("content-type", sent(&request, "content-type"), form)?;
    equal("the body", text(&request.body), body)
}

pub(super) fn head_is_sent_as_head(kit: &Kit) -> Outcome {
    let server = playing("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n", Next::KeepAlive)?;
    kit.gets(with(&Method::HEAD, "", get(&server, "/")?), "")?;
    equal("the method", only_request(&server)?.method(), "HEAD")
}

pub(super) fn refused(kit: &Kit, uri: &str) -> Outcome {
    expect_kind(&kit.failure(get_uri(uri)?)?, &[TransportErrorKind::InvalidRequest])
}

pub(super) fn invalid_ports_are_refused(kit: &Kit) -> Outcome {
    let server = friendly()?;
    // Some clients truncate an invalid port to the digits or bits that fit.
    let port = u32::from(server.address().port());
    for port in [format!("{}", port + 0x1_0000), format!("{port}x"), format!("{port}00000")] {
        for_input(format_args!("port {port}"), refused(kit, &format!("http://127.0.0.1:{port}/")))?;
    }
    equal("connections to the truncated port", server.progress().connections, 0)
}

/// Expects a header to arrive unchanged and once, or the request to be refused.
pub(super) fn arrives_or_is_refused(kit: &Kit, name: &'static str, value: &'static str) -> Outcome {
    let server = friendly()?;
    let mut request = get(&server, "/")?;
    request.headers_mut().insert(name, HeaderValue::from_static(value));
    match kit.send(request) {
        Ok(_) => equal(name, sent(&only_request(&server)?, name), value),
        Err(error) => for_input(name, expect_kind(&error, &[TransportErrorKind::InvalidRequest])),
    }
}

pub(super) fn expect_continue_is_not_sent(kit: &Kit) -> Outcome {
    let server = echo()?;
    kit.fetch(with(&Method::POST, vec![b'x'; 2 << 20], get(&server, "/")?))?;
    let is_added = !only_request(&server)?.header("expect").is_empty();
    ensure!(!is_added, "the client adds the header expect");
    Ok(())
}

pub(super) fn nothing_of_a_response_is_kept(kit: &Kit) -> Outcome {
    let count = AtomicUsize::new(0);
    let server = server(move |_, connection| {
        let body = count.fetch_add(1, Ordering::Relaxed).to_string();
        let headers = "cache-control: max-age=3600\r\netag: \"1\"\r\n\
                       last-modified: Sun, 22 Nov 2026 08:00:00 GMT\r\n\
                       expires: Fri, 22 Nov 2086 08:00:00 GMT\r\nset-cookie: session=1; Path=/\r\n";
        connection.respond(headers, body.as_bytes());
        Next::KeepAlive
    })?;
    for number in 0..3 {
        kit.gets(get_uri(&server.uri_by_name("/"))?, number.to_string())?;
    }
    for request in server.progress().requests {
        for name in ["cookie", "if-none-match", "if-modified-since", "referer"] {
            ensure!(request.header(name).is_empty(), "the client adds the header {name}");
        }
    }
    Ok(())
}

pub(super) fn connection_headers_arrive_or_are_refused(kit: &Kit) -> Outcome {
    let headers = [
        ("keep-alive", "timeout=9"),
        ("proxy-authorization", "Basic YTpi"),
        ("proxy-connection", "keep-alive"),
        ("te", "trailers"),
        ("trailer", "x-own"),
        ("upgrade", "own/1"),
    ];
    headers.into_iter().try_for_each(|(name, value)| arrives_or_is_refused(kit, name, value))
}

pub(super) fn every_method_with_and_without_a_body(kit: &Kit) -> Outcome {
    let server = playing("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", Next::KeepAlive)?;
    let every_byte: Vec<u8> = (0..=u8::MAX).collect();
    let large = every_byte.repeat(1024);
    let mut arrived = 0;
    for name in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PURGE", "Purge"] {
        let method = Method::from_bytes(name.as_bytes()).unwrap_or_default();
        for body in [&[], b"x".as_slice(), &every_byte, &large] {
            let input = format!("{name} with a body of {} bytes", body.len());
            let request = with(&method, Bytes::copy_from_slice(body), get(&server, "/")?);
            let outcome = kit.send(request).and_then(|response| response.into_body().collect(0));
            if let Err(error) = &outcome {
                ensure!(!body.is_empty(), "{input}: {}", describe(error));
                for_input(&input, expect_kind(error, &[TransportErrorKind::InvalidRequest]))?;
            }
            arrived += usize::from(outcome.is_ok());
            let requests = server.progress().requests;
            equal(format_args!("{input}: requests"), requests.len(), arrived)?;
            if let (Ok(_), Some(sent)) = (outcome, requests.last()) {
                for_input(input, sent_with(sent, name, body))?;
            }
        }
    }
    Ok(())
}

/// Checks the method, the headers and the body of a request.
fn sent_with(request: &RawRequest, method: &str, body: &[u8]) -> Outcome {
    equal("the request line", request.line(), format_args!("{method} / HTTP/1.1"))?;
    let has_right_bytes = request.body == body;
    ensure!(has_right_bytes, "the body arrived changed, with {} bytes", request.body.len());
    for (name, value) in request.headers() {
        let is_length = name == "content-length" && value == body.len().to_string().as_bytes();
        ensure!(is_length || OWN.contains(&&*name), "the client adds the header {name}");
    }
    let lengths = request.header("content-length").len();
    let expected = if body.is_empty() { 0..=1 } else { 1..=1 };
    ensure!(expected.contains(&lengths), "the request has {lengths} lengths");
    Ok(())
}

/// The headers that may arrive if the caller sets only `accept`.
pub(super) const OWN: [&str; 4] = ["accept", "connection", "host", "user-agent"];

/// A header value that changes if its letters become lower or upper case.
pub(super) const MIXED_CASE: &str = "aB-Cd/EF;gH=\"Ij\"";
