//! Faults of complete responses: their status, their coding, and their documents.

use super::ELSEWHERE;
use super::case::{Case, End, Group, LIST, Script, document, fault, head, plays};

/// Responses that are not a success with JSON: redirects, errors, rate limits, other media types and content codings.
pub(super) fn answers() -> Group {
    let mut cases = Vec::new();
    for status in [
        201, 202, 204, 206, 300, 304, 400, 403, 404, 405, 406, 408, 409, 410, 415, 429, 431, 451,
        500, 501, 502, 503, 504, 511, 599, 999,
    ] {
        cases.push(fault(format!("status {status}"), refusal(status, "")));
    }

    let elsewhere = ELSEWHERE.uri("/CANARY");
    let by_name = ELSEWHERE.uri_by_name("/CANARY");
    for status in [301, 302, 303, 307, 308] {
        let location = format!("location: {elsewhere}\r\n");
        cases.push(fault(format!("status {status} to another origin"), refusal(status, &location)));
    }
    let long = format!("{elsewhere}?{}", "a".repeat(1 << 20));
    for (name, location) in [
        ("redirect to itself", "/c/oauth/v1?method=candidates/list"),
        ("redirect to a host name", &by_name),
        ("redirect to https", &by_name.replace("http:", "https:")),
        ("redirect to a file: URL", "file:///etc/passwd"),
        ("redirect with userinfo", &elsewhere.replace("://", "://CANARY@")),
        ("redirect with an empty Location", ""),
        ("redirect with a control character", &format!("{elsewhere}\u{1}")),
        ("redirect with a Location of 1 MiB", &long),
    ] {
        cases.push(fault(name, refusal(302, &format!("location: {location}\r\n"))));
    }
    cases.push(fault("redirect without Location", refusal(302, "")));

    cases.push(fault("status 401 without a challenge", refusal(401, "")));
    let challenge = "www-authenticate: Bearer error=\"invalid_token\"\r\n";
    cases.push(fault("status 401 with a challenge", refusal(401, challenge)));
    cases.push(fault("status 500 with an HTML page", refusal(500, "content-type: text/html\r\n")));

    for (status, after) in [
        (429, "0"),
        (429, "1"),
        (429, "999999999999"),
        (429, "-1"),
        (503, "Fri, 20 Nov 2020 10:00:00 GMT"),
        (503, "Thu, 20 Nov 2098 10:00:00 GMT"),
    ] {
        let name = format!("status {status}, Retry-After: {after}");
        let case = fault(name, refusal(status, &format!("retry-after: {after}\r\n")));
        // The call timeout is shorter than one second.
        cases.push(if after == "1" { case.waits() } else { case });
    }

    let html =
        format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n{LIST}");
    cases.push(fault("content type text/html", plays(html)));
    for (name, coding) in
        [("gzip, not requested", "gzip"), ("zstd, not requested", "zstd"), ("identity", "identity")]
    {
        let lines = format!("content-encoding: {coding}\r\ncontent-length: {}\r\n", LIST.len());
        cases.push(fault(name, plays(head(&lines) + LIST)));
    }
    Group { name: "answers", cases }
}

/// Answers with this status and these header lines.
fn refusal(status: u16, lines: &str) -> Script {
    let body = if matches!(status, 204 | 304) { "" } else { "CANARY person" };
    // Without `connection: close`, the second request could still be sent on the connection that is closing.
    plays(format!(
        "HTTP/1.1 {status} CANARY\r\n{lines}connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    ))
}

/// Lists that are read record by record.
pub(super) fn streams() -> Group {
    let stream = |name: &str, script: Script| fault(name, script).streamed();
    let cases = vec![
        stream("complete stream", document(LIST)),
        stream("stream refused with 503", refusal(503, "")),
        stream("stream refused with 403, byte by byte", {
            let head = "HTTP/1.1 403 CANARY\r\ncontent-length: 10000\r\n\r\n";
            Script::Drips(head.into(), "x")
        })
        .waits(),
        stream("stream truncated in the head", Script::Plays(b"HTTP/1".to_vec(), End::Fin)),
        stream("1,000 records, then silence", rows(1, LENGTH, "", End::Hang)).waits(),
        many("100,000 records, then FIN", LENGTH, "", End::Fin),
        many("100,000 records, then garbage", LENGTH, "CANARY, CANARY", End::Fin),
        many("100,000 records, close-delimited, truncated", CLOSE, "", End::Fin),
        many("100,001 records, close-delimited", CLOSE, "{\"id\":\"0\"}]}", End::Fin),
        stream("failure after the list", {
            document("{\"result\":[{\"id\":\"1\"},{\"id\":\"2\"}],\"status\":\"error\"}")
        }),
        stream("record that is rejected", {
            document("{\"status\":\"success\",\"result\":[{\"id\":5},{\"id\":\"2\"}]}")
        }),
        stream("record of 10 MiB, streamed", big(10 << 20)).large(),
        stream("record of 64 MiB, streamed", big(64 << 20)).large(),
        fault("record of 64 MiB, not streamed", big(64 << 20)).large(),
    ];
    Group { name: "streams", cases }
}

fn many(name: &str, framing: &str, last: &str, end: End) -> Case {
    fault(name, rows(100, framing, last, end)).streamed().large()
}

/// Sends a list of `thousands` × 1,000 records, and then the last bytes.
fn rows(thousands: usize, framing: &str, last: &str, end: End) -> Script {
    Script::Floods {
        first: (head(framing) + "{\"status\":\"success\",\"result\":[").into(),
        block: "{\"id\":\"1\",\"name\":\"CANARY\"},".repeat(1_000).into_bytes(),
        times: thousands,
        last: last.into(),
        end,
    }
}

/// Sends a close-delimited list of one record whose name has this many bytes.
fn big(length: usize) -> Script {
    let first = "{\"status\":\"success\",\"result\":[{\"id\":\"1\",\"name\":\"CANARY";
    Script::Floods {
        first: (head(CLOSE) + first).into(),
        block: vec![b'x'; 64 << 10],
        times: length / (64 << 10),
        last: b"\"}]}".to_vec(),
        end: End::Fin,
    }
}

const CLOSE: &str = "connection: close\r\n";
const LENGTH: &str = "content-length: 1000000000\r\n";
