//! The consumers of a mirror in memory that are being delivered to.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, ErrorKind};
use crate::store::hold::Hold;
use crate::store::lease::Lease;

/// The names of the consumers.
#[derive(Default)]
pub(crate) struct Leases(Arc<Mutex<BTreeSet<String>>>);

impl Leases {
    pub(crate) fn take(&self, lease: &Lease<'_>) -> Result<Hold, Error> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !held.insert(lease.consumer.to_owned()) {
            return Err(Error::new(ErrorKind::Busy, lease.refused("another thread")));
        }
        Ok(Arc::new(Held { leases: Arc::clone(&self.0), consumer: lease.consumer.to_owned() }))
    }
}

struct Held {
    leases: Arc<Mutex<BTreeSet<String>>>,
    consumer: String,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.consumer);
    }
}
