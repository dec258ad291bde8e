//! [`UreqTransport`]: the blocking adapter over ureq, without a runtime.
use std::net::IpAddr;
use std::time::{Duration, Instant};
use std::{fmt, io};

use ::ureq::config::AutoHeaderValue;
use ::ureq::unversioned::transport::{ConnectProxyConnector, Connector as _};
use ::ureq::{Agent, AsSendBody, Error, Timeout};
use http::{Method, Uri};

use crate::{
    BlockingBody, BlockingResponse, BlockingTransport, BoxError, Deadline, Options, Phase, Proxy,
    Request, TransportError, TransportErrorKind, mark_sensitive, target,
};

mod connect;
#[cfg(feature = "__tls")]
mod tls;

use self::connect::{DeferredResolver, NamedTcpConnector, TruncationConnector};

/// Sends requests with ureq: HTTP/1.1, keep-alive, no redirects, no retries, no decompression, no `async` anywhere.
///
/// Use this in a program without an async runtime. Clones share their connections. A call cannot be interrupted, but
/// ends at its deadline.
///
/// If another crate in the program enables `ureq/gzip`, ureq decodes gzip responses, and this adapter cannot disable
/// that. The [`gzip`](crate#features) module works on top of this transport with and without that feature.
///
/// # Proxies
///
/// ureq takes one proxy from the environment: the first of `ALL_PROXY`, `HTTPS_PROXY` and `HTTP_PROXY`. It uses that
/// proxy, or the one set in the options, for both `http` and `https` targets, through a tunnel (`CONNECT`).
///
/// # Logs
///
/// ureq logs through the `log` crate, and this adapter can neither disable nor redact these logs. Two targets expose
/// secrets:
///
/// - `ureq_proto::util` logs every byte that is sent or received, including the token, at level `trace`.
/// - `ureq::run` logs each URL at level `debug`, with the path and the query masked. If the logger enables `trace` for
///   `ureq::util`, the log entry contains the whole query.
///
/// A program that logs at level `trace` must exclude both targets, or build `log` with `release_max_level_debug`.
///
/// # Examples
///
/// ```
/// use gateway_transport::ureq::UreqTransport;
/// use gateway_transport::{BlockingTransport, TransportErrorKind, Options};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let transport = UreqTransport::new(&Options::default())?;
/// let request = http::Request::get("ftp://localhost/").body("".into())?;
/// assert_eq!(transport.send(request).unwrap_err().kind(), TransportErrorKind::InvalidRequest);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct UreqTransport {
    agent: Agent,
    total_timeout: Duration,
}

impl UreqTransport {
    /// Creates a transport with the given options, without connecting.
    ///
    /// # Errors
    ///
    /// Returns [`TransportErrorKind::Tls`] if a certificate is invalid, and [`TransportErrorKind::InvalidRequest`] if
    /// another setting is, such as a timeout of zero.
    pub fn new(options: &Options) -> Result<Self, TransportError> {
        let options = &options.checked()?;
        let mut config = Agent::config_builder()
            .timeout_connect(Some(options.connect_timeout))
            .timeout_per_read(Some(options.idle_timeout))
            .timeout_per_write(Some(options.idle_timeout))
            .max_idle_age(options.pool_idle_timeout)
            .max_idle_connections_per_host(options.pool_max_idle)
            .max_idle_connections(options.pool_max_idle.saturating_mul(HOSTS_WITH_FULL_POOL))
            // The default turns every 4xx and 5xx into an error without headers or body.
            .http_status_as_error(false)
            // Following redirects would send the request to any host the peer names.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .allow_non_standard_methods(true)
            .user_agent(AutoHeaderValue::None)
            .accept(AutoHeaderValue::None)
            .accept_encoding(AutoHeaderValue::None);
        match &options.proxy {
            Proxy::Environment if options.uses_environment_proxy() => {}
            Proxy::Server(server) => {
                let proxy = ::ureq::Proxy::new(&server.address());
                config =
                    config.proxy(Some(proxy.map_err(|error| classify(error, Phase::Unknown))?));
            }
            Proxy::Environment | Proxy::Never => config = config.proxy(None),
        }
        // With the default connector, TLS would depend on the ureq features that other crates in the program enable.
        let connector = ().chain(ConnectProxyConnector::default()).chain(NamedTcpConnector);
        #[cfg(feature = "__tls")]
        let connector = connector.chain(tls::TlsConnector::new(options)?);
        let connector = connector.chain(TruncationConnector);
        let agent = Agent::with_parts(config.build(), connector, DeferredResolver);
        Ok(Self { agent, total_timeout: options.total_timeout })
    }

    fn run<B: AsSendBody>(
        &self,
        request: http::Request<B>,
        timeout: Duration,
        head_timeout: Option<Duration>,
    ) -> Result<BlockingResponse, TransportError> {
        let is_direct = self.agent.config().proxy().is_some() && is_this_machine(request.uri());
        let request = self.agent.configure_request(request).timeout_global(Some(timeout));
        let mut request = request.timeout_recv_response(head_timeout);
        if is_direct {
            request = request.proxy(None);
        }
        let response =
            self.agent.run(request.build()).map_err(|error| classify(error, Phase::Head))?;
        Ok(response.map(|body| BlockingBody::with_errors(body.into_reader(), classify_body)))
    }
}

impl BlockingTransport for UreqTransport {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        let timeout = Deadline::remaining(&request)?.unwrap_or(self.total_timeout);
        let head_deadline = Deadline::of(&request).and_then(Deadline::earlier_head);
        let head_timeout = head_deadline.map(|at| at.saturating_duration_since(Instant::now()));
        target::check(request.uri())?;
        let (mut head, body) = request.into_parts();
        mark_sensitive(&mut head.headers);
        // Without a body, ureq sends a POST with an empty chunked one. With an empty body, it sends `content-length:
        // 0`, which a GET must not have.
        let expects_body = [Method::POST, Method::PUT, Method::PATCH].contains(&head.method);
        let mut response = if body.is_empty() && !expects_body {
            self.run(http::Request::from_parts(head, ()), timeout, head_timeout)?
        } else {
            self.run(http::Request::from_parts(head, body.as_ref()), timeout, head_timeout)?
        };
        mark_sensitive(response.headers_mut());
        Ok(response)
    }
}

impl fmt::Debug for UreqTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The agent is not printed: it may hold proxy credentials.
        f.write_str("UreqTransport")
    }
}

/// Returns whether the host in `uri` is this machine by definition: a loopback address, or a name reserved for it (RFC
/// 6761, section 6.3).
fn is_this_machine(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let top = host.rsplit('.').next().unwrap_or_default();
    top.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Number of hosts that can keep their maximum number of unused connections at once: ureq also limits the total for all
/// hosts.
const HOSTS_WITH_FULL_POOL: usize = 4;

/// Converts `error` to our type. The error occurred in `phase`, unless its kind implies another phase.
#[cold]
fn classify(error: Error, phase: Phase) -> TransportError {
    let kind = match error {
        Error::Timeout(timeout) => {
            return TransportError::timeout(timeout_phase(timeout, phase)).with_source(error);
        }
        Error::Io(error) => return classify_io(error, phase),
        Error::Other(error) => return classify_other(error, phase),
        Error::HostNotFound => TransportErrorKind::Resolve,
        Error::ConnectionFailed | Error::ConnectProxyFailed(_) => TransportErrorKind::Connect,
        Error::Tls(_) | Error::TlsRequired => TransportErrorKind::Tls,
        // Two of these errors quote the target, so they are not kept as sources.
        Error::BadUri(_) | Error::Http(_) | Error::RequireHttpsOnly(_) | Error::InvalidProxyUrl => {
            return TransportError::of_kind(TransportErrorKind::InvalidRequest);
        }
        // The type of this error is private to ureq.
        Error::Protocol(ref error) if error.to_string().ends_with("too many headers") => {
            TransportErrorKind::TooLarge
        }
        // `BodyStalled`: the decoder needs more input, but its buffer is full, as with an endless chunk size.
        Error::Protocol(_) | Error::BodyStalled => TransportErrorKind::Protocol,
        Error::LargeResponseHeader(..) => TransportErrorKind::TooLarge,
        _ => TransportErrorKind::Other,
    };
    with_default_phase(phase, TransportError::of_kind(kind)).with_source(error)
}

/// Converts an error from ureq's body reader to our type.
#[cold]
fn classify_body(error: io::Error) -> TransportError {
    match error.downcast::<Error>() {
        Ok(error) => classify(error, Phase::Body),
        Err(error) => classify_io(error, Phase::Body),
    }
}

fn classify_io(error: io::Error, phase: Phase) -> TransportError {
    // If a lookup fails, the error of `std` has neither a distinct kind nor an OS error number. ureq passes it on.
    let is_lookup = error.raw_os_error().is_none()
        && error.to_string().starts_with("failed to lookup address information");
    if is_lookup {
        return TransportError::of_kind(TransportErrorKind::Resolve).with_source(error);
    }
    #[cfg(feature = "__tls")]
    if crate::error::find::<rustls::Error>(&error).is_some() {
        // The session failed after the handshake, when part of the request may already have been sent.
        return TransportError::broken_tls(phase).with_source(error);
    }
    with_default_phase(phase, TransportError::from_io(error))
}

/// Sets the error's phase, unless its kind implies one.
fn with_default_phase(phase: Phase, error: TransportError) -> TransportError {
    if error.phase() == Phase::Unknown { error.with_phase(phase) } else { error }
}

/// Converts an error from our own connectors, which wrap it in `Error::Other`.
fn classify_other(error: BoxError, phase: Phase) -> TransportError {
    let error = match error.downcast::<TransportError>() {
        Ok(ours) => return *ours,
        Err(error) => error,
    };
    match error.downcast::<io::Error>() {
        Ok(error) => classify_io(*error, phase),
        Err(error) => {
            TransportError::of_kind(TransportErrorKind::Other).with_phase(phase).with_source(error)
        }
    }
}

/// Returns the phase that a timeout of ureq applies to, or `phase` if the timeout covers several.
fn timeout_phase(timeout: Timeout, phase: Phase) -> Phase {
    match timeout {
        Timeout::Resolve | Timeout::Connect => Phase::Connect,
        Timeout::SendRequest | Timeout::SendBody | Timeout::RecvResponse => Phase::Head,
        Timeout::RecvBody => Phase::Body,
        _ => phase,
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;
    use crate::Sent;

    #[track_caller]
    fn check(error: Error, kind: TransportErrorKind, phase: Phase) {
        let error = classify(error, Phase::Head);
        assert_eq!((error.kind(), error.phase()), (kind, phase), "{error:?}");
    }

    #[test]
    fn each_error_has_a_kind_and_a_phase() {
        check(Error::HostNotFound, TransportErrorKind::Resolve, Phase::Connect);
        check(Error::ConnectionFailed, TransportErrorKind::Connect, Phase::Connect);
        check(Error::TlsRequired, TransportErrorKind::Tls, Phase::Connect);
        check(Error::TooManyRedirects, TransportErrorKind::Other, Phase::Head);
        check(Error::LargeResponseHeader(1, 2), TransportErrorKind::TooLarge, Phase::Head);
        check(Error::BodyStalled, TransportErrorKind::Protocol, Phase::Head);
        check(Error::Other("unknown".into()), TransportErrorKind::Other, Phase::Head);
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        check(Error::Other(refused.into()), TransportErrorKind::Connect, Phase::Connect);
        check(Error::Timeout(Timeout::Connect), TransportErrorKind::Timeout, Phase::Connect);
        check(Error::Timeout(Timeout::RecvResponse), TransportErrorKind::Timeout, Phase::Head);
        check(Error::Timeout(Timeout::RecvBody), TransportErrorKind::Timeout, Phase::Body);
    }

    #[test]
    fn an_error_that_quotes_the_target_is_not_kept() {
        let error = classify(Error::BadUri("http://host/?token=secret".into()), Phase::Head);
        assert_eq!(error.kind(), TransportErrorKind::InvalidRequest);
        assert!(error.source().is_none());
        assert!(!format!("{error} {error:?}").contains("secret"));
    }

    /// Before the handshake is complete, no part of the request is sent. After it, all of the request may have been
    /// sent.
    #[cfg(feature = "__tls")]
    #[test]
    fn a_tls_session_that_fails_later_may_have_sent_the_request() {
        let broken = || io::Error::other(rustls::Error::DecryptError);
        for error in [Error::Io(broken()), Error::Other(broken().into())] {
            let error = classify(error, Phase::Body);
            let actual = (error.kind(), error.phase(), error.sent());
            assert_eq!(actual, (TransportErrorKind::Tls, Phase::Body, Sent::Maybe));
            assert_eq!(error.to_string(), "TLS session failed");
        }
        assert_eq!(classify(Error::TlsRequired, Phase::Head).sent(), Sent::No);
    }
}
