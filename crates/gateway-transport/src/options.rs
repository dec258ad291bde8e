//! The settings of every adapter.
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::Uri;

#[cfg(any(feature = "reqwest", feature = "ureq"))]
use crate::deadline::FAR_FUTURE;
use crate::{TransportError, TransportErrorKind};

/// The settings of an adapter. All adapters share this type, so a program can switch adapters in one place.
///
/// | setting | default | set with |
/// |---|---|---|
/// | timeout for connecting: name lookup, TCP and TLS | 5 s | [`connect_timeout`](Self::connect_timeout()) |
/// | longest silence of the peer during a response | 20 s | [`idle_timeout`](Self::idle_timeout()) |
/// | timeout for an exchange without a [`Deadline`](crate::Deadline) | 60 s | [`total_timeout`](Self::total_timeout()) |
/// | time for which an unused connection is kept | 60 s | [`pool_idle_timeout`](Self::pool_idle_timeout()) |
/// | unused connections kept per host | 8 | [`pool_max_idle`](Self::pool_max_idle()) |
/// | source of the proxy | the environment | [`proxy`](Self::proxy()) |
/// | certificates trusted in addition to the system's | none | [`extra_root`](Self::extra_root()) |
/// | certificate and key of the client | none | [`client_certificate`](Self::client_certificate()) |
///
/// For the first three, an adapter's `new` refuses zero, and [`Duration::MAX`] turns the timeout off. An exchange that
/// exceeds one of them fails with [`TransportErrorKind::Timeout`].
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use gateway_transport::Options;
///
/// let options = Options::default().connect_timeout(Duration::from_secs(2)).pool_max_idle(4);
/// assert_eq!(options.connect_timeout, Duration::from_secs(2));
/// assert_eq!(options.idle_timeout, Duration::from_secs(20));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Timeout for connecting: name lookup, TCP and TLS. It makes a host that drops packets fail early.
    pub connect_timeout: Duration,
    /// How long the peer may send nothing, whether before or during a response.
    pub idle_timeout: Duration,
    /// Timeout for a whole exchange whose request has no [`Deadline`](crate::Deadline).
    pub total_timeout: Duration,
    /// How long an unused connection is kept. The default is less than the 75 s after which common servers close it, so
    /// that a request rarely uses a connection that is being closed.
    pub pool_idle_timeout: Duration,
    /// Maximum number of unused connections kept per host. With zero, each request opens a new connection.
    pub pool_max_idle: usize,
    /// Which proxy to use, if any.
    pub proxy: Proxy,
    /// Certificates (DER) trusted in addition to the system's, for a private authority.
    pub extra_roots: Vec<Bytes>,
    /// The client's certificate and private key, for a service that requests them (mutual TLS).
    pub client_certificate: Option<ClientCertificate>,
}

/// Which proxy an adapter uses.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proxy {
    /// The proxy set in the variables `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, as in other programs.
    ///
    /// A request to this machine (`localhost`, its subdomains, 127.0.0.0/8, `::1`) never goes through the proxy. The
    /// proxy would look for the service on its own machine, and would see data that must not leave this machine, such
    /// as a token over plain `http`. A CGI program uses no proxy, because its caller controls `HTTP_PROXY`.
    Environment,
    /// No proxy, regardless of the environment.
    Never,
    /// This proxy, regardless of the environment. A request to this machine never goes through it.
    Server(ProxyServer),
}

impl Proxy {
    /// Returns the proxy at `address`, such as `http://user:password@proxy.example.com:3128`.
    ///
    /// The user and the password are optional and percent-encoded.
    ///
    /// # Errors
    ///
    /// Returns [`TransportErrorKind::InvalidRequest`] if the address is not a URL with the scheme `http`, or has a path
    /// or a query.
    ///
    /// ```
    /// use gateway_transport::{Options, Proxy};
    ///
    /// let proxy = Proxy::server("http://user:password@proxy.example.com:3128")?;
    /// assert_eq!(format!("{proxy:?}"), "Server(proxy.example.com:3128)");
    /// let options = Options::default().proxy(proxy);
    /// assert!(Proxy::server("socks5://proxy.example.com").is_err());
    /// # let _ = options;
    /// # Ok::<(), gateway_transport::TransportError>(())
    /// ```
    pub fn server(address: &str) -> Result<Self, TransportError> {
        let uri = address.parse::<Uri>().ok();
        let uri = uri.filter(|uri| {
            uri.scheme_str() == Some("http")
                && uri.path() == "/"
                && uri.query().is_none()
                && uri.host().is_some_and(|host| !host.is_empty())
        });
        let expected = "cannot use the proxy: its address is not a URL such as http://host:port";
        let invalid = || TransportError::new(TransportErrorKind::InvalidRequest, expected);
        uri.map(|uri| Self::Server(ProxyServer(uri))).ok_or_else(invalid)
    }
}

/// The address of a proxy; see [`Proxy::server`]. `Debug` shows only its host and port.
#[derive(Clone, PartialEq, Eq)]
pub struct ProxyServer(Uri);

impl ProxyServer {
    /// Returns the address, with user and password.
    #[cfg(all(
        any(feature = "reqwest", feature = "ureq"),
        not(all(target_family = "wasm", target_os = "unknown"))
    ))]
    pub(crate) fn address(&self) -> String {
        self.0.to_string()
    }
}

impl fmt::Debug for ProxyServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authority = self.0.authority().map_or("", |authority| authority.as_str());
        f.write_str(authority.rsplit('@').next().unwrap_or_default())
    }
}

/// A client's certificate and private key; see [`Options::client_certificate`]. `Debug` shows neither.
#[derive(Clone)]
pub struct ClientCertificate(Bytes);

impl ClientCertificate {
    #[cfg(all(
        feature = "__tls",
        any(feature = "reqwest", feature = "ureq"),
        not(all(target_family = "wasm", target_os = "unknown"))
    ))]
    pub(crate) fn pem(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClientCertificate({} bytes)", self.0.len())
    }
}

macro_rules! setters {
    ($($(#[doc = $doc:literal])+ $name:ident: $value:ty;)+) => {
        impl Options {
            $($(#[doc = $doc])+
            #[must_use]
            pub fn $name(mut self, value: $value) -> Self {
                self.$name = value;
                self
            })+
        }
    };
}

setters! {
    /// Sets the timeout for connecting.
    connect_timeout: Duration;
    /// Sets how long the peer may send nothing during a response.
    idle_timeout: Duration;
    /// Sets the timeout for a whole exchange whose request has no [`Deadline`](crate::Deadline).
    total_timeout: Duration;
    /// Sets how long an unused connection is kept.
    pool_idle_timeout: Duration;
    /// Sets the maximum number of unused connections kept per host. With zero, each request opens a new connection.
    pool_max_idle: usize;
    /// Sets which proxy to use, if any.
    proxy: Proxy;
}

impl Options {
    /// Returns whether to take a proxy from the environment.
    #[cfg(all(
        any(feature = "reqwest", feature = "ureq"),
        not(all(target_family = "wasm", target_os = "unknown"))
    ))]
    pub(crate) fn uses_environment_proxy(&self) -> bool {
        // CGI turns each request header into a variable, and the header `proxy` into `HTTP_PROXY` (RFC 3875, section
        // 4.1.18). `REQUEST_METHOD` is set in every CGI program.
        self.proxy == Proxy::Environment && std::env::var_os("REQUEST_METHOD").is_none()
    }

    /// Adds the certificate (DER) of an authority to trust, in addition to the system's.
    #[must_use]
    pub fn extra_root(mut self, der: impl Into<Bytes>) -> Self {
        self.extra_roots.push(der.into());
        self
    }

    /// Sets the client's certificate and private key, for a service that requests them (mutual TLS).
    ///
    /// `pem` contains the certificate followed by the rest of its chain, and the key in any place. An example is the
    /// output of `cat client.crt client.key`.
    #[must_use]
    pub fn client_certificate(mut self, pem: impl Into<Bytes>) -> Self {
        self.client_certificate = Some(ClientCertificate(pem.into()));
        self
    }

    /// Returns the options with each timeout limited to what every clock can represent.
    ///
    /// Fails if a timeout is zero, because every request would time out, or if there is a client certificate and no
    /// TLS.
    #[cfg(any(feature = "reqwest", feature = "ureq"))]
    pub(crate) fn checked(&self) -> Result<Self, TransportError> {
        let invalid =
            |text: String| Err(TransportError::new(TransportErrorKind::InvalidRequest, text));
        if self.client_certificate.is_some() && !cfg!(feature = "__tls") {
            return invalid(
                "cannot create the transport: a client certificate needs the `rustls` feature"
                    .into(),
            );
        }
        let mut options = self.clone();
        let timeouts = [
            ("connect_timeout", &mut options.connect_timeout),
            ("idle_timeout", &mut options.idle_timeout),
            ("total_timeout", &mut options.total_timeout),
        ];
        for (name, timeout) in timeouts {
            if timeout.is_zero() {
                return invalid(format!(
                    "cannot create the transport: `{name}` is zero; set `Duration::MAX` for no timeout"
                ));
            }
            // HTTP clients add a timeout to an instant, and some panic on overflow.
            *timeout = FAR_FUTURE.min(*timeout);
        }
        Ok(options)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(20),
            total_timeout: Duration::from_secs(60),
            pool_idle_timeout: Duration::from_secs(60),
            pool_max_idle: 8,
            proxy: Proxy::Environment,
            extra_roots: Vec::new(),
            client_certificate: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_an_http_url_without_a_path() {
        for valid in ["http://proxy", "http://proxy:3128/", "http://a:b%40@[::1]:3128"] {
            assert!(Proxy::server(valid).is_ok(), "{valid}");
        }
        for invalid in [
            "",
            "proxy:3128",
            "https://proxy",
            "socks5://proxy",
            "http://proxy/a",
            "http://proxy/?a",
        ] {
            assert!(Proxy::server(invalid).is_err(), "{invalid}");
        }
        let debug = format!("{:?}", Proxy::server("http://CANARY:CANARY@proxy:1").unwrap());
        assert_eq!(debug, "Server(proxy:1)");
        let debug = format!("{:?}", Options::default().client_certificate("CANARY"));
        assert!(!debug.contains("CANARY"), "{debug}");
    }
}
