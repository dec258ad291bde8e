//! The name of the file with the response to a request.

use std::fmt::Write as _;

use methodical_client::transport::Request;
use sha2::{Digest as _, Sha256};

/// Returns the name of the file with the response to this request: a hash of its URL and all its headers, such as the
/// token. Nobody can find the token in it, and another account has other files.
pub(super) fn file_name(request: &Request) -> String {
    let mut headers: Vec<_> = request.headers().iter().collect();
    headers.sort_by_key(|(name, _)| name.as_str());
    let mut hash = Sha256::new();
    let mut add = |part: &[u8]| {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    };
    add(request.uri().to_string().as_bytes());
    for (name, value) in headers {
        add(name.as_str().as_bytes());
        add(value.as_bytes());
    }
    let mut text = String::with_capacity(64 + SUFFIX.len());
    for byte in hash.finalize() {
        // Writing to a string cannot fail.
        _ = write!(text, "{byte:02x}");
    }
    text + SUFFIX
}

/// Suffix of the files with responses.
pub(super) const SUFFIX: &str = ".response";

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn every_part_of_a_request_changes_the_name() {
        let request = |url: &str, token: &str, accept: &str| {
            let request = http::Request::get(url).header("authorization", token);
            request.header("accept", accept).body("".into()).unwrap()
        };
        let url = "https://h.example/api?method=photos/list";
        let name = file_name(&request(url, "Bearer gwt_6yqW", "application/json"));
        assert_eq!(name, file_name(&request(url, "Bearer gwt_6yqW", "application/json")));
        for (url, token, accept) in [
            ("http://h.example/api?method=photos/list", "Bearer gwt_6yqW", "application/json"),
            ("https://h.example:1/api?method=photos/list", "Bearer gwt_6yqW", "application/json"),
            ("https://h.example/api?method=photos/list&a=1", "Bearer gwt_6yqW", "application/json"),
            (url, "Bearer gwt_6yqX", "application/json"),
            (url, "Bearer gwt_6yqW", "application/xml"),
        ] {
            assert_ne!(name, file_name(&request(url, token, accept)), "{url} {token} {accept}");
        }
        let plain = |byte: u8| byte.is_ascii_hexdigit();
        assert!(name.strip_suffix(".response").is_some_and(|hash| hash.bytes().all(plain)));
    }
}
