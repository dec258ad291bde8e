//! Scheme, host and port of a URL, by which a token is bound to a service.

use http::Uri;

/// Returns the origin of a URL, such as `https://photos.example.com` or `http://localhost:8080`: in lower case, and
/// without the default port. `None` if the URL is invalid.
pub(crate) fn origin(url: &str) -> Option<String> {
    let url: Uri = url.parse().ok()?;
    let (scheme, host) = (url.scheme_str()?.to_ascii_lowercase(), url.host()?.to_ascii_lowercase());
    Some(match (scheme.as_str(), url.port_u16()) {
        (_, None) | ("http", Some(80)) | ("https", Some(443)) => format!("{scheme}://{host}"),
        (_, Some(port)) => format!("{scheme}://{host}:{port}"),
    })
}

#[cfg(test)]
mod tests {
    use super::origin;

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        for (url, expected) in [
            ("https://h.example", Some("https://h.example")),
            ("HTTPS://H.Example:443/a/b", Some("https://h.example")),
            ("http://h.example:80", Some("http://h.example")),
            ("https://h.example:80", Some("https://h.example:80")),
            ("http://[::1]:8080/x", Some("http://[::1]:8080")),
            ("h.example", None),
            ("/x", None),
            ("nonsense", None),
            ("", None),
        ] {
            assert_eq!(origin(url).as_deref(), expected, "{url}");
        }
    }
}
