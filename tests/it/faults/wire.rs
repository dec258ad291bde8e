//! Faults of connections, heads, framing, TLS and proxies.

use std::io::Write as _;
use std::net::TcpStream;

use gateway_testkit::certificates::{Authority, Identity};

use super::case::{Ask, End, Group, LIST, Peer, Script, answer, document, fault, head, plays};
use super::peer::drain;

/// Connections that fail before, during or after a response.
pub(super) fn connection() -> Group {
    let mut cases = vec![
        fault("connection refused", Peer::Nobody),
        fault("host name that does not resolve", Peer::Unknown),
        fault("connection attempt without an answer", Peer::BlackHole).waits(),
        fault("host name whose IPv6 address may not answer", Peer::Named(document(LIST))),
        fault("FIN before the request", Peer::InPlaceOfHttp(drop)),
        fault(
            "response before the request",
            Peer::InPlaceOfHttp(|mut stream| {
                // A client that rejects an early response closes the connection while it is being written.
                let _written = stream.write_all(&answer(LIST));
                drain(stream);
            }),
        )
        .one_of(&["1..2 1..2 0  ok, 2 records", "1 1 0  Transport"]),
    ];

    let whole = answer(LIST);
    let cut = |at: usize| whole.split_at(at).0.to_vec();
    let chunk = head("transfer-encoding: chunked\r\n") + "40\r\n{\"status\"";
    for (end, name) in [(End::Fin, "FIN"), (End::Rst, "RST"), (End::Hang, "silence")] {
        for (place, bytes) in [
            ("before the head", Vec::new()),
            ("in the status line", b"HTTP/1.1 2".to_vec()),
            ("in the head", cut(20)),
            ("after the head", cut(whole.len() - LIST.len())),
            ("in the body", cut(whole.len() - 30)),
            ("in a chunk", chunk.clone().into_bytes()),
        ] {
            let case = fault(format!("{name} {place}"), Script::Plays(bytes, end));
            cases.push(if end == End::Hang { case.waits() } else { case });
        }
    }

    cases.extend([
        fault("head sent byte by byte without end", Script::Drips(head("x: ").into_bytes(), "v"))
            .waits(),
        fault("body sent byte by byte", {
            Script::Drips(head("content-length: 10000\r\n").into_bytes(), " ")
        })
        .waits(),
        fault("connection closed after two keep-alive responses", {
            Script::Turns(vec![answer(LIST), answer(LIST)])
        })
        .asking(Ask::ListAgain(5))
        // A client that notices the close too late sends the request again, and one that has not yet returned the
        // connection to its pool opens another.
        .one_of(&["5..7 3..5 5  5 × ok: 1 2"]),
        fault("two responses to one request", {
            let other = LIST.replace("\"1\"", "\"the other one\"");
            let both = [answer(LIST), answer(other)].concat();
            Script::Turns(vec![both.clone(), both.clone(), both])
        })
        .asking(Ask::ListAgain(3)),
    ]);
    Group { name: "connection", cases }
}

/// Heads that are not valid HTTP, or too large.
pub(super) fn heads() -> Group {
    let mut cases = Vec::new();
    for (name, bytes) in [
        ("SSH banner", "SSH-2.0-OpenSSH_9.6\r\n".to_owned()),
        ("HTTP/0.9", LIST.to_owned()),
        ("HTTP/3.0 in the status line", "HTTP/3.0 200 OK\r\n\r\n".to_owned()),
        ("status that is not a number", "HTTP/1.1 two OK\r\n\r\n".to_owned()),
        ("status 99", "HTTP/1.1 99 Low\r\ncontent-length: 0\r\n\r\n".to_owned()),
        ("header without a colon", success("nonsense\r\n")),
        ("header value with NUL", success("x: a\0b\r\n")),
        ("header name with a space", success("x y: z\r\n")),
        ("folded header", success("x: a\r\n b\r\n")),
        ("header of 1 MiB", success(&format!("x: {}\r\n", "a".repeat(1 << 20)))),
        ("90 headers", success(&"x: y\r\n".repeat(90 - 3))),
        // hyper accepts 100, ureq 128.
        ("101 headers", success(&"x: y\r\n".repeat(101 - 3))),
        ("2,000 headers", success(&"x: y\r\n".repeat(2_000))),
    ] {
        cases.push(fault(name, plays(bytes)));
    }
    let list = String::from_utf8_lossy(&answer(LIST)).into_owned();
    cases.extend([
        fault(
            "103 Early Hints",
            plays(format!("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n{list}")),
        ),
        fault("5 × 100 Continue", plays(CONTINUE.repeat(5) + &list)),
        fault("100 Continue without end", Script::Drips(Vec::new(), CONTINUE)).waits(),
        // ureq counts them all toward the size of the head.
        fault("200,000 × 100 Continue, then FIN", {
            Script::Floods {
                first: Vec::new(),
                block: CONTINUE.repeat(1_000).into_bytes(),
                times: 200,
                last: Vec::new(),
                end: End::Fin,
            }
        })
        .large(),
    ]);
    Group { name: "head", cases }
}

/// Returns a success with these header lines and three others.
fn success(lines: &str) -> String {
    let length = LIST.len();
    head(&format!("{lines}content-length: {length}\r\n")) + LIST
}

const CONTINUE: &str = "HTTP/1.1 100 Continue\r\n\r\n";

/// Framing of the body: `content-length`, chunks and close-delimited bodies, valid and broken.
pub(super) fn framing() -> Group {
    let mut cases = Vec::new();
    let body = LIST;
    let beyond = LIST.len() + 10;
    let short = LIST.len() - 10;
    for (name, lines) in [
        (
            "two different Content-Lengths",
            format!("content-length: {}\r\ncontent-length: 5", body.len()),
        ),
        ("negative Content-Length", "content-length: -5".to_owned()),
        ("Content-Length of 2^64", "content-length: 18446744073709551616".to_owned()),
        ("Content-Length too small", format!("content-length: {short}")),
        ("Content-Length too large, then FIN", format!("content-length: {beyond}")),
        ("Content-Length above the body limit", "content-length: 70000000".to_owned()),
        ("close-delimited body", "connection: close".to_owned()),
    ] {
        cases.push(fault(name, plays(head(&(lines + "\r\n")) + body)));
    }
    let too_long = head(&format!("content-length: {beyond}\r\n")) + body;
    let truncated = head("connection: close\r\n") + body.split_at(40).0;
    cases.extend([
        fault("Content-Length too large, then silence", {
            Script::Plays(too_long.into_bytes(), End::Hang)
        })
        .waits(),
        fault("close-delimited body, truncated", plays(truncated)),
        fault("Content-Length and chunks", {
            let chunks = chunked("content-length: 3\r\n", &one_chunk(body), "0\r\n\r\n");
            Script::Turns(vec![chunks.clone().into_bytes(), chunks.into_bytes()])
        })
        .asking(Ask::ListAgain(2))
        // A client that has not yet returned the connection to its pool opens another.
        .one_of(&["2 1..2 2  2 × ok: 1 2"]),
    ]);
    for (name, chunks, end) in [
        ("chunks", one_chunk(body), "0\r\n\r\n"),
        ("chunks with trailers", one_chunk(body), "0\r\nx-person: CANARY\r\n\r\n"),
        // ureq reads the trailers and discards them.
        ("chunks with malformed trailers", one_chunk(body), "0\r\nnonsense\r\n\r\n"),
        ("chunks without the last chunk", one_chunk(body), ""),
        ("chunk size that is not hexadecimal", format!("zz\r\n{body}\r\n"), "0\r\n\r\n"),
        ("chunk size above 64 bits", format!("ffffffffffffffff1\r\n{body}\r\n"), ""),
        ("chunk longer than its size", format!("5\r\n{body}\r\n"), "0\r\n\r\n"),
        ("chunk extension of 4 bytes", extended(body, 4), "0\r\n\r\n"),
        // ureq accepts 20 bytes of size and extension, hyper 16 KiB of extensions.
        ("chunk extension of 100 bytes", extended(body, 100), "0\r\n\r\n"),
        ("chunk extension of 1 MiB", extended(body, 1 << 20), "0\r\n\r\n"),
    ] {
        cases.push(fault(name, plays(chunked("", &chunks, end))));
    }
    cases.push(
        fault("10,000 chunks of 1 byte", {
            Script::Floods {
                first: chunked("", &one_chunk(body), "").into_bytes(),
                block: "1\r\n \r\n".repeat(1_000).into_bytes(),
                times: 10,
                last: b"0\r\n\r\n".to_vec(),
                end: End::Fin,
            }
        })
        .large(),
    );
    Group { name: "framing", cases }
}

fn chunked(lines: &str, chunks: &str, end: &str) -> String {
    format!("{}{chunks}{end}", head(&format!("{lines}transfer-encoding: chunked\r\n")))
}

/// Returns the body as one chunk.
fn one_chunk(body: &str) -> String {
    format!("{:x}\r\n{body}\r\n", body.len())
}

/// Returns the body as one chunk, with an extension whose value has this many bytes.
fn extended(body: &str, length: usize) -> String {
    format!("{:x};x={}\r\n{body}\r\n", body.len(), "a".repeat(length))
}

/// Certificates that are not trusted, and peers that break TLS.
pub(super) fn tls() -> Group {
    let whole = answer(LIST);
    let in_the_body = whole.split_at(whole.len() - 30).0.to_vec();
    let without_a_length = (head("connection: close\r\n") + LIST).into_bytes();
    let secure = |script: Script| Peer::Secure(Authority::identity, script);
    let cases = vec![
        fault("trusted certificate", secure(document(LIST))),
        fault("expired certificate", Peer::Secure(Authority::expired, document(LIST))),
        fault("certificate for another host", {
            Peer::Secure(Authority::other_host, document(LIST))
        }),
        fault("self-signed certificate", {
            Peer::Secure(|_| Identity::self_signed(), document(LIST))
        }),
        fault("certificate of an unknown authority", {
            Peer::Secure(|_| Authority::new()?.identity(), document(LIST))
        }),
        fault("plain HTTP instead of TLS", Peer::InPlaceOfTls(plain_text)),
        fault("SSLv3 alert", Peer::InPlaceOfTls(alert)),
        fault("garbage instead of a TLS handshake", Peer::InPlaceOfTls(garbage)),
        fault("FIN instead of the handshake", Peer::InPlaceOfTls(drop)),
        fault("silence instead of the handshake", Peer::InPlaceOfTls(drain)).waits(),
        fault("close-delimited body, with close_notify", {
            secure(Script::Plays(without_a_length.clone(), End::Fin))
        }),
        fault("close-delimited body, without close_notify", {
            secure(Script::Plays(without_a_length, End::Cut))
        }),
        fault(
            "truncated in the body, without close_notify",
            secure(Script::Plays(in_the_body, End::Cut)),
        ),
        fault("closed before the head, without close_notify", {
            secure(Script::Plays(Vec::new(), End::Cut))
        }),
    ];
    Group { name: "TLS", cases }
}

fn plain_text(stream: TcpStream) {
    send(stream, b"HTTP/1.1 400 CANARY\r\ncontent-length: 0\r\n\r\n");
}

/// Sends a fatal `handshake_failure` alert (RFC 6101, section 5.4).
fn alert(stream: TcpStream) {
    send(stream, &[21, 3, 0, 0, 2, 2, 40]);
}

/// Sends the header of a handshake record with an invalid payload.
fn garbage(stream: TcpStream) {
    send(stream, b"\x16\x03\x03\x00\x06CANARY");
}

/// Sends these bytes, and waits until the peer closes the connection.
fn send(mut stream: TcpStream, bytes: &[u8]) {
    stream.write_all(bytes).unwrap();
    drain(stream);
}

/// Proxies that fail, or that answer instead of the service.
pub(super) fn proxies() -> Group {
    let refusal = "HTTP/1.1 407 CANARY\r\nproxy-authenticate: Basic realm=\"CANARY\"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 13\r\nconnection: close\r\n\r\nCANARY person";
    let mut cases = vec![fault("proxy refuses the connection", Peer::NoProxy)];
    // For `http`, reqwest sends the request to the proxy; ureq opens a tunnel (CONNECT), as for `https`.
    for scheme in ["http", "https"] {
        for (name, script) in [
            ("proxy requires credentials", plays(refusal)),
            ("proxy answers with an HTML page", plays(page)),
            ("proxy closes the connection", Script::Plays(Vec::new(), End::Fin)),
        ] {
            cases.push(fault(format!("{name}, {scheme}"), Peer::Proxy(scheme, script)));
        }
        let silent = Script::Plays(Vec::new(), End::Hang);
        let name = format!("proxy is silent, {scheme}");
        cases.push(fault(name, Peer::Proxy(scheme, silent)).waits());
    }
    Group { name: "proxies", cases }
}
