//! Checks a mirror for consistency: the database, the counts, the hashes and the erasures. Also corrects the defects.

use std::fmt;

use rusqlite::ErrorCode;

use crate::error::{Error, ErrorKind, named};
use crate::fields::Kind;
use crate::fields::row::RowHasher;
use crate::mirror::Mirror;
use crate::store::filter::Filter;
use crate::store::rows::{State, Stored};
use crate::store::table::TableStatus;
use crate::store::{OrFailed as _, Store, count, quoted, sqlite_failed};

/// What [`Mirror::check`] found, or what [`Mirror::rebuild`] found and corrected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Check {
    /// The damage that was found, in the order of the tables and their rows.
    pub findings: Vec<Finding>,
    /// How many records were checked.
    pub records: u64,
}

/// A defect of a mirror. Its text names the table, the record and what to do next, without personal values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule of consistency that is violated.
    pub kind: FindingKind,
    /// The table; `None` if the finding concerns the whole mirror.
    pub table: Option<String>,
    /// The identity of the record; `None` if the finding concerns the whole table.
    pub id: Option<String>,
    /// The fault of the record, table or mirror.
    pub cause: String,
}

/// The kind of a [`Finding`]: the rule of consistency that is violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// The database reports damage.
    Damage,
    /// A table's stored counts differ from its rows.
    Counts,
    /// The hash of a record does not match its contents, or some of them cannot be read: another program or a disk
    /// error changed the row.
    Hash,
    /// A record that is gone or forgotten still has a personal or unlisted value.
    Erasure,
    /// A forgotten record is present, missing or gone.
    Forgotten,
}

named!(
    FindingKind: Damage = "damage", Counts = "counts", Hash = "hash", Erasure = "erasure", Forgotten = "forgotten"
);

impl FindingKind {
    /// Returns what to do about a finding of this kind.
    pub const fn next_step(self) -> &'static str {
        match self {
            Self::Damage => "restore a backup, or sync into a new mirror",
            _ => "rebuild the mirror",
        }
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

impl Mirror {
    /// Checks one consistent state of the mirror, even while another process is syncing it:
    ///
    /// - the database itself;
    /// - that the counts of each table match its rows;
    /// - that the hash of each record matches its contents, unless the mirror omits personal data;
    /// - that a record that is gone or forgotten has no personal or unlisted value;
    /// - that no record whose identity is forgotten is present, missing or gone.
    ///
    /// The check reads every row.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read. Damage that the store reports is a finding instead.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// /// Prints the findings. Returns whether there are none.
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

    /// Corrects what [`check`](Self::check) finds wrong, in one transaction, and returns the findings. Cursors,
    /// consumers, the feed, the history and the forgotten identities are kept.
    ///
    /// - The hash of a changed row is recomputed, so that the next sync writes the row again, with a change.
    /// - The counts of a table are recomputed.
    /// - A record that is gone or forgotten is erased again. A record whose identity is forgotten is forgotten again.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Foreign`] if the database is damaged, so that rebuilding the mirror could lose data,
    /// and [`ErrorKind::Busy`] if another process is syncing the mirror. After an error, the mirror is unchanged.
    pub fn rebuild(&mut self) -> Result<Check, Error> {
        let (at, mut store) = (self.now(), self.store());
        store.change(|store| {
            let check = store.find_all(Some(at))?;
            let is_damage = |one: &&Finding| one.kind == FindingKind::Damage;
            if let Some(damage) = check.findings.iter().find(is_damage) {
                let text = format!("cannot rebuild the mirror: {damage}");
                return Err(Error::new(ErrorKind::Foreign, text));
            }
            store.note_erasure()?;
            Ok(check)
        })
    }
}

impl Store {
    /// Checks a consistent snapshot of a mirror.
    pub(crate) fn check(&mut self) -> Result<Check, Error> {
        self.begin_reading()?;
        let result = self.find_all(None);
        self.roll_back();
        result
    }

    /// Returns all findings, in the caller's transaction. Given a time, also corrects them, as of that time.
    pub(crate) fn find_all(&self, corrects_at: Option<i64>) -> Result<Check, Error> {
        let mut check = Check::default();
        let damage = |cause| Finding { kind: FindingKind::Damage, table: None, id: None, cause };
        check.findings.extend(self.damage()?.into_iter().map(damage));
        if !check.findings.is_empty() {
            // Results from a damaged database are useless.
            return Ok(check);
        }
        // Read them before correcting anything: a correction in one table changes the number of rows in others.
        let tables = self.tables()?;
        let counts = tables.iter().map(|one| self.counts(&one.table));
        let counts: Vec<_> = counts.collect::<Result<_, _>>()?;
        for (status, counts) in tables.iter().zip(counts) {
            self.check_table(status, counts, &mut check, corrects_at)?;
        }
        corrects_at.map_or(Ok(()), |at| self.forget_placements(at))?;
        if corrects_at.is_some() && !check.findings.is_empty() {
            for TableStatus { table, .. } in self.tables()? {
                self.set_counts(&table, self.counts(&table)?, None)?;
            }
        }
        Ok(check)
    }

    /// Returns the damage that SQLite reports: texts with names of tables and indexes, and numbers of rows and pages.
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
        let (hasher, suppressed) = (RowHasher::new(&self.identity.secret), self.suppressed(table)?);
        // The hashes cover contents that are not stored.
        let is_reduced = self.omits_personal()?;
        self.each_record(table, &Filter::new(), |mut stored| {
            check.records += 1;
            let (state, name) = (stored.record.state, stored.record.state.as_str());
            let is_damaged = state.is_live() && stored.row.drop_damaged(&stored.shape);
            let Stored { record, row, shape, hash } = &stored;
            let id = &record.id;
            // A hash that an older release wrote is longer.
            let is_hashed =
                state.is_live() && !is_reduced && hash.as_ref().is_none_or(|hash| hash.len() == 16);
            let actual = (is_damaged || is_hashed).then(|| hasher.row(row, shape)).transpose()?;
            let actual = actual.as_ref().map(|hash| &hash.0[..]);
            let (kind, cause) = if state != State::Forgotten && suppressed.has(id) {
                (FindingKind::Forgotten, format!("it is {name}, although it was forgotten"))
            } else if !state.is_live() && stored.is_readable() {
                (FindingKind::Erasure, format!("it is {name}, but still has contents"))
            } else if is_damaged || is_hashed && hash.as_deref() != actual {
                (FindingKind::Hash, "the row is not as the mirror wrote it: another program or a disk error changed it".to_owned())
            } else {
                return Ok(());
            };
            match (corrects_at, kind) {
                (None, _) => {}
                (Some(at), FindingKind::Erasure) => {
                    self.erase(table, (record.number, state), state, record.gone_at.unwrap_or(at))?;
                }
                (Some(at), FindingKind::Forgotten) => self.erase_known(table, record, at)?,
                (Some(_), _) => {
                    let mut update = format!("UPDATE {} SET mirror_hash = ?2", quoted(table));
                    // The next list writes damaged JSON again.
                    let json =
                        shape.columns.iter().filter(|one| is_damaged && one.kind == Kind::Json);
                    let names = json.map(|one| &*one.name);
                    let rest = ["mirror_extra", "mirror_nulls"].into_iter().filter(|_| is_damaged);
                    for name in names.chain(rest) {
                        update.extend([", ", &quoted(name), " = NULL"]);
                    }
                    self.execute(&(update + " WHERE mirror_key = ?1"), (record.number, actual))?;
                }
            }
            let (table, id) = (Some(table.clone()), Some(id.clone()));
            check.findings.push(Finding { kind, table, id, cause });
            Ok(())
        })?;
        if (present, missing) != (status.present, status.missing) {
            let cause = format!(
                "it has {present} present and {missing} missing records, but its counts say {} and {}",
                status.present, status.missing
            );
            let (kind, table) = (FindingKind::Counts, Some(table.clone()));
            check.findings.push(Finding { kind, table, id: None, cause });
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
