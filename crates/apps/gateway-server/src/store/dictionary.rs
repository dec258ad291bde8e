//! The dictionary of statuses: each name is stored once per account, and rows refer to it by a number.

use std::collections::HashMap;

use crate::error::Error;

/// The dictionary in the database, during an import.
pub(super) trait Dictionary {
    /// Returns the key of a name, if the dictionary has it.
    fn find(&mut self, name: &str) -> Result<Option<i64>, Error>;

    /// Adds a new name and returns its key.
    fn add(&mut self, name: &str) -> Result<i64, Error>;
}

/// A cache of status keys, for one import.
#[derive(Debug, Default)]
pub(super) struct StatusKeys(HashMap<String, i64>);

impl StatusKeys {
    /// Returns the key of a status, after adding it to the dictionary if it is new.
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
        if known.len() >= MAX_KEYS {
            known.clear();
        }
        known.insert(name.to_owned(), key);
        Ok(key)
    }
}

/// Maximum number of cached keys.
const MAX_KEYS: usize = 65_536;
