//! A dictionary: the names of statuses stand once per account and are referred to by a number.

use std::collections::HashMap;

use super::sql;
use crate::error::{Error, ErrorKind};

/// The dictionary of one account inside an import.
pub(super) trait Dictionary {
    /// Runs a statement with the account and a name as its parameters and returns the key it gives.
    fn query(&mut self, sql: &'static str, name: &str) -> Result<Option<i64>, Error>;
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
        let key = match dictionary.query(sql::STATUS_KEY, name)? {
            Some(key) => key,
            None => dictionary.query(sql::CREATE_STATUS, name)?.ok_or_else(|| {
                Error::new(ErrorKind::Storage, "the dictionary took no new entry")
            })?,
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
