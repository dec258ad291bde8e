//! Strict checks of a request head, as `listen/head.rs` has them for HTTP/1.1.
//!
//! The HTTP library has already refused heads that are malformed in RFC 9113 section 8, such as fields of a connection,
//! with a reset of their streams.

use http::Method;
use http::header::{CONTENT_LENGTH, HOST, HeaderValue};
use http::request::Parts;
use http::uri::Authority;

use crate::listen::head::{HeadLimits, Refusal, is_authority, is_host, is_http};

/// Checks a head. `Err(Refusal::Body)` means that the head is valid apart from announcing a body.
///
/// The sizes are those that the head would have in HTTP/1.1, so that both protocols have the same limits.
pub(super) fn check(head: &Parts, has_body: bool, limits: HeadLimits) -> Result<(), Refusal> {
    let target = head.uri.path_and_query().map_or("", |target| target.as_str());
    let line = head.method.as_str().len() + target.len() + " HTTP/1.1".len() + 1;
    if line > limits.line {
        return Err(Refusal::UriTooLong);
    }
    let authority = head.uri.authority();
    let host = authority.map_or(0, |authority| field(HOST.as_str(), authority.as_str().as_bytes()));
    let fields = head.headers.iter().map(|(name, value)| field(name.as_str(), value.as_bytes()));
    let size = line + LINE_END + host + fields.sum::<usize>() + LINE_END;
    let count = head.headers.len() + usize::from(authority.is_some());
    if size > limits.head || count > limits.fields {
        return Err(Refusal::HeadTooLarge);
    }
    let is_path = target.starts_with('/') || target == "*";
    if !is_http(&head.uri) || !(is_path || head.method == Method::CONNECT) {
        return Err(Refusal::Malformed);
    }
    check_host(head, authority)?;
    let length = head.headers.get(CONTENT_LENGTH).map(HeaderValue::as_bytes);
    if has_body && length != Some(b"0".as_slice()) {
        return Err(Refusal::Body);
    }
    Ok(())
}

/// Checks that there is one host: in `:authority`, in `Host`, or equal in both (RFC 9113 section 8.3.1).
fn check_host(head: &Parts, authority: Option<&Authority>) -> Result<(), Refusal> {
    let mut hosts = head.headers.get_all(HOST).iter();
    let (host, None) = (hosts.next(), hosts.next()) else { return Err(Refusal::Host) };
    let is_valid = match (authority, host) {
        (None, None) => false,
        (Some(authority), None) => is_authority(authority),
        (None, Some(host)) => is_host(host.as_bytes()),
        (Some(authority), Some(host)) => {
            is_authority(authority)
                && authority.as_str().as_bytes().eq_ignore_ascii_case(host.as_bytes())
        }
    };
    if is_valid { Ok(()) } else { Err(Refusal::Host) }
}

/// Returns the size of a field in HTTP/1.1.
fn field(name: &str, value: &[u8]) -> usize {
    name.len() + ": ".len() + value.len() + LINE_END
}

/// Length of the end of a line in HTTP/1.1, in bytes.
const LINE_END: usize = 2;
