//! What a peer sent.
use std::io::{self, Read};

/// One request, as the bytes that came in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RawRequest {
    /// The number of the connection it came on, from 1.
    pub connection: usize,
    /// Everything up to and including the empty line.
    pub head: Vec<u8>,
    /// The body, without its framing.
    pub body: Vec<u8>,
    /// The name that the peer asked for in its TLS handshake (RFC 6066, section 3).
    pub server_name: Option<String>,
}

impl RawRequest {
    /// Returns the first line, without its end.
    pub fn line(&self) -> String {
        let line = self.head.split(|byte| *byte == b'\r').next().unwrap_or_default();
        String::from_utf8_lossy(line).into_owned()
    }

    /// Returns the method.
    pub fn method(&self) -> String {
        self.line().split(' ').next().unwrap_or_default().to_owned()
    }

    /// Returns the target, as it stands in the first line.
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

    /// Reads the next request from `stream`. `pending` holds what has been read beyond the request before.
    /// `None` is a peer that closed in order between two requests.
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
                return if pending.is_empty() { Ok(None) } else { Err(cut()) };
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

/// Reads a body in chunks (RFC 9112, section 7.1), without extensions or trailers.
fn read_chunks(stream: &mut impl Read, pending: &mut Vec<u8>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = loop {
            if let Some(position) = find(pending, b"\r\n") {
                break position;
            }
            if fill(stream, pending)? == 0 {
                return Err(cut());
            }
        };
        let line: Vec<u8> = pending.drain(..end + 2).collect();
        let size = std::str::from_utf8(&line).ok();
        let size = size.and_then(|text| usize::from_str_radix(text.trim(), 16).ok());
        let size = size.ok_or_else(cut)?;
        body.extend(take(stream, pending, size)?);
        take(stream, pending, 2)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

/// Takes `count` bytes from the front of what has been read and what will be.
fn take(stream: &mut impl Read, pending: &mut Vec<u8>, count: usize) -> io::Result<Vec<u8>> {
    while pending.len() < count {
        if fill(stream, pending)? == 0 {
            return Err(cut());
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

fn cut() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}
