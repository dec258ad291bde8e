//! The bytes with which a client of HTTP/2 begins (RFC 9113 section 3.4).

/// The first bytes of an HTTP/2 connection.
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Returns whether a connection that begins with `bytes` is HTTP/2, or `None` if more bytes are needed to decide.
pub(super) fn is_http2(bytes: &[u8]) -> Option<bool> {
    if bytes.starts_with(PREFACE) {
        Some(true)
    } else if PREFACE.starts_with(bytes) {
        None
    } else {
        Some(false)
    }
}
