//! [`UreqTransport`]: the blocking adapter over ureq, without any runtime.
use std::fmt;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use ::ureq::config::AutoHeaderValue;
use ::ureq::unversioned::transport::{
    ConnectProxyConnector, ConnectionDetails, Connector as _, NextTimeout, time,
};
use ::ureq::{Agent, AsSendBody, Error};
use http::Uri;

use crate::{
    BlockingBody, BlockingResponse, BlockingTransport, Deadline, Options, Phase, Request,
    TransportError, mark_sensitive, target,
};

mod broken;
mod classify;
mod lookup;
#[cfg(feature = "__tls")]
mod tls;

use self::broken::BrokenConnector;
use self::classify::{classify, classify_io};
use self::lookup::{Later, NamedTcpConnector};

/// Sends requests with ureq: HTTP/1.1, keep-alive, no redirects, no retries, no decompression, no `async` anywhere.
///
/// Clones share their connections. A blocking call cannot be interrupted; it ends at its deadline.
///
/// If another crate of the program turns on `ureq/gzip`, ureq decodes answers that come in gzip; there is no switch
/// against it. [`gzip`](crate#features) on top of this transport works either way.
///
/// # Proxies
///
/// ureq takes one proxy from the environment: the first of `ALL_PROXY`, `HTTPS_PROXY` and `HTTP_PROXY`, for targets of
/// both schemes, which it reaches through a tunnel (`CONNECT`).
///
/// # Logs
///
/// The crate `ureq-proto` below it prints every byte that is sent and received, the token included, through `log` at
/// the level `trace` and the target `ureq_proto::util`. No switch of it helps: if a program logs at that level, let it
/// leave that target out, or build `log` with `release_max_level_debug`.
///
/// # Examples
///
/// ```
/// use gateway_transport::ureq::UreqTransport;
/// use gateway_transport::{BlockingTransport, ErrorKind, Options};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let transport = UreqTransport::new(&Options::default())?;
/// let request = http::Request::get("ftp://localhost/").body("".into())?;
/// assert_eq!(transport.send(request).unwrap_err().kind(), ErrorKind::InvalidRequest);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct UreqTransport {
    agent: Agent,
    total_timeout: Duration,
}

impl UreqTransport {
    /// Makes a transport with these settings. Nothing is connected yet.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Tls`](crate::ErrorKind::Tls) if an extra root certificate cannot be used.
    #[cfg_attr(
        not(feature = "__tls"),
        expect(clippy::unnecessary_wraps, reason = "with TLS, it can fail")
    )]
    pub fn new(options: &Options) -> Result<Self, TransportError> {
        let mut config = Agent::config_builder()
            .timeout_connect(Some(options.connect_timeout))
            .timeout_per_read(Some(options.idle_timeout))
            .timeout_per_write(Some(options.idle_timeout))
            .max_idle_age(options.pool_idle_timeout)
            .max_idle_connections_per_host(options.pool_max_idle)
            .max_idle_connections(options.pool_max_idle.saturating_mul(HOSTS))
            // The default makes an error of every 4xx and 5xx, without headers or body.
            .http_status_as_error(false)
            // Followed redirects would carry the request to wherever the peer points.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .allow_non_standard_methods(true)
            .user_agent(AutoHeaderValue::None)
            .accept(AutoHeaderValue::None)
            .accept_encoding(AutoHeaderValue::None);
        if !options.heeds_environment() {
            config = config.proxy(None);
        }
        // Not the default connector: which TLS it has depends on what other crates of the program ask of ureq.
        let connector = ().chain(ConnectProxyConnector::default()).chain(NamedTcpConnector);
        #[cfg(feature = "__tls")]
        let connector = connector.chain(tls::TlsConnector::new(options)?);
        let connector = connector.chain(BrokenConnector);
        let agent = Agent::with_parts(config.build(), connector, Later);
        Ok(Self { agent, total_timeout: options.total_timeout })
    }

    fn run<B: AsSendBody>(
        &self,
        request: http::Request<B>,
        limit: Duration,
        head: Option<Duration>,
    ) -> Result<BlockingResponse, TransportError> {
        let is_direct = self.agent.config().proxy().is_some() && is_this_machine(request.uri());
        let request = self.agent.configure_request(request).timeout_global(Some(limit));
        let mut request = request.timeout_recv_response(head);
        if is_direct {
            request = request.proxy(None);
        }
        let response =
            self.agent.run(request.build()).map_err(|error| classify(error, Phase::Head))?;
        Ok(response.map(|body| BlockingBody::with_errors(body.into_reader(), classify_io)))
    }
}

impl BlockingTransport for UreqTransport {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        let limit = Deadline::remaining(&request)?.unwrap_or(self.total_timeout);
        let early = Deadline::of(&request).and_then(Deadline::early_head);
        let head_limit = early.map(|at| at.saturating_duration_since(Instant::now()));
        target::check(request.uri())?;
        let (mut head, body) = request.into_parts();
        mark_sensitive(&mut head.headers);
        let mut response = if body.is_empty() {
            // An empty body would be announced with `content-length: 0`, which a GET must not have.
            self.run(http::Request::from_parts(head, ()), limit, head_limit)?
        } else {
            self.run(http::Request::from_parts(head, body.as_ref()), limit, head_limit)?
        };
        mark_sensitive(response.headers_mut());
        Ok(response)
    }

    fn name(&self) -> &'static str {
        "ureq"
    }
}

impl fmt::Debug for UreqTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the agent: it may hold the credentials of a proxy.
        f.write_str("UreqTransport")
    }
}

/// What is left of the time limit for connecting: each of the connectors would take all of it for itself.
fn time_left(details: &ConnectionDetails<'_>) -> Result<NextTimeout, Error> {
    let mut timeout = details.timeout;
    if let (time::Duration::Exact(limit), time::Instant::Exact(start)) =
        (timeout.after, details.now)
    {
        let left = limit.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Err(Error::Timeout(timeout.reason));
        }
        timeout.after = left.into();
    }
    Ok(timeout)
}

/// Whether the host of `uri` is this machine by definition: its loopback addresses, and the names that stand for them
/// (RFC 6761, section 6.3).
fn is_this_machine(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let top = host.rsplit('.').next().unwrap_or_default();
    top.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// ureq limits the unused connections of all hosts together; this many hosts get their full share.
const HOSTS: usize = 4;
