//! The base URL of the service: scheme, host, port and an optional path prefix.

use std::net::IpAddr;

use bytes::Bytes;
use http::Uri;
use http::uri::{Authority, Parts, PathAndQuery, Scheme};

use crate::{Error, ErrorKind};

#[derive(Clone, Debug)]
pub(crate) struct BaseUrl {
    scheme: Scheme,
    authority: Authority,
    /// The host, without the brackets of an IPv6 address.
    host: String,
    port: u16,
    /// The base URL's path prefix, without trailing slashes, followed by the service's path.
    path: String,
}

impl BaseUrl {
    /// Parses `text` and appends the service's `path`.
    ///
    /// Plain `http` is allowed only to a loopback host, or to any host if `insecure` is set.
    pub(crate) fn parse(text: &str, path: &str, insecure: bool) -> Result<Self, Error> {
        if text.contains(['?', '#']) {
            return Err(Error::config("cannot use the base URL: it has a query or a fragment"));
        }
        let uri: Uri = text.parse().map_err(|_invalid| Error::config(INVALID))?;
        let parts = uri.into_parts();
        let (Some(scheme), Some(authority)) = (parts.scheme, parts.authority) else {
            return Err(Error::config(INVALID));
        };
        if authority.as_str().contains('@') {
            return Err(Error::config("cannot use the base URL: it contains credentials"));
        }
        if authority.host().is_empty() {
            return Err(Error::config("cannot use the base URL: it has no host"));
        }
        // Some HTTP clients replace an invalid port with the default port.
        if authority.as_str() != authority.host() && authority.port_u16().is_none() {
            return Err(Error::config("cannot use the base URL: its port is invalid"));
        }
        if scheme == Scheme::HTTP {
            if !insecure && !is_loopback(authority.host()) {
                return Err(Error::config(
                    "cannot use the base URL: it is unencrypted http, which exposes the token; use https or set allow_insecure_http",
                ));
            }
        } else if scheme != Scheme::HTTPS {
            return Err(Error::config(
                "cannot use the base URL: its scheme is neither https nor http",
            ));
        }
        let prefix = parts.path_and_query.as_ref().map_or("", PathAndQuery::path);
        let path = format!("{}{}", prefix.trim_end_matches('/'), path);
        let host = bare(authority.host()).to_owned();
        let default_port = if scheme == Scheme::HTTP { 80 } else { 443 };
        let port = authority.port_u16().unwrap_or(default_port);
        Ok(Self { scheme, authority, host, port, path })
    }

    /// Refuses `https` if the default transports are built without TLS.
    pub(crate) fn check_tls(&self, has_tls: bool) -> Result<(), Error> {
        if self.scheme == Scheme::HTTPS && !has_tls {
            return Err(Error::config(
                "the default transport cannot use https; enable the `rustls` feature or set a transport",
            ));
        }
        Ok(())
    }

    /// Returns the host and the port of the service.
    pub(crate) fn server(&self) -> (&str, u16) {
        (&self.host, self.port)
    }

    /// Returns a call's URL: the base URL, the service's path with `secret` in place of its placeholder, then `path`,
    /// then the query. Fails if the URL is too long.
    pub(crate) fn target(&self, secret: &str, path: &str, query: &str) -> Result<Uri, Error> {
        let length = self.path.len() + secret.len() + path.len() + 1 + query.len();
        let mut target = String::with_capacity(length);
        match self.path.split_once(SECRET) {
            Some((before, after)) => target.extend([before, secret, after]),
            None => target.push_str(&self.path),
        }
        target.push_str(path);
        if !query.is_empty() {
            target.push('?');
            target.push_str(query);
        }
        // The query is percent-encoded already, so the only possible error is its length.
        let invalid = |error: http::Error| {
            let text = "the query is too long: a URL may have at most 65,534 bytes";
            Error::new(ErrorKind::Query, text).because(error)
        };
        let target = PathAndQuery::from_maybe_shared(Bytes::from(target))
            .map_err(|error| invalid(error.into()))?;
        let mut parts = Parts::default();
        parts.scheme = Some(self.scheme.clone());
        parts.authority = Some(self.authority.clone());
        parts.path_and_query = Some(target);
        Uri::from_parts(parts).map_err(|error| invalid(error.into()))
    }
}

/// Returns whether a host name or address always means this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || bare(host).parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Removes the brackets of an IPv6 address.
fn bare(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

/// The placeholder in a service's path that the secret replaces.
const SECRET: &str = "{secret}";

const INVALID: &str = "cannot use the base URL: it is invalid; expected a URL such as https://host";

#[cfg(test)]
mod tests {
    use super::BaseUrl;
    use crate::{Error, ErrorKind};

    fn parse(text: &str, insecure: bool) -> Result<BaseUrl, Error> {
        BaseUrl::parse(text, "/api/v1", insecure)
    }

    #[track_caller]
    fn check(base_url: &str, expected: &str) {
        let url = parse(base_url, false).and_then(|base| base.target("", "", "method=a/b"));
        let shown = url.map_or_else(|error| error.to_string(), |url| url.to_string());
        assert_eq!(shown, expected, "{base_url}");
    }

    #[test]
    fn keeps_a_prefix_and_a_call_may_extend_the_path() {
        check("https://h", "https://h/api/v1?method=a/b");
        check("https://h:8443/", "https://h:8443/api/v1?method=a/b");
        check("https://h/api", "https://h/api/api/v1?method=a/b");
        check("https://h/api/eu/", "https://h/api/eu/api/v1?method=a/b");
        check("HTTPS://h", "https://h/api/v1?method=a/b");
        let base = parse("https://h/eu", false).unwrap();
        let target = |path, query| base.target("", path, query).unwrap().to_string();
        assert_eq!(target("/photos.list", ""), "https://h/eu/api/v1/photos.list");
        assert_eq!(target("/photos.list", "a=1"), "https://h/eu/api/v1/photos.list?a=1");
    }

    #[test]
    fn a_query_has_a_maximum_length() {
        let base = parse("https://h", false).unwrap();
        let path = base.path.len() + 1;
        let error = |length: usize| base.target("", "", &"x".repeat(length - path)).err();
        assert!(error(65_534).is_none());
        let error = error(65_535).unwrap();
        assert_eq!(error.kind(), ErrorKind::Query);
        assert_eq!(error.to_string(), "the query is too long: a URL may have at most 65,534 bytes");
    }

    #[test]
    fn returns_host_and_port() {
        for (base_url, server) in [
            ("https://h", ("h", 443)),
            ("https://h:8443/eu", ("h", 8443)),
            ("http://127.0.0.1", ("127.0.0.1", 80)),
            ("http://[::1]:8080", ("::1", 8080)),
        ] {
            assert_eq!(parse(base_url, false).unwrap().server(), server);
        }
    }

    #[test]
    fn plain_http_only_to_this_machine() {
        for host in ["127.0.0.1:8080", "127.9.9.9", "[::1]:1", "localhost", "LOCALHOST:80"] {
            check(&format!("http://{host}"), &format!("http://{host}/api/v1?method=a/b"));
        }
        let remote = "example.com 10.0.0.1 127.0.0.1.example.com [::2] localhost.evil \
                      evil-localhost evillocalhost evil.localhost localhos";
        for host in remote.split(' ') {
            let error = parse(&format!("http://{host}"), false).unwrap_err();
            assert!(error.to_string().contains("allow_insecure_http"), "{host}: {error}");
            assert!(parse(&format!("http://{host}"), true).is_ok(), "{host}");
        }
    }

    #[test]
    fn https_needs_a_feature() {
        let error = parse("https://h", false).unwrap().check_tls(false).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.to_string().contains("`rustls`"), "{error}");
        parse("https://h", false).unwrap().check_tls(true).unwrap();
        parse("http://localhost", false).unwrap().check_tls(false).unwrap();
    }

    #[test]
    fn refuses_an_invalid_base_url() {
        let cases = "h /c //h ftp://h file:///x https:// https://h?x=1 https://h#f https://u:p@h \
                     https://u@h http:// https:/h https://h: https://h:99999 https://h:80a \
                     https://h:-1 https://[::1]: https://[::1]x";
        for bad in cases.split(' ').chain(["", "https://h h", "https://h\n"]) {
            assert!(parse(bad, true).is_err(), "{bad:?}");
        }
    }
}
