//! A dictionary: the names of statuses stand once per account and are referred to by a number.

use std::collections::HashMap;

use crate::error::Error;

/// The dictionary an import works with.
pub(super) trait Dictionary {
    /// Returns the key of a name, if it is there.
    fn find(&mut self, name: &str) -> Result<Option<i64>, Error>;

    /// Adds a name that is not there and returns its key.
    fn add(&mut self, name: &str) -> Result<i64, Error>;
}

/// The keys of the statuses that an import has met so far.
#[derive(Debug, Default)]
pub(super) struct StatusKeys(HashMap<String, i64>);

impl StatusKeys {
    /// Returns the key of a status, and gives it one if it is new.
    pub(super) fn get(
        &mut self,
        dictionary: &mut impl Dictionary,
        name: &str,
    ) -> Result<i64, Error> {
        let Self(known) = self;
        if let Some(key) = known.get(name) {
            return Ok(*key);
        }
        let key = match dictionary.find(name)? {
            Some(key) => key,
            None => dictionary.add(name)?,
        };
        if known.len() >= MOST_KEYS {
            known.clear();
        }
        known.insert(name.to_owned(), key);
        Ok(key)
    }
}

/// So many keys are kept during an import.
const MOST_KEYS: usize = 65_536;
