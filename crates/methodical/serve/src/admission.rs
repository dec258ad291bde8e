//! The limit on all connections, and the limit on those of an address.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ipnet::IpNet;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::Limits;
use crate::connection::Connection;
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
    per_address: usize,
    unlimited: Vec<IpNet>,
    open: Mutex<HashMap<IpAddr, usize>>,
    counts: Arc<Counts>,
}

impl Admission {
    pub(crate) fn new(limits: &Limits, counts: Arc<Counts>) -> Arc<Self> {
        Arc::new(Self {
            permits: Arc::new(Semaphore::new(limits.connections)),
            refusals: Arc::new(Semaphore::new(REFUSALS)),
            per_address: limits.connections_per_address,
            unlimited: limits.unlimited.clone(),
            open: Mutex::default(),
            counts,
        })
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
    pub(crate) fn admit(self: &Arc<Self>, peer: IpAddr) -> Option<Arc<Connection>> {
        let peer = peer.to_canonical();
        let key = self.key(peer);
        let admitted = if key.is_none_or(|key| self.take(key)) {
            Arc::clone(&self.permits).try_acquire_owned().map_err(|_none_left| {
                self.give(key);
                Refusal::Overloaded
            })
        } else {
            Err(Refusal::AddressLimit)
        };
        match admitted {
            Ok(permit) => {
                self.counts.open.fetch_add(1, Ordering::Relaxed);
                let admission = Some((Arc::clone(self), key));
                Some(Connection::new(Slot { peer, admission, _permit: permit }, None))
            }
            Err(refusal) => {
                let counter = match refusal {
                    Refusal::AddressLimit => &self.counts.refused_by_address,
                    _ => &self.counts.refused,
                };
                counter.fetch_add(1, Ordering::Relaxed);
                let permit = Arc::clone(&self.refusals).try_acquire_owned().ok()?;
                let slot = Slot { peer, admission: None, _permit: permit };
                Some(Connection::new(slot, Some(refusal)))
            }
        }
    }

    /// Returns the key under which the connections of a peer are counted, if they are limited.
    fn key(&self, peer: IpAddr) -> Option<IpAddr> {
        let is_limited =
            !peer.is_loopback() && !self.unlimited.iter().any(|network| network.contains(&peer));
        is_limited.then(|| address_key(peer))
    }

    fn take(&self, key: IpAddr) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(key).or_default();
        let is_free = *count < self.per_address;
        *count += usize::from(is_free);
        is_free
    }

    fn give(&self, key: Option<IpAddr>) {
        let Some(key) = key else { return };
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&key) {
            *count -= 1;
            if *count == 0 {
                open.remove(&key);
            }
        }
    }
}

/// The place of a connection among those of its listener. Free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    peer: IpAddr,
    /// Unset if the connection is refused.
    admission: Option<(Arc<Admission>, Option<IpAddr>)>,
    _permit: OwnedSemaphorePermit,
}

impl Slot {
    pub(crate) fn peer(&self) -> IpAddr {
        self.peer
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some((admission, key)) = &self.admission {
            admission.counts.open.fetch_sub(1, Ordering::Relaxed);
            admission.give(*key);
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
