//! The options, progress and result of syncing all tables.

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, debug_with};
use crate::guard::Rules;
use crate::history::{Report, SampleReport};
use crate::recovery::asking::{Fate, Group};

/// The options of [`Mirror::sync_all`](crate::Mirror::sync_all).
///
/// ```
/// use std::sync::Arc;
///
/// use methodical_mirror::{SyncOptions, SyncProgress};
///
/// let options = SyncOptions {
///     concurrency: 8,
///     values: [("status".to_owned(), vec!["On hold".to_owned()])].into(),
///     on_progress: Some(Arc::new(|progress| match progress {
///         SyncProgress::Records { table, received, .. } => eprintln!("{table}: {received} records"),
///         SyncProgress::Groups { groups, asked, all, .. } => eprintln!("{groups}: {asked} of {all}"),
///         _ => {}
///     })),
///     ..SyncOptions::default()
/// };
/// # let _ = options;
/// ```
#[derive(Clone)]
#[expect(clippy::exhaustive_structs, reason = "fields that are not set have defaults")]
pub struct SyncOptions {
    /// Whether the first sync of a list emits its records as added.
    pub emits_baseline: bool,
    /// The number of newly missing records to accept, by table; see [`Rules::accepted_missing`].
    pub accepted_missing: BTreeMap<String, u64>,
    /// The maximum number of concurrent calls; 0 counts as 1. Default: 4. Only recoveries make concurrent calls.
    pub concurrency: usize,
    /// Whether values are recovered, after the lists. Default: true.
    pub recovers: bool,
    /// More values for recoveries to request, by the name of the value, such as `On hold` for `status`. Values that the
    /// contract lists or the mirror has are always requested. A mirror remembers requested values, so each value need
    /// be given only once.
    pub values: BTreeMap<String, Vec<String>>,
    /// The number of runs within which the values of each group are requested at least once; 0 counts as 1. Default: 8.
    /// Each run requests the values of the groups whose members changed, of the groups that have waited longest (one
    /// eighth of all by default), and of the groups that were last requested 20 hours ago or earlier. With 1, each run
    /// requests all, as does a daily run.
    pub recheck_every: u32,
    /// Receives the progress of the sync: after every 256 records of a list, at its end, and after each group. It is
    /// called on the sync's threads, which wait for it.
    pub on_progress: Option<Arc<dyn Fn(SyncProgress) + Send + Sync>>,
}

impl SyncOptions {
    pub(crate) fn report(&self, progress: SyncProgress) {
        if let Some(observer) = &self.on_progress {
            observer(progress);
        }
    }

    pub(crate) fn rules_of(&self, table: &str) -> Rules {
        let accepted_missing = self.accepted_missing.get(table).copied();
        Rules { accepted_missing, emits_baseline: self.emits_baseline }
    }
}

debug_with!(SyncOptions: emits_baseline, accepted_missing, concurrency, recovers, recheck_every);

impl Default for SyncOptions {
    fn default() -> Self {
        Self {
            emits_baseline: false,
            accepted_missing: BTreeMap::new(),
            concurrency: 4,
            recovers: true,
            values: BTreeMap::new(),
            recheck_every: 8,
            on_progress: None,
        }
    }
}

/// The progress of a sync, passed to [`SyncOptions::on_progress`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyncProgress {
    /// A list is being received.
    Records {
        /// The name of the list's table.
        table: &'static str,
        /// How many records were received, including rejected ones.
        received: u64,
    },
    /// The values of the groups are being requested.
    Groups {
        /// The name of the table of placements.
        table: &'static str,
        /// The name of the table of groups.
        groups: &'static str,
        /// How many groups are done: their values are known or unchanged, or the requests failed.
        asked: u64,
        /// How many groups there are in total.
        all: u64,
    },
}

/// What [`Mirror::sync_all`](crate::Mirror::sync_all) changed, by table, and what failed.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct SyncReport {
    /// One report for each table, in the order of the service: first lists, then recovered tables.
    pub tables: Vec<TableReport>,
    /// One sample for each gauge of the service.
    pub samples: Vec<SampleReport>,
    /// An error that belongs to no table: nothing was started, because the options do not fit the service or another
    /// process was syncing; or the history and the samples could not be written.
    pub error: Option<Error>,
    /// How many calls were made, not counting further pages of a list or the client's retries.
    pub calls: u64,
}

/// The changes and failures of a sync in one table.
#[derive(Debug)]
#[non_exhaustive]
pub struct TableReport {
    /// The name of the table.
    pub table: &'static str,
    /// The counts of the sync. After an error, the table is unchanged.
    pub result: Result<Report, Error>,
    /// How many values are known; `None` if the table is not a recovered table or its recovery failed.
    pub coverage: Option<Coverage>,
    /// The groups of a recovered table whose values could not be recovered.
    pub failures: Vec<GroupFailure>,
    /// How many calls were made for the table, counted as in [`SyncReport::calls`].
    pub calls: u64,
}

impl SyncReport {
    /// Returns all errors: those of tables, groups and gauges, and the one that belongs to no table.
    pub fn failures(&self) -> impl Iterator<Item = &Error> {
        let samples = self.samples.iter().filter_map(|sample| sample.result.as_ref().err());
        self.tables.iter().flat_map(TableReport::errors).chain(samples).chain(&self.error)
    }

    /// Returns whether another process was syncing.
    pub(crate) fn is_busy(&self) -> bool {
        self.failures().any(|error| error.kind() == ErrorKind::Busy)
    }
}

impl TableReport {
    /// Returns the errors of the table and of its groups.
    pub(crate) fn errors(&self) -> impl Iterator<Item = &Error> {
        let groups = self.failures.iter().map(|failure| &failure.error);
        self.result.as_ref().err().into_iter().chain(groups)
    }
}

/// The error of [`Mirror::sync_all`](crate::Mirror::sync_all): a table, group or gauge failed. The rest was committed.
#[derive(Debug)]
pub struct SyncError(pub(crate) Box<SyncReport>);

impl SyncError {
    /// Returns the report, which contains the errors and what was committed.
    pub fn report(&self) -> &SyncReport {
        &self.0
    }

    /// Returns the report, which contains the errors and what was committed.
    pub fn into_report(self) -> SyncReport {
        *self.0
    }

    /// Returns the kind of the first error.
    pub fn kind(&self) -> ErrorKind {
        self.0.failures().next().map_or(ErrorKind::Store, Error::kind)
    }
}

impl fmt::Display for SyncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SyncReport { tables, samples, error, .. } = &*self.0;
        let tables = tables.iter().map(|one| (one.table, one.errors().next()));
        let samples = samples.iter().map(|one| (one.gauge, one.result.as_ref().err()));
        let parts = tables.chain(samples);
        let parts = parts.filter_map(|(name, error)| Some(format!("`{name}`: {}", error?)));
        let parts: Vec<String> = parts.chain(error.iter().map(ToString::to_string)).collect();
        f.write_str(&parts.join("; "))
    }
}

impl StdError for SyncError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let source: &(dyn StdError + 'static) = self.0.failures().next()?;
        Some(source)
    }
}

/// The result of a recovery: how many placements, that is, members in groups, have a known value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// The name of the value, such as `status`.
    pub value: &'static str,
    /// The name of the groups' table, such as `album`.
    pub group: &'static str,
    /// How many placements there are.
    pub total: u64,
    /// How many placements have no known value.
    pub unknown: u64,
    /// How many groups have placements without a known value.
    pub groups: u64,
}

/// A group whose values could not be recovered. Its placements are unchanged.
#[derive(Debug)]
#[non_exhaustive]
pub struct GroupFailure {
    /// The group's identity.
    pub group: String,
    /// Why the group's values could not be recovered.
    pub error: Error,
}

impl Coverage {
    pub(crate) fn add(&mut self, known: &Group, fate: &Fate) {
        let (total, unknown) = match fate {
            Fate::Placed(members) => {
                let unknown = members.values().filter(|value| value.is_none()).count();
                (members.len() as u64, unknown as u64)
            }
            Fate::Kept | Fate::Failed(_) => (known.members.count, known.unknown),
        };
        self.total += total;
        self.unknown += unknown;
        self.groups += u64::from(unknown > 0);
    }

    /// Returns a sentence for people. If some values are unknown, it names `option`, with which users can add values.
    #[must_use]
    pub fn text(&self, option: &str) -> String {
        let Self { value, group, total, unknown, groups } = self;
        if *total == 0 {
            return format!("no placements were found, so no {value} is known");
        }
        let tenths = u128::from(total.saturating_sub(*unknown)) * 1000 / u128::from(*total);
        let (share, tenth) = (tenths / 10, tenths % 10);
        let known = format!("{share}.{tenth} % of {total} placements have a known {value}");
        if *unknown == 0 {
            return known;
        }
        let plural = if *groups == 1 { "" } else { "s" };
        format!(
            "{known}; unknown: {unknown}, in {groups} {group} record{plural}; name each missing {value} with {option}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Coverage;

    #[test]
    fn the_share_is_rounded_down_and_says_what_to_do() {
        let none = Coverage { value: "status", group: "album", ..Coverage::default() };
        let coverage = Coverage { total: 4812, unknown: 41, groups: 3, ..none };
        assert_eq!(
            coverage.text("--statuses"),
            "99.1 % of 4812 placements have a known status; unknown: 41, in 3 album records; name each missing status with --statuses"
        );
        let whole = Coverage { total: 1, ..none };
        assert_eq!(whole.text(""), "100.0 % of 1 placements have a known status");
        assert_eq!(none.text(""), "no placements were found, so no status is known");
    }
}
