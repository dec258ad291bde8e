//! A pool of read-only connections.

use std::sync::Mutex;
use std::time::Duration;

use rusqlite::Connection;

use crate::error::Error;
use crate::lock::lock;
use crate::store::STATEMENT_BUDGET;
use crate::store::damage::Damage;
use crate::store::sqlite::read::Reader;

/// The idle connections, what they found, and the time limit of a read.
pub(super) struct Readers {
    idle: Mutex<Vec<Reader>>,
    pub(super) damage: Damage,
    pub(super) budget: Duration,
}

impl Readers {
    pub(super) const fn new() -> Self {
        Self { idle: Mutex::new(Vec::new()), damage: Damage::none(), budget: STATEMENT_BUDGET }
    }

    /// Runs `work` with an idle connection, or with a new one from `open`. The caller limits the number of concurrent
    /// calls; the pool only keeps the connections that are idle.
    pub(super) fn read<T>(
        &self,
        open: impl FnOnce() -> Result<Connection, Error>,
        work: impl FnOnce(&mut Reader) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let idle = lock(&self.idle).pop();
        let mut reader = match idle {
            Some(reader) => reader,
            None => Reader::new(open()?)?,
        };
        reader.set_budget(self.budget);
        let result = work(&mut reader);
        self.damage.note(&result);
        // A connection that failed is closed, because its state is unknown.
        if result.is_ok() {
            let mut idle = lock(&self.idle);
            if idle.len() < MAX_IDLE {
                idle.push(reader);
            }
        }
        result
    }

    /// Returns the number of idle connections.
    pub(super) fn idle(&self) -> usize {
        lock(&self.idle).len()
    }
}

/// Maximum number of idle connections kept open.
const MAX_IDLE: usize = 16;
