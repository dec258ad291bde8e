//! Responses that are not a success with JSON: redirects, errors, rate limits and other media types.

use super::ELSEWHERE;
use super::case::{Group, LIST, Script, fault, plays};

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
pub(super) fn refusal(status: u16, lines: &str) -> Script {
    let body = if matches!(status, 204 | 304) { "" } else { "CANARY person" };
    // Without `connection: close`, the second request could still be sent on the connection that is closing.
    plays(format!(
        "HTTP/1.1 {status} CANARY\r\n{lines}connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    ))
}
