//! A raw HTTP client, so that tests see the exact bytes that are sent and received.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A response, parsed from its bytes.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Sends bytes and reads until the server closes the connection.
pub(crate) fn exchange(address: &str, request: &[u8]) -> Vec<u8> {
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // A server that refuses early may close the connection before everything is written.
    drop(socket.write_all(request));
    let mut bytes = Vec::new();
    drop(socket.read_to_end(&mut bytes));
    bytes
}

/// Parses a response that ends with the connection.
pub(crate) fn parse(bytes: &[u8]) -> Response {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut response = Response { status, head, body: bytes[end + 4..].to_vec() };
    if response.header("transfer-encoding") == Some("chunked") {
        response.body = unchunk(&response.body);
    }
    response
}

fn unchunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let line = bytes.windows(2).position(|window| window == b"\r\n").expect("a chunk");
        let size = std::str::from_utf8(&bytes[..line]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return out;
        }
        out.extend_from_slice(&bytes[line + 2..line + 2 + size]);
        bytes = &bytes[line + 2 + size + 2..];
    }
}

/// Returns a `GET` with a token and the header lines `more`.
pub(crate) fn request(token: &str, query: &str, more: &str) -> String {
    format!(
        "GET /c/oauth/v1?{query} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n{more}\r\n"
    )
}

/// Sends a request with a token and the header lines `more`, on a new connection.
pub(crate) fn call(base_url: &str, token: &str, method: &str, query: &str, more: &str) -> Response {
    let address = base_url.strip_prefix("http://").unwrap();
    let request = format!(
        "{method} /c/oauth/v1?{query} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
         {more}Connection: close\r\n\r\n"
    );
    parse(&exchange(address, request.as_bytes()))
}

/// Sends a plain `GET` with a token, on a new connection.
pub(crate) fn get(base_url: &str, token: &str, query: &str) -> Response {
    call(base_url, token, "GET", query, "")
}

/// Health and metrics of a server, at this address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ops(pub(crate) String);

impl Ops {
    pub(crate) fn get(&self, path: &str) -> Response {
        let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n");
        parse(&exchange(&self.0, request.as_bytes()))
    }

    /// Returns the status and the text of `/readyz`.
    pub(crate) fn readiness(&self) -> (u16, String) {
        let response = self.get("/readyz");
        (response.status, response.text().to_owned())
    }

    pub(crate) fn metrics(&self) -> String {
        self.get("/metrics").text().to_owned()
    }

    /// Returns the value of a sample, which is named with its labels.
    #[track_caller]
    pub(crate) fn value(&self, sample: &str) -> f64 {
        let metrics = self.metrics();
        let mut lines = metrics.lines().filter_map(|line| line.strip_prefix(sample));
        let value = lines.find_map(|line| line.strip_prefix(' '));
        value.unwrap_or_else(|| panic!("no {sample} in {metrics}")).parse().unwrap()
    }

    /// Waits for a line of the metrics.
    pub(crate) fn wait_for(&self, expected: &str) {
        let begun = Instant::now();
        while !self.metrics().lines().any(|line| line == expected) {
            assert!(begun.elapsed() < Duration::from_secs(30), "{expected}: {}", self.metrics());
        }
    }

    /// Returns how the responses so far have ended, without counts.
    pub(crate) fn ends(&self) -> Vec<String> {
        let metrics = self.metrics();
        let prefix = "gateway_response_ends_total{end=\"";
        let named = metrics.lines().filter_map(|line| line.strip_prefix(prefix));
        let counted = named.filter(|line| !line.ends_with(" 0"));
        counted.filter_map(|line| Some(line.split_once('"')?.0.to_owned())).collect()
    }
}

/// Requests the list of all candidates, and reads only the status.
pub(crate) fn begin_list(address: &str, token: &str, more: &str) -> (u16, TcpStream) {
    let address = address.strip_prefix("http://").unwrap_or(address);
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    socket.write_all(request(token, "method=candidates/list", more).as_bytes()).unwrap();
    let mut head = [0; 12];
    socket.read_exact(&mut head).unwrap();
    (std::str::from_utf8(&head[9..]).unwrap().parse().unwrap(), socket)
}
