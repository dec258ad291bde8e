//! The options of a sync of all tables.

use std::collections::BTreeSet;

use crate::engine::brake::Rules;
use crate::error::{Error, ErrorKind};

/// The options of [`Mirror::sync_all`](crate::Mirror::sync_all).
///
/// ```
/// use gateway_mirror::{Rules, SyncOptions};
///
/// let options = SyncOptions::new().rules(Rules::new().confirm(3)).tables(["photo"]).calls_per_second(10);
/// # let _ = options;
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct SyncOptions {
    pub(crate) rules: Rules,
    /// All tables if there are none.
    tables: BTreeSet<String>,
    pub(crate) calls_per_second: u32,
}

impl SyncOptions {
    /// Creates options that sync all tables by the default rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the rules of each list. An accepted number of missing records applies to each list, too.
    pub fn rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    /// Adds tables to those that are synced. Default: all tables of the service.
    pub fn tables<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.tables.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the maximum number of calls per second for the whole run; 0 is no limit. Default: no limit. The calls are
    /// spaced evenly. The further pages of a list, and the retries of the client, follow their own pace.
    pub fn calls_per_second(self, calls: u32) -> Self {
        Self { calls_per_second: calls, ..self }
    }

    /// Returns whether a table is synced.
    pub(crate) fn has_table(&self, name: &str) -> bool {
        self.tables.is_empty() || self.tables.contains(name)
    }

    /// Refuses a table that the service does not have.
    pub(crate) fn check(&self, existing: &BTreeSet<&str>) -> Result<(), Error> {
        let Some(unknown) = self.tables.iter().find(|name| !existing.contains(&***name)) else {
            return Ok(());
        };
        let existing: Vec<&str> = existing.iter().copied().collect();
        let text = format!(
            "cannot sync `{unknown}`: the service has no such table; it has {}",
            existing.join(", ")
        );
        Err(Error::new(ErrorKind::Table, text))
    }
}
