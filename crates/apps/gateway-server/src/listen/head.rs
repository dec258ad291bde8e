//! Strict checks of a request head (RFC 9112), before the HTTP library sees it.
//!
//! The library is lenient in ways that make request smuggling possible: it accepts bare line feeds, a missing or a
//! second `Host`, and `Content-Length` together with `Transfer-Encoding`. This module checks the whole grammar of a
//! head. Because no request of this service has a body, the bytes after a head can only be the next head.

use std::ops::ControlFlow;

use memchr::{memchr, memchr_iter};

/// Why a request is refused before its path and query are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The head does not follow the grammar of HTTP/1.1.
    Malformed,
    /// `Host` is missing, repeated or invalid.
    Host,
    /// The request line is too long.
    UriTooLong,
    /// The head has too many bytes or header fields.
    HeadTooLarge,
    /// The head did not arrive in time.
    Timeout,
    /// The version of HTTP is not 1.0 or 1.1.
    Version,
    /// The request announces a body. The head itself is valid.
    Body,
    /// There are too many connections.
    Overloaded,
    /// There are too many connections of the same address.
    AddressLimit,
    /// The listener speaks TLS, and the connection does not.
    NotEncrypted,
}

/// Size limits of a head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeadLimits {
    /// Maximum number of bytes in the request line.
    pub(crate) line: usize,
    /// Maximum number of bytes in the whole head.
    pub(crate) head: usize,
    /// Maximum number of header fields.
    pub(crate) fields: usize,
}

impl Default for HeadLimits {
    fn default() -> Self {
        Self { line: 8 * 1024, head: 16 * 1024, fields: 64 }
    }
}

/// Returns the length of the head, with its empty line, if the bytes that have arrived contain all of it.
///
/// Fails as soon as the bytes cannot become a valid head any more.
pub(crate) fn complete(bytes: &[u8], limits: HeadLimits) -> Result<Option<usize>, Refusal> {
    let line = memchr(b'\n', bytes);
    if line.unwrap_or(bytes.len()) > limits.line {
        return Err(Refusal::UriTooLong);
    }
    // The first byte shows another protocol, such as TLS, or a line that cannot become a request.
    if bytes.first().is_some_and(|byte| !is_token(*byte)) {
        return Err(Refusal::Malformed);
    }
    let (end, has_bare_line_feed) = end(bytes);
    let head = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or(bytes);
    if head.len() > limits.head {
        return Err(Refusal::HeadTooLarge);
    }
    // A line feed without a carriage return does not end a line: waiting for more bytes would never help.
    if has_bare_line_feed {
        return Err(Refusal::Malformed);
    }
    Ok(end)
}

/// Returns where the head ends, if all of it has arrived, and whether a line feed without a carriage return is in it.
fn end(bytes: &[u8]) -> (Option<usize>, bool) {
    let mut has_bare_line_feed = false;
    for at in memchr_iter(b'\n', bytes) {
        let before = bytes.get(..at).unwrap_or_default();
        if before.ends_with(b"\r\n\r") {
            return (Some(at + 1), has_bare_line_feed);
        }
        has_bare_line_feed |= !before.ends_with(b"\r");
    }
    (None, has_bare_line_feed)
}

/// Checks a complete head. `Err(Refusal::Body)` means that the head is valid apart from announcing a body.
pub(crate) fn check(head: &[u8], limits: HeadLimits) -> Result<(), Refusal> {
    let mut from = 0;
    let ends = memchr_iter(b'\n', head).chain([head.len()]);
    let mut lines = ends.map(|end| {
        let line = head.get(std::mem::replace(&mut from, end + 1)..end);
        line.unwrap_or_default().strip_suffix(b"\r")
    });
    let request_line = lines.next().flatten().ok_or(Refusal::Malformed)?;
    let needs_host = check_request_line(request_line)?;
    let mut fields = Fields::default();
    let mut count = 0;
    for line in lines {
        let line = line.ok_or(Refusal::Malformed)?;
        if line.is_empty() {
            break;
        }
        count += 1;
        if count > limits.fields {
            return Err(Refusal::HeadTooLarge);
        }
        fields.read(line)?;
    }
    fields.check(needs_host)
}

/// Checks the request line. Returns whether its version of HTTP requires a `Host`.
fn check_request_line(line: &[u8]) -> Result<bool, Refusal> {
    let mut parts = line.split(|byte| *byte == b' ');
    let (Some(method), Some(target), Some(version), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(Refusal::Malformed);
    };
    if method.is_empty() || !method.iter().copied().all(is_token) {
        return Err(Refusal::Malformed);
    }
    let needs_host = match version {
        b"HTTP/1.1" => true,
        b"HTTP/1.0" => false,
        [b'H', b'T', b'T', b'P', b'/', major, b'.', minor]
            if major.is_ascii_digit() && minor.is_ascii_digit() =>
        {
            return Err(Refusal::Version);
        }
        _ => return Err(Refusal::Malformed),
    };
    // The library parses the target again and closes the connection without a response if it is invalid. Checked
    // here, it gets a response.
    let visible = target.iter().all(|byte| (0x21..=0x7e).contains(byte));
    if !visible
        || target.contains(&b'#')
        || !http::Uri::try_from(target).is_ok_and(|uri| is_target(&uri))
    {
        return Err(Refusal::Malformed);
    }
    Ok(needs_host)
}

/// Header fields that decide the host of a request and where the request ends.
#[derive(Default)]
struct Fields {
    hosts: usize,
    host_is_valid: bool,
    length: Option<u64>,
    has_coding: bool,
}

impl Fields {
    fn read(&mut self, line: &[u8]) -> Result<(), Refusal> {
        // A line that begins with whitespace continues the previous one. This is obsolete, and the check of the name
        // refuses it (RFC 9112 section 5.2).
        let colon = line.iter().position(|byte| *byte == b':').ok_or(Refusal::Malformed)?;
        let (name, value) = line.split_at(colon);
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        if name.is_empty() || !name.iter().copied().all(is_token) {
            return Err(Refusal::Malformed);
        }
        // Without an early exit, so that the compiler checks many bytes in one step.
        let is_wrong = |byte: u8| byte.is_ascii_control() && byte != b'\t';
        if value.iter().fold(false, |wrong, byte| wrong | is_wrong(*byte)) {
            return Err(Refusal::Malformed);
        }
        if name.eq_ignore_ascii_case(b"host") {
            self.hosts += 1;
            self.host_is_valid = is_host(value);
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            // The end of a request with another transfer coding is unknown (RFC 9112 section 6.1).
            if self.has_coding || !value.eq_ignore_ascii_case(b"chunked") {
                return Err(Refusal::Malformed);
            }
            self.has_coding = true;
        } else if name.eq_ignore_ascii_case(b"content-length") {
            self.length(value)?;
        }
        Ok(())
    }

    fn length(&mut self, value: &[u8]) -> Result<(), Refusal> {
        let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
        let length = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
        match (digits, length, self.length) {
            (true, Some(length), None) => self.length = Some(length),
            (true, Some(length), Some(before)) if length == before => {}
            _ => return Err(Refusal::Malformed),
        }
        Ok(())
    }

    fn check(&self, needs_host: bool) -> Result<(), Refusal> {
        if self.has_coding && self.length.is_some() {
            return Err(Refusal::Malformed);
        }
        if self.hosts > 1 || (self.hosts == 1 && !self.host_is_valid) {
            return Err(Refusal::Host);
        }
        if needs_host && self.hosts == 0 {
            return Err(Refusal::Host);
        }
        if self.has_coding || self.length.is_some_and(|length| length > 0) {
            return Err(Refusal::Body);
        }
        Ok(())
    }
}

/// Returns whether the target is a path, or a URI of HTTP with a valid host.
fn is_target(uri: &http::Uri) -> bool {
    is_http(uri) && uri.authority().is_none_or(is_authority)
}

/// Returns whether the target has no scheme but those of HTTP.
pub(super) fn is_http(uri: &http::Uri) -> bool {
    uri.scheme_str().is_none_or(|scheme| ["http", "https"].contains(&&*scheme.to_ascii_lowercase()))
}

/// Returns whether the value is `host [ ":" port ]` (RFC 9110 section 7.2), without user information.
pub(super) fn is_host(value: &[u8]) -> bool {
    http::uri::Authority::try_from(value).is_ok_and(|authority| is_authority(&authority))
}

/// Returns whether the value is `host [ ":" port ]`, without user information.
pub(super) fn is_authority(authority: &http::uri::Authority) -> bool {
    let host = authority.host();
    let port = authority.as_str().strip_prefix(host).unwrap_or("@");
    let port = port.strip_prefix(':').unwrap_or(port);
    // A comma is allowed in a URI, but it also separates two values of a field.
    !host.is_empty() && !host.contains(',') && (port.is_empty() || is_port(port))
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok()
}

const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'.'
                | b'^'
                | b'_'
                | b'`'
                | b'|'
                | b'~'
        )
}

/// Returns the length of an empty line at the start, which some old clients send after a request (RFC 9112 section
/// 2.2). Breaks if more bytes are needed to decide.
pub(crate) fn skip_empty_line(bytes: &[u8]) -> ControlFlow<(), usize> {
    match bytes {
        [] | [b'\r'] => ControlFlow::Break(()),
        [b'\r', b'\n', ..] => ControlFlow::Continue(2),
        _ => ControlFlow::Continue(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn case(head: &str, expected: Result<(), Refusal>) {
        let limits = HeadLimits::default();
        let found = complete(head.as_bytes(), limits).and_then(|end| {
            assert_eq!(end, Some(head.len()), "{head:?}");
            check(head.as_bytes(), limits)
        });
        assert_eq!(found, expected, "{head:?}");
    }

    #[test]
    fn a_head_is_accepted_or_refused_with_its_reason() {
        use Refusal::{Body, HeadTooLarge, Host, Malformed, UriTooLong, Version};
        let with = |fields: &str| format!("GET / HTTP/1.1\r\nHost: a\r\n{fields}\r\n");
        case(&with(""), Ok(()));
        case("GET / HTTP/1.0\r\n\r\n", Ok(()));
        case("GET http://a/b?c HTTP/1.1\r\nHost: a:80\r\n\r\n", Ok(()));
        case("OPTIONS * HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", Ok(()));
        case("GET / HTTP/1.1\r\n\r\n", Err(Host));
        case(&with("Host: a\r\n"), Err(Host));
        case("GET / HTTP/1.1\r\nHost:\r\n\r\n", Err(Host));
        case("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", Err(Host));
        case("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", Err(Host));
        case("GET / HTTP/1.1\r\nHost: a:b\r\n\r\n", Err(Host));
        case("GET / HTTP/1.1\r\nHost: [::1]:\r\n\r\n", Ok(()));
        case("GET / HTTP/1.1\r\nHost: a:65535\r\n\r\n", Ok(()));
        case("GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n", Err(Host));
        case("GET / HTTP/1.1\r\nHost: a:99999\r\n\r\n", Err(Host));
        case("GET / HTTP/1.1\r\nHost: x,y\r\n\r\n", Err(Host));
        case("GET HTTPS://a:1/b HTTP/1.1\r\nHost: a\r\n\r\n", Ok(()));
        case("GET ftp://a/b HTTP/1.1\r\nHost: a\r\n\r\n", Err(Malformed));
        case("GET http://user@a/b HTTP/1.1\r\nHost: a\r\n\r\n", Err(Malformed));
        case("GET http://x,y/b HTTP/1.1\r\nHost: a\r\n\r\n", Err(Malformed));
        case("GET http://a:99999/b HTTP/1.1\r\nHost: a\r\n\r\n", Err(Malformed));
        case("GET / HTTP/2.0\r\nHost: a\r\n\r\n", Err(Version));
        case("PRI * HTTP/2.0\r\n\r\n", Err(Version));
        case("GET /\r\n\r\n", Err(Malformed));
        case("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", Err(Malformed));
        case("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", Err(Malformed));
        case("GET /\u{e9} HTTP/1.1\r\nHost: a\r\n\r\n", Err(Malformed));
        case("GET /#a HTTP/1.1\r\nHost: a\r\n\r\n", Err(Malformed));
        case("G@T / HTTP/1.1\r\nHost: a\r\n\r\n", Err(Malformed));
        case("GET / HTTP/1.1\nHost: a\r\n\r\n", Err(Malformed));
        case("GET / http/1.1\r\nHost: a\r\n\r\n", Err(Malformed));
        case(&with("A : b\r\n"), Err(Malformed));
        case(&with(" a: b\r\n"), Err(Malformed));
        case(&with("A\r\n"), Err(Malformed));
        case(&with("A: b\u{1}\r\n"), Err(Malformed));
        case(&with("A: b\rc\r\n"), Err(Malformed));
        case(&with("Content-Length: 0\r\n"), Ok(()));
        case(&with("Content-Length: 1\r\n"), Err(Body));
        case(&with("Content-Length: 1\r\nContent-Length: 2\r\n"), Err(Malformed));
        case(&with("Content-Length: +1\r\n"), Err(Malformed));
        case(&with("Content-Length: \r\n"), Err(Malformed));
        case(&with("Transfer-Encoding: chunked\r\n"), Err(Body));
        case(&with("Transfer-Encoding: x\r\n"), Err(Malformed));
        case(&with("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n"), Err(Malformed));
        case(&with(&"A: b\r\n".repeat(63)), Ok(()));
        case(&with(&"A: b\r\n".repeat(64)), Err(HeadTooLarge));
        case(&with(&format!("A: {}\r\n", "b".repeat(17_000))), Err(HeadTooLarge));
        case(&format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(9_000)), Err(UriTooLong));
    }

    #[test]
    fn bytes_that_cannot_become_a_head_are_refused_immediately() {
        let limits = HeadLimits::default();
        assert_eq!(complete(b"\x16\x03\x01", limits), Err(Refusal::Malformed));
        assert_eq!(complete(b"GET / HTTP/1.1\n", limits), Err(Refusal::Malformed));
        assert_eq!(complete(b"GET / HTTP/1.1\r\nHost:", limits), Ok(None));
        assert_eq!(complete(b"", limits), Ok(None));
    }
}
