//! Connectors for ureq: name lookup within the connect timeout, and connections that report truncation.
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::{io, thread, vec};

use ::ureq::Error;
use ::ureq::config::Config;
use ::ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ::ureq::unversioned::transport::time::Duration;
use ::ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, NextTimeout, TcpConnector, Transport, time,
};
use http::Uri;

/// A resolver that leaves name lookup to [`NamedTcpConnector`].
///
/// ureq calls its resolver before it looks for a pooled connection. With ureq's own resolver, each request would cost a
/// lookup, and each request with a deadline would also cost a thread, even if the host is an IP address. That thread is
/// detached as it exits, and under load glibc 2.36 has crashed in `pthread_detach` about once in a million requests.
#[derive(Debug)]
pub(super) struct DeferredResolver;

impl Resolver for DeferredResolver {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let mut addresses = self.empty();
        addresses.push(UNRESOLVED);
        Ok(addresses)
    }
}

/// A connector that looks up the target's host and connects to it.
#[derive(Debug)]
pub(super) struct NamedTcpConnector;

impl<In: Transport> Connector<In> for NamedTcpConnector {
    type Out = <TcpConnector as Connector<In>>::Out;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        let connector = TcpConnector::default();
        // The address list is empty when a proxy does the lookup.
        if chained.is_some() || details.addrs.first() != Some(&UNRESOLVED) {
            return connector.connect(details, chained);
        }
        let addresses = look_up(details.uri, details.timeout)?;
        let timeout = time_left(details)?;
        let mut addrs = details.resolver.empty();
        addresses.take(MAX_ADDRESSES).for_each(|address| addrs.push(address));
        let details = ConnectionDetails {
            addrs,
            timeout,
            now: (details.current_time)(),
            uri: details.uri,
            config: details.config,
            request_level: details.request_level,
            resolver: details.resolver,
            current_time: Arc::clone(&details.current_time),
            run_connector: Arc::clone(&details.run_connector),
            register_shutdown: Arc::clone(&details.register_shutdown),
        };
        connector.connect(&details, chained)
    }
}

/// Returns the addresses of the host in `uri`. Fails if the lookup takes longer than `timeout`.
fn look_up(uri: &Uri, timeout: NextTimeout) -> Result<vec::IntoIter<SocketAddr>, Error> {
    let (scheme, authority) = uri.scheme().zip(uri.authority()).ok_or(Error::HostNotFound)?;
    let host = DefaultResolver::host_and_port(scheme, authority).ok_or(Error::HostNotFound)?;
    if let Ok(address) = host.parse() {
        return Ok(vec![address].into_iter());
    }
    let Duration::Exact(duration) = timeout.after else { return Ok(host.to_socket_addrs()?) };
    // The system's lookup has no timeout.
    let (result_out, result_in) = sync_channel(1);
    let thread = thread::Builder::new()
        .name("gateway-lookup".into())
        // Sending fails if the receiver has stopped waiting.
        .spawn(move || drop(result_out.send(host.to_socket_addrs())))?;
    match result_in.recv_timeout(duration) {
        Ok(addresses) => {
            // The thread is about to end. Join it rather than detach it at that moment.
            drop(thread.join());
            Ok(addresses?)
        }
        Err(RecvTimeoutError::Timeout) => Err(Error::Timeout(timeout.reason)),
        Err(RecvTimeoutError::Disconnected) => Err(Error::HostNotFound),
    }
}

/// Placeholder for addresses that are not resolved yet.
const UNRESOLVED: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

/// Capacity of [`ResolvedSocketAddrs`].
const MAX_ADDRESSES: usize = 16;

/// Returns what is left of the connect timeout, or an error if the timeout has expired.
///
/// ureq gives the whole timeout to each connector in a chain.
pub(super) fn time_left(details: &ConnectionDetails<'_>) -> Result<NextTimeout, Error> {
    let mut timeout = details.timeout;
    if let (Duration::Exact(limit), time::Instant::Exact(start)) = (timeout.after, details.now) {
        let left = limit.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Err(Error::Timeout(timeout.reason));
        }
        timeout.after = left.into();
    }
    Ok(timeout)
}

/// Wraps connections so that a broken connection is always an error.
///
/// A body without a length ends when its connection is closed (RFC 9112, section 6.3). ureq treats a reset, or the end
/// of a TLS session without `close_notify`, like a close, so a truncated body would look complete.
#[derive(Debug)]
pub(super) struct TruncationConnector;

impl<In: Transport> Connector<In> for TruncationConnector {
    type Out = TruncationCheck<In>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<TruncationCheck<In>>, Error> {
        Ok(chained.map(TruncationCheck))
    }
}

/// A connection that returns an error when it breaks.
#[derive(Debug)]
pub(super) struct TruncationCheck<T>(T);

impl<T: Transport> Transport for TruncationCheck<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.0.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.0.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.0.await_input(timeout).map_err(|error| match error {
            // ureq treats only an `Error::Io` as the end of the body. `classify` unwraps the `Error::Other`.
            Error::Io(error) if is_broken(&error) => Error::Other(error.into()),
            error => error,
        })
    }

    fn is_open(&mut self) -> bool {
        self.0.is_open()
    }

    fn is_tls(&self) -> bool {
        self.0.is_tls()
    }
}

fn is_broken(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | UnexpectedEof)
}
