//! Checks each request head, so that a proxy and this server never disagree about where a request ends or which host it
//! is for.
//!
//! `hyper` refuses malformed heads, transfer codings other than chunked, and conflicting lengths. It accepts a missing
//! or a second `Host`, bodies, and a line that ends with a bare line feed. Such a line is harmless: a proxy that does
//! not treat a bare line feed as the end of a line sees one request and expects one response. If `hyper` finds other
//! fields or a body in that request, this server refuses the request and closes the connection.

use http::header::{CONTENT_LENGTH, HOST, HeaderValue, TRANSFER_ENCODING};
use http::request::Parts;
use http::uri::{Authority, Scheme};
use http::{Method, Version};
use http_body::Body;

/// Why a request is refused before its path and query are examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The target is neither a path nor an HTTP URI.
    Target,
    /// The host is missing, repeated or invalid.
    Host,
    /// The target is too long.
    UriTooLong,
    /// The head has too many bytes or header fields.
    HeadTooLarge,
    /// The request announces a body. The head itself is valid.
    Body,
    /// There are too many connections.
    Overloaded,
    /// There are too many connections from the same address.
    AddressLimit,
}

/// Checks a head. `Err(Refusal::Body)` means that the head is valid but announces a body.
pub(crate) fn check(head: &Parts, body: &impl Body) -> Result<(), Refusal> {
    let target = head.uri.path_and_query().map_or("", |target| target.as_str());
    if target.len() > TARGET {
        return Err(Refusal::UriTooLong);
    }
    let fields = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + FIELD);
    let authority = head.uri.authority();
    // In HTTP/2, the authority replaces the `Host` header.
    let hosts = authority.filter(|_| head.version == Version::HTTP_2).map_or(0, |_| 1);
    if target.len() + fields.sum::<usize>() > HEAD || head.headers.len() + hosts > FIELDS {
        return Err(Refusal::HeadTooLarge);
    }
    let is_http1 = head.version < Version::HTTP_2;
    let is_connect = head.method == Method::CONNECT;
    let is_path = is_connect || target.starts_with('/') || target == "*";
    let is_http = head.uri.scheme().is_none_or(|one| [Scheme::HTTP, Scheme::HTTPS].contains(one));
    let is_named = is_connect || !is_http1 || authority.is_none_or(is_authority);
    if !is_path || !is_http || !is_named {
        return Err(Refusal::Target);
    }
    check_host(head, authority.filter(|_| !is_http1))?;
    let length = head.headers.get(CONTENT_LENGTH).map(HeaderValue::as_bytes);
    let has_body = !body.is_end_stream() && length != Some(b"0");
    if has_body || head.headers.contains_key(TRANSFER_ENCODING) {
        return Err(Refusal::Body);
    }
    Ok(())
}

/// Checks that the request names exactly one host. In HTTP/2, `:authority`, `Host` or both contain the host; if both
/// do, they must be equal (RFC 9113 section 8.3.1). An HTTP/1.0 request may omit the host.
fn check_host(head: &Parts, authority: Option<&Authority>) -> Result<(), Refusal> {
    let mut hosts = head.headers.get_all(HOST).iter();
    let (host, None) = (hosts.next(), hosts.next()) else { return Err(Refusal::Host) };
    let is_same = |authority: &Authority| {
        host.is_none_or(|host| authority.as_str().as_bytes().eq_ignore_ascii_case(host.as_bytes()))
    };
    let is_valid = match (authority, host) {
        (None, None) => head.version < Version::HTTP_11,
        (None, Some(host)) => {
            Authority::try_from(host.as_bytes()).is_ok_and(|host| is_authority(&host))
        }
        (Some(authority), _) => is_authority(authority) && is_same(authority),
    };
    if is_valid { Ok(()) } else { Err(Refusal::Host) }
}

/// Returns whether the authority is `host [ ":" port ]` (RFC 9110 section 7.2), without user information.
fn is_authority(authority: &Authority) -> bool {
    let host = authority.host();
    let port = authority.as_str().strip_prefix(host).unwrap_or("@");
    let port = port.strip_prefix(':').unwrap_or(port);
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    // A comma is allowed in a URI, but it also separates two values of a field.
    !host.is_empty() && !host.contains(',') && (port.is_empty() || is_port)
}

/// Maximum size of a target, in bytes.
const TARGET: usize = 8 * 1024;

/// Maximum size of the target and the header fields, in bytes.
const HEAD: usize = 16 * 1024;

/// Maximum number of header fields.
const FIELDS: usize = 64;

/// Number of bytes in a field besides its name and value: the colon, a space and the line break.
const FIELD: usize = 4;
