//! Dictionaries: portals and status names stand once per account and are referred to by a number.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use super::sql;
use crate::error::{Error, ErrorKind};
use crate::generated::record::PortalRow;

/// Portals that were read, by account and key. A row never changes, so what was read once stays right.
#[derive(Debug, Default)]
pub(super) struct Portals(HashMap<(i64, i64), (String, String)>);

impl Portals {
    /// Returns a portal, and asks `load` for it if need be.
    pub(super) fn get<E>(
        &mut self,
        account: i64,
        key: i64,
        load: impl FnOnce(i64, i64) -> Result<(String, String), E>,
    ) -> Result<PortalRow<'_>, E> {
        if self.0.len() >= MOST_PORTALS && !self.0.contains_key(&(account, key)) {
            self.0.clear();
        }
        let (id, name) = match self.0.entry((account, key)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(load(account, key)?),
        };
        Ok(PortalRow { id, name })
    }
}

/// The dictionaries of one account inside an import.
pub(super) trait Dictionary {
    /// Runs a statement with the account and texts as its parameters and returns the key it gives.
    fn query(&mut self, sql: &'static str, texts: &[&str]) -> Result<Option<i64>, Error>;
}

/// The keys that an import has met so far.
#[derive(Debug, Default)]
pub(super) struct Keys {
    portals: HashMap<(String, String), i64>,
    statuses: HashMap<String, i64>,
}

impl Keys {
    pub(super) fn portal(
        &mut self,
        dictionary: &mut impl Dictionary,
        id: &str,
        name: &str,
    ) -> Result<i64, Error> {
        resolve(&mut self.portals, (id.to_owned(), name.to_owned()), || {
            find_or_create(dictionary, sql::PORTAL_KEY, sql::CREATE_PORTAL, &[id, name])
        })
    }

    pub(super) fn status(
        &mut self,
        dictionary: &mut impl Dictionary,
        name: &str,
    ) -> Result<i64, Error> {
        resolve(&mut self.statuses, name.to_owned(), || {
            find_or_create(dictionary, sql::STATUS_KEY, sql::CREATE_STATUS, &[name])
        })
    }
}

fn resolve<K: Hash + Eq>(
    known: &mut HashMap<K, i64>,
    entry: K,
    look_up: impl FnOnce() -> Result<i64, Error>,
) -> Result<i64, Error> {
    if let Some(key) = known.get(&entry) {
        return Ok(*key);
    }
    let key = look_up()?;
    if known.len() >= MOST_KEYS {
        known.clear();
    }
    known.insert(entry, key);
    Ok(key)
}

fn find_or_create(
    dictionary: &mut impl Dictionary,
    find: &'static str,
    create: &'static str,
    texts: &[&str],
) -> Result<i64, Error> {
    if let Some(key) = dictionary.query(find, texts)? {
        return Ok(key);
    }
    let lost = || Error::new(ErrorKind::Storage, "a dictionary took no new entry");
    dictionary.query(create, texts)?.ok_or_else(lost)
}

/// So many portals are kept per connection.
const MOST_PORTALS: usize = 1024;

/// So many keys of each kind are kept during an import.
const MOST_KEYS: usize = 65_536;
