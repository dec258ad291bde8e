//! What a server has seen, and waiting for it.
use std::collections::BTreeMap;
use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::raw_server::RawRequest;

/// What a server has seen so far.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Progress {
    /// All requests, in the order in which they were complete.
    pub requests: Vec<RawRequest>,
    /// How many connections were opened.
    pub connections: usize,
    /// How many of them the server has ended, or seen the end of.
    pub ended: usize,
    /// How many scripts are playing now.
    pub playing: usize,
    /// How many scripts have panicked, as with an assertion that failed. Their connections are closed.
    pub panicked: usize,
    /// How many scripts played at the same time, at most.
    pub most_playing: usize,
    /// How many bytes scripts have written.
    pub written: usize,
    /// How often a script met a connection that the peer had closed.
    pub closed_by_peer: usize,
    /// How often a script could not write, because the peer did not read.
    pub blocked: usize,
}

/// The progress, the connections that are open, and whether it is time to stop.
#[derive(Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    progress: Progress,
    open: BTreeMap<usize, TcpStream>,
    is_stopped: bool,
}

impl Shared {
    pub(super) fn progress(&self) -> Progress {
        self.state().progress.clone()
    }

    pub(super) fn wait_until(
        &self,
        limit: Duration,
        condition: impl Fn(&Progress) -> bool,
    ) -> bool {
        let state = self.state();
        let waited =
            self.changed.wait_timeout_while(state, limit, |state| !condition(&state.progress));
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        condition(&state.progress)
    }

    /// Lets time pass, or returns early with `false` when the server stops.
    pub(super) fn pause(&self, duration: Duration) -> bool {
        let waited =
            self.changed.wait_timeout_while(self.state(), duration, |state| !state.is_stopped);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !state.is_stopped
    }

    pub(super) fn update(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut self.state().progress);
        self.changed.notify_all();
    }

    /// Counts a new connection and returns its number, unless it is time to stop.
    pub(super) fn connected(&self, stream: &TcpStream) -> Option<usize> {
        let mut state = self.state();
        if state.is_stopped {
            return None;
        }
        state.progress.connections += 1;
        let number = state.progress.connections;
        if let Ok(stream) = stream.try_clone() {
            state.open.insert(number, stream);
        }
        drop(state);
        self.changed.notify_all();
        Some(number)
    }

    /// Forgets the connection; the last handle to its socket is the caller's.
    pub(super) fn forget(&self, number: usize) {
        self.state().open.remove(&number);
    }

    pub(super) fn disconnected(&self, number: usize) {
        self.forget(number);
        self.update(|progress| progress.ended += 1);
    }

    /// Ends all connections and wakes all scripts.
    pub(super) fn stop(&self) {
        let mut state = self.state();
        state.is_stopped = true;
        for stream in state.open.values() {
            // It fails when the peer was faster, which is as good.
            drop(stream.shutdown(Shutdown::Both));
        }
        drop(state);
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
