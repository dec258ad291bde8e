//! A raw HTTP client, so that tests see the exact bytes that are sent and received.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

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
