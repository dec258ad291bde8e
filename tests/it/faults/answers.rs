//! Faults of complete responses: their status, their coding, and their documents.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::ELSEWHERE;
use super::case::{Ask, Case, End, Group, LIST, Script, document, fault, head, plays};

/// Responses that are not a success with JSON: redirects, errors, rate limits and other media types.
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
        (429, "1.5"),
        (429, "soon"),
        (503, "Fri, 20 Nov 2020 10:00:00 GMT"),
        (503, "Thu, 20 Nov 2098 10:00:00 GMT"),
        (503, "Thursday, 20-Nov-97 10:00:00 GMT"),
        (503, "Thu Nov 20 10:00:00 2098"),
    ] {
        let name = format!("status {status}, Retry-After: {after}");
        let case = fault(name, refusal(status, &format!("retry-after: {after}\r\n")));
        // The call timeout is shorter than one second.
        cases.push(if after == "1" { case.waits() } else { case });
    }

    for (name, lines) in [
        ("content type text/html", "content-type: text/html\r\n"),
        ("content type text/plain", "content-type: text/plain\r\n"),
        ("content type that is not ASCII", "content-type: \u{e9}\r\n"),
        ("no content type", ""),
        (
            "content type with the suffix +json",
            "content-type: application/vnd.x+json; charset=utf-8\r\n",
        ),
    ] {
        let length = LIST.len();
        let head = format!("HTTP/1.1 200 OK\r\n{lines}content-length: {length}\r\n\r\n");
        cases.push(fault(name, plays(head + LIST)));
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

/// Content codings: requested or not, valid or broken.
pub(super) fn coding() -> Group {
    let list = gzip(LIST.as_bytes());
    let (data, _checksum) = list.split_at(list.len() - 8);
    let damaged = [data, &[0xff; 8]].concat();
    // Gzip members of 1 MiB, which are fast to create.
    let bomb = gzip(&vec![b' '; 1 << 20]).repeat(64);
    assert!(bomb.len() < 70_000, "{}", bomb.len());
    let cases = vec![
        coded("gzip", "gzip", &list).gzip(),
        coded("gzip announced, plain body", "gzip", LIST.as_bytes()).gzip(),
        coded("gzip, truncated", "gzip", list.split_at(list.len() / 2).0).gzip(),
        coded("gzip with a bad checksum", "gzip", &damaged).gzip(),
        coded("gzip of 64 KiB that expands to 64 MiB", "gzip", &bomb).gzip().large(),
        coded("gzip with trailing garbage", "gzip", &[&*list, b"CANARY"].concat()).gzip(),
        coded("gzip within gzip", "gzip, gzip", &gzip(&list)).gzip(),
        coded("zstd instead of gzip", "zstd", LIST.as_bytes()).gzip(),
        coded("gzip, not requested", "gzip", &list),
        coded("zstd, not requested", "zstd", LIST.as_bytes()),
        coded("identity", "identity", LIST.as_bytes()),
    ];
    Group { name: "coding", cases }
}

fn coded(name: &str, coding: &str, body: &[u8]) -> Case {
    let length = body.len();
    let lines = format!("content-encoding: {coding}\r\ncontent-length: {length}\r\n");
    // Without `connection: close`, the second request could still be sent on the connection that is closing.
    let lines = lines + "connection: close\r\n";
    fault(name, plays([head(&lines).as_bytes(), body].concat()))
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

/// Bodies that are not JSON, or not the list that was requested.
pub(super) fn documents() -> Group {
    let deep = |depth: usize, close: usize| {
        let (open, close) = ("[".repeat(depth), "]".repeat(close));
        format!("{{\"status\":\"success\",\"result\":[],\"x\":{open}{close}")
    };
    let utf16: Vec<u8> = LIST.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut cases = Vec::new();
    for (name, body) in [
        ("empty body", ""),
        ("only whitespace", " \n "),
        ("invalid JSON", "{\"status\":\"success\",\"result\":[}"),
        ("not JSON", "oops CANARY"),
        ("JSON, truncated", "{\"status\":\"success\",\"result\":[{\"id\":\"1\"}"),
        ("garbage after the document", &format!("{LIST} CANARY")),
        ("two documents", &LIST.repeat(2)),
        ("trailing comma", "{\"status\":\"success\",\"result\":[],}"),
        ("byte order mark", &format!("\u{feff}{LIST}")),
        ("100,000 levels in an unknown field", &deep(100_000, 0)),
        ("120 levels in an unknown field", &(deep(120, 120) + "}")),
        ("100,000 levels in the list", &LIST.replace("{\"id\"", &"[".repeat(100_000))),
        ("failure with status 200", "{\"status\":\"error\",\"message\":\"CANARY\"}"),
        ("failure with a list", "{\"status\":\"CANARY\",\"result\":[{\"id\":\"1\"}]}"),
        ("no `status`", "{\"result\":[]}"),
        ("`status` of another type", "{\"status\":true,\"result\":[]}"),
        ("`status` is null", "{\"status\":null,\"result\":[]}"),
        ("`status` after the list", "{\"result\":[{\"id\":\"1\"}],\"status\":\"success\"}"),
        ("failure after the list", "{\"result\":[{\"id\":\"1\"}],\"status\":\"error\"}"),
        ("duplicate `status`", "{\"status\":\"success\",\"status\":\"success\",\"result\":[]}"),
        ("duplicate list", "{\"status\":\"success\",\"result\":[],\"result\":[]}"),
        ("no list", "{\"status\":\"success\"}"),
        ("list is null", "{\"status\":\"success\",\"result\":null}"),
        ("list is an empty object", "{\"status\":\"success\",\"result\":{}}"),
        ("array without an envelope", "[]"),
        ("envelope is an array", "[\"success\",[]]"),
        ("unknown fields", "{\"page\":1,\"status\":\"success\",\"result\":[],\"next\":null}"),
        ("duplicate unknown field", "{\"x\":1,\"x\":2,\"status\":\"success\",\"result\":[]}"),
        ("1e400 in an unknown field", "{\"x\":1e400,\"status\":\"success\",\"result\":[]}"),
    ] {
        cases.push(fault(name, document(body)));
    }
    cases.push(fault("UTF-16", document(utf16)));
    let invalid: [&[u8]; 3] = [
        b"{\"status\":\"success\",\"result\":[{\"id\":\"1\",\"name\":\"",
        b"\xff\xfe",
        b"CANARY\"}]}",
    ];
    cases.push(fault("invalid UTF-8", document(invalid.concat())));
    Group { name: "documents", cases }
}

/// An unusual or invalid record between two valid ones.
pub(super) fn records() -> Group {
    let deep = format!("\"id\":\"2\",\"x\":{}{}", "[".repeat(300), "]".repeat(300));
    let long = format!("\"id\":\"2\",\"name\":\"CANARY{}\"", "x".repeat(10 << 20));
    let wide = format!("\"id\":\"2\",\"portal\":{{{}\"id\":\"3\"}}", "\"x\":0,".repeat(100_000));
    let mut cases = Vec::new();
    for (name, fields) in [
        ("no `id`", "\"name\":\"CANARY\""),
        ("`id` is a number", "\"id\":2"),
        ("`id` is null", "\"id\":null"),
        ("duplicate `id`", "\"id\":\"2\",\"id\":\"CANARY\""),
        ("duplicate unknown field", "\"id\":\"2\",\"x\":\"CANARY\",\"x\":\"CANARY\""),
        ("unknown field", "\"id\":\"2\",\"new\":{\"a\":[\"CANARY\"]}"),
        ("1e400 in an unknown field", "\"id\":\"2\",\"x\":1e400"),
        ("`name` is null", "\"id\":\"2\",\"name\":null"),
        ("`name` is a number", "\"id\":\"2\",\"name\":5"),
        ("no `email`", "\"id\":\"2\",\"name\":\"CANARY\",\"phone\":\"CANARY\""),
        ("`portal` is an empty array", "\"id\":\"2\",\"portal\":[]"),
        ("`portal` without `id`", "\"id\":\"2\",\"portal\":{\"name\":\"CANARY\"}"),
        ("`portal` and `type` are null", "\"id\":\"2\",\"portal\":null,\"type\":null"),
        ("unknown value of `type`", "\"id\":\"2\",\"type\":\"robot\""),
        ("300 levels in an unknown field", &deep),
        ("escaped NUL and terminal escape sequence", "\"id\":\"2\",\"name\":\"\\u0000\\u001b[2J\""),
        ("unpaired surrogate", "\"id\":\"2\",\"name\":\"CANARY \\ud800\""),
        ("unescaped control character", "\"id\":\"2\",\"name\":\"CANARY \u{1b}[2J\""),
    ] {
        cases.push(fault(name, document(between(&format!("{{{fields}}}")))));
    }
    for (name, record) in [
        ("record is text", "\"CANARY\""),
        ("record is null", "null"),
        ("record is an array", "[\"2\",\"CANARY\"]"),
    ] {
        cases.push(fault(name, document(between(record))));
    }
    for (name, fields) in [("`name` of 10 MiB", long), ("`portal` with 100,000 fields", wide)] {
        cases.push(fault(name, document(between(&format!("{{{fields}}}")))).large());
    }
    for date in [
        "2026-11-20 10:00:00",
        "0000-00-00 00:00:00",
        "2024-02-30 10:00:00",
        "2024-13-01 10:00:00",
        "2024-01-01 24:00:00",
        "2016-12-31 23:59:60",
        "2024-01-01T10:00:00",
        "2024-01-01 10:00:00+01:00",
        "0000-01-01 00:00:00",
        "10000-01-01 00:00:00",
        "٢٠٢٤-٠١-٠١ ١٠:٠٠:٠٠",
        "",
    ] {
        let record = format!("{{\"id\":\"2\",\"date\":\"{date}\"}}");
        cases.push(fault(format!("date {date:?}"), document(between(&record))));
    }
    Group { name: "records", cases }
}

fn between(record: &str) -> String {
    format!("{{\"status\":\"success\",\"result\":[{{\"id\":\"1\"}},{record},{{\"id\":\"3\"}}]}}")
}

/// Unusual values: text that is not a decimal, and status names that need percent-encoding.
pub(super) fn values() -> Group {
    let mut cases = Vec::new();
    for decimal in
        ["120.50", "1e3", "1,234.50", "NaN", "", "-0", "1234567890123456789012345678901234567890"]
    {
        let body = format!("{{\"credits_number\":\"{decimal}\",\"currency\":\"EUR\"}}");
        let name = format!("credits {decimal:?}");
        cases.push(fault(name, document(body)).asking(Ask::Credits));
    }
    for (name, body) in [
        ("credits are a JSON number", "{\"credits_number\":120.50,\"currency\":\"EUR\"}"),
        ("credits without a currency", "{\"credits_number\":\"120.50\"}"),
    ] {
        cases.push(fault(name, document(body)).asking(Ask::Credits));
    }
    let long = "a".repeat(8 << 10);
    for (name, status) in [
        ("status name with &", "On & off"),
        ("status name with =", "a=b"),
        ("status name with +", "C+"),
        ("status name with %", "100%20"),
        ("status name with an emoji", "Hired 🎉"),
        ("status name with NUL", "a\0b"),
        ("status name with CRLF", "a\r\nx: y"),
        ("status name of 8 KiB", &long),
        ("empty status name", ""),
    ] {
        cases.push(fault(name, document(LIST)).asking(Ask::Status(status.to_owned())));
    }
    Group { name: "values", cases }
}

/// Lists that are read record by record.
pub(super) fn streams() -> Group {
    let stream = |name: &str, script: Script| fault(name, script).asking(Ask::Stream);
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
        many("100,000 records, then RST", LENGTH, "", End::Rst).asking(Ask::StreamUntilReset),
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
    fault(name, rows(100, framing, last, end)).asking(Ask::Stream).large()
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
