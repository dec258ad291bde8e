//! Looks names up when a connection is made, and not for each request.
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::{thread, vec};

use ::ureq::Error;
use ::ureq::config::Config;
use ::ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ::ureq::unversioned::transport::time::Duration;
use ::ureq::unversioned::transport::{
    ConnectionDetails, Connector, NextTimeout, TcpConnector, Transport,
};
use http::Uri;

use crate::ureq::time_left;

/// Looks nothing up, and leaves it to [`NamedTcpConnector`].
///
/// ureq asks its resolver before it looks for a kept connection, so that each request would cost a lookup, and one with
/// a deadline a thread for it, even if the host is an address. That thread is detached while it ends; a crash has been seen
/// in `pthread_detach` of glibc 2.36 under such a load, about once in a million requests.
#[derive(Debug)]
pub(super) struct Later;

impl Resolver for Later {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let mut addresses = self.empty();
        addresses.push(LATER);
        Ok(addresses)
    }
}

/// Connects to a host by its name.
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
        // There are no addresses at all when a proxy is to do the lookup.
        if chained.is_some() || details.addrs.first() != Some(&LATER) {
            return connector.connect(details, chained);
        }
        let addresses = look_up(details.uri, details.timeout)?;
        let timeout = time_left(details)?;
        let mut addrs = details.resolver.empty();
        addresses.take(MOST).for_each(|address| addrs.push(address));
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

/// Returns the addresses of the host of `uri`.
fn look_up(uri: &Uri, limit: NextTimeout) -> Result<vec::IntoIter<SocketAddr>, Error> {
    let (scheme, authority) = uri.scheme().zip(uri.authority()).ok_or(Error::HostNotFound)?;
    let host = DefaultResolver::host_and_port(scheme, authority).ok_or(Error::HostNotFound)?;
    if let Ok(address) = host.parse() {
        return Ok(vec![address].into_iter());
    }
    let Duration::Exact(duration) = limit.after else { return Ok(host.to_socket_addrs()?) };
    // The lookup of the system has no time limit of its own.
    let (answer, answered) = sync_channel(1);
    let thread = thread::Builder::new()
        .name("gateway-lookup".into())
        // Nobody listens any more when the time is up.
        .spawn(move || drop(answer.send(host.to_socket_addrs())))?;
    match answered.recv_timeout(duration) {
        Ok(addresses) => {
            // It is about to end. To wait for that moment is what keeps it from being detached in it.
            drop(thread.join());
            Ok(addresses?)
        }
        Err(RecvTimeoutError::Timeout) => Err(Error::Timeout(limit.reason)),
        Err(RecvTimeoutError::Disconnected) => Err(Error::HostNotFound),
    }
}

/// Stands for the addresses that are looked up later.
const LATER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

/// How many addresses a [`ResolvedSocketAddrs`] holds.
const MOST: usize = 16;
