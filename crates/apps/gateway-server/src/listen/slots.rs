//! The slots of connections: a limit for all and a limit for each address. When no slot is free, a connection that
//! waits for a request makes room for a new one.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use crate::listen::connections::Connections;
use crate::listen::head::Refusal;
use crate::lock::lock;
use crate::network::{Network, first_64_bits};
use crate::shares::{Share, Shares};

/// All slots of a listener.
#[derive(Debug)]
pub(crate) struct Slots {
    /// Permits of connections that are served.
    permits: Arc<Semaphore>,
    /// Permits of connections that are answered with a refusal.
    refusals: Arc<Semaphore>,
    by_address: Arc<Shares<IpAddr>>,
    /// Networks whose connections do not count by address: each connection of a proxy serves other clients.
    trusted_proxies: Vec<Network>,
    counts: Arc<Connections>,
    waiting: Mutex<Waiting>,
    /// When an eviction was last logged.
    logged: Mutex<Option<Instant>>,
}

/// The connections that wait for a request, oldest first.
#[derive(Debug, Default)]
struct Waiting {
    connections: BTreeMap<u64, Arc<Notify>>,
    last: u64,
}

impl Slots {
    /// Creates slots. `permits` limits all connections, and `per_address` those of an address.
    pub(crate) fn new(
        permits: Arc<Semaphore>,
        per_address: usize,
        trusted_proxies: Vec<Network>,
        counts: Arc<Connections>,
    ) -> Arc<Self> {
        Arc::new(Self {
            permits,
            refusals: Arc::new(Semaphore::new(REFUSALS)),
            by_address: Shares::new(per_address),
            trusted_proxies,
            counts,
            waiting: Mutex::default(),
            logged: Mutex::default(),
        })
    }

    /// Admits a connection, which may have to be refused: see [`Slot::refusal`]. Returns `None` if it has to be closed
    /// without a response.
    pub(crate) async fn admit(self: &Arc<Self>, peer: IpAddr) -> Option<Arc<Slot>> {
        let peer = peer.to_canonical();
        let counts = !peer.is_loopback() && !self.is_trusted(peer);
        let share = counts.then(|| self.by_address.open(&first_64_bits(peer)));
        if let Some(None) = share {
            self.counts.refused_by_address.fetch_add(1, Ordering::Relaxed);
            return self.refuse(peer, Refusal::AddressLimit);
        }
        let Some(permit) = self.permit().await else {
            self.counts.refused.fetch_add(1, Ordering::Relaxed);
            return self.refuse(peer, Refusal::Overloaded);
        };
        let slot = Arc::new(self.slot(peer, permit, share.flatten(), None));
        slot.wait();
        Some(slot)
    }

    fn is_trusted(&self, peer: IpAddr) -> bool {
        self.trusted_proxies.iter().any(|proxy| proxy.contains(peer))
    }

    /// Refuses a connection. That needs a descriptor, too: when all of those are in use, returns `None`.
    fn refuse(self: &Arc<Self>, peer: IpAddr, refusal: Refusal) -> Option<Arc<Slot>> {
        let permit = Arc::clone(&self.refusals).try_acquire_owned().ok()?;
        Some(Arc::new(self.slot(peer, permit, None, Some(refusal))))
    }

    fn slot(
        self: &Arc<Self>,
        peer: IpAddr,
        permit: OwnedSemaphorePermit,
        share: Option<Share<IpAddr>>,
        refusal: Option<Refusal>,
    ) -> Slot {
        self.counts.open.fetch_add(1, Ordering::Relaxed);
        let slots = Arc::clone(self);
        let (place, evicted) = (AtomicU64::new(NOT_WAITING), Arc::default());
        Slot { slots, peer, refusal, place, evicted, share, _permit: permit }
    }

    /// Returns a free permit, or that of the connection that has waited longest.
    async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Some(permit);
        }
        if !self.evict() {
            return None;
        }
        timeout(EVICTION, Arc::clone(&self.permits).acquire_owned()).await.ok()?.ok()
    }

    /// Closes the connection that has waited longest for a request. Returns false if no connection waits.
    fn evict(&self) -> bool {
        let Some((_, evicted)) = lock(&self.waiting).connections.pop_first() else { return false };
        let number = self.counts.evicted.fetch_add(1, Ordering::Relaxed) + 1;
        evicted.notify_one();
        self.log_eviction(number);
        true
    }

    /// Logs that connections are closed to make room, at most once a minute: a burst closes thousands.
    fn log_eviction(&self, number: u64) {
        let mut logged = lock(&self.logged);
        if logged.is_none_or(|logged| logged.elapsed() >= LOG_INTERVAL) {
            *logged = Some(Instant::now());
            tracing::warn!(
                name: "connections_closed",
                total = number,
                message = "waiting connections are closed to make room for new ones; see --connections",
            );
        }
    }
}

/// The slot of one connection. Free when this is dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    slots: Arc<Slots>,
    peer: IpAddr,
    refusal: Option<Refusal>,
    /// Place among the connections that wait for a request.
    place: AtomicU64,
    evicted: Arc<Notify>,
    share: Option<Share<IpAddr>>,
    _permit: OwnedSemaphorePermit,
}

/// The slot of a request beyond the first of its connection. Free when this is dropped.
#[derive(Debug)]
pub(crate) struct OneMore {
    _share: Option<Share<IpAddr>>,
    _permit: OwnedSemaphorePermit,
}

impl Slot {
    /// Returns the address of the other end.
    pub(crate) fn peer(&self) -> IpAddr {
        self.peer
    }

    /// Returns why the connection is refused, if it is.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        self.refusal
    }

    /// Notes that the connection waits for a request and has nothing to send: it may be evicted from now on.
    pub(crate) fn wait(&self) {
        if self.place.load(Ordering::Relaxed) != NOT_WAITING {
            return;
        }
        let mut waiting = lock(&self.slots.waiting);
        waiting.last += 1;
        let place = waiting.last;
        waiting.connections.insert(place, Arc::clone(&self.evicted));
        self.place.store(place, Ordering::Relaxed);
    }

    /// Notes that a request has arrived. Returns false if the connection was evicted before: then it must not answer.
    pub(crate) fn begin(&self) -> bool {
        match self.place.swap(NOT_WAITING, Ordering::Relaxed) {
            NOT_WAITING => true,
            place => lock(&self.slots.waiting).connections.remove(&place).is_some(),
        }
    }

    /// Returns a slot for one more request at the same time, which counts as a connection, or why the request is refused.
    pub(crate) fn one_more(&self) -> Result<OneMore, Refusal> {
        let share = self.share.as_ref().map(|share| share.another().ok_or(Refusal::AddressLimit));
        let permit = Arc::clone(&self.slots.permits).try_acquire_owned();
        let permit = permit.map_err(|_none_left| Refusal::Overloaded)?;
        Ok(OneMore { _share: share.transpose()?, _permit: permit })
    }

    /// Completes when the connection has been evicted.
    pub(crate) async fn evicted(&self) {
        self.evicted.notified().await;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.begin();
        self.slots.counts.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Maximum number of connections that are answered with a refusal at the same time.
pub(crate) const REFUSALS: usize = 32;

/// The place of a connection that does not wait for a request.
const NOT_WAITING: u64 = 0;

/// Minimum time between two log lines about evictions.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// Maximum time for an evicted connection to be closed, which takes one turn of its task.
const EVICTION: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    const PROXY: &str = "10.0.0.1";

    fn slots(limit: usize, per_address: usize) -> Arc<Slots> {
        let permits = Arc::new(Semaphore::new(limit));
        Slots::new(permits, per_address, vec![PROXY.parse().unwrap()], Arc::default())
    }

    async fn admit(slots: &Arc<Slots>, peer: &str) -> Arc<Slot> {
        slots.admit(peer.parse().unwrap()).await.unwrap()
    }

    #[tokio::test]
    async fn connections_of_an_address_are_limited_except_from_proxies_and_this_machine() {
        let slots = slots(100, 2);
        for (peers, refused) in [
            (["192.0.2.1", "192.0.2.1", "::ffff:192.0.2.1"], true),
            (["2001:db8::1", "2001:db8::2", "2001:db8::ffff:1"], true),
            (["192.0.2.2", "192.0.2.3", "2001:db8:0:1::1"], false),
            ([PROXY; 3], false),
            (["127.0.0.1"; 3], false),
            (["::1"; 3], false),
        ] {
            let mut open = Vec::new();
            for peer in peers {
                open.push(admit(&slots, peer).await);
            }
            assert_eq!(open[0].refusal(), None);
            let expected = refused.then_some(Refusal::AddressLimit);
            assert_eq!(open[2].refusal(), expected, "{peers:?}");
            // Free again.
            drop(open);
            assert_eq!(admit(&slots, peers[2]).await.refusal(), None);
        }
        assert_eq!(slots.counts.refused_by_address.load(Ordering::Relaxed), 2);
        assert_eq!(slots.counts.open.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn concurrent_requests_of_a_connection_count_as_connections() {
        let slots = slots(4, 3);
        let one = admit(&slots, "192.0.2.1").await;
        let more = [one.one_more().unwrap(), one.one_more().unwrap()];
        assert_eq!(one.one_more().unwrap_err(), Refusal::AddressLimit);
        assert_eq!(admit(&slots, "192.0.2.1").await.refusal(), Some(Refusal::AddressLimit));
        let other = admit(&slots, "192.0.2.2").await;
        assert_eq!(other.one_more().unwrap_err(), Refusal::Overloaded);
        drop(more);
        other.one_more().unwrap();
        one.one_more().unwrap();
    }

    #[tokio::test]
    async fn the_connection_that_has_waited_longest_makes_room() {
        let slots = slots(3, 9);
        let busy = admit(&slots, "192.0.2.1").await;
        assert!(busy.begin());
        let older = admit(&slots, "192.0.2.2").await;
        let newer = admit(&slots, "192.0.2.3").await;
        // Its request ends, so that it waits for the next one since now.
        assert!(older.begin());
        older.wait();
        let closing = tokio::spawn(async move {
            newer.evicted().await;
            assert!(!newer.begin());
        });
        assert_eq!(admit(&slots, "192.0.2.4").await.refusal(), None);
        closing.await.unwrap();
        assert!(busy.begin() && older.begin());
    }

    #[tokio::test]
    async fn a_connection_is_refused_if_none_waits() {
        let slots = slots(1, 9);
        let busy = admit(&slots, "192.0.2.1").await;
        assert!(busy.begin());
        let refused = admit(&slots, "192.0.2.2").await;
        assert_eq!(refused.refusal(), Some(Refusal::Overloaded));
        drop(busy);
        assert_eq!(admit(&slots, "192.0.2.2").await.refusal(), None);
        let many: Vec<_> =
            (0..REFUSALS).map(|_| slots.refuse(refused.peer(), Refusal::Overloaded)).collect();
        assert_eq!(many.iter().filter(|slot| slot.is_none()).count(), 1);
    }
}
