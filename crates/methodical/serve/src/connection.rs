//! Connections, each shared by its listener and its responses, and the limits on them.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ipnet::Ipv6Net;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::Limits;
use crate::guard::Refusal;

/// A connection, shared by its listener and its responses. Its slot is free again once all of them have dropped the
/// connection.
#[derive(Debug)]
pub struct Connection {
    /// The address of the other end: a client or a proxy.
    pub peer: IpAddr,
    _share: Option<Share<IpAddr>>,
    _permit: OwnedSemaphorePermit,
    /// Why all requests on the connection are refused; `None` if they are not.
    pub(crate) refusal: Option<Refusal>,
    pub(crate) state: Mutex<State>,
}

#[derive(Debug)]
pub(crate) struct State {
    /// Number of open responses.
    pub(crate) open: usize,
    /// When the last response began or ended.
    pub(crate) since: Instant,
    cut: Option<Cut>,
}

/// Why the server cut off the responses on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The client acknowledged no data for longer than [`Limits::stall`].
    Stall,
    /// A response took longer than [`Limits::response`].
    ResponseTimeout,
    /// The server reached [`Phase::Cutting`](crate::Phase::Cutting).
    Drain,
}

impl Connection {
    /// Returns why the responses were cut off; `None` if they were not.
    pub fn cut(&self) -> Option<Cut> {
        self.state.lock().cut
    }

    /// Records why the responses are about to be cut off. Later calls have no effect.
    pub(crate) fn cut_by(&self, cut: Cut) {
        self.state.lock().cut.get_or_insert(cut);
    }

    /// Counts a response as open until the returned guard is dropped.
    pub(crate) fn begin(self: &Arc<Self>) -> Open {
        self.change(1);
        Open(Arc::clone(self))
    }

    fn change(&self, by: isize) {
        let mut state = self.state.lock();
        state.open = state.open.saturating_add_signed(by);
        state.since = Instant::now();
    }
}

/// A response that is being prepared or sent. Dropping this value ends the response.
#[derive(Debug)]
pub(crate) struct Open(Arc<Connection>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.change(-1);
    }
}

/// The connections of a listener: the open ones, and how many were refused.
#[derive(Debug)]
pub struct Connections {
    pub(crate) limits: Limits,
    /// Each open connection has a clone, in its permit.
    pub(crate) permits: Arc<Semaphore>,
    refusals: Arc<Semaphore>,
    addresses: Arc<Shares<IpAddr>>,
    /// Number of connections refused because there were too many.
    pub refused: AtomicU64,
    /// Number of connections refused because there were too many from one address.
    pub refused_by_address: AtomicU64,
}

impl Connections {
    /// Creates the state for a listener's connections with these limits. No connection is open yet.
    pub fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            permits: Arc::new(Semaphore::new(limits.connections)),
            refusals: Arc::new(Semaphore::new(REFUSALS)),
            addresses: Shares::new(limits.connections_per_address),
            refused: AtomicU64::new(0),
            refused_by_address: AtomicU64::new(0),
            limits,
        })
    }

    /// Returns the number of open connections, not counting refused ones.
    pub fn open(&self) -> usize {
        // Counting the taken permits would be wrong, because a waiter for all permits takes the free ones.
        Arc::strong_count(&self.permits).saturating_sub(1)
    }

    /// Admits a connection or refuses it. Returns `None` if too many connections are being refused.
    pub(crate) fn admit(&self, peer: IpAddr) -> Option<Arc<Connection>> {
        let peer = peer.to_canonical();
        let is_limited =
            !peer.is_loopback() && !self.limits.unlimited.iter().any(|one| one.contains(&peer));
        let share = is_limited.then(|| self.addresses.open(&address_key(peer)));
        let refuse = |refusal, count: &AtomicU64| {
            count.fetch_add(1, Ordering::Relaxed);
            Some((Arc::clone(&self.refusals).try_acquire_owned().ok()?, Some(refusal)))
        };
        let (permit, refusal) = match (&share, Arc::clone(&self.permits).try_acquire_owned()) {
            (Some(None), _) => refuse(Refusal::AddressLimit, &self.refused_by_address)?,
            (_, Ok(permit)) => (permit, None),
            (_, Err(_none_left)) => refuse(Refusal::Overloaded, &self.refused)?,
        };
        let share = share.flatten();
        let state = Mutex::new(State { open: 0, since: Instant::now(), cut: None });
        Some(Arc::new(Connection { peer, _share: share, _permit: permit, refusal, state }))
    }
}

/// Limits how many shares of each key are open, such as connections per address. A key without open shares takes no
/// memory.
#[derive(Debug)]
pub struct Shares<K> {
    limit: usize,
    open: Mutex<HashMap<K, usize>>,
}

impl<K: Clone + Eq + Hash> Shares<K> {
    /// Creates a limit of `limit` open shares per key. Zero allows none.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, open: Mutex::default() })
    }

    /// Opens one more share of a key. Returns `None` if that would exceed the limit.
    pub fn open(self: &Arc<Self>, key: &K) -> Option<Share<K>> {
        let mut open = self.open.lock();
        let count = open.entry(key.clone()).or_default();
        if *count >= self.limit {
            return None;
        }
        *count += 1;
        Some(Share { shares: Arc::clone(self), key: key.clone() })
    }
}

/// An open share of a key, such as a connection from an address. Dropping it closes the share.
#[derive(Debug)]
pub struct Share<K: Eq + Hash> {
    shares: Arc<Shares<K>>,
    key: K,
}

impl<K: Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        let mut open = self.shares.open.lock();
        if let Some(count) = open.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.key);
            }
        }
    }
}

/// Returns the key that identifies an address in limits: an IPv4 address itself, or the /64 network of an IPv6 address,
/// because one host can own all addresses in that network.
pub fn address_key(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Net::new_assert(address, 64).network().into(),
        address @ IpAddr::V4(_) => address,
    }
}

/// Maximum number of concurrent connections that are refused with a response. Further connections are closed without a
/// response.
const REFUSALS: usize = 32;

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn open_connections_are_counted_while_the_end_of_all_is_awaited() {
        let limits = Limits {
            connections: 3,
            connections_per_address: 3,
            unlimited: Vec::new(),
            queue: false,
            body: 0,
            head: Duration::MAX,
            idle: Duration::MAX,
            stall: Duration::MAX,
            response: Duration::MAX,
            age: Duration::MAX,
        };
        let connections = Connections::new(limits);
        let left = connections.admit(Ipv4Addr::LOCALHOST.into()).unwrap();
        let mut all = std::pin::pin!(connections.permits.acquire_many(3));
        tokio::select! {
            biased;
            _ = all.as_mut() => panic!("one connection is open"),
            () = std::future::ready(()) => {}
        }
        assert_eq!(connections.open(), 1);
        drop(left);
        assert_eq!(connections.open(), 0);
        drop(all.await.unwrap());
    }

    #[test]
    fn each_key_has_its_own_limit_and_closed_shares_take_no_memory() {
        let shares = Shares::new(2);
        let first = shares.open(&"a").unwrap();
        let second = shares.open(&"a").unwrap();
        assert!(shares.open(&"a").is_none());
        let other = shares.open(&"b").unwrap();
        drop(first);
        let third = shares.open(&"a").unwrap();
        assert!(shares.open(&"a").is_none());
        drop((second, third, other));
        assert!(shares.open.lock().is_empty());
    }
}
