//! The service redirects, refuses, asks for patience, or answers with something that is no success.

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
        cases.push(fault(format!("status {status} to elsewhere"), refusal(status, &location)));
    }
    let long = format!("{elsewhere}?{}", "a".repeat(1 << 20));
    for (name, location) in [
        ("a redirect to itself, for ever", "/c/oauth/v1?method=candidates/list"),
        ("a redirect to a name", &by_name),
        ("a redirect to another scheme", &by_name.replace("http:", "https:")),
        ("a redirect to a file", "file:///etc/passwd"),
        ("a redirect with a user in it", &elsewhere.replace("://", "://CANARY@")),
        ("a redirect to nothing", ""),
        ("a redirect with a control character", &format!("{elsewhere}\u{1}")),
        ("a redirect of 1 MiB", &long),
    ] {
        cases.push(fault(name, refusal(302, &format!("location: {location}\r\n"))));
    }
    cases.push(fault("a redirect without a location", refusal(302, "")));

    cases.push(fault("status 401 without a challenge", refusal(401, "")));
    let challenge = "www-authenticate: Bearer error=\"invalid_token\"\r\n";
    cases.push(fault("status 401 with a challenge", refusal(401, challenge)));
    cases.push(fault("status 500 with a page", refusal(500, "content-type: text/html\r\n")));

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
        // A second is longer than this call may take.
        cases.push(if after == "1" { case.waits() } else { case });
    }

    for (name, lines) in [
        ("a login page", "content-type: text/html\r\n"),
        ("plain text", "content-type: text/plain\r\n"),
        ("a media type that is no text", "content-type: \u{e9}\r\n"),
        ("no media type", ""),
        ("JSON by another name", "content-type: application/vnd.x+json; charset=utf-8\r\n"),
    ] {
        let length = LIST.len();
        let head = format!("HTTP/1.1 200 OK\r\n{lines}content-length: {length}\r\n\r\n");
        cases.push(fault(name, plays(head + LIST)));
    }
    Group { name: "answers", cases }
}

/// An answer with this status and these lines in its head.
pub(super) fn refusal(status: u16, lines: &str) -> Script {
    let body = if matches!(status, 204 | 304) { "" } else { "CANARY person" };
    // Without `connection: close`, the second request might still go out on the connection that is being closed.
    plays(format!(
        "HTTP/1.1 {status} CANARY\r\n{lines}connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    ))
}
