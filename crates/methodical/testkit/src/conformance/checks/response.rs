//! A response is returned as the peer sent it, byte for byte.

use std::time::Duration;

use gateway_transport::ErrorKind;
use http::{HeaderValue, Method};

use crate::conformance::Kit;
use crate::conformance::failure::{ensure_eq, expect_kind, for_input};
use crate::conformance::peer::{get, playing, server, settle, within};
use crate::outcome::{Outcome, ensure};
use crate::raw_server::Next;

/// Every status is returned as a response with its headers and body, not as an error.
///
/// The caller decides what a 401 or a 429 means. RFC 9110 section 15.
pub fn every_status_is_returned(kit: &Kit) -> Outcome {
    let server = server(|request, connection| {
        let code = request.target().trim_start_matches('/').to_owned();
        let head = format!("HTTP/1.1 {code} X\r\ncontent-length: 3\r\nx-h: v\r\n\r\nerr");
        connection.send(head.as_bytes());
        Next::KeepAlive
    })?;
    for code in [200, 400, 401, 403, 404, 407, 408, 421, 429, 500, 502, 503, 504, 599] {
        let response = kit.fetch(get(&server, &format!("/{code}"))?);
        let response = for_input(format_args!("status {code}"), response)?;
        ensure_eq!(response.head.status.as_u16(), code, "the status");
        ensure_eq!(response.body, &b"err"[..], "the body");
        ensure_eq!(response.header("x-h"), vec![&b"v"[..]], "the header");
    }
    ensure_eq!(server.progress().requests.len(), 14, "requests");
    Ok(())
}

/// A redirect is returned to the caller, not followed.
///
/// Following it could send the token to another party. RFC 9110 section 15.4.
pub fn redirects_are_not_followed(kit: &Kit) -> Outcome {
    let server = server(|request, connection| {
        let code = request.target().trim_start_matches('/').to_owned();
        let head = format!("HTTP/1.1 {code} X\r\nlocation: /200\r\ncontent-length: 0\r\n\r\n");
        connection.send(head.as_bytes());
        Next::KeepAlive
    })?;
    for code in [301, 302, 303, 307, 308] {
        let mut request = get(&server, &format!("/{code}"))?;
        request.headers_mut().insert("authorization", HeaderValue::from_static("Bearer t"));
        let response = for_input(format_args!("status {code}"), kit.fetch(request))?;
        ensure_eq!(response.head.status.as_u16(), code, "the status");
        ensure_eq!(response.header("location"), vec![&b"/200"[..]], "the location");
    }
    ensure_eq!(server.progress().requests.len(), 5, "requests");
    Ok(())
}

/// A 503 with `Retry-After` is returned to the caller, and the request is not retried.
///
/// Retries are up to the caller's policy, which counts attempts. RFC 9110 section 15.6.4.
pub fn nothing_is_retried(kit: &Kit) -> Outcome {
    let head = "HTTP/1.1 503 X\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n";
    let server = playing(head, Next::KeepAlive)?;
    kit.fetch(get(&server, "/")?)?;
    settle(Duration::from_millis(30));
    ensure_eq!(server.progress().requests.len(), 1, "requests");
    Ok(())
}

/// A status line without a reason phrase is accepted.
///
/// RFC 9112 section 4.
pub fn reason_may_be_missing(kit: &Kit) -> Outcome {
    let server = playing("HTTP/1.1 200 \r\ncontent-length: 2\r\n\r\n{}", Next::KeepAlive)?;
    let response = kit.fetch(get(&server, "/")?)?;
    ensure_eq!(response.body, &b"{}"[..], "the body");
    Ok(())
}

/// The body of an HTTP/1.0 response without a length ends when the connection closes.
///
/// Old proxies still use HTTP/1.0. RFC 9112 section 6.3.
pub fn http_1_0_is_understood(kit: &Kit) -> Outcome {
    let server = playing("HTTP/1.0 200 OK\r\n\r\nold", Next::Close)?;
    let response = kit.fetch(get(&server, "/")?)?;
    ensure_eq!(response.body, &b"old"[..], "the body");
    Ok(())
}

/// Two headers of the same name, in upper or lower case, are both returned, in order.
///
/// RFC 9110 sections 5.1 and 5.3.
pub fn repeated_headers_are_kept(kit: &Kit) -> Outcome {
    let head = "HTTP/1.1 200 OK\r\nx-multi: a=1\r\nX-Multi: b=2\r\ncontent-length: 0\r\n\r\n";
    let server = playing(head, Next::KeepAlive)?;
    let response = kit.fetch(get(&server, "/")?)?;
    ensure_eq!(response.header("x-multi"), vec![&b"a=1"[..], &b"b=2"[..]], "the values");
    Ok(())
}

/// A header value that is not UTF-8 is returned unchanged.
///
/// RFC 9110 section 5.5.
pub fn header_bytes_are_kept(kit: &Kit) -> Outcome {
    let head: &[u8] = b"HTTP/1.1 200 OK\r\nx-latin: caf\xe9\r\ncontent-length: 0\r\n\r\n";
    let server = playing(head, Next::KeepAlive)?;
    let response = kit.fetch(get(&server, "/")?)?;
    ensure_eq!(response.header("x-latin"), vec![&b"caf\xe9"[..]], "the value");
    Ok(())
}

/// Header values keep their upper-case and lower-case letters.
///
/// Most values are case-sensitive: entity tags, cookies, boundaries, realms. RFC 9110 section 5.5.
pub fn header_values_keep_their_case(kit: &Kit) -> Outcome {
    let names = [
        "accept-ranges",
        "age",
        "allow",
        "cache-control",
        "content-disposition",
        "content-language",
        "content-location",
        "content-range",
        "content-type",
        "date",
        "etag",
        "expires",
        "last-modified",
        "link",
        "location",
        "retry-after",
        "server",
        "set-cookie",
        "vary",
        "via",
        "www-authenticate",
        "x-own",
    ];
    let value = "aB-Cd/EF;gH=\"Ij\"";
    let headers: Vec<_> = names.iter().map(|name| format!("{name}: {value}\r\n")).collect();
    let headers = headers.concat();
    let server = server(move |_, connection| {
        connection.respond(&headers, b"{}");
        Next::KeepAlive
    })?;
    let response = kit.fetch(get(&server, "/")?)?;
    for name in names {
        ensure_eq!(response.header(name), [value.as_bytes()], name);
    }
    Ok(())
}

/// No header is removed: none for framing, cookies, authentication or caching.
///
/// A wrapper of the transport may need any of them. RFC 9110 section 5.
pub fn no_header_is_removed(kit: &Kit) -> Outcome {
    let headers = [
        ("age", "7"),
        ("alt-svc", "clear"),
        ("cache-control", "no-store"),
        ("content-disposition", "inline"),
        ("content-language", "en"),
        ("date", "Sun, 22 Nov 2026 08:00:00 GMT"),
        ("server", "kit"),
        ("set-cookie", "a=b"),
        ("strict-transport-security", "max-age=1"),
        ("vary", "accept"),
        ("via", "1.1 kit"),
        ("www-authenticate", "Bearer realm=\"kit\""),
        ("x-request-id", "1"),
    ];
    let lines: Vec<_> =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let lines = lines.concat();
    let server = server(move |_, connection| {
        connection.respond(&lines, b"{}");
        Next::KeepAlive
    })?;
    let response = kit.fetch(get(&server, "/")?)?;
    for (name, value) in headers {
        ensure_eq!(response.header(name), [value.as_bytes()], name);
    }
    ensure_eq!(response.header("content-length"), [b"2"], "content-length");
    Ok(())
}

/// A trailer does not become a header of the response.
///
/// It arrives after the caller has decided what the headers mean. Transports discard trailers. RFC 9110 section 6.5.1.
pub fn trailers_are_not_headers(kit: &Kit) -> Outcome {
    let response = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-trailer\r\n\r\n\
                    2\r\n{}\r\n0\r\nx-trailer: 1\r\nretry-after: 9\r\n\r\n";
    let server = playing(response, Next::KeepAlive)?;
    let response = kit.send(get(&server, "/")?)?;
    for name in ["x-trailer", "retry-after"] {
        let is_header = response.head.headers.contains_key(name);
        ensure!(!is_header, "the trailer {name} became a header");
    }
    Ok(())
}

/// `Retry-After` of a 429 is returned.
///
/// RFC 9110 section 10.2.3.
pub fn retry_after_is_visible(kit: &Kit) -> Outcome {
    let head = "HTTP/1.1 429 X\r\nRetry-After: 7\r\ncontent-length: 0\r\n\r\n";
    let server = playing(head, Next::KeepAlive)?;
    let response = kit.fetch(get(&server, "/")?)?;
    ensure_eq!(response.header("retry-after"), vec![&b"7"[..]], "retry-after");
    Ok(())
}

/// A compressed body is returned as it was sent, with its `Content-Encoding`.
///
/// Decompressing it without being asked defeats every size limit. RFC 9110 section 8.4.
pub fn encoded_body_is_not_decoded(kit: &Kit) -> Outcome {
    // `{}` in each coding: RFC 1952, RFC 1950, RFC 7932 and RFC 8878.
    let codings: [(&str, &[u8]); 5] = [
        ("gzip", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xab\xae\x05\0\x43\xbf\xa6\xa3\x02\0\0\0"),
        ("x-gzip", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xab\xae\x05\0\x43\xbf\xa6\xa3\x02\0\0\0"),
        ("deflate", b"\x78\x9c\xab\xae\x05\0\x01\x75\0\xf9"),
        ("br", b"\x8b\0\x80{}\x03"),
        ("zstd", b"\x28\xb5\x2f\xfd\0\x58\x11\0\0{}"),
    ];
    for (coding, bytes) in codings {
        let server = server(move |_, connection| {
            connection.respond(&format!("content-encoding: {coding}\r\n"), bytes);
            Next::KeepAlive
        })?;
        let response = for_input(coding, kit.fetch(get(&server, "/")?))?;
        ensure_eq!(response.body, bytes, format_args!("the body in {coding}"));
        ensure_eq!(response.header("content-encoding"), [coding.as_bytes()], "content-encoding");
    }
    Ok(())
}

/// Chunk sizes, chunk extensions and trailers are not part of the body.
///
/// RFC 9112 section 7.1.
pub fn chunks_are_joined(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n");
        connection.send(b"4;ext=1\r\ndefg\r\n0\r\nx-trailer: 1\r\n\r\n");
        Next::KeepAlive
    })?;
    for _ in 0..2 {
        let response = kit.fetch(get(&server, "/")?)?;
        ensure_eq!(response.body, &b"abcdefg"[..], "the body");
    }
    Ok(())
}

/// A body without a length ends when the connection closes.
///
/// RFC 9112 section 6.3.
pub fn body_may_end_with_the_connection(kit: &Kit) -> Outcome {
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello";
    let server = playing(head, Next::Close)?;
    let response = kit.fetch(get(&server, "/")?)?;
    ensure_eq!(response.body, &b"hello"[..], "the body");
    Ok(())
}

/// A 204, a 304 and the response to HEAD have no body even if they declare a length.
///
/// RFC 9112 section 6.3.
pub fn some_responses_have_no_body(kit: &Kit) -> Outcome {
    let server = server(|request, connection| {
        connection.send(match request.target().as_str() {
            "/204" => b"HTTP/1.1 204 No Content\r\n\r\n",
            "/304" => b"HTTP/1.1 304 X\r\ncontent-length: 10\r\n\r\n",
            _ => b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n".as_slice(),
        });
        Next::KeepAlive
    })?;
    for (method, target) in [(Method::GET, "/204"), (Method::GET, "/304"), (Method::HEAD, "/")] {
        let mut request = get(&server, target)?;
        *request.method_mut() = method;
        let response = for_input(target, kit.fetch(request))?;
        ensure!(response.body.is_empty(), "{target} has a body");
    }
    Ok(())
}

/// A body of length 0 is returned as an empty body.
///
/// RFC 9110 section 8.6.
pub fn body_may_be_empty(kit: &Kit) -> Outcome {
    let server = playing("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", Next::KeepAlive)?;
    ensure!(kit.fetch(get(&server, "/")?)?.body.is_empty(), "the body has bytes");
    Ok(())
}

/// An interim response (1xx) is skipped, and the final response is returned.
///
/// RFC 9110 section 15.2.
pub fn interim_responses_are_skipped(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n");
        connection.respond("", b"{}");
        Next::KeepAlive
    })?;
    let response = kit.fetch(get(&server, "/")?)?;
    ensure_eq!(response.head.status.as_u16(), 200, "the status");
    ensure_eq!(response.body, b"{}"[..], "the body");
    Ok(())
}

/// A 54 KB head is accepted, and all of its 90 headers are returned.
///
/// RFC 9110 section 5.4 sets no limit; common proxies allow about 64 KB.
pub fn large_head_is_read(kit: &Kit) -> Outcome {
    let value = "v".repeat(600);
    let headers: Vec<String> = (0..90).map(|index| format!("x-{index}: {value}\r\n")).collect();
    let headers = headers.concat();
    let server = server(move |_, connection| {
        connection.respond(&headers, b"{}");
        Next::KeepAlive
    })?;
    let count = kit.fetch(get(&server, "/")?)?.head.headers.len();
    ensure!(count >= 90, "only {count} of 90 headers were returned");
    Ok(())
}

/// An endless head is refused before it fills the memory.
///
/// RFC 9112 section 2.3, RFC 9110 section 17.5.
pub fn endless_head_is_refused(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\n");
        let line = format!("x-a: {}\r\n", "v".repeat(1000));
        connection.flood(line.as_bytes(), 40 << 20);
        Next::Close
    })?;
    let error = kit.failure(within(Duration::from_secs(8), get(&server, "/")?))?;
    expect_kind(&error, &[ErrorKind::TooLarge, ErrorKind::Protocol])?;
    let written = server.progress().written;
    ensure!(written < 8 << 20, "{written} bytes of the head were received");
    Ok(())
}

/// A head with too many headers, or with a header that is too large, is an error of kind `TooLarge`.
///
/// It is valid HTTP, not malformed, and a higher limit would help. RFC 9110 section 5.4.
pub fn oversized_heads_are_too_large(kit: &Kit) -> Outcome {
    let many = "x-a: v\r\n".repeat(20_000);
    let large = format!("x-a: {}\r\n", "v".repeat(1 << 20));
    for (input, headers) in [("20,000 headers", many), ("a header of 1 MiB", large)] {
        let server = server(move |_, connection| {
            connection.respond(&headers, b"{}");
            Next::Close
        })?;
        let failure = kit.failure(get(&server, "/")?);
        let outcome = failure.and_then(|error| expect_kind(&error, &[ErrorKind::TooLarge]));
        for_input(input, outcome)?;
    }
    Ok(())
}

/// Whitespace around a header value is removed; whitespace inside it is kept.
///
/// RFC 9112 section 5.1.
pub fn space_around_values_is_removed(kit: &Kit) -> Outcome {
    let response =
        "HTTP/1.1 200 OK\r\nx-space: \t a  b \t\r\nx-none:c\r\ncontent-length:  2 \r\n\r\n{}";
    let server = playing(response, Next::KeepAlive)?;
    let response = kit.fetch(get(&server, "/")?)?;
    ensure_eq!(response.header("x-space"), [b"a  b"], "x-space");
    ensure_eq!(response.header("x-none"), [b"c"], "x-none");
    ensure_eq!(response.body, b"{}"[..], "the body");
    Ok(())
}

/// Header names are case-insensitive, for the caller and for the framing.
///
/// RFC 9110 section 5.1.
pub fn names_match_in_any_case(kit: &Kit) -> Outcome {
    let response = "HTTP/1.1 200 OK\r\nX-FrOm: a\r\nCONTENT-LENGTH: 2\r\n\r\n{}";
    let server = playing(response, Next::KeepAlive)?;
    let response = kit.fetch(get(&server, "/")?)?;
    ensure_eq!(response.header("x-from"), [b"a"], "x-from");
    ensure_eq!(response.body, b"{}"[..], "the body");
    Ok(())
}

/// If a response has both chunks and a length, the chunks take precedence, or the response is refused.
///
/// A client that uses the length disagrees with a proxy about where the next response starts. RFC 9112 section 6.3,
/// rule 3.
pub fn chunks_win_over_a_length(kit: &Kit) -> Outcome {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n";
    let server = playing(format!("{head}5\r\nhello\r\n0\r\n\r\n"), Next::Close)?;
    match kit.send(get(&server, "/")?).and_then(|response| response.collect(100)) {
        Ok(body) => ensure_eq!(body, b"hello"[..], "the body"),
        Err(error) => expect_kind(&error, &[ErrorKind::Protocol])?,
    }
    Ok(())
}

/// A folded header line is joined with whitespace, or the response is refused. Its second line is not a separate
/// header.
///
/// RFC 9112 section 5.2.
pub fn folded_lines_do_no_harm(kit: &Kit) -> Outcome {
    let response = "HTTP/1.1 200 OK\r\nx-folded: a\r\n x-inner: b\r\ncontent-length: 2\r\n\r\n{}";
    let server = playing(response, Next::Close)?;
    match kit.send(get(&server, "/")?) {
        Ok(response) => {
            ensure!(
                !response.head.headers.contains_key("x-inner"),
                "the second line became a separate header"
            );
            let value = response.head.headers.get("x-folded").map(HeaderValue::as_bytes);
            let words: Option<Vec<&[u8]>> = value.map(|value| {
                value.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).collect()
            });
            ensure_eq!(words, Some(vec![&b"a"[..], b"x-inner:", b"b"]), "the words of x-folded");
        }
        Err(error) => expect_kind(&error, &[ErrorKind::Protocol])?,
    }
    Ok(())
}
