//! The limit on all connections, and the limit on those of an address.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ipnet::IpNet;
use tokio::sync::Semaphore;

use crate::Limits;
use crate::connection::{Connection, State};
use crate::guard::Refusal;

/// How many connections are open, and how many were refused since the start.
#[derive(Debug, Default)]
pub struct Counts {
    /// Open connections, without the refused ones.
    pub open: AtomicU64,
    /// Refused because there were too many connections.
    pub refused: AtomicU64,
    /// Refused because there were too many connections of one address.
    pub refused_by_address: AtomicU64,
}

/// The connections of a listener.
#[derive(Debug)]
pub(crate) struct Admission {
    permits: Arc<Semaphore>,
    refusals: Arc<Semaphore>,
    addresses: Arc<Shares<IpAddr>>,
    unlimited: Vec<IpNet>,
    counts: Arc<Counts>,
}

impl Admission {
    pub(crate) fn new(limits: &Limits, counts: Arc<Counts>) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(limits.connections)),
            refusals: Arc::new(Semaphore::new(REFUSALS)),
            addresses: Shares::new(limits.connections_per_address),
            unlimited: limits.unlimited.clone(),
            counts,
        }
    }

    /// Waits until a connection can be admitted.
    pub(crate) async fn wait(&self) {
        // The semaphore is never closed.
        drop(self.permits.acquire().await);
    }

    /// Waits until no connection is open.
    pub(crate) async fn closed(&self, connections: usize) {
        let all = u32::try_from(connections).unwrap_or(u32::MAX);
        drop(self.permits.acquire_many(all).await);
    }

    /// Admits a connection, or refuses it. Returns `None` if too many are being refused.
    pub(crate) fn admit(&self, peer: IpAddr) -> Option<Arc<Connection>> {
        let peer = peer.to_canonical();
        let permits = Arc::clone(&self.permits);
        let admitted = self.share(peer).and_then(|share| {
            let permit = permits.try_acquire_owned().map_err(|_none_left| Refusal::Overloaded)?;
            Ok((share, permit))
        });
        let (counts, share, permit, refusal) = match admitted {
            Ok((share, permit)) => {
                self.counts.open.fetch_add(1, Ordering::Relaxed);
                (Some(Arc::clone(&self.counts)), share, permit, None)
            }
            Err(refusal) => {
                let counter = match refusal {
                    Refusal::AddressLimit => &self.counts.refused_by_address,
                    _ => &self.counts.refused,
                };
                counter.fetch_add(1, Ordering::Relaxed);
                let permit = Arc::clone(&self.refusals).try_acquire_owned().ok()?;
                (None, None, permit, Some(refusal))
            }
        };
        let state = State::new(refusal);
        Some(Arc::new(Connection { peer, counts, _share: share, _permit: permit, state }))
    }

    /// Takes a place among the connections of an address. `None` means that the address is not limited.
    fn share(&self, peer: IpAddr) -> Result<Option<Share<IpAddr>>, Refusal> {
        if peer.is_loopback() || self.unlimited.iter().any(|network| network.contains(&peer)) {
            return Ok(None);
        }
        self.addresses.open(&address_key(peer)).map(Some).ok_or(Refusal::AddressLimit)
    }
}

/// The open shares of each key. A key without an open share takes no memory.
#[derive(Debug)]
pub struct Shares<K> {
    limit: usize,
    open: Mutex<HashMap<K, usize>>,
}

impl<K: Clone + Eq + Hash> Shares<K> {
    /// Creates counts of at most `limit` for each key.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, open: Mutex::default() })
    }

    /// Opens one more share of a key. Returns `None` if the key has as many as the limit.
    pub fn open(self: &Arc<Self>, key: &K) -> Option<Share<K>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.get(key).copied().unwrap_or_default();
        if count >= self.limit {
            return None;
        }
        open.insert(key.clone(), count + 1);
        Some(Share { shares: Arc::clone(self), key: key.clone() })
    }
}

/// A share of a key. Closed when this is dropped.
#[derive(Debug)]
pub struct Share<K: Eq + Hash> {
    shares: Arc<Shares<K>>,
    key: K,
}

impl<K: Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        let mut open = self.shares.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.key);
            }
        }
    }
}

/// Returns the key under which limits count an address: an IPv4 address, or the network of an IPv6 address, because a
/// host can have all addresses of a network of 64 bits.
pub fn address_key(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            Ipv6Addr::from_bits(address.to_bits() & (u128::from(u64::MAX) << 64)).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}

/// Maximum number of connections that are answered with a refusal at the same time. Further ones are closed.
pub const REFUSALS: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(shares.open.lock().unwrap().is_empty());
    }
}
