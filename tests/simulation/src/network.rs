//! The network: hosts by name, with delays, partitions, and connections that break.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use fastrand::Rng;
use tokio::time::{Instant, sleep, sleep_until};

use crate::pipe::{Breaker, Fault, FaultKind, Pipe, Road};
use crate::world::World;

/// The network. Clones share it.
#[derive(Clone)]
pub(crate) struct Network(Arc<Mutex<State>>);

struct State {
    world: World,
    random: Rng,
    hosts: BTreeMap<&'static str, Host>,
    weather: Weather,
    /// Until when no bytes arrive: those to the hosts, and those from them.
    blocked: [Option<Instant>; 2],
    connections: u64,
}

/// Accepts a connection.
type Accept = Arc<dyn Fn(Pipe) + Send + Sync>;

#[derive(Default)]
struct Host {
    /// Unset while the host is down.
    accept: Option<Accept>,
    open: Vec<Breaker>,
}

/// How often connections fail, and how long bytes take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weather {
    /// Longest delay of a piece, in milliseconds.
    pub(crate) delay: u64,
    /// Of 100 connections: how many break after some bytes.
    pub(crate) breaks: u64,
    /// Of 100 connections: how many cannot be opened.
    pub(crate) refused: u64,
}

impl Weather {
    /// A network without faults.
    pub(crate) const CLEAR: Self = Self { delay: 20, breaks: 0, refused: 0 };
}

impl Network {
    /// Creates a network without hosts.
    pub(crate) fn new(world: &World) -> Self {
        let (world, random) = (world.clone(), world.fork());
        let (hosts, weather) = (BTreeMap::new(), Weather::CLEAR);
        let state = State { world, random, hosts, weather, blocked: [None; 2], connections: 0 };
        Self(Arc::new(Mutex::new(state)))
    }

    /// Sets how often connections fail from now on.
    pub(crate) fn set_weather(&self, weather: Weather) {
        self.state().weather = weather;
    }

    /// Starts a host.
    pub(crate) fn start(&self, host: &'static str, accept: impl Fn(Pipe) + Send + Sync + 'static) {
        self.state().hosts.entry(host).or_default().accept = Some(Arc::new(accept));
    }

    /// Stops a host as a crash does: every connection is reset, and new ones are refused.
    pub(crate) fn stop(&self, host: &'static str) {
        let mut state = self.state();
        let host = state.hosts.entry(host).or_default();
        host.accept = None;
        let open = std::mem::take(&mut host.open);
        drop(state);
        open.iter().for_each(Breaker::reset);
    }

    /// Resets every connection of a host.
    pub(crate) fn reset(&self, host: &'static str) {
        let open = self.state().hosts.get_mut(host).map(|host| std::mem::take(&mut host.open));
        open.iter().flatten().for_each(Breaker::reset);
    }

    /// Blocks everything for this long: to the hosts, from the hosts, or both.
    pub(crate) fn partition(&self, there: bool, back: bool, time: Duration) {
        let end = Instant::now() + time;
        let mut state = self.state();
        for (blocked, is_blocked) in state.blocked.iter_mut().zip([there, back]) {
            if is_blocked {
                *blocked = Some(end);
            }
        }
    }

    /// Opens a connection to a host.
    pub(crate) async fn connect(&self, host: &str) -> io::Result<Pipe> {
        // The handshake: one way there, one way back.
        for way in [0, 1] {
            let arrival = self.arrival(way, Instant::now());
            sleep_until(arrival).await;
        }
        let (client, server, accept) = {
            let mut guard = self.state();
            let state = &mut *guard;
            let is_refused = state.random.u64(0..100) < state.weather.refused;
            let accept = state.hosts.get(host).and_then(|host| host.accept.clone());
            let Some(accept) = accept.filter(|_| !is_refused) else {
                state.world.note(format!("refused {host}"));
                return Err(io::ErrorKind::ConnectionRefused.into());
            };
            state.connections += 1;
            let number = state.connections;
            let faults = state.faults();
            state.world.note(format!("connection {number} to {host} {faults:?}"));
            let roads =
                [0, 1].map(|way| -> Arc<dyn Road> { Arc::new(Way(Arc::downgrade(&self.0), way)) });
            let (client, server, breaker) = Pipe::pair(roads, faults);
            if let Some(host) = state.hosts.get_mut(host) {
                host.open.push(breaker);
            }
            (client, server, accept)
        };
        accept(server);
        Ok(client)
    }

    fn arrival(&self, way: usize, sent: Instant) -> Instant {
        let mut state = self.state();
        let delay = 1 + state.weather.delay;
        let delay = Duration::from_millis(state.random.u64(1..=delay));
        let blocked = state.blocked.get(way).copied().flatten();
        blocked.map_or(sent, |end| end.max(sent)) + delay
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }
}

impl State {
    /// Draws the faults of a connection, for the requests and for the responses.
    fn faults(&mut self) -> [Option<Fault>; 2] {
        let mut faults = [None; 2];
        if self.random.u64(0..100) >= self.weather.breaks {
            return faults;
        }
        let kind = match self.random.u8(0..5) {
            0 | 1 => FaultKind::End,
            2 | 3 => FaultKind::Reset,
            _ => FaultKind::Silence,
        };
        // Mostly in the first responses, which are some hundred bytes or some ten thousand.
        let most = if self.random.bool() { 1_500 } else { 60_000 };
        let fault = Fault { after: self.random.usize(0..most), kind };
        let way = usize::from(self.random.u8(0..8) > 0);
        if let Some(slot) = faults.get_mut(way) {
            *slot = Some(fault);
        }
        faults
    }
}

/// One direction of all connections. The network owns the connections, so they do not own the network.
struct Way(Weak<Mutex<State>>, usize);

impl Road for Way {
    fn arrival(&self, sent: Instant) -> Instant {
        self.0.upgrade().map_or(sent, |network| Network(network).arrival(self.1, sent))
    }
}

/// Waits a random time.
pub(crate) async fn pause_up_to(random: &mut Rng, longest: Duration) {
    let longest = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
    sleep(Duration::from_millis(random.u64(0..=longest))).await;
}
