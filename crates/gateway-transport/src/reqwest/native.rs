//! [`ReqwestTransport`] on tokio.
use std::sync::Arc;
use std::time::Instant;
use std::{env, fmt, io};

use ::reqwest::{Client, NoProxy, redirect, retry};
use http_body::Body as _;
use tokio::runtime;

use crate::error::{find, io_error_kind};
use crate::platform::{Mutex, current_runtime, sleep_until, timeout_at};
use crate::target::unchanged;
use crate::{
    Body, Deadline, Options, Phase, Proxy, Request, Response, Transport, TransportError,
    TransportErrorKind, mark_sensitive,
};

/// Sends requests with reqwest: HTTP/1.1, keep-alive, no redirects, no retries, no decompression.
///
/// Use this on a tokio runtime with I/O and time enabled; without a runtime, [`send`](Transport::send) returns an
/// error. Clones share their connections. Several runtimes may use one transport: a connection belongs to the runtime
/// that opened it, so each runtime gets separate connections.
///
/// # Examples
///
/// ```
/// use gateway_transport::reqwest::ReqwestTransport;
/// use gateway_transport::{TransportErrorKind, Options, Transport};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let transport = ReqwestTransport::new(&Options::default())?;
/// let request = http::Request::get("ftp://localhost/").body("".into())?;
/// let error = transport.send(request).await.unwrap_err();
/// assert_eq!(error.kind(), TransportErrorKind::InvalidRequest);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ReqwestTransport(Arc<Clients>);

impl ReqwestTransport {
    /// Creates a transport with the given options, without connecting.
    ///
    /// # Errors
    ///
    /// Returns [`TransportErrorKind::Tls`](crate::TransportErrorKind::Tls) if a certificate is invalid, and
    /// [`TransportErrorKind::InvalidRequest`](crate::TransportErrorKind::InvalidRequest) if another setting is, such as
    /// a timeout of zero.
    pub fn new(options: &Options) -> Result<Self, TransportError> {
        let settings = Settings::new(options)?;
        let first = Slot { runtime: None, client: settings.client()? };
        Ok(Self(Arc::new(Clients { settings, slots: Mutex::new(vec![first]) })))
    }

    /// Converts a request for reqwest. Returns the future that sends the request, and the deadline for the response
    /// head.
    ///
    /// This is separate from [`send`](Transport::send), to keep its locals out of the future that each request
    /// allocates.
    fn start(
        &self,
        request: Request,
    ) -> Result<(impl Future<Output = Outcome> + use<>, Instant), TransportError> {
        // reqwest panics if it is polled outside a runtime.
        let runtime = current_runtime()?;
        let left = Deadline::remaining(&request)?;
        let idle_end = Deadline::after(self.0.settings.options.idle_timeout).instant();
        let head_end = Deadline::of(&request).map_or(idle_end, |it| it.head().min(idle_end));
        let client = self.0.client_for(runtime.id())?;

        let (head, body) = request.into_parts();
        let mut request = ::reqwest::Request::new(head.method, unchanged(&head.uri)?);
        *request.headers_mut() = head.headers;
        mark_sensitive(request.headers_mut());
        // With an empty body, reqwest would send `content-length: 0`, which a GET must not have.
        if !body.is_empty() {
            *request.body_mut() = Some(body.into());
        }
        // reqwest also applies this timeout to the body.
        *request.timeout_mut() = left;
        Ok((client.execute(request), head_end))
    }
}

type Outcome = Result<::reqwest::Response, ::reqwest::Error>;

impl Transport for ReqwestTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let (pending, head_end) = self.start(request)?;
        let response = timeout_at(head_end, pending)
            .await
            .ok_or_else(|| TransportError::timeout(Phase::Head))?
            .map_err(|error| classify(error, Phase::Head))?;
        let idle_timeout = self.0.settings.options.idle_timeout;
        let mut response = http::Response::from(response).map(|body| {
            let body = Body::with_errors(body, |error| classify(error, Phase::Body));
            // A body that has already arrived needs no timer.
            if body.is_end_stream() {
                return body;
            }
            body.with_limits(None, idle_timeout, sleep_until)
        });
        mark_sensitive(response.headers_mut());
        Ok(response)
    }
}

impl fmt::Debug for ReqwestTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Clients are not printed: they may hold proxy credentials.
        f.write_str("ReqwestTransport")
    }
}

/// One client for each runtime.
///
/// The runtime that opened a pooled connection drives it. Used from another runtime, the connection stalls until the
/// deadline if its own runtime is idle or gone.
struct Clients {
    settings: Settings,
    slots: Mutex<Vec<Slot>>,
}

struct Slot {
    /// `None` until the first runtime takes the client created in `new`.
    runtime: Option<runtime::Id>,
    client: Client,
}

impl Clients {
    fn client_for(&self, runtime: runtime::Id) -> Result<Client, TransportError> {
        let mut slots = self.slots.lock();
        let usable = |slot: &&mut Slot| slot.runtime.is_none_or(|owner| owner == runtime);
        if let Some(slot) = slots.iter_mut().find(usable) {
            slot.runtime = Some(runtime);
            return Ok(slot.client.clone());
        }
        if slots.len() >= MAX_RUNTIMES {
            slots.remove(0);
        }
        let client = self.settings.client()?;
        slots.push(Slot { runtime: Some(runtime), client: client.clone() });
        Ok(client)
    }
}

/// Maximum number of runtimes with a client. Programs have one or two runtimes; tests create many short-lived ones.
const MAX_RUNTIMES: usize = 8;

/// The settings for creating further clients like the first.
struct Settings {
    options: Options,
    proxies: Vec<::reqwest::Proxy>,
    #[cfg(feature = "__tls")]
    tls: rustls::ClientConfig,
}

impl Settings {
    fn new(options: &Options) -> Result<Self, TransportError> {
        let options = options.checked()?;
        Ok(Self {
            proxies: match &options.proxy {
                Proxy::Environment if options.uses_environment_proxy() => from_environment(),
                Proxy::Server(server) => vec![explicit(&server.address())?],
                Proxy::Environment | Proxy::Never => Vec::new(),
            },
            #[cfg(feature = "__tls")]
            tls: crate::tls::client_config(&options)?,
            options,
        })
    }

    fn client(&self) -> Result<Client, TransportError> {
        let options = &self.options;
        let mut builder = Client::builder()
            .connect_timeout(options.connect_timeout)
            // No `read_timeout`: it also counts time when the caller is not reading the body.
            .timeout(options.total_timeout)
            .pool_idle_timeout(options.pool_idle_timeout)
            .pool_max_idle_per_host(options.pool_max_idle)
            // Following redirects would send the credentials to any host the peer names.
            .redirect(redirect::Policy::none())
            // By default, the header `Referer` contains the previous URL with its query.
            .referer(false)
            // The default silently retries some refused requests.
            .retry(retry::never())
            // The following are off by default, unless another crate in the program enables their cargo features.
            .http1_only()
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .no_hickory_dns()
            // By default, reqwest reads the proxies from the environment itself.
            .no_proxy();
        for proxy in &self.proxies {
            builder = builder.proxy(proxy.clone());
        }
        #[cfg(feature = "__tls")]
        {
            builder = builder.tls_backend_preconfigured(self.tls.clone());
        }
        builder.build().map_err(|error| classify(error, Phase::Unknown))
    }
}

/// Returns the proxies set in the environment, with this machine added to `NO_PROXY`.
///
/// reqwest reads the same variables by default, but does not exclude this machine and has no setting for it.
fn from_environment() -> Vec<::reqwest::Proxy> {
    let direct = variable("NO_PROXY").unwrap_or_default() + "," + THIS_MACHINE;
    let first = |names: [&str; 2], make: fn(String) -> ::reqwest::Result<::reqwest::Proxy>| {
        names.iter().filter_map(|name| variable(name)).find_map(|address| make(address).ok())
    };
    let http = first(["HTTP_PROXY", "ALL_PROXY"], ::reqwest::Proxy::http);
    let https = first(["HTTPS_PROXY", "ALL_PROXY"], ::reqwest::Proxy::https);
    let both = [http, https].into_iter().flatten();
    both.map(|proxy| proxy.no_proxy(NoProxy::from_string(&direct))).collect()
}

/// Returns the proxy at this address, for every host except this machine.
fn explicit(address: &str) -> Result<::reqwest::Proxy, TransportError> {
    let proxy = ::reqwest::Proxy::all(address).map_err(|error| classify(error, Phase::Unknown))?;
    Ok(proxy.no_proxy(NoProxy::from_string(THIS_MACHINE)))
}

/// Returns the variable `name`, or else the variable of that name in lower case.
fn variable(name: &str) -> Option<String> {
    env::var(name).or_else(|_| env::var(name.to_ascii_lowercase())).ok()
}

/// This machine, in the syntax of `NO_PROXY`, where a name also matches its subdomains.
const THIS_MACHINE: &str = "localhost,127.0.0.0/8,::1";

/// Converts `error` to our type. The error occurred in `phase`, unless it shows that the client was still connecting.
///
/// `is_body` and `is_decode` do not help: reqwest reports a connection that broke during the body as a "decode" error.
/// Look at the cause instead: a timeout first, then an error of rustls, hyper or the operating system.
#[cold]
fn classify(error: ::reqwest::Error, phase: Phase) -> TransportError {
    // The error's `Display` and `Debug` would print the whole URL.
    let error = error.without_url();
    if error.is_timeout() {
        let phase = if error.is_connect() { Phase::Connect } else { phase };
        return TransportError::timeout(phase).with_source(error);
    }
    let kind = kind_of(&error);
    let connecting = error.is_connect() || kind == TransportErrorKind::Resolve;
    if kind == TransportErrorKind::Tls && !connecting {
        return TransportError::broken_tls(phase).with_source(error);
    }
    let phase = if connecting { Phase::Connect } else { phase };
    TransportError::of_kind(kind).with_phase(phase).with_source(error)
}

fn kind_of(error: &::reqwest::Error) -> TransportErrorKind {
    if error.is_builder() {
        return TransportErrorKind::InvalidRequest;
    }
    if error.is_dns() {
        return TransportErrorKind::Resolve;
    }
    #[cfg(feature = "__tls")]
    if find::<rustls::Error>(error).is_some() {
        return TransportErrorKind::Tls;
    }
    if error.is_connect() {
        return TransportErrorKind::Connect;
    }
    if let Some(error) = find::<hyper::Error>(error) {
        // hyper has a method for this only with its server feature.
        if error.is_parse() && error.to_string() == "message head is too large" {
            return TransportErrorKind::TooLarge;
        }
        if error.is_parse() {
            return TransportErrorKind::Protocol;
        }
        if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
            return TransportErrorKind::Interrupted;
        }
    }
    match find::<io::Error>(error).map(|error| io_error_kind(error.kind())) {
        Some(kind @ (TransportErrorKind::Interrupted | TransportErrorKind::Protocol)) => kind,
        _ => TransportErrorKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::ReqwestTransport;
    use crate::{Options, Request, Transport};

    #[test]
    fn the_future_of_a_request_is_small() {
        let transport = ReqwestTransport::new(&Options::default()).unwrap();
        let future = transport.send(Request::new("".into()));
        // glibc serves allocations of 1 KiB or more from an arena shared between threads.
        assert!(size_of_val(&future) < 512, "{} bytes", size_of_val(&future));
    }
}
