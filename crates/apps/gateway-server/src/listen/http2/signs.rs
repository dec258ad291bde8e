//! Reports of the socket of an HTTP/2 connection to the code above the HTTP library.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use h2::Reason;
use tokio::time::Instant;

use crate::lock::lock;

/// Reports of the socket of a connection.
#[derive(Debug)]
pub(super) struct Signs {
    violation: Mutex<Option<Reason>>,
    is_blocked: AtomicBool,
    is_draining: AtomicBool,
    /// Time of the last sign of life of the client.
    heard: Mutex<Instant>,
}

impl Signs {
    pub(super) fn new() -> Self {
        Self {
            violation: Mutex::default(),
            is_blocked: AtomicBool::new(false),
            is_draining: AtomicBool::new(false),
            heard: Mutex::new(Instant::now()),
        }
    }

    /// Records a sign of life of the client.
    pub(super) fn hear(&self, now: Instant) {
        *lock(&self.heard) = now;
    }

    /// Returns the time of the last sign of life.
    pub(super) fn heard(&self) -> Instant {
        *lock(&self.heard)
    }

    /// Records that the client must be disconnected.
    pub(super) fn violated(&self, reason: Reason) {
        *lock(&self.violation) = Some(reason);
    }

    /// Returns why the client must be disconnected, if it must.
    pub(super) fn violation(&self) -> Option<Reason> {
        *lock(&self.violation)
    }

    /// Records that the server stops.
    pub(super) fn set_draining(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    pub(super) fn set_blocked(&self, is_blocked: bool) {
        self.is_blocked.store(is_blocked, Ordering::Relaxed);
    }

    /// Returns whether the socket accepts no bytes at present.
    pub(super) fn is_blocked(&self) -> bool {
        self.is_blocked.load(Ordering::Relaxed)
    }
}
