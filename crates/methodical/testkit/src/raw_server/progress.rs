//! The events that a server has seen, and waiting for them.

use std::collections::BTreeMap;
use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, LockResult, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::raw_server::request::RawRequest;

/// The events that a server has seen so far.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Progress {
    /// All requests, in the order of their completion.
    pub requests: Vec<RawRequest>,
    /// Number of connections opened.
    pub connections: usize,
    /// Number of connections that have ended, on either side.
    pub ended: usize,
    /// Number of scripts running now.
    pub playing: usize,
    /// Number of scripts that have panicked, for instance by a failed assertion. Their connections are closed.
    pub panicked: usize,
    /// Largest number of scripts that ran concurrently.
    pub most_playing: usize,
    /// Number of bytes written by scripts.
    pub written: usize,
    /// Number of times that a script found its connection closed by the peer.
    pub closed_by_peer: usize,
    /// Number of times that a script could not write because the peer did not read.
    pub blocked: usize,
}

/// The state that a server shares with its connections: progress, open sockets, and whether the server is stopped.
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
        self.wait(limit, |state| condition(&state.progress))
    }

    /// Waits for `duration`. Returns `false` early if the server stops.
    pub(super) fn pause(&self, duration: Duration) -> bool {
        !self.wait(duration, |state| state.is_stopped)
    }

    pub(super) fn update(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut self.state().progress);
        self.changed.notify_all();
    }

    /// Counts a new connection and returns its number. Returns `None` if the server is stopped.
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

    /// Drops the server's handle of a connection's socket; the caller has the last one.
    pub(super) fn forget(&self, number: usize) {
        self.state().open.remove(&number);
    }

    pub(super) fn disconnected(&self, number: usize) {
        self.forget(number);
        self.update(|progress| progress.ended += 1);
    }

    /// Closes all connections and wakes all waiting scripts.
    pub(super) fn stop(&self) {
        let mut state = self.state();
        state.is_stopped = true;
        for stream in state.open.values() {
            // It fails if the connection is closed already.
            drop(stream.shutdown(Shutdown::Both));
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Waits up to `limit` until `condition` holds. Returns whether it holds.
    fn wait(&self, limit: Duration, condition: impl Fn(&State) -> bool) -> bool {
        let waited =
            self.changed.wait_timeout_while(self.state(), limit, |state| !condition(state));
        let (state, _) = recover(waited);
        condition(&state)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        recover(self.state.lock())
    }
}

/// Returns the guard even if the lock is poisoned: only a caller's condition can panic under the lock, and it cannot
/// change the state.
fn recover<T>(result: LockResult<T>) -> T {
    result.unwrap_or_else(PoisonError::into_inner)
}
