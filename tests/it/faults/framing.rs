//! The body is framed wrongly, or in a way that looks so.

use super::case::{Ask, End, Group, LIST, Script, fault, head, plays};

pub(super) fn framing() -> Group {
    let mut cases = Vec::new();
    let body = LIST;
    let beyond = LIST.len() + 10;
    let short = LIST.len() - 10;
    for (name, lines) in [
        ("two lengths", format!("content-length: {}\r\ncontent-length: 5", body.len())),
        ("a negative length", "content-length: -5".to_owned()),
        ("a length of 2^64", "content-length: 18446744073709551616".to_owned()),
        ("a length that is too short", format!("content-length: {short}")),
        ("a length that is too long, then FIN", format!("content-length: {beyond}")),
        ("a length beyond the limit", "content-length: 70000000".to_owned()),
        ("ended by closing", "connection: close".to_owned()),
    ] {
        cases.push(fault(name, plays(head(&(lines + "\r\n")) + body)));
    }
    let too_long = head(&format!("content-length: {beyond}\r\n")) + body;
    let cut = head("connection: close\r\n") + body.split_at(40).0;
    cases.extend([
        fault("a length that is too long, then nothing", {
            Script::Plays(too_long.into_bytes(), End::Hang)
        })
        .waits(),
        fault("ended by closing, cut", plays(cut)),
        fault("a length, and chunks", {
            let chunks = chunked("content-length: 3\r\n", &in_one(body), "0\r\n\r\n");
            Script::Turns(vec![chunks.clone().into_bytes(), chunks.into_bytes()])
        })
        .asking(Ask::ListAgain(2))
        // Whoever has not put the connection back makes another one.
        .one_of(&["2 1..2 2  2 × ok: 1 2"]),
    ]);
    for (name, chunks, end) in [
        ("chunks", in_one(body), "0\r\n\r\n"),
        ("chunks with trailers", in_one(body), "0\r\nx-person: CANARY\r\n\r\n"),
        // ureq reads what is behind the last chunk, and drops it.
        ("chunks with trailers that are none", in_one(body), "0\r\nnonsense\r\n\r\n"),
        ("chunks without the last one", in_one(body), ""),
        ("a chunk of a bad size", format!("zz\r\n{body}\r\n"), "0\r\n\r\n"),
        ("a chunk of a size beyond 64 bits", format!("ffffffffffffffff1\r\n{body}\r\n"), ""),
        ("a chunk that is longer than it says", format!("5\r\n{body}\r\n"), "0\r\n\r\n"),
        ("a chunk with a short extension", extended(body, 4), "0\r\n\r\n"),
        // ureq has room for 20 bytes of size and extension, hyper for 16 KiB of extensions.
        ("a chunk with an extension of 100 bytes", extended(body, 100), "0\r\n\r\n"),
        ("a chunk with an extension of 1 MiB", extended(body, 1 << 20), "0\r\n\r\n"),
    ] {
        cases.push(fault(name, plays(chunked("", &chunks, end))));
    }
    cases.push(
        fault("10,000 chunks of 1 byte", {
            Script::Floods {
                first: chunked("", &in_one(body), "").into_bytes(),
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

fn in_one(body: &str) -> String {
    format!("{:x}\r\n{body}\r\n", body.len())
}

/// The same with an extension of this many bytes.
fn extended(body: &str, length: usize) -> String {
    format!("{:x};x={}\r\n{body}\r\n", body.len(), "a".repeat(length))
}
