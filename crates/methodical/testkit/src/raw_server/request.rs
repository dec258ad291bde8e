//! Requests as the peer sent them.

use std::io::{self, Read};

/// A request as received: the head byte for byte, the body without its framing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RawRequest {
    /// The number of its connection, from 1.
    pub connection: usize,
    /// The head, up to and including the empty line.
    pub head: Vec<u8>,
    /// The body, without its framing.
    pub body: Vec<u8>,
    /// The server name that the peer sent in its TLS handshake (RFC 6066, section 3).
    pub server_name: Option<String>,
}

impl RawRequest {
    /// Returns the first line, without its line end.
    pub fn line(&self) -> String {
        let line = self.head.split(|byte| *byte == b'\r').next().unwrap_or_default();
        String::from_utf8_lossy(line).into_owned()
    }

    /// Returns the method.
    pub fn method(&self) -> String {
        self.line().split(' ').next().unwrap_or_default().to_owned()
    }

    /// Returns the target as written in the first line.
    pub fn target(&self) -> String {
        self.line().split(' ').nth(1).unwrap_or_default().to_owned()
    }

    /// Returns all headers in order: the name in lower case, the value as bytes.
    pub fn headers(&self) -> Vec<(String, Vec<u8>)> {
        let lines = self.head.split(|byte| *byte == b'\n').skip(1);
        lines
            .filter_map(|line| {
                let colon = line.iter().position(|byte| *byte == b':')?;
                let (name, value) = line.split_at_checked(colon)?;
                let name = String::from_utf8_lossy(name).to_ascii_lowercase();
                Some((name, value.get(1..)?.trim_ascii().to_vec()))
            })
            .collect()
    }

    /// Returns the values of the header `name` (in lower case), in order.
    pub fn header(&self, name: &str) -> Vec<Vec<u8>> {
        let headers = self.headers().into_iter();
        headers.filter(|(other, _)| other == name).map(|(_, value)| value).collect()
    }

    /// Reads the next request from `stream`. `pending` holds the bytes already read after the previous request.
    /// Returns `None` if the peer closed the connection between two requests.
    pub(super) fn read(
        stream: &mut impl Read,
        pending: &mut Vec<u8>,
        connection: usize,
    ) -> io::Result<Option<Self>> {
        let end = loop {
            if let Some(position) = find(pending, b"\r\n\r\n") {
                break position + 4;
            }
            if fill(stream, pending)? == 0 {
                return if pending.is_empty() { Ok(None) } else { Err(truncated()) };
            }
        };
        let head = pending.drain(..end).collect();
        let mut request = Self { connection, head, body: Vec::new(), server_name: None };
        request.body = if request.header("transfer-encoding").is_empty() {
            take(stream, pending, request.declared_length())?
        } else {
            read_chunks(stream, pending)?
        };
        Ok(Some(request))
    }

    fn declared_length(&self) -> usize {
        let length = self.header("content-length").into_iter().next();
        let length = length.and_then(|value| String::from_utf8(value).ok());
        length.and_then(|text| text.parse().ok()).unwrap_or(0)
    }
}

/// Reads a chunked body (RFC 9112, section 7.1) without extensions or trailers.
fn read_chunks(stream: &mut impl Read, pending: &mut Vec<u8>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = loop {
            if let Some(position) = find(pending, b"\r\n") {
                break position;
            }
            if fill(stream, pending)? == 0 {
                return Err(truncated());
            }
        };
        let line: Vec<u8> = pending.drain(..end + 2).collect();
        let size = std::str::from_utf8(&line).ok();
        let size = size.and_then(|text| usize::from_str_radix(text.trim(), 16).ok());
        let size = size.ok_or_else(truncated)?;
        body.extend(take(stream, pending, size)?);
        take(stream, pending, 2)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

/// Removes the next `count` bytes from `pending`, and reads more as needed.
fn take(stream: &mut impl Read, pending: &mut Vec<u8>, count: usize) -> io::Result<Vec<u8>> {
    while pending.len() < count {
        if fill(stream, pending)? == 0 {
            return Err(truncated());
        }
    }
    Ok(pending.drain(..count).collect())
}

fn fill(stream: &mut impl Read, pending: &mut Vec<u8>) -> io::Result<usize> {
    let mut buffer = [0; 16 * 1024];
    let count = stream.read(&mut buffer)?;
    pending.extend_from_slice(buffer.get(..count).unwrap_or_default());
    Ok(count)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

fn truncated() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}
