//! Erases records on request, and keeps them from coming back.

use std::collections::HashSet;

use crate::engine::known::{Known, State};
use crate::error::Error;
use crate::feed::change::ChangeKind;
use crate::fields::hash::{Hash, Hasher};
use crate::keep::backup::Backup;
use crate::keep::copies;
use crate::keep::filter::Filter;
use crate::mirror::{Mirror, lock, now};
use crate::recovery::follow;
use crate::store::Store;
use crate::store::data::{End, NewChange, PAGE, SpellsOf};

/// The result of [`Mirror::forget`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forgotten {
    /// Whether the table had the record.
    pub was_known: bool,
    /// The backups that may still hold the record. Destroy them, or forget the record again after each restore from them.
    pub backups: Vec<Backup>,
    /// The copies that may still hold the record, by the names under which they were made: copy the mirror to them again.
    pub copies: Vec<String>,
    /// Whether bytes of the record remain in the log of the database, because another program reads an older state. They are
    /// removed when the mirror is opened or changed after that program has ended.
    pub has_traces: bool,
}

impl Mirror {
    /// Erases a record: empties its personal and unlisted fields in the table, the log and the free space of the file, and
    /// does not let later syncs bring it back. The identity stays in the row and in the feed. An identity that the table does
    /// not have is only remembered, as a keyed hash.
    ///
    /// The feed and the consumers have no values to erase.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process syncs the mirror.
    ///
    /// ```
    /// use methodical_mirror::Mirror;
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// let forgotten = mirror.forget("photo", "17")?;
    /// assert!(!forgotten.was_known && mirror.is_forgotten("photo", "17")?);
    /// assert!(mirror.unforget("photo", "17")?);
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn forget(&mut self, table: &str, id: &str) -> Result<Forgotten, Error> {
        let at = now(&self.clock);
        let mut store = lock(&self.store);
        // A backup that begins now is in the list before it is written.
        let result = forget(&mut store, table, id, at);
        store.roll_back();
        let was_known = result?;
        let hash = hash(&store, id);
        let since = store.suppressed_at(table, hash)?.unwrap_or(at);
        let copies = copies::until(&mut store, since)?;
        Ok(Forgotten {
            was_known,
            backups: store.backups()?,
            copies,
            has_traces: store.has_traces(),
        })
    }

    /// Returns whether an identity is forgotten.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn is_forgotten(&self, table: &str, id: &str) -> Result<bool, Error> {
        let mut store = lock(&self.store);
        let hash = hash(&store, id);
        Ok(store.suppressed(table)?.contains(&hash))
    }

    /// Lets a forgotten record come back with the next list, such as a person who gave their consent. Its row counts as gone
    /// until then. Returns whether the identity was forgotten.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process syncs the mirror.
    pub fn unforget(&mut self, table: &str, id: &str) -> Result<bool, Error> {
        let at = now(&self.clock);
        let mut store = lock(&self.store);
        let result = unforget(&mut store, table, id, at);
        store.roll_back();
        result
    }
}

/// Forgets a record. Returns whether the table had it.
fn forget(store: &mut Store, table: &str, id: &str, at: i64) -> Result<bool, Error> {
    let hash = hash(store, id);
    let counts = store.begin_forgetting(table)?;
    store.suppress(table, hash, at)?;
    let mut after = counts.unwrap_or_default();
    let known = match counts {
        Some(_) => store.known(table, &[id])?.into_iter().next().flatten(),
        None => None,
    };
    if let Some(known) = known {
        match known.state {
            State::Present => after.present = after.present.saturating_sub(1),
            State::Missing => after.missing = after.missing.saturating_sub(1),
            State::Gone | State::Forgotten => {}
        }
        erase_known(store, table, known, id, at)?;
    }
    store.commit(&End { table, completed_at: None, after, has_erased: known.is_some() })?;
    Ok(known.is_some())
}

/// Erases a record that has a row, and what belongs to it. The caller counts it out.
pub(crate) fn erase_known(
    store: &mut Store,
    table: &str,
    known: Known,
    id: &str,
    at: i64,
) -> Result<(), Error> {
    store.erase(table, known.key, State::Forgotten, at)?;
    if matches!(known.state, State::Present | State::Missing) {
        store.append(&NewChange { at, table, id, kind: ChangeKind::Gone, fields: &[] })?;
    }
    let referring = follow::referring(store, table)?;
    follow::erase(store, &referring, id, State::Forgotten, at)?;
    store.erase_spells(table, SpellsOf::Record(id))
}

fn unforget(store: &mut Store, table: &str, id: &str, at: i64) -> Result<bool, Error> {
    let hash = hash(store, id);
    let counts = store.begin_forgetting(table)?;
    if !store.unsuppress(table, hash)? {
        return Ok(false);
    }
    if counts.is_some()
        && let Some(known) = store.known(table, &[id])?.into_iter().next().flatten()
        && known.state == State::Forgotten
    {
        store.erase(table, known.key, State::Gone, at)?;
    }
    let after = counts.unwrap_or_default();
    store.commit(&End { table, completed_at: None, after, has_erased: false })?;
    Ok(true)
}

/// Forgets those records of a table whose identities have these hashes. Returns how many the table had.
pub(crate) fn forget_all(
    store: &mut Store,
    table: &str,
    hashes: &HashSet<Hash>,
    at: i64,
) -> Result<u64, Error> {
    let identity = Hasher::new(&store.identity().secret, PURPOSE);
    let live = Filter::new().state(State::Present).state(State::Missing).state(State::Gone);
    let (mut forgotten, mut after) = (0, 0);
    loop {
        let page = store.records(table, &live, after, PAGE)?;
        let Some(last) = page.last() else { return Ok(forgotten) };
        after = last.known.key;
        for kept in page {
            if hashes.contains(&identity.hash(&[kept.id.as_bytes()])) {
                let result = forget(store, table, &kept.id, at);
                store.roll_back();
                forgotten += u64::from(result?);
            }
        }
    }
}

/// Returns the keyed hash of an identity.
fn hash(store: &Store, id: &str) -> Hash {
    Hasher::new(&store.identity().secret, PURPOSE).hash(&[id.as_bytes()])
}

/// The purpose of the hashes of identities.
const PURPOSE: &str = "identity";
