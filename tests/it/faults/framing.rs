//! Framing of the body: `content-length`, chunks and close-delimited bodies, valid and broken.

use super::case::{Ask, End, Group, LIST, Script, fault, head, plays};

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
