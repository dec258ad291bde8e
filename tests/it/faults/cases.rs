//! The faults, as bytes.

/// What a server sends, and how it ends.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) end: End,
    /// How many connections a client makes that sends a request twice, if that may help.
    pub(super) connections: usize,
}

#[derive(Clone, Copy)]
pub(super) enum End {
    /// In order (FIN).
    Close,
    /// Torn down (RST).
    Reset,
    /// Not at all: the peer has to give up.
    Hang,
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    connection(&mut cases);
    head(&mut cases);
    framing(&mut cases);
    statuses(&mut cases);
    media(&mut cases);
    documents(&mut cases);
    records(&mut cases);
    cases
}

/// The connection fails around the answer.
fn connection(cases: &mut Vec<Case>) {
    let whole = answer(LIST);
    let (head, _) = whole.split_at(whole.len() - LIST.len());
    let (in_head, _) = whole.split_at(20);
    let (in_body, _) = whole.split_at(whole.len() - 30);
    for (end, name) in [(End::Close, "closed"), (End::Reset, "reset"), (End::Hang, "silent")] {
        // A silent peer takes all the time there is.
        let add = if matches!(end, End::Hang) { add } else { add_transient };
        add(cases, &format!("{name} before the head"), b"", end);
        add(cases, &format!("{name} in the status line"), b"HTTP/1.1 2", end);
        add(cases, &format!("{name} in the head"), in_head, end);
        add(cases, &format!("{name} in the body"), in_body, end);
        add(cases, &format!("{name} after the head"), head, end);
        add(cases, &format!("{name} in a chunk"), b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n40\r\n{\"status\"", end);
    }
}

/// The head is not HTTP.
fn head(cases: &mut Vec<Case>) {
    let huge = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "a".repeat(1 << 20));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(2000));
    for (name, bytes) in [
        ("another protocol's banner", "SSH-2.0-OpenSSH_9.6\r\n"),
        ("HTTP/0.9", LIST),
        ("HTTP/3.0 in the status line", "HTTP/3.0 200 OK\r\n\r\n"),
        ("a status that is no number", "HTTP/1.1 two OK\r\n\r\n"),
        ("a status of two digits", "HTTP/1.1 99 Low\r\ncontent-length: 0\r\n\r\n"),
        ("a header without a colon", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"),
        ("a header with NUL", "HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n"),
        ("a header with blanks in its name", "HTTP/1.1 200 OK\r\nx y: z\r\n\r\n"),
        ("a head of 1 MiB", &huge),
        ("2,000 headers", &many),
    ] {
        add(cases, name, bytes.as_bytes(), End::Close);
    }
}

/// The body is framed wrongly, or in a way that looks so.
fn framing(cases: &mut Vec<Case>) {
    let chunked = "content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let list = format!("{:x}\r\n{LIST}\r\n", LIST.len());
    for (name, rest) in [
        ("chunked", format!("{chunked}{list}0\r\n\r\n")),
        ("chunked, with trailers", format!("{chunked}{list}0\r\nx: y\r\n\r\n")),
        ("chunked, without the last chunk", format!("{chunked}{list}")),
        ("chunked, with a bad size", format!("{chunked}zz\r\n{LIST}\r\n0\r\n\r\n")),
        ("chunked, with a size beyond 64 bits", format!("{chunked}fffffffffffffffff\r\n{LIST}")),
        (
            "two lengths",
            format!(
                "content-type: application/json\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n{LIST}"
            ),
        ),
        (
            "a negative length",
            format!("content-type: application/json\r\ncontent-length: -1\r\n\r\n{LIST}"),
        ),
        (
            "a length beyond 64 bits",
            format!(
                "content-type: application/json\r\ncontent-length: 99999999999999999999\r\n\r\n{LIST}"
            ),
        ),
        (
            "a length that is too short",
            format!("content-type: application/json\r\ncontent-length: 20\r\n\r\n{LIST}"),
        ),
        (
            "a length that is too long",
            format!(
                "content-type: application/json\r\ncontent-length: {}\r\n\r\n{LIST}",
                LIST.len() + 5
            ),
        ),
        (
            "ended by closing",
            format!("content-type: application/json\r\nconnection: close\r\n\r\n{LIST}"),
        ),
        (
            "ended by closing, cut",
            format!(
                "content-type: application/json\r\nconnection: close\r\n\r\n{}",
                LIST.split_at(40).0
            ),
        ),
        (
            "a length beyond the limit",
            "content-type: application/json\r\ncontent-length: 70000000\r\n\r\n".to_owned(),
        ),
    ] {
        // Whoever knows that something is missing asks for it again.
        let cut = matches!(name, "chunked, without the last chunk" | "a length that is too long");
        let add = if cut { add_transient } else { add };
        add(cases, name, format!("HTTP/1.1 200 OK\r\n{rest}").as_bytes(), End::Close);
    }
    let interim = format!(
        "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n{}",
        String::from_utf8_lossy(&answer(LIST))
    );
    add(cases, "an interim answer first", interim.as_bytes(), End::Close);
}

/// The service refuses, redirects, or answers with something that is no success.
fn statuses(cases: &mut Vec<Case>) {
    for status in [
        201, 202, 204, 206, 300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 406, 408,
        409, 410, 415, 429, 431, 451, 500, 501, 502, 503, 504, 511, 599, 999,
    ] {
        let body = if matches!(status, 204 | 304) { "" } else { "CANARY person" };
        // Without `connection: close`, the second request might still go out on the connection that is being closed.
        let bytes = format!(
            "HTTP/1.1 {status} Some\r\nlocation: http://127.0.0.1:1/CANARY\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let transient = matches!(status, 408 | 429 | 500 | 502 | 503 | 504);
        let add = if transient { add_transient } else { add };
        add(cases, &format!("status {status}"), bytes.as_bytes(), End::Close);
    }
}

/// A success that is no JSON.
fn media(cases: &mut Vec<Case>) {
    for (name, kind) in [
        ("a login page", "content-type: text/html"),
        ("plain text", "content-type: text/plain"),
        ("a media type that is no text", "content-type: \u{e9}"),
        ("JSON by another name", "content-type: application/vnd.gateway+json; charset=utf-8"),
        ("gzip that nobody asked for", "content-type: application/json\r\ncontent-encoding: gzip"),
        ("zstd that nobody asked for", "content-type: application/json\r\ncontent-encoding: zstd"),
    ] {
        let bytes =
            format!("HTTP/1.1 200 OK\r\n{kind}\r\ncontent-length: {}\r\n\r\n{LIST}", LIST.len());
        add(cases, name, bytes.as_bytes(), End::Close);
    }
    let bytes = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{LIST}", LIST.len());
    add(cases, "no media type", bytes.as_bytes(), End::Close);
}

/// JSON that is none, or not the list that was asked for.
fn documents(cases: &mut Vec<Case>) {
    let deep = format!("{{\"status\":\"success\",\"result\":{}", "[".repeat(100_000));
    let utf16: Vec<u8> = LIST.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (name, body) in [
        ("an empty body", &b""[..]),
        ("nothing but blanks", b" \n "),
        ("a byte order mark", b"\xef\xbb\xbf{\"status\":\"success\",\"result\":[]}"),
        ("UTF-16", &utf16),
        ("bytes that are no UTF-8", b"{\"status\":\"success\",\"result\":[{\"id\":\"\xff\"}]}"),
        ("no JSON", b"oops CANARY"),
        ("JSON that is cut", b"{\"status\":\"success\",\"result\":[{\"id\":\"1\"}"),
        ("garbage behind the document", b"{\"status\":\"success\",\"result\":[]} CANARY"),
        ("two documents", b"{\"status\":\"success\",\"result\":[]}{}"),
        ("a trailing comma", b"{\"status\":\"success\",\"result\":[],}"),
        ("nested 100,000 deep", deep.as_bytes()),
        ("a failure as 200", b"{\"status\":\"error\",\"message\":\"CANARY\"}"),
        ("a failure with a list", b"{\"status\":\"CANARY\",\"result\":[{\"id\":\"1\"}]}"),
        ("no success marker", b"{\"result\":[]}"),
        ("a marker of another type", b"{\"status\":true,\"result\":[]}"),
        ("a marker of null", b"{\"status\":null,\"result\":[]}"),
        ("the marker behind the list", b"{\"result\":[{\"id\":\"1\"}],\"status\":\"success\"}"),
        ("a failure behind the list", b"{\"result\":[{\"id\":\"1\"}],\"status\":\"error\"}"),
        ("two markers", b"{\"status\":\"success\",\"status\":\"success\",\"result\":[]}"),
        ("two lists", b"{\"status\":\"success\",\"result\":[],\"result\":[]}"),
        ("no list", b"{\"status\":\"success\"}"),
        ("a list of null", b"{\"status\":\"success\",\"result\":null}"),
        ("an object for a list", b"{\"status\":\"success\",\"result\":{}}"),
        ("a bare array", b"[]"),
        ("an array for the envelope", b"[\"success\",[]]"),
        (
            "an unlisted member around the list",
            b"{\"page\":1,\"status\":\"success\",\"result\":[],\"next\":null}",
        ),
        ("1e400 in an unlisted member", b"{\"x\":1e400,\"status\":\"success\",\"result\":[]}"),
    ] {
        add(cases, name, &[head_of(body.len()).as_bytes(), body].concat(), End::Close);
    }
}

/// A record that cannot be read among those that can.
fn records(cases: &mut Vec<Case>) {
    let deep = format!("{{\"id\":\"2\",\"x\":{}{}}}", "[".repeat(300), "]".repeat(300));
    for (name, record) in [
        ("a record without its identifier", "{\"name\":\"CANARY\"}"),
        ("a record with a number for an identifier", "{\"id\":2}"),
        ("a record with null for an identifier", "{\"id\":null}"),
        ("a record with two identifiers", "{\"id\":\"2\",\"id\":\"CANARY\"}"),
        ("a record with a number for a name", "{\"id\":\"2\",\"name\":5}"),
        ("a record with a list for a portal", "{\"id\":\"2\",\"portal\":[]}"),
        (
            "a record with a portal without identifier",
            "{\"id\":\"2\",\"portal\":{\"name\":\"CANARY\"}}",
        ),
        ("a record that is text", "\"CANARY\""),
        ("a record that is null", "null"),
        ("a record that is a list", "[\"2\",\"CANARY\"]"),
        ("a record nested 300 deep", &deep),
        (
            "a record with null everywhere else",
            "{\"id\":\"2\",\"name\":null,\"portal\":null,\"type\":null}",
        ),
        ("a record of another kind", "{\"id\":\"2\",\"type\":\"robot\"}"),
        ("a record with a date of zeros", "{\"id\":\"2\",\"date\":\"0000-00-00 00:00:00\"}"),
        ("a record with an escape sequence", "{\"id\":\"2\",\"name\":\"\\u001b[2J\"}"),
        ("a record with half a surrogate pair", "{\"id\":\"2\",\"name\":\"\\ud800\"}"),
        ("a record with a raw control character", "{\"id\":\"2\",\"name\":\"\u{1}\"}"),
    ] {
        let body = format!(
            "{{\"status\":\"success\",\"result\":[{{\"id\":\"1\"}},{record},{{\"id\":\"3\"}}]}}"
        );
        add(cases, name, &answer(&body), End::Close);
    }
}

/// Adds a fault that will be the same the next time.
fn add(cases: &mut Vec<Case>, name: &str, bytes: &[u8], end: End) {
    cases.push(Case { name: name.to_owned(), bytes: bytes.to_vec(), end, connections: 1 });
}

/// Adds a fault that may be gone the next time.
fn add_transient(cases: &mut Vec<Case>, name: &str, bytes: &[u8], end: End) {
    cases.push(Case { name: name.to_owned(), bytes: bytes.to_vec(), end, connections: 2 });
}

/// A well-formed answer with this body.
fn answer(body: &str) -> Vec<u8> {
    format!("{}{body}", head_of(body.len())).into_bytes()
}

fn head_of(length: usize) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n")
}

const LIST: &str =
    r#"{"status":"success","result":[{"id":"1","name":"CANARY person"},{"id":"2"}]}"#;
