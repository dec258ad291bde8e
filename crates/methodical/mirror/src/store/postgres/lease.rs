//! The lease of a delivery or a sync: a lock of a transaction that lasts as long.
//!
//! The transaction has a separate connection, because the others are committed in between. It keeps a pooler from giving the
//! connection to others, and the server ends it with the process. It sees no rows, so it does not hold up VACUUM.

use std::sync::Arc;

use methodical_postgres::Connector;

use crate::error::{Error, ErrorKind};
use crate::feed::cursor::Identity;
use crate::fields::hash::Hasher;
use crate::store::hold::Hold;
use crate::store::lease::Lease;
use crate::store::postgres::link::Link;
use crate::store::postgres::lock;

struct Held(Link);

impl Drop for Held {
    fn drop(&mut self) {
        // Waits, so that the next delivery of this process does not find the lock. A lost connection has no lock.
        let _lost = self.0.roll_back();
    }
}

/// Takes the right to deliver to a consumer.
pub(crate) fn take(connector: &Connector, lease: &Lease<'_>) -> Result<Hold, Error> {
    hold(connector, lease.key, |holder| lease.refused(holder))
}

/// Takes the right to sync all tables of the mirror in a schema.
pub(crate) fn take_for_sync(
    connector: &Connector,
    identity: &Identity,
    schema: &str,
) -> Result<Hold, Error> {
    let hash = Hasher::new(&identity.secret, "sync").hash(&[&identity.id]).to_bytes();
    let key = hash.first_chunk().map_or(0, |bytes| i64::from_be_bytes(*bytes));
    hold(connector, key, |holder| lock::refused(schema, holder))
}

fn hold(
    connector: &Connector,
    key: i64,
    refused: impl FnOnce(&str) -> String,
) -> Result<Hold, Error> {
    let held = Held(Link::start(connector)?);
    let holder = held.0.call(move |session| {
        session.begin()?;
        lock::attempt(session, key)
    })?;
    match holder {
        None => Ok(Arc::new(held)),
        Some(holder) => Err(Error::new(ErrorKind::Busy, refused(&holder))),
    }
}
