//! Checks a mirror against itself: the database, the counts, the hashes, the feed, the erasures and the past values. Rebuilds what
//! the mirror derives from the rest.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use rusqlite::ErrorCode;

use crate::error::{Error, ErrorKind};
use crate::feed::ChangeKind;
use crate::fields::row::RowHasher;
use crate::mirror::Mirror;
use crate::recovery::values::Of;
use crate::store::filter::Filter;
use crate::store::rows::{State, Stored};
use crate::store::table::TableStatus;
use crate::store::{OrFailed as _, Store, Suppressed, count, quoted, sqlite_failed, utc};

/// The result of [`Mirror::check`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Check {
    /// The damage that was found: at most 1,000 findings, in the order of the tables and their rows.
    pub findings: Vec<Finding>,
    /// How many more findings there are.
    pub more: u64,
    /// How many records were checked.
    pub records: u64,
    /// How many changes of the feed were checked.
    pub changes: u64,
    /// Whether changes of the feed were removed. The state of a record whose changes were all removed is not compared with
    /// the feed.
    pub is_pruned: bool,
}

/// Something wrong in a mirror. Its text names the table, the record and what to do next, and has no personal value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The kind of the finding.
    pub kind: FindingKind,
    /// The table; `None` if the finding concerns the whole mirror.
    pub table: Option<String>,
    /// The identity of the record; `None` if the finding concerns the whole table.
    pub id: Option<String>,
    /// The cause.
    pub cause: String,
}

/// The kind of a [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// The database reports damage.
    Damage,
    /// The counts of a table differ from its rows.
    Counts,
    /// The state of a record is not the one that the feed leads to.
    Feed,
    /// The hash of a record is not that of its contents: another program changed the row.
    Hash,
    /// A record that is gone or forgotten has a personal or an unlisted value.
    Erasure,
    /// A record whose identity is forgotten is present or missing.
    Forgotten,
    /// A consumer is at a position that the feed has not reached.
    Consumer,
    /// The past values of a placement do not lead to its value.
    History,
}

impl FindingKind {
    /// Returns the name of the kind.
    pub const fn as_str(self) -> &'static str {
        self.texts().0
    }

    /// Returns what to do next.
    pub const fn next_step(self) -> &'static str {
        match self {
            Self::Damage => "restore a backup, or sync into a new mirror",
            Self::Consumer => "remove the consumer, and add it again after a new snapshot",
            _ => "rebuild the mirror",
        }
    }

    /// Returns what [`Mirror::rebuild`] did about a finding of this kind.
    pub const fn rebuilt(self) -> &'static str {
        self.texts().1
    }

    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Damage => ("damage", "nothing was changed"),
            Self::Counts => ("counts", "the rows were counted again"),
            Self::Feed => ("feed", "the feed got the changes that it lacked"),
            Self::Hash => ("hash", "the next sync writes the row again"),
            Self::Erasure => ("erasure", "it was erased again"),
            Self::Forgotten => ("forgotten", "it was forgotten again"),
            Self::Consumer => ("consumer", "nothing was changed"),
            Self::History => ("history", "its past values begin anew"),
        }
    }
}

impl Finding {
    fn new(kind: FindingKind, table: Option<&str>, id: Option<&str>, cause: String) -> Self {
        Self { kind, table: table.map(str::to_owned), id: id.map(str::to_owned), cause }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(table) = &self.table {
            write!(f, "`{table}`")?;
            if let Some(id) = &self.id {
                write!(f, " {}", id.escape_debug())?;
            }
            f.write_str(": ")?;
        }
        write!(f, "{}; {}", self.cause, self.kind.next_step())
    }
}

/// The result of [`Mirror::rebuild`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rebuilt {
    /// The findings that were corrected. [`FindingKind::rebuilt`] says how.
    pub findings: Vec<Finding>,
    /// The check of the rebuilt mirror.
    pub check: Check,
}

impl Mirror {
    /// Checks the mirror as it is at one moment, also while another process syncs:
    ///
    /// - the database itself;
    /// - that the counts of each table are those of its rows;
    /// - that the hash of each record is that of its contents, unless the mirror omits personal data;
    /// - that the feed leads to the state of each record. A record without changes in the feed was present in the first sync.
    ///   If changes were removed, nothing is known of a record whose changes were all removed;
    /// - that a record that is gone or forgotten has no personal and no unlisted value;
    /// - that no record whose identity is forgotten is present or missing;
    /// - that the past values of each placement lead to its value.
    ///
    /// It reads every row, every change and every past value, and needs about 100 bytes of memory for each record that the feed
    /// names, and for each placement.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read. Damage that the store reports is a finding instead.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// /// Prints what is wrong. Returns whether nothing is.
    /// fn check(mirror: &Mirror) -> Result<bool, Error> {
    ///     let check = mirror.check()?;
    ///     for finding in &check.findings {
    ///         println!("{finding}");
    ///     }
    ///     Ok(check.findings.is_empty())
    /// }
    /// # assert!(check(&Mirror::in_memory()?)?);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn check(&self) -> Result<Check, Error> {
        self.store().check()
    }

    /// Rebuilds what the mirror derives from its rows, its feed and its forgotten identities, where [`check`](Self::check) finds
    /// something wrong, in one transaction. Cursors and consumers stay valid; the feed, the history and the forgotten
    /// identities are kept.
    ///
    /// - The hash of a changed row becomes that of its contents, so that the next sync writes the row again, with a change.
    /// - The feed gets the changes that it lacks, so that it leads to the state of each record.
    /// - The counts of a table become those of its rows.
    /// - A record that is gone or forgotten is erased again, and one whose identity is forgotten is forgotten again.
    /// - The past values of a placement end, and its value begins anew.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Foreign`] if the database is damaged, or if the feed lacks changes that a consumer has received: then the
    /// mirror cannot be rebuilt without losing something. [`ErrorKind::Busy`] if another process syncs the mirror. After an
    /// error, the mirror is as it was before.
    pub fn rebuild(&mut self) -> Result<Rebuilt, Error> {
        let (at, mut store) = (self.now(), self.store());
        let findings = store.change(|store| {
            let Check { findings, .. } = store.find_all(Some(at))?;
            let lost =
                |one: &&Finding| matches!(one.kind, FindingKind::Damage | FindingKind::Consumer);
            if let Some(finding) = findings.iter().find(lost) {
                let text = format!("cannot rebuild the mirror: {finding}");
                return Err(Error::new(ErrorKind::Foreign, text));
            }
            Ok((findings, true))
        })?;
        Ok(Rebuilt { findings, check: store.check()? })
    }
}

/// The records of a table according to the feed and the past values, and the rows that they need.
struct Expected {
    /// The last change of each record that has no row yet in the check.
    feed: HashMap<String, ChangeKind>,
    is_pruned: bool,
    /// The index of the column of the recovered value, and whether its past values were to be erased.
    value: Option<(usize, bool)>,
    /// The past values of each placement that has no row yet in the check.
    past: HashMap<String, Past>,
    rows: RowHasher,
    suppressed: Suppressed,
    /// The hashes are those of contents that are not stored.
    is_reduced: bool,
}

struct Past {
    /// How many have no end.
    open: u64,
    /// The last one: its value, when it began, and whether it has no end.
    value: Option<String>,
    began_at: i64,
    is_open: bool,
}

impl Store {
    /// Checks a mirror as it is at one moment.
    pub(crate) fn check(&mut self) -> Result<Check, Error> {
        self.begin_reading()?;
        let result = self.find_all(None);
        self.roll_back();
        let mut check = result?;
        check.more = check.findings.len().saturating_sub(MAX_FINDINGS) as u64;
        check.findings.truncate(MAX_FINDINGS);
        Ok(check)
    }

    /// Returns all findings, in the transaction of the caller. With a time, corrects them at this time.
    fn find_all(&self, corrects_at: Option<i64>) -> Result<Check, Error> {
        let mut check = Check::default();
        for cause in self.damage()? {
            check.findings.push(Finding::new(FindingKind::Damage, None, None, cause));
        }
        if !check.findings.is_empty() {
            // Nothing that a damaged database returns is of use.
            return Ok(check);
        }
        let feed = self.feed()?;
        check.is_pruned = feed.pruned > 0;
        check.changes = self
            .connection
            .query_row("SELECT count(*) FROM mirror_change", (), |row| count(row, 0))
            .or_failed()?;
        // Read before anything is corrected: a correction in one table changes the number of rows of others.
        let tables = self.tables()?;
        let counts = tables.iter().map(|one| self.counts(&one.table));
        let counts: Vec<_> = counts.collect::<Result<_, _>>()?;
        for (status, counts) in tables.iter().zip(counts) {
            self.check_table(status, counts, &mut check, corrects_at)?;
        }
        if corrects_at.is_some() && !check.findings.is_empty() {
            for TableStatus { table, .. } in self.tables()? {
                self.set_counts(&table, self.counts(&table)?, None)?;
            }
        }
        for consumer in self.consumers()?.iter().filter(|one| one.position > feed.last) {
            let (name, position, last) = (&consumer.name, consumer.position, feed.last);
            let cause =
                format!("the consumer `{name}` is at {position}, and the feed ends at {last}");
            check.findings.push(Finding::new(FindingKind::Consumer, None, None, cause));
        }
        Ok(check)
    }

    /// Returns the damage that the database finds in itself: names of tables and indexes, and numbers of rows and pages.
    fn damage(&self) -> Result<Vec<String>, Error> {
        let found = self.connection.prepare("PRAGMA integrity_check").and_then(|mut statement| {
            statement.query_map((), |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()
        });
        match found {
            Ok(found) => Ok(found.into_iter().filter(|line| line != "ok").collect()),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => {
                Ok(vec![error.to_string()])
            }
            Err(error) => Err(sqlite_failed(error)),
        }
    }

    fn check_table(
        &self,
        status: &TableStatus,
        (present, missing): (u64, u64),
        check: &mut Check,
        corrects_at: Option<i64>,
    ) -> Result<(), Error> {
        let table = &status.table;
        let mut expected = self.expected(table)?;
        self.each_record(table, &Filter::new(), |stored| {
            check.records += 1;
            let state = expected.state(&stored);
            let found = expected.compare(&stored)?;
            let kinds: Vec<FindingKind> = found.iter().map(|(kind, _)| *kind).collect();
            for (kind, cause) in found {
                check.findings.push(Finding::new(kind, Some(table), Some(&stored.id), cause));
            }
            match corrects_at {
                Some(at) if !kinds.is_empty() => {
                    self.correct(table, &stored, &kinds, (state, expected.value), at)
                }
                _ => Ok(()),
            }
        })?;
        let named = expected.feed.into_iter().filter(|(_, kind)| *kind != ChangeKind::Gone);
        let named = named.map(|(id, _)| (id, FindingKind::Feed, "the feed names it"));
        let past = expected.past.into_keys();
        let past = past.map(|id| (id, FindingKind::History, "it has past values"));
        let named: BTreeSet<_> = named.chain(past).collect();
        for (id, kind, what) in named {
            let cause = format!("{what}, and the table does not have it");
            check.findings.push(Finding::new(kind, Some(table), Some(&id), cause));
            let Some(at) = corrects_at else { continue };
            self.erase_values(table, Of::Record(&id))?;
            if kind == FindingKind::Feed {
                self.append(&utc(at), table, &id, ChangeKind::Gone)?;
            }
        }
        if (present, missing) != (status.present, status.missing) {
            let cause = format!(
                "it has {present} present and {missing} missing records, and its counts are {} and {}",
                status.present, status.missing
            );
            check.findings.push(Finding::new(FindingKind::Counts, Some(table), None, cause));
        }
        Ok(())
    }

    /// Reads what the rows of a table are compared with.
    fn expected(&self, table: &str) -> Result<Expected, Error> {
        let last = "SELECT record_id, kind, max(number) FROM mirror_change WHERE table_name = ?1 GROUP BY record_id";
        let feed = self.query(last, (table,), |row| {
            let kind = ChangeKind::from_name(row.get_ref(1)?.as_str()?);
            Ok((row.get(0)?, kind.unwrap_or(ChangeKind::Changed)))
        })?;
        let past = "SELECT record_id, sum(ended_at IS NULL), value, unixepoch(began_at), ended_at IS NULL, max(number) \
                    FROM mirror_spell WHERE table_name = ?1 GROUP BY record_id";
        let past = self.query(past, (table,), |row| {
            let past = Past {
                open: count(row, 1)?,
                value: row.get(2)?,
                began_at: row.get(3)?,
                is_open: row.get(4)?,
            };
            Ok((row.get(0)?, past))
        })?;
        let is_reduced = self.omits_personal()?;
        let columns = &self.table(table)?.shape.columns;
        let value = self.recovered()?.remove(table).and_then(|references| {
            let index = columns.iter().position(|column| column.name == references.value)?;
            Some((index, is_reduced && columns.get(index)?.is_personal))
        });
        Ok(Expected {
            feed: feed.into_iter().collect(),
            is_pruned: self.feed()?.pruned > 0,
            value,
            past: past.into_iter().collect(),
            rows: RowHasher::new(&self.identity().secret),
            suppressed: self.suppressed(table)?,
            is_reduced,
        })
    }

    /// Corrects what was found in a record, which has the state of the feed unless another one is given.
    fn correct(
        &self,
        table: &str,
        stored: &Stored,
        kinds: &[FindingKind],
        (of_feed, value): (Option<State>, Option<(usize, bool)>),
        at: i64,
    ) -> Result<(), Error> {
        let (key, id, state) = (stored.known.key, &*stored.id, stored.known.state);
        if kinds.contains(&FindingKind::Forgotten) {
            return self.erase_known(table, stored.known, id, at);
        }
        if kinds.contains(&FindingKind::Erasure) {
            self.erase(table, stored.known, state, stored.gone_at.unwrap_or(at))?;
        }
        if kinds.contains(&FindingKind::Hash) {
            let hash = RowHasher::new(&self.identity().secret).row(&stored.row, &stored.shape)?;
            self.set(table, key, "mirror_hash", hash.0)?;
        }
        if kinds.contains(&FindingKind::Feed) {
            for kind in changes_to(of_feed.unwrap_or(state), state) {
                self.append(&utc(at), table, id, *kind)?;
            }
        }
        if kinds.contains(&FindingKind::History) {
            self.end_value(table, id, stored.gone_at.unwrap_or(at))?;
            match value {
                Some((column, false)) if state.is_live() => {
                    self.set(table, key, "mirror_changed_at", utc(at))?;
                    self.begin_value(table, id, stored.row.text(column), at, true)?;
                    if state == State::Missing {
                        self.end_value(table, id, at)?;
                    }
                }
                Some((_, false)) if state == State::Gone => {}
                _ => self.erase_values(table, Of::Record(id))?,
            }
        }
        Ok(())
    }

    /// Returns how many records of a table are present and missing.
    fn counts(&self, table: &str) -> Result<(u64, u64), Error> {
        let select = format!(
            "SELECT coalesce(sum(mirror_state = 'present'), 0), coalesce(sum(mirror_state = 'missing'), 0) FROM {}",
            quoted(table)
        );
        let counts = |row: &rusqlite::Row<'_>| Ok((count(row, 0)?, count(row, 1)?));
        self.connection.query_row(&select, (), counts).or_failed()
    }
}

impl Expected {
    fn compare(&mut self, stored: &Stored) -> Result<Vec<(FindingKind, String)>, Error> {
        let (state, mut found) = (stored.known.state, Vec::new());
        let name = state.as_str();
        if state.is_live() && !self.is_reduced && !stored.has_old_hash {
            let hash = self.rows.row(&stored.row, &stored.shape)?;
            if stored.known.hash != Some(hash) {
                let cause = "the row was changed by another program".to_owned();
                found.push((FindingKind::Hash, cause));
            }
        }
        if !state.is_live() && stored.is_readable() {
            found.push((FindingKind::Erasure, format!("it is {name}, and still has contents")));
        }
        if state.is_live() && self.suppressed.has(&stored.id) {
            let cause = format!("it is {name}, and its identity is forgotten");
            found.push((FindingKind::Forgotten, cause));
        }
        if let Some(expected) = self.state(stored) {
            let expected = expected.as_str();
            let cause = format!("it is {name}, and the changes of the feed lead to {expected}");
            found.push((FindingKind::Feed, cause));
        }
        self.feed.remove(&stored.id);
        let past = self.past.remove(&stored.id);
        if let Some(cause) = self.wrong_history(stored, past) {
            found.push((FindingKind::History, cause.to_owned()));
        }
        Ok(found)
    }

    /// Returns the state that the feed leads to if the record has another one.
    fn state(&self, stored: &Stored) -> Option<State> {
        let expected = match self.feed.get(&stored.id) {
            None if self.is_pruned => return None,
            Some(ChangeKind::Missing) => State::Missing,
            Some(ChangeKind::Gone) => State::Gone,
            // The first sync of a table emits nothing.
            _ => State::Present,
        };
        let state = stored.known.state;
        let found = if state == State::Forgotten { State::Gone } else { state };
        (found != expected).then_some(expected)
    }

    /// Returns what is wrong with the past values of a placement.
    fn wrong_history(&self, stored: &Stored, past: Option<Past>) -> Option<&'static str> {
        let (column, is_erased) = self.value?;
        let state = stored.known.state;
        if is_erased || state == State::Forgotten {
            return past.map(|_| "it has past values, which were to be erased");
        }
        if past.as_ref().is_some_and(|past| past.open > u64::from(past.is_open)) {
            return Some("it has a past value without an end before the last one");
        }
        let is_open = past.as_ref().is_some_and(|past| past.is_open);
        let is_current = past.is_some_and(|past| {
            past.began_at == stored.changed_at && past.value.as_deref() == stored.row.text(column)
        });
        match state {
            State::Present if !is_current || !is_open => {
                Some("its last past value is not its value")
            }
            State::Missing if !is_current || is_open => {
                Some("its last past value is not its value, with an end")
            }
            State::Gone if is_open => Some("it is gone, and its last value has no end"),
            _ => None,
        }
    }
}

/// Returns the changes that lead from one state to another.
fn changes_to(from: State, to: State) -> &'static [ChangeKind] {
    match (from, to) {
        (State::Present, State::Missing) => &[ChangeKind::Missing],
        (State::Gone, State::Missing) => &[ChangeKind::Returned, ChangeKind::Missing],
        (State::Missing | State::Gone, State::Present) => &[ChangeKind::Returned],
        (State::Present | State::Missing, State::Gone | State::Forgotten) => &[ChangeKind::Gone],
        _ => &[],
    }
}

/// Maximum number of findings that a check returns.
const MAX_FINDINGS: usize = 1000;
