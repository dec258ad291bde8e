//! The options of a sync of all tables, and its progress.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::debug_with;
use crate::guard::Rules;

/// The options of [`Mirror::sync_all`](crate::Mirror::sync_all).
///
/// ```
/// use methodical_mirror::{Rules, SyncOptions};
///
/// let options = SyncOptions::new().rules(Rules::new().emit_baseline()).concurrency(8);
/// # let _ = options;
/// ```
#[derive(Clone)]
#[must_use]
pub struct SyncOptions {
    rules: Rules,
    /// Accepted numbers of missing records, by table.
    accepted: BTreeMap<String, u64>,
    pub(crate) concurrency: usize,
    pub(crate) recovers: bool,
    /// More names of values, by what they name.
    values: BTreeMap<String, Vec<String>>,
    pub(crate) recheck_every: u32,
    observer: Option<Arc<dyn Fn(SyncProgress) + Send + Sync>>,
}

impl SyncOptions {
    /// Creates options that sync all tables with the default rules.
    pub fn new() -> Self {
        Self {
            rules: Rules::new(),
            accepted: BTreeMap::new(),
            concurrency: 4,
            recovers: true,
            values: BTreeMap::new(),
            recheck_every: 8,
            observer: None,
        }
    }

    /// Sets the rules for each list. An accepted number of missing records also applies to each list.
    pub fn rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    /// Accepts a list of `table` in which exactly `records` records are newly missing, instead of the number of the
    /// [`rules`](Self::rules).
    pub fn accept_missing(mut self, table: impl Into<String>, records: u64) -> Self {
        self.accepted.insert(table.into(), records);
        self
    }

    /// Sets the maximum number of concurrent calls; 0 counts as 1. Default: 4. Only a recovery makes several.
    pub fn concurrency(self, calls: usize) -> Self {
        Self { concurrency: calls.max(1), ..self }
    }

    /// Adds names of values that a recovery asks for, such as `values("status", ["On hold"])`. The names that the
    /// contract lists, and those that the mirror has, are always asked for. A mirror remembers the names that a
    /// recovery asked for, so each need be given only once.
    pub fn values<T: Into<String>>(
        mut self,
        value: impl Into<String>,
        names: impl IntoIterator<Item = T>,
    ) -> Self {
        self.values.entry(value.into()).or_default().extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the number of runs within which the values of each group are asked for at least once. Default: 8. Each run
    /// asks for the values of the groups whose members changed, of the groups that have waited longest (one eighth of
    /// all by default), and of the groups that were last asked 20 hours ago or earlier. With 1, each run asks for all,
    /// as does a daily run.
    pub fn recheck_every(self, runs: u32) -> Self {
        Self { recheck_every: runs.max(1), ..self }
    }

    /// Syncs only lists, without recovering values.
    pub fn without_recovery(self) -> Self {
        Self { recovers: false, ..self }
    }

    /// Sets a function that receives the progress of the sync: after every 256 records of a list, at its end, and after
    /// each group. It is called on the threads of the sync, which wait for it.
    ///
    /// ```
    /// use methodical_mirror::{SyncOptions, SyncProgress};
    ///
    /// let options = SyncOptions::new().on_progress(|progress| match progress {
    ///     SyncProgress::Records { table, received, .. } => eprintln!("{table}: {received} records"),
    ///     SyncProgress::Groups { groups, asked, all, .. } => eprintln!("{groups}: {asked} of {all}"),
    ///     _ => {}
    /// });
    /// # let _ = options;
    /// ```
    pub fn on_progress(self, observer: impl Fn(SyncProgress) + Send + Sync + 'static) -> Self {
        Self { observer: Some(Arc::new(observer)), ..self }
    }

    pub(crate) fn report(&self, progress: SyncProgress) {
        if let Some(observer) = &self.observer {
            observer(progress);
        }
    }

    pub(crate) fn rules_of(&self, table: &str) -> Rules {
        self.accepted.get(table).map_or(self.rules, |records| self.rules.accept_missing(*records))
    }

    pub(crate) fn values_of(&self, value: &str) -> &[String] {
        self.values.get(value).map_or(&[], |names| names)
    }
}

debug_with!(SyncOptions: rules, accepted, concurrency, recheck_every);

impl Default for SyncOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// The progress of a sync, as [`SyncOptions::on_progress`](crate::SyncOptions::on_progress) reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyncProgress {
    /// A list is being received.
    Records {
        /// The table of the list.
        table: &'static str,
        /// How many records were received, including rejected ones.
        received: u64,
    },
    /// The values of the groups are being asked for.
    Groups {
        /// The table of the placements.
        table: &'static str,
        /// The table of the groups.
        groups: &'static str,
        /// How many groups are done: their values are known, failed, or did not change.
        asked: u64,
        /// The number of all groups.
        all: u64,
    },
}
