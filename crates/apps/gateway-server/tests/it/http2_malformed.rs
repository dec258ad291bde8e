//! Invalid requests of every kind, sent by a raw client, in the order of RFC 9113, and a few invalid frames. `h2` answers
//! them, and its own tests have the others.

use crate::http2_raw::{
    CONTINUATION, DATA, END_HEADERS, END_STREAM, Event, GOAWAY, HEADERS, PADDED, PING, PREFACE,
    PRIORITY, PUSH_PROMISE, RST_STREAM, Raw, SETTINGS, WINDOW_UPDATE, block, frame, text,
};
use crate::support::get as get_with_token;

const GET: &[(&str, &str)] = &[
    (":method", "GET"),
    (":scheme", "http"),
    (":authority", "a"),
    (":path", "/c/oauth/v1?method=credits/get"),
];

const LAST: u8 = END_STREAM | END_HEADERS;

/// A request on stream 1, with other or more fields.
fn with(fields: &[(&str, &str)]) -> Vec<u8> {
    frame(HEADERS, LAST, 1, &block(&[GET, fields].concat()))
}

/// A request on stream 1 with these fields only.
fn only(fields: &[(&str, &str)]) -> Vec<u8> {
    frame(HEADERS, LAST, 1, &block(fields))
}

/// A request on this stream.
fn get(stream: u32) -> Vec<u8> {
    frame(HEADERS, LAST, stream, &block(GET))
}

/// Returns the name and the bytes of each case. They follow the preface and empty settings.
fn cases() -> Vec<(&'static str, Vec<u8>)> {
    let request = block(GET);
    let raw = |kind, flags, stream, payload: &[u8]| frame(kind, flags, stream, payload);
    let number = |value: u32| value.to_be_bytes();
    let then = |parts: &[Vec<u8>]| parts.concat();
    // A request whose header block has not ended.
    let begun = frame(HEADERS, END_STREAM, 1, &request[..20]);
    let rest = |flags| frame(CONTINUATION, flags, 1, &request[20..]);
    // A request whose body follows.
    let open =
        |fields: &[(&str, &str)]| frame(HEADERS, END_HEADERS, 1, &block(&[GET, fields].concat()));
    let coded = |bytes: &[u8]| frame(HEADERS, LAST, 1, &[&request, bytes].concat());
    let padded = |length: u8| frame(HEADERS, LAST | PADDED, 1, &[&[length], &request[..]].concat());
    let without = |name: &str| {
        let fields: Vec<_> = GET.iter().filter(|(own, _)| *own != name).copied().collect();
        only(&fields)
    };
    let changed = |name: &str, value: &'static str| {
        let change = |(own, old): &(&'static str, &'static str)| {
            (*own, if *own == name { value } else { *old })
        };
        only(&GET.iter().map(change).collect::<Vec<_>>())
    };
    let mut long_value = vec![0, 1, b'a'];
    text(&mut long_value, &b"b".repeat(40_000));
    let pieces = |block: &[u8]| -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut chunks = block.chunks(16_384).peekable();
        let mut kind = HEADERS;
        while let Some(chunk) = chunks.next() {
            let end = if chunks.peek().is_none() { END_HEADERS } else { 0 };
            let stream = if kind == HEADERS { END_STREAM } else { 0 };
            bytes.extend(frame(kind, end | stream, 1, chunk));
            kind = CONTINUATION;
        }
        bytes
    };
    vec![
        ("a request", get(1)),
        // Frames (sections 4 to 6), one of each type that a client must not send so.
        ("frame of an unknown type", then(&[raw(200, 255, 0, b"abc"), get(1)])),
        ("frame above the maximum size", raw(DATA, 0, 1, &[0; 16_385])),
        ("HTTP/1.1 after the preface", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".to_vec()),
        ("data on an idle stream", raw(DATA, 0, 1, b"a")),
        ("head after the end", then(&[get(1), get(1)])),
        ("head with too much padding", padded(200)),
        ("priority of four bytes", raw(PRIORITY, 0, 1, &[0; 4])),
        ("reset of an idle stream", raw(RST_STREAM, 0, 1, &number(8))),
        ("settings of five bytes", raw(SETTINGS, 0, 0, &[0; 5])),
        (
            "push promise of a client",
            raw(PUSH_PROMISE, END_HEADERS, 1, &[&number(2)[..], &request].concat()),
        ),
        ("ping of six bytes", raw(PING, 0, 0, &[0; 6])),
        ("goaway", raw(GOAWAY, 0, 0, &[0; 8])),
        ("window above 2^31 - 1", raw(WINDOW_UPDATE, 0, 0, &number((1 << 31) - 1))),
        ("head within a head", then(&[begun.clone(), get(3)])),
        ("continued head", then(&[begun, rest(END_HEADERS)])),
        // Messages (section 8.1).
        ("head after a head", then(&[open(&[]), get(1)])),
        ("trailer", then(&[open(&[]), frame(HEADERS, LAST, 1, &block(&[("a", "b")]))])),
        (
            "trailer with a pseudo field",
            then(&[open(&[]), frame(HEADERS, LAST, 1, &block(&[(":path", "/")]))]),
        ),
        ("body", then(&[open(&[]), raw(DATA, END_STREAM, 1, b"hello")])),
        ("body that does not end", then(&[open(&[]), raw(DATA, 0, 1, b"hello")])),
        ("empty body", then(&[open(&[]), raw(DATA, END_STREAM, 1, b"")])),
        (
            "empty body of length 0",
            then(&[open(&[("content-length", "0")]), raw(DATA, END_STREAM, 1, b"")]),
        ),
        ("length 0", with(&[("content-length", "0")])),
        ("length 5 without a body", with(&[("content-length", "5")])),
        (
            "length 0 with a body",
            then(&[open(&[("content-length", "0")]), raw(DATA, END_STREAM, 1, b"a")]),
        ),
        (
            "length 2 with a longer body",
            then(&[open(&[("content-length", "2")]), raw(DATA, END_STREAM, 1, b"abc")]),
        ),
        ("length that is not a number", with(&[("content-length", "a")])),
        ("length with a sign", with(&[("content-length", "+0")])),
        ("length beyond 64 bits", with(&[("content-length", "18446744073709551616")])),
        ("two lengths", with(&[("content-length", "0"), ("content-length", "1")])),
        ("expects to continue", with(&[("expect", "100-continue")])),
        // Fields (section 8.2).
        ("name in upper case", with(&[("Accept", "*/*")])),
        ("name with a space", with(&[("a b", "c")])),
        ("name with a control character", with(&[("a\u{7}", "c")])),
        ("name with an umlaut", with(&[("ä", "c")])),
        ("name with a colon", with(&[("a:b", "c")])),
        ("empty name", with(&[("", "c")])),
        ("value with a line feed", with(&[("a", "b\nc")])),
        ("value with a carriage return", with(&[("a", "b\rc")])),
        ("value with a NUL", with(&[("a", "b\0c")])),
        ("value that begins with a space", with(&[("a", " b")])),
        ("connection", with(&[("connection", "close")])),
        ("keep-alive", with(&[("keep-alive", "timeout=5")])),
        ("proxy-connection", with(&[("proxy-connection", "close")])),
        ("transfer-encoding", with(&[("transfer-encoding", "chunked")])),
        ("upgrade", with(&[("upgrade", "h2c")])),
        ("te of gzip", with(&[("te", "gzip")])),
        ("te of trailers", with(&[("te", "trailers")])),
        // Pseudo fields (section 8.3).
        ("unknown pseudo field", with(&[(":other", "a")])),
        ("pseudo field of a response", with(&[(":status", "200")])),
        ("pseudo field after a field", only(&[("a", "b"), GET[0], GET[1], GET[2], GET[3]])),
        ("two methods", with(&[(":method", "GET")])),
        ("two schemes", with(&[(":scheme", "http")])),
        ("two authorities", with(&[(":authority", "a")])),
        ("two paths", with(&[(":path", "/")])),
        ("no method", without(":method")),
        ("no scheme", without(":scheme")),
        ("no path", without(":path")),
        ("no authority", without(":authority")),
        ("host instead of an authority", only(&[GET[0], GET[1], GET[3], ("host", "a")])),
        ("the same host", with(&[("host", "A")])),
        ("another host", with(&[("host", "b")])),
        ("two hosts", with(&[("host", "a"), ("host", "a")])),
        ("empty authority", changed(":authority", "")),
        ("authority with a user", changed(":authority", "u@a")),
        ("authority with a space", changed(":authority", "a b")),
        ("authority with a bad port", changed(":authority", "a:b")),
        ("two authorities in one field", changed(":authority", "a,b")),
        ("empty path", changed(":path", "")),
        ("path without a slash", changed(":path", "c/oauth/v1?method=credits/get")),
        ("path with a fragment", changed(":path", "/c/oauth/v1?method=credits/get#a")),
        ("path with a space", changed(":path", "/c/oauth/v1?method=credits/get HTTP/1.1")),
        ("path with an umlaut", changed(":path", "/c/oauth/v1?status=ü")),
        ("asterisk", changed(":path", "*")),
        ("absolute path", changed(":path", "http://a/c/oauth/v1")),
        ("unknown scheme", changed(":scheme", "ftp")),
        ("scheme that is not one", changed(":scheme", "ht tp")),
        ("method with a space", changed(":method", "GE T")),
        ("empty method", changed(":method", "")),
        ("unknown method", changed(":method", "BREW")),
        ("connect with a path", changed(":method", "CONNECT")),
        ("connect", only(&[(":method", "CONNECT"), (":authority", "a")])),
        ("extended connect", with(&[(":protocol", "websocket")])),
        // Sizes.
        ("63 more fields", with(&[("a", "b"); 63])),
        ("64 more fields", with(&[("a", "b"); 64])),
        ("1,000 more fields", with(&[("a", "b"); 1_000])),
        ("value of 40,000 bytes", pieces(&[&request[..], &long_value].concat())),
        ("value of 400,000 bytes", {
            let mut value = vec![0, 1, b'a'];
            text(&mut value, &b"b".repeat(400_000));
            pieces(&[&request[..], &value].concat())
        }),
        // Compression (RFC 7541).
        ("index beyond the tables", coded(&[0xff, 0x80, 0x01])),
        ("text that is cut", coded(&[0, 1, b'a', 9, b'b'])),
        ("Huffman code with the end symbol", coded(&[0, 1, b'a', 0x84, 0xff, 0xff, 0xff, 0xff])),
        ("bomb of one entry", {
            let mut bomb = [&request[..], &[0x40, 1, b'a']].concat();
            text(&mut bomb, &[b'b'; 4_000]);
            bomb.extend([0xbe; 12_000]);
            pieces(&bomb)
        }),
    ]
}

/// Sends a case, and reads until the server has answered a ping after it or has closed the connection. Returns the statuses
/// of the responses.
fn statuses(address: &str, bytes: &[u8]) -> Vec<u16> {
    let mut raw = Raw::connect(address, b"");
    raw.send(&[bytes, &frame(PING, 0, 0, &[3; 8])].concat());
    let mut statuses = Vec::new();
    while let Some(event) = raw.next() {
        match event {
            Event::Status(_, status) => statuses.push(status),
            Event::Pong => break,
            _ => {}
        }
    }
    statuses
}

/// None of them has a token, so no response may be a success.
#[test]
fn no_wrong_frame_leads_to_a_success_or_a_failure_of_the_server() {
    let demo = gateway_server::demo::start().unwrap();
    let address = demo.base_url().strip_prefix("http://").unwrap();
    let cases = cases();
    assert!(cases.len() >= 80, "{}", cases.len());
    for (name, bytes) in &cases {
        let statuses = statuses(address, bytes);
        assert!(
            statuses.iter().all(|status| matches!(status, 0 | 400..=499)),
            "{name}: {statuses:?}"
        );
    }
    assert_eq!(get_with_token(demo.base_url(), demo.token(), "method=credits/get").status, 200);
}

#[test]
fn a_connection_begins_with_its_preface_and_settings() {
    let demo = gateway_server::demo::start().unwrap();
    let address = demo.base_url().strip_prefix("http://").unwrap();
    // The preface byte by byte.
    let mut slow = Raw::silent(address);
    for byte in [PREFACE, &frame(SETTINGS, 0, 0, b""), &get(1)].concat() {
        assert!(slow.send(&[byte]));
    }
    assert_eq!(slow.next(), Some(Event::Status(1, 401)));
    // Another frame in place of the settings.
    let mut raw = Raw::silent(address);
    raw.send(&[PREFACE, &frame(PING, 0, 0, &[0; 8])].concat());
    // `h2` answers it, and closes the connection when it is idle, or ends it at once.
    assert!(matches!(raw.next(), Some(Event::Pong | Event::GoAway(_)) | None));
}
