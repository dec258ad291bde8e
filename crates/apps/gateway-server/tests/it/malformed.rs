//! Invalid requests of every kind over raw TCP: the status, the problem, and whether the connection stays open. The
//! snapshot is the specification.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::support::{exchange, parse};

/// Returns the name and the text of each request. `T` is replaced by the token, `H` by the address.
#[expect(clippy::too_many_lines, reason = "a table, one line per case")]
fn cases() -> Vec<(&'static str, String)> {
    let fields = "Host: H\r\nAuthorization: Bearer T\r\n";
    let line = |line: &str| format!("{line}\r\n{fields}\r\n");
    let field = |field: &str| {
        format!("GET /c/oauth/v1?method=credits/get HTTP/1.1\r\n{fields}{field}\r\n\r\n")
    };
    let host = |hosts: &str| {
        format!(
            "GET /c/oauth/v1?method=credits/get HTTP/1.1\r\n{hosts}Authorization: Bearer T\r\n\r\n"
        )
    };
    let auth = |auth: &str| {
        format!("GET /c/oauth/v1?method=credits/get HTTP/1.1\r\nHost: H\r\n{auth}\r\n")
    };
    let path = |path: &str| line(&format!("GET {path} HTTP/1.1"));
    let query = |query: &str| line(&format!("GET /c/oauth/v1?{query} HTTP/1.1"));
    let verb = |verb: &str| line(&format!("{verb} /c/oauth/v1?method=credits/get HTTP/1.1"));
    let candidates = |more: &str| query(&format!("method=candidates/list&{more}"));
    let target = "/c/oauth/v1?method=credits/get";
    vec![
        // The request line (RFC 9112 section 3).
        ("good", line(&format!("GET {target} HTTP/1.1"))),
        ("one empty line before", format!("\r\n{}", line(&format!("GET {target} HTTP/1.1")))),
        ("two empty lines before", format!("\r\n\r\n{}", line(&format!("GET {target} HTTP/1.1")))),
        ("space before the method", line(&format!(" GET {target} HTTP/1.1"))),
        ("two spaces after the method", line(&format!("GET  {target} HTTP/1.1"))),
        ("tab after the method", line(&format!("GET\t{target} HTTP/1.1"))),
        ("two spaces before the version", line(&format!("GET {target}  HTTP/1.1"))),
        ("space after the version", line(&format!("GET {target} HTTP/1.1 "))),
        ("no version", line(&format!("GET {target}"))),
        ("no target", line("GET HTTP/1.1")),
        ("method only", line("GET")),
        ("version in lower case", line(&format!("GET {target} http/1.1"))),
        ("version 1.2", line(&format!("GET {target} HTTP/1.2"))),
        ("version 0.9", line(&format!("GET {target} HTTP/0.9"))),
        ("version 2.0", line(&format!("GET {target} HTTP/2.0"))),
        ("version 1", line(&format!("GET {target} HTTP/1"))),
        ("version 1.10", line(&format!("GET {target} HTTP/1.10"))),
        ("incomplete HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n".into()),
        ("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into()),
        ("TLS hello", "\u{16}\u{3}\u{1}\u{0}\u{0}\r\n\r\n".into()),
        ("method with an invalid letter", line(&format!("G@T {target} HTTP/1.1"))),
        ("target with a raw umlaut", line("GET /c/oauth/v1?status=ü HTTP/1.1")),
        ("target with a control character", line("GET /c/oauth/v1?a=\u{1} HTTP/1.1")),
        ("target with a fragment", line(&format!("GET {target}#a HTTP/1.1"))),
        ("target with a quote", line("GET /c/oauth/v1?method=\" HTTP/1.1")),
        ("target with a backslash", line("GET /c\\oauth\\v1?method=credits/get HTTP/1.1")),
        ("target without a slash", line("GET c/oauth/v1?method=credits/get HTTP/1.1")),
        ("absolute form", line(&format!("GET http://H{target} HTTP/1.1"))),
        ("absolute form of https", line(&format!("GET https://H{target} HTTP/1.1"))),
        ("absolute form of ftp", line(&format!("GET ftp://H{target} HTTP/1.1"))),
        ("absolute form with a user", line(&format!("GET http://user@H{target} HTTP/1.1"))),
        ("absolute form with a comma", line(&format!("GET http://x,y{target} HTTP/1.1"))),
        ("absolute form with port 99999", line(&format!("GET http://x:99999{target} HTTP/1.1"))),
        ("absolute form without a host", line(&format!("GET http://{target} HTTP/1.1"))),
        ("authority form", line("GET H HTTP/1.1")),
        ("asterisk form", line("GET * HTTP/1.1")),
        ("target of 8 KiB", line(&format!("GET {target}&a={} HTTP/1.1", "a".repeat(8_192)))),
        ("target of 60 KiB", line(&format!("GET {target}&a={} HTTP/1.1", "a".repeat(61_440)))),
        ("target of 1 MiB", line(&format!("GET {target}&a={} HTTP/1.1", "a".repeat(1_048_576)))),
        // Line ends and header fields (section 5).
        ("bare line feeds", line(&format!("GET {target} HTTP/1.1")).replace("\r\n", "\n")),
        (
            "one bare line feed",
            format!("GET {target} HTTP/1.1\r\nHost: H\nAuthorization: Bearer T\r\n\r\n"),
        ),
        ("bare carriage return", field("A: b\rC: d")),
        ("carriage returns only", "GET / HTTP/1.1\rHost: H\r\r\n\r\n".into()),
        ("space before the colon", field("A : b")),
        ("field without a colon", field("A")),
        ("field without a name", field(": b")),
        ("name with a space", field("A B: c")),
        ("name with a control character", field("A\u{7}: c")),
        ("name with an umlaut", field("Ä: c")),
        ("name with a bracket", field("A(b): c")),
        ("continued line", field("A: b\r\n c")),
        ("line continued by a tab", field("A: b\r\n\tc")),
        ("continued first line", format!("GET {target} HTTP/1.1\r\n Host: H\r\n{fields}\r\n")),
        ("value with a NUL", field("A: b\0c")),
        ("value with an escape character", field("A: \u{1b}[31m")),
        ("value with a delete character", field("A: \u{7f}")),
        ("value with a tab", field("A: b\tc")),
        ("value with UTF-8", field("A: ü")),
        ("empty value", field("A:")),
        ("62 more fields", field("A: b\r\n".repeat(62).trim_end())),
        ("63 more fields", field("A: b\r\n".repeat(63).trim_end())),
        ("1,000 more fields", field("A: b\r\n".repeat(1_000).trim_end())),
        ("field of 15 KiB", field(&format!("A: {}", "b".repeat(15_360)))),
        ("field of 17 KiB", field(&format!("A: {}", "b".repeat(17_408)))),
        ("field of 1 MiB", field(&format!("A: {}", "b".repeat(1_048_576)))),
        // Host (RFC 9112 section 3.2).
        ("no host", host("")),
        (
            "no host in HTTP/1.0",
            format!("GET {target} HTTP/1.0\r\nAuthorization: Bearer T\r\n\r\n"),
        ),
        ("two equal hosts", host("Host: H\r\nHost: H\r\n")),
        ("two hosts", host("Host: H\r\nHost: b\r\n")),
        ("empty host", host("Host:\r\n")),
        ("host with a space", host("Host: a b\r\n")),
        ("host with a path", host("Host: a/b\r\n")),
        ("host with a user", host("Host: u@a\r\n")),
        ("host with a bad port", host("Host: a:b\r\n")),
        ("host with port 99999", host("Host: a:99999\r\n")),
        ("two hosts in one field without a space", host("Host: x,y\r\n")),
        ("two hosts in one field", host("Host: a, b\r\n")),
        ("another host", host("Host: example.org\r\n")),
        ("host with an IPv6 address", host("Host: [::1]:65535\r\n")),
        (
            "two hosts in HTTP/1.0",
            format!(
                "GET {target} HTTP/1.0\r\nHost: a\r\nHost: b\r\nAuthorization: Bearer T\r\n\r\n"
            ),
        ),
        // HTTP/1.0 with a connection that the client wants to use again (section 9.3).
        (
            "HTTP/1.0 that keeps the connection",
            field("Connection: keep-alive").replace("HTTP/1.1", "HTTP/1.0"),
        ),
        (
            "invalid target in HTTP/1.0 that keeps the connection",
            "GET t HTTP/1.0\r\nConnection: keep-alive\r\n\r\n".into(),
        ),
        (
            "list without a length in HTTP/1.0 that keeps the connection",
            candidates("")
                .replace("1.1\r\n", "1.0\r\nConnection: keep-alive\r\nAccept-Encoding: gzip\r\n"),
        ),
        // Bodies and framing (section 6).
        ("content length 0", field("Content-Length: 0")),
        ("content length 5", field("Content-Length: 5") + "hello"),
        ("content length 5 without a body", field("Content-Length: 5")),
        ("content length of 2 GiB", field("Content-Length: 2147483648")),
        ("content length beyond 64 bits", field("Content-Length: 18446744073709551616")),
        ("content length with a sign", field("Content-Length: +0")),
        ("negative content length", field("Content-Length: -1")),
        ("content length in hexadecimal", field("Content-Length: 0x0")),
        ("empty content length", field("Content-Length:")),
        ("two equal content lengths", field("Content-Length: 0\r\nContent-Length: 0")),
        ("two content lengths", field("Content-Length: 0\r\nContent-Length: 1")),
        ("two content lengths in one field", field("Content-Length: 0, 0")),
        ("chunked", field("Transfer-Encoding: chunked") + "0\r\n\r\n"),
        (
            "chunked and a content length",
            field("Transfer-Encoding: chunked\r\nContent-Length: 0") + "0\r\n\r\n",
        ),
        ("unknown transfer coding", field("Transfer-Encoding: x")),
        ("transfer coding identity", field("Transfer-Encoding: identity")),
        ("transfer coding chunked twice", field("Transfer-Encoding: chunked, chunked")),
        ("expects to continue", field("Expect: 100-continue\r\nContent-Length: 5")),
        (
            "smuggled request",
            field("Content-Length: 4") + "GET /c/oauth/v1?method=credits/get HTTP/1.1\r\n\r\n",
        ),
        // Whether the connection stays open after other refusals; the record of exchanges has their responses.
        ("other version of the service", path("/c/oauth/v2?method=credits/get")),
        ("double slash", path("//c/oauth/v1?method=credits/get")),
        ("encoded path", path("/c/oauth/%76%31?method=credits/get")),
        ("dot segments", path("/c/oauth/../oauth/v1?method=credits/get")),
        ("post", verb("POST")),
        ("trace", verb("TRACE")),
        ("connect", verb("CONNECT")),
        ("get in lower case", verb("get")),
        ("unknown verb", verb("BREW")),
        (
            "post with a body",
            verb("POST").replace("\r\n\r\n", "\r\nContent-Length: 5\r\n\r\nhello"),
        ),
        ("token twice", auth("Authorization: Bearer T\r\nAuthorization: Bearer T\r\n")),
        ("unknown token", auth("Authorization: Bearer gwt_unknown\r\n")),
        (
            "token in the query only",
            path("/c/oauth/v1?access_token=T").replace("Authorization: Bearer T\r\n", ""),
        ),
        ("encoded name of a token", query("method=credits/get&%61ccess_token=x")),
        ("accepts text only", field("Accept: text/html")),
        ("unknown method", query("method=candidates/delete")),
        ("encoded name of method", query("%6Dethod=credits/get")),
        ("incomplete escape", query("method=credits/get&a=%4")),
        ("encoded NUL", query("method=credits/get&a=%00")),
        ("vacancy 1;DROP", candidates("vacancy_id=1;DROP%20TABLE%20candidate")),
        ("status of 200 letters", candidates(&format!("vacancy_id=1&status={}", "a".repeat(200)))),
        ("status of 201 letters", candidates(&format!("vacancy_id=1&status={}", "a".repeat(201)))),
    ]
}

fn ask(base_url: &str, token: &str, name: &str, request: &str) -> String {
    let address = base_url.strip_prefix("http://").unwrap();
    let fill = |text: &str| {
        text.replace("Bearer T", &format!("Bearer {token}"))
            .replace("Host: H", &format!("Host: {address}"))
            .replace("//H", &format!("//{address}"))
    };
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // A valid request follows immediately: a server that continues to read after an invalid one would answer it.
    let next = fill(
        "GET /c/oauth/v1?method=credits/get&next HTTP/1.1\r\nHost: H\r\nAuthorization: Bearer T\r\nConnection: close\r\n\r\n",
    );
    let both = fill(request) + &next;
    drop(socket.write_all(both.as_bytes()));
    let mut bytes = Vec::new();
    drop(socket.read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes);
    // A status line, not a title that mentions the protocol.
    let begins = |at: usize| text.as_bytes().get(at + 9).is_some_and(u8::is_ascii_digit);
    let mut responses = text
        .match_indices("HTTP/1.")
        .filter(|(at, _)| begins(*at))
        .map(|(at, _)| text.split_at(at).1);
    let Some(first) = responses.next() else { return "no response, closed".to_owned() };
    let status = first.split(' ').nth(1).unwrap();
    let problem = first
        .split_once("urn:gateway:problem:")
        .map_or("", |(_, rest)| rest.split('"').next().unwrap());
    let head = first.split("\r\n\r\n").next().unwrap();
    let values = head.lines().filter_map(|line| line.strip_prefix("connection: "));
    let announced = match *values.collect::<Vec<_>>() {
        ["close"] => true,
        [] => false,
        ["keep-alive"] if responses.clone().next().is_some() => false,
        _ => panic!("{name}: {head}"),
    };
    let connection = match (responses.next(), announced) {
        (Some(second), false) => {
            assert!(
                second.starts_with("HTTP/1.1 200") || second.starts_with("HTTP/1.0 200"),
                "{second}"
            );
            "kept"
        }
        (None, true) => "closed",
        (None, false) => "closed without `connection: close`",
        (Some(_), true) => "response after `connection: close`",
    };
    format!("{status} {problem} {connection}").replace("  ", " ")
}

#[test]
fn every_wrong_request_gets_its_response() {
    let demo = gateway_server::demo::start().unwrap();
    let table = table(demo.base_url(), demo.token());
    insta::assert_snapshot!("every_wrong_request_gets_its_response", table);
}

/// A client reads no body after the response to `HEAD` (RFC 9110 section 9.3.2).
#[test]
fn a_refused_head_request_gets_no_body() {
    let demo = gateway_server::demo::start().unwrap();
    let address = demo.base_url().strip_prefix("http://").unwrap();
    for request in [
        "HEAD / HTTP/1.1\r\n\r\n",
        "HEAD / HTTP/1.1\r\nHost: a b\r\n\r\n",
        "HEAD  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "HEAD / HTTP/1.2\r\nHost: a\r\n\r\n",
        "HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
    ] {
        let response = parse(&exchange(address, request.as_bytes()));
        assert!(response.status >= 400, "{request:?}");
        assert_eq!(response.text(), "", "{request:?}");
    }
}

fn table(base_url: &str, token: &str) -> String {
    let cases = cases();
    assert!(cases.len() >= 110, "{}", cases.len());
    let mut table = String::new();
    for (name, request) in &cases {
        writeln!(table, "{name}: {}", ask(base_url, token, name, request)).unwrap();
    }
    table
}
