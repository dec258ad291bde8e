//! Faults of connections, heads, framing and proxies. The kit covers those that every transport reports alike; here is
//! one for each reaction of the client.

use super::case::{End, Group, LIST, Peer, Script, answer, fault, head, plays};

/// Connections that fail before, during or after a response.
pub(super) fn connection() -> Group {
    let mut cases = vec![
        fault("connection refused", Peer::Nobody),
        fault("host name that does not resolve", Peer::Unknown),
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
    ]);
    Group { name: "connection", cases }
}

/// Heads and framing that are invalid, too large, or inconsistent with the body.
pub(super) fn framing() -> Group {
    let of_length = |length: usize| head(&format!("content-length: {length}\r\n")) + LIST;
    let sized = format!("content-length: {}\r\n", LIST.len());
    let chunked = |chunks: &str| head("transfer-encoding: chunked\r\n") + chunks + "0\r\n";
    let closing = head("connection: close\r\n");
    let chunk = format!("{:x}\r\n{LIST}\r\n", LIST.len());
    let cases = [
        ("SSH banner", "SSH-2.0-OpenSSH_9.6\r\n".to_owned()),
        ("status 99", "HTTP/1.1 99 Low\r\ncontent-length: 0\r\n\r\n".to_owned()),
        ("header name with a space", head(&format!("x y: z\r\n{sized}")) + LIST),
        ("header of 1 MiB", head(&format!("x: {}\r\n", "a".repeat(1 << 20)))),
        (
            "two different Content-Lengths",
            head("content-length: 9\r\ncontent-length: 5\r\n") + LIST,
        ),
        ("Content-Length too small", of_length(LIST.len() - 10)),
        ("Content-Length above the body limit", of_length(70_000_000)),
        ("close-delimited body", closing.clone() + LIST),
        ("close-delimited body, truncated", closing + LIST.split_at(40).0),
        ("chunks with trailers", chunked(&chunk) + "x-person: CANARY\r\n\r\n"),
        ("chunks with malformed trailers", chunked(&chunk) + "nonsense\r\n\r\n"),
        ("chunk size that is not hexadecimal", chunked(&format!("zz\r\n{LIST}\r\n")) + "\r\n"),
    ];
    let mut cases: Vec<_> = cases.map(|(name, bytes)| fault(name, plays(bytes))).into();
    let interim = Script::Drips(Vec::new(), "HTTP/1.1 100 Continue\r\n\r\n");
    cases.push(fault("100 Continue without end", interim).waits());
    Group { name: "head and framing", cases }
}

/// Proxies that fail, or that answer instead of the service.
pub(super) fn proxies() -> Group {
    let refusal = "HTTP/1.1 407 CANARY\r\nproxy-authenticate: Basic realm=\"CANARY\"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 13\r\nconnection: close\r\n\r\nCANARY person";
    let mut cases = vec![fault("proxy refuses the connection", Peer::Nobody).proxy_of("http")];
    // For `http`, reqwest sends the request to the proxy; ureq opens a tunnel (CONNECT), as for `https`.
    for scheme in ["http", "https"] {
        for (name, script) in [
            ("proxy requires credentials", plays(refusal)),
            ("proxy answers with an HTML page", plays(page)),
            ("proxy closes the connection", Script::Plays(Vec::new(), End::Fin)),
        ] {
            cases.push(fault(format!("{name}, {scheme}"), script).proxy_of(scheme));
        }
        let silent = Script::Plays(Vec::new(), End::Hang);
        let name = format!("proxy is silent, {scheme}");
        cases.push(fault(name, silent).proxy_of(scheme).waits());
    }
    Group { name: "proxies", cases }
}
