//! The trace of a request (W3C Trace Context), for the log and for the span: a collector joins them with the spans of the
//! client.

use http::HeaderMap;

/// The parts of a valid header `traceparent`, in hexadecimal digits.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    not(feature = "opentelemetry"),
    expect(dead_code, reason = "only an exported span has a parent")
)]
pub(crate) struct TraceParent<'a> {
    /// 32 digits.
    pub(crate) trace_id: &'a str,
    /// Id of the span of the client: 16 digits.
    pub(crate) parent_id: &'a str,
    flags: &'a str,
}

impl<'a> TraceParent<'a> {
    /// Reads the header `traceparent`. A malformed header is skipped.
    pub(crate) fn read(headers: &'a HeaderMap) -> Option<Self> {
        let value = headers.get("traceparent")?.to_str().ok()?;
        let mut parts = value.split('-');
        let (version, trace_id) = (parts.next()?, parts.next()?);
        let (parent_id, flags) = (parts.next()?, parts.next()?);
        // Version 0 has four parts; later versions may have more. Version ff is invalid.
        let is_valid = is_hex(version, 2)
            && version != "ff"
            && (version != "00" || parts.next().is_none())
            && is_id(trace_id, 32)
            && is_id(parent_id, 16)
            && is_hex(flags, 2);
        is_valid.then_some(Self { trace_id, parent_id, flags })
    }

    /// Returns whether the client records its span: the lowest bit of the flags.
    #[cfg(feature = "opentelemetry")]
    pub(crate) fn is_sampled(&self) -> bool {
        u8::from_str_radix(self.flags, 16).is_ok_and(|flags| flags & 1 == 1)
    }
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns whether a text is an id: not all zeros.
fn is_id(text: &str, length: usize) -> bool {
    is_hex(text, length) && text.bytes().any(|byte| byte != b'0')
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check(value: &'static str, expected: Option<&str>) {
        let name = http::HeaderName::from_static("traceparent");
        let headers = HeaderMap::from_iter([(name, HeaderValue::from_static(value))]);
        let read = TraceParent::read(&headers);
        assert_eq!(read.map(|parent| parent.trace_id), expected, "{value}");
    }

    #[test]
    fn only_a_valid_header_has_a_trace_id() {
        let trace = Some("4bf92f3577b34da6a3ce929d0e0e4736");
        check("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", trace);
        check("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", trace);
        check("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", None);
        check("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", None);
        check("00-00000000000000000000000000000000-00f067aa0ba902b7-01", None);
        check("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", None);
        check("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", None);
        check("00-4bf92f3577b34da6a3ce929d0e0e47-00f067aa0ba902b7-01", None);
        check("00-name@example.org-00f067aa0ba902b7-01", None);
        check("", None);
    }
}
