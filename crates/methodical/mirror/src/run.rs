//! A sync of a list: compares records with the mirror's state in memory, and writes the differences in one transaction.
//!
//! The hashes of all rows are read once under the lock: about 50 bytes for each record, so a table of a million records
//! takes 50 MB during its sync. A record is first compared with the next row; if that is not the same record, its row
//! is looked up.

use std::mem::{replace, take};
use std::sync::{Arc, MutexGuard};

use methodical_model::tables::Table as Description;
use rusqlite::ToSql;
use serde::Serialize;

use crate::error::{Error, ErrorKind, debug_with};
use crate::feed::{ChangeKind, Difference};
use crate::fields::json::{changed, write};
use crate::fields::row::{Row, RowHasher, is_other_person};
use crate::fields::{Hash, Shape};
use crate::guard::{Judged, Rules, Week};
use crate::history::Report;
use crate::mirror::Mirror;
use crate::recovery::{Recovered, Target};
use crate::store::rows::{Known, State, id as id_of};
use crate::store::table::Table;
use crate::store::{Store, Suppressed, integer, quoted, utc};

/// One sync of a scope, as in the example of [`Mirror`]. Dropping the run before [`finish`](Self::finish) undoes it.
pub struct Run<'a> {
    store: MutexGuard<'a, Store>,
    scope: String,
    table: String,
    /// The number of the shape in which rows are written.
    shape: i64,
    statements: Arc<Table>,
    hasher: RowHasher,
    omits_personal: bool,
    suppressed: Suppressed,
    recovered: Recovered,
    rules: Rules,
    at: i64,
    time: String,
    known: KnownRows,
    present_before: u64,
    emits: bool,
    /// How many entries the list has so far.
    entries: u64,
    report: Report,
    /// How many records now seem to describe other people.
    replaced: u64,
    /// The index of the value column; `None` if the table is not a recovered table.
    value: Option<usize>,
    /// How many rows were written, including unchanged records whose omitted columns have changed.
    written: u64,
    /// A buffer for the JSON text of the record that is being read.
    json: Vec<u8>,
    /// Whether the service wrote the last record exactly as the model writes it.
    is_verbatim: bool,
}

impl Mirror {
    /// Begins a sync of a scope, which is named after its list.
    ///
    /// Once a run is finished, the table belongs to this scope. Columns that are new in the description are added.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Busy`] if another process is syncing the mirror, and [`ErrorKind::Table`] if the
    /// description is invalid, or does not fit the existing table.
    pub fn begin(
        &mut self,
        scope: &str,
        table: &Description,
        rules: Rules,
    ) -> Result<Run<'_>, Error> {
        let (at, shape, mut store) = (self.now(), Shape::of(table)?, self.store());
        let table = table.name();
        let mut read = || {
            store.begin()?;
            let (is_first, number) = store.register(scope, table, &shape)?;
            let rows = store.known(table)?.into_iter().map(|known| (known, false)).collect();
            let of_table = (store.table(table)?, store.suppressed(table)?);
            let of_mirror = (store.recovered()?, store.omits_personal()?);
            Ok::<_, Error>((is_first, number, KnownRows { rows, next: 0 }, of_table, of_mirror))
        };
        let result = read();
        let (is_first, shape, known, (statements, suppressed), (recovered, omits_personal)) =
            result.inspect_err(|_| store.roll_back())?;
        Ok(Run {
            hasher: RowHasher::new(&store.identity.secret),
            store,
            scope: scope.to_owned(),
            table: table.to_owned(),
            shape,
            statements,
            omits_personal,
            suppressed,
            recovered,
            rules,
            at,
            time: utc(at),
            present_before: known.counts().0,
            known,
            emits: !is_first || rules.emits_baseline,
            entries: 0,
            report: Report { is_baseline: is_first, ..Report::default() },
            replaced: 0,
            value: None,
            written: 0,
            json: Vec::new(),
            is_verbatim: true,
        })
    }
}

impl Run<'_> {
    /// Declares that the list consists of a recovery's placements.
    pub(crate) fn recover(&mut self, target: &Target) -> Result<(), Error> {
        let name = target.columns()?[3];
        self.value = self.statements.shape.columns.iter().position(|column| column.name == name);
        self.store.register_recovered(target)
    }

    /// Returns the store, within the transaction of the run.
    pub(crate) fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Takes the next record of the list, as JSON text.
    ///
    /// Text that is not an object with an identity is rejected, as by [`reject`](Self::reject).
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read or written.
    pub fn record(&mut self, json: &str) -> Result<(), Error> {
        self.entries += 1;
        self.read(json, None)
    }

    /// Takes the next record of the list, as it was received and as its model read it. A record with the same hash as
    /// the next row is unchanged and is not parsed again.
    pub(crate) fn model(&mut self, record: &impl Serialize, received: &str) -> Result<(), Error> {
        self.entries += 1;
        let as_received = self.is_verbatim.then(|| self.hasher.text(received.as_bytes()));
        if as_received.is_some_and(|hash| self.known.is_next(hash, self.shape)) {
            self.report.unchanged += 1;
            return Ok(());
        }
        let mut json = take(&mut self.json);
        let text = write(record, &mut json)?;
        self.is_verbatim = text == received;
        let hash = as_received.filter(|_| self.is_verbatim);
        let hash = hash.unwrap_or_else(|| self.hasher.text(text.as_bytes()));
        let taken = if self.known.is_next(hash, self.shape) {
            self.report.unchanged += 1;
            Ok(())
        } else {
            self.read(text, Some(hash))
        };
        self.json = json;
        taken
    }

    fn read(&mut self, json: &str, hash: Option<Hash>) -> Result<(), Error> {
        let statements = Arc::clone(&self.statements);
        let shape = &*statements.shape;
        let verbatim = hash.and_then(|hash| Some((Row::verbatim(json, shape)?, hash)));
        let parsed = || {
            let row = Row::of(json, shape)?;
            let hash = self.hasher.row(&row, shape)?;
            Ok::<_, Error>((row, hash))
        };
        let read = verbatim.map_or_else(parsed, Ok);
        let read = read.and_then(|(row, hash)| Ok((row.identity(shape)?.into_owned(), row, hash)));
        let (id, mut row, hash) = match read {
            Ok(read) => read,
            Err(error) => return self.reject_last(&error.to_string()),
        };
        if self.omits_personal {
            row.erase(shape);
        }
        let is_suppressed = self.suppressed.has(&id);
        // A new record need not be looked up: inserting it shows whether the table already has its identity.
        if !is_suppressed && self.add(&id, hash, &row)? {
            return Ok(());
        }
        let key = self.store.query(&statements.key, (statements.id(&id),), |row| row.get(0))?;
        match key.first().and_then(|key| self.known.see(*key)) {
            Some(known) => self.compare(&id, hash, &row, known),
            None if is_suppressed => {
                self.report.suppressed += 1;
                Ok(())
            }
            None => Err(lost()),
        }
    }

    /// Takes the next record of the list, which could not be decoded. The reason must not quote the record.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read or written.
    pub fn reject(&mut self, reason: &str) -> Result<(), Error> {
        self.entries += 1;
        self.reject_last(reason)
    }

    /// Leaves the present and missing records that `is_kept` accepts unchanged, because the list says nothing about
    /// them. `is_kept` gets the identity, and whether the record is missing.
    pub(crate) fn keep(&mut self, is_kept: impl Fn(&str, bool) -> bool) -> Result<(), Error> {
        for (key, id, state) in self.store.live(&self.table)? {
            let is_missing = state == State::Missing;
            if is_kept(&id, is_missing) && self.known.see(key).is_some() {
                self.entries += 1;
                self.report.unchanged += u64::from(!is_missing);
            }
        }
        Ok(())
    }

    /// Marks the list as complete and commits it.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::DeletionGuard`] if too many records are missing, and any error of the store. After an
    /// error, the mirror is unchanged.
    pub fn finish(mut self) -> Result<Report, Error> {
        // A rejected record could be any of the absent records.
        let absent = if self.report.rejected > 0 { Vec::new() } else { self.known.absent() };
        self.judge(&absent)?;
        for known in absent {
            self.mark_absent(known)?;
        }
        self.store.set_counts(&self.table, self.known.counts(), Some(self.at))?;
        let Report { returned, missing, gone, .. } = self.report;
        let is_changed = self.written + returned + missing + gone > 0;
        if self.value.is_some() || self.recovered.contains_key(&self.table) {
            self.store.note_board(&self.table, is_changed)?;
        }
        self.store.commit()?;
        Ok(take(&mut self.report))
    }

    /// Refuses a list in which too many records are missing. Otherwise, notes how many the table lost in the last week.
    fn judge(&self, absent: &[Known]) -> Result<(), Error> {
        if self.report.is_baseline {
            return Ok(());
        }
        let newly = absent.iter().filter(|known| known.state == State::Present).count() as u64;
        let note = format!("week/{}", self.table);
        let mut week: Week = self.store.json_note(&note)?;
        week.add(self.at, newly, self.report.added + self.report.returned);
        let is_accepted = self.rules.check(Judged {
            newly,
            replaced: self.replaced,
            present: self.present_before,
            is_empty: self.entries == 0,
            now: self.known.counts().0.saturating_sub(newly),
            lost: week.lost(),
        })?;
        // A person has seen the accepted losses, so they no longer count.
        self.store.set_json_note(&note, &if is_accepted { Week::default() } else { week })
    }

    /// Rejects the last entry of the list.
    fn reject_last(&mut self, reason: &str) -> Result<(), Error> {
        self.report.rejected += 1;
        let insert = "INSERT INTO mirror_rejected (scope, position, reason) VALUES (?1, ?2, ?3)";
        let index = integer(self.entries.saturating_sub(1));
        self.store.execute(insert, (&self.scope, index, reason)).map(drop)
    }

    /// Compares a record with its row, checks whether the list repeats it, and writes the difference.
    fn compare(
        &mut self,
        id: &str,
        hash: Hash,
        row: &Row<'_>,
        (known, is_seen): (Known, bool),
    ) -> Result<(), Error> {
        let is_same = known.hash == Some(hash);
        let is_current = is_same && known.shape == self.shape;
        match known.state {
            _ if is_seen && (is_same || known.state == State::Forgotten) => {
                self.report.repeated += 1;
            }
            _ if is_seen => {
                return self.reject_last("the list has another record with the same id");
            }
            State::Forgotten => self.report.suppressed += 1,
            State::Present if is_current => self.report.unchanged += 1,
            State::Present => {
                let is_changed = self.change(id, hash, row, known)?;
                let Report { changed, unchanged, .. } = &mut self.report;
                *(if is_changed { changed } else { unchanged }) += 1;
            }
            State::Missing => {
                self.come_back(id)?;
                if self.value.is_some() {
                    self.store.resume_value(&self.table, id)?;
                }
                if is_current {
                    self.store.mark(&self.table, known.key, State::Present, &self.time)?;
                    self.remember(known.key, hash);
                } else {
                    self.change(id, hash, row, known)?;
                }
            }
            State::Gone => {
                self.come_back(id)?;
                self.write(Some(known.key), hash, row, true)?;
                self.begin_value(id, row, false)?;
            }
        }
        Ok(())
    }

    /// Adds a record, unless the table has its identity. Returns whether the record was added.
    fn add(&mut self, id: &str, hash: Hash, row: &Row<'_>) -> Result<bool, Error> {
        if !self.write(None, hash, row, true)? {
            return Ok(false);
        }
        self.report.added += 1;
        self.begin_value(id, row, false)?;
        let value = self.value.and_then(|index| row.text(index));
        self.emit(id, ChangeKind::Added, Difference { value, ..Difference::default() })?;
        Ok(true)
    }

    /// Writes a record that may have changed. Returns whether it has changed.
    fn change(&mut self, id: &str, hash: Hash, row: &Row<'_>, known: Known) -> Result<bool, Error> {
        let select = format!("SELECT * FROM {} WHERE mirror_key = ?1", quoted(&self.table));
        let mut old = self.store.read(&select, (known.key,))?.ok_or_else(lost)?;
        old.row.drop_damaged(&old.shape);
        if self.omits_personal {
            // An earlier release kept a hash of what is omitted.
            old.row.erase(&old.shape);
        }
        let shape = &*self.statements.shape;
        self.replaced += u64::from(is_other_person((&old.row, &old.shape), (row, shape)));
        let (before, now) = (old.row.to_model_json(&old.shape)?, row.to_model_json(shape)?);
        let mut fields = changed((&before, &old.shape), (&now, shape))?;
        if known.hash == Some(hash) {
            // The record is the same, but different columns are omitted now.
            fields.clear();
        }
        if fields.is_empty() {
            self.write(Some(known.key), hash, row, false)?;
            return Ok(false);
        }
        self.write(Some(known.key), hash, row, true)?;
        let name = |index: &usize| self.statements.shape.columns.get(*index).map(|one| &one.name);
        let value =
            self.value.filter(|index| name(index).is_some_and(|name| fields.contains(name)));
        let mut kind = ChangeKind::Changed;
        let mut difference = Difference { fields: &fields, ..Difference::default() };
        if let Some(index) = value {
            (difference.previous, difference.value) = (old.row.text(index), row.text(index));
            self.store.end_value(&self.table, id, self.at)?;
            self.begin_value(id, row, difference.previous.is_none())?;
            let was_known = difference.previous.is_some();
            kind = if was_known { ChangeKind::ValueChanged } else { ChangeKind::ValueLearned };
        }
        self.emit(id, kind, difference)?;
        Ok(true)
    }

    /// Records that a placement has its value from now on.
    fn begin_value(&self, id: &str, row: &Row<'_>, was_unknown: bool) -> Result<(), Error> {
        let Some(index) = self.value else { return Ok(()) };
        let began_before = self.report.is_baseline || was_unknown;
        self.store.begin_value(&self.table, id, row.text(index), self.at, began_before)
    }

    /// Counts and emits the return of a record that was missing or gone.
    fn come_back(&mut self, id: &str) -> Result<(), Error> {
        self.report.returned += 1;
        self.emit(id, ChangeKind::Returned, Difference::default())
    }

    /// Marks a record that the list lacks as missing, or as gone if it already was missing.
    fn mark_absent(&mut self, known: Known) -> Result<(), Error> {
        let identity = quoted(&self.statements.shape.identity()?.name);
        let select =
            format!("SELECT {identity} FROM {} WHERE mirror_key = ?1", quoted(&self.table));
        let id = self.store.query(&select, (known.key,), |row| Ok(id_of(row.get_ref(0)?)))?;
        let id = &*id.first().cloned().unwrap_or_default();
        if known.state == State::Missing {
            self.report.gone += 1;
            self.store.erase(&self.table, (known.key, known.state), State::Gone, self.at)?;
            self.known.set(Known { state: State::Gone, ..known }, false);
            self.emit(id, ChangeKind::Gone, Difference::default())?;
            let Self { store, recovered, .. } = self;
            return store.erase_placements(recovered, &self.table, id, State::Gone, self.at);
        }
        if self.value.is_some() {
            self.store.end_value(&self.table, id, self.at)?;
        }
        self.store.mark(&self.table, known.key, State::Missing, &self.time)?;
        self.known.set(Known { state: State::Missing, ..known }, false);
        self.report.missing += 1;
        self.emit(id, ChangeKind::Missing, Difference::default())
    }

    /// Writes a record into the row with this key, or into a new row. Returns false if a new row would repeat an id.
    fn write(
        &mut self,
        key: Option<i64>,
        hash: Hash,
        row: &Row<'_>,
        is_changed: bool,
    ) -> Result<bool, Error> {
        let (is_new, last) = (key.is_none(), self.known.rows.last());
        let next = || last.map_or(1, |(last, _)| last.key.saturating_add(1));
        let key = key.unwrap_or_else(next);
        let changed_at = is_changed.then_some(&self.time);
        let mut cells: Vec<&dyn ToSql> =
            vec![&key, &hash.0, &self.shape, &changed_at, &row.extra, &row.nulls];
        cells.extend(row.cells.iter().map(|cell| -> &dyn ToSql { cell }));
        let Table { insert, update, .. } = &*self.statements;
        let sql = if is_new { insert } else { update };
        let is_written = self.store.execute(sql, &*cells)? > 0;
        if is_written {
            self.written += 1;
            self.remember(key, hash);
        }
        Ok(is_written)
    }

    fn remember(&mut self, key: i64, hash: Hash) {
        let known = Known { key, state: State::Present, shape: self.shape, hash: Some(hash) };
        self.known.set(known, true);
    }

    fn emit(&self, id: &str, kind: ChangeKind, difference: Difference<'_>) -> Result<(), Error> {
        if !self.emits {
            return Ok(());
        }
        self.store.append(&self.time, &self.table, id, kind, difference)
    }
}

/// The rows of a table, ordered by key, and whether the list had each of them.
struct KnownRows {
    rows: Vec<(Known, bool)>,
    /// The index of the row to compare with the next record first, because most lists are in the order of the table.
    next: usize,
}

impl KnownRows {
    fn index(&self, key: i64) -> Option<usize> {
        match self.rows.last() {
            Some((last, _)) if last.key >= key => {
                self.rows.binary_search_by_key(&key, |(known, _)| known.key).ok()
            }
            _ => None,
        }
    }

    /// Sets the known state of a row, and whether the list had it.
    fn set(&mut self, known: Known, is_seen: bool) {
        match self.index(known.key).and_then(|index| self.rows.get_mut(index)) {
            Some(row) => *row = (known, is_seen),
            // A new row has the largest key of all.
            None => self.rows.push((known, is_seen)),
        }
    }

    /// Marks a row as seen in the list. Returns its known state, and whether it had been seen before.
    fn see(&mut self, key: i64) -> Option<(Known, bool)> {
        let index = self.index(key)?;
        let (known, is_seen) = self.rows.get_mut(index)?;
        self.next = index + 1;
        Some((*known, replace(is_seen, true)))
    }

    /// Returns whether the next present row has this hash and these columns and is unseen. If so, marks it as seen.
    fn is_next(&mut self, hash: Hash, shape: i64) -> bool {
        while self.rows.get(self.next).is_some_and(|(known, _)| known.state != State::Present) {
            self.next += 1;
        }
        let Some((known, is_seen)) = self.rows.get_mut(self.next) else { return false };
        if known.hash != Some(hash) || known.shape != shape || *is_seen {
            return false;
        }
        (*is_seen, self.next) = (true, self.next + 1);
        true
    }

    /// Returns the present and missing rows that the list did not have, in insertion order.
    fn absent(&self) -> Vec<Known> {
        let absent = self.rows.iter().filter(|(one, is_seen)| !is_seen && one.state.is_live());
        absent.map(|(known, _)| *known).collect()
    }

    /// Returns how many rows are present and missing.
    fn counts(&self) -> (u64, u64) {
        let count = |state| self.rows.iter().filter(|(one, _)| one.state == state).count() as u64;
        (count(State::Present), count(State::Missing))
    }
}

fn lost() -> Error {
    Error::new(ErrorKind::Store, "cannot read the mirror: a row was not found; check the mirror")
}

/// Undoes an unfinished run. After a commit, there is nothing to undo.
impl Drop for Run<'_> {
    fn drop(&mut self) {
        self.store.roll_back();
    }
}

debug_with!(Run<'_>: scope, report);

#[cfg(test)]
mod tests {
    use methodical_model::tables::{Column, Table};
    use serde_json::value::RawValue;

    use crate::guard::Rules;
    use crate::history::Report;
    use crate::mirror::Mirror;

    const PHOTO: Table =
        Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["title"])]);

    /// Syncs a list in which each record is an identity and a title, or `!` for a rejected record. Returns the counts
    /// of added, changed, unchanged, repeated, rejected and missing records, and the number of changes in the feed.
    fn sync(mirror: &mut Mirror, list: &str, is_verbatim: bool) -> [u64; 7] {
        let mut run = mirror.begin("photos/list", &PHOTO, Rules::default()).unwrap();
        for record in list.split(' ') {
            let Some((id, title)) = record.split_at_checked(1).filter(|_| record != "!") else {
                run.reject("it is damaged").unwrap();
                continue;
            };
            let model = format!(r#"{{"id":"{id}","title":"{title}"}}"#);
            let received = if is_verbatim { model.clone() } else { format!(" {model}") };
            run.model(&RawValue::from_string(model).unwrap(), &received).unwrap();
        }
        let report = run.finish().unwrap();
        let Report { added, changed, unchanged, repeated, rejected, missing, .. } = report;
        let feed = mirror.changes(None, 99).unwrap().0.len() as u64;
        [added, changed, unchanged, repeated, rejected, missing, feed]
    }

    #[test]
    fn a_list_in_any_order_has_the_same_differences() {
        for (list, expected) in [
            ("1a 2b 3c 4d", [0, 0, 4, 0, 0, 0, 0]),
            ("4d 3c 2b 1a", [0, 0, 4, 0, 0, 0, 0]),
            ("3c 4d 1a 2b", [0, 0, 4, 0, 0, 0, 0]),
            ("1a 2b 3c 4x", [0, 1, 3, 0, 0, 0, 1]),
            ("1a 2x 3c 4d", [0, 1, 3, 0, 0, 0, 1]),
            ("9z 1a 2b 3c 4d", [1, 0, 4, 0, 0, 0, 1]),
            ("1a 2b 3c 4d 9z", [1, 0, 4, 0, 0, 0, 1]),
            ("1a 3c 4d", [0, 0, 3, 0, 0, 1, 1]),
            ("1a 1a 2b 3c 2b 4d", [0, 0, 4, 2, 0, 0, 0]),
            ("1a 1b 2b 3c 4d", [0, 0, 4, 0, 1, 0, 0]),
            ("2x 2x 2b 1a 3c 4d", [0, 1, 3, 1, 1, 0, 1]),
            ("9z 9z 9y 1a 2b 3c 4d", [1, 0, 4, 1, 1, 0, 1]),
            ("1a ! 3c 4d", [0, 0, 3, 0, 1, 0, 0]),
            ("! 4x 3c", [0, 1, 1, 0, 1, 0, 1]),
        ] {
            for (first, second) in [(true, true), (false, false), (true, false), (false, true)] {
                let mut mirror = Mirror::in_memory().unwrap();
                sync(&mut mirror, "1a 2b 3c 4d", first);
                let found = sync(&mut mirror, list, second);
                assert_eq!(found, expected, "{list} {first} {second}");
            }
        }
    }

    /// Before the first list, the mirror has nothing to compare with.
    #[test]
    fn a_first_list_with_repeated_records_counts_each_once() {
        let mut mirror = Mirror::in_memory().unwrap();
        assert_eq!(sync(&mut mirror, "1a 2b 1a 3c 1a 2x", true), [3, 0, 0, 2, 1, 0, 0]);
    }

    #[test]
    fn a_record_that_returns_is_found_in_any_order() {
        let mut mirror = Mirror::in_memory().unwrap();
        for (list, expected) in [
            ("1a 2b 3c 4d", [4, 0, 0, 0, 0, 0, 0]),
            ("1a 4d 3c", [0, 0, 3, 0, 0, 1, 1]),
            ("1a 2b 3c 4d", [0, 0, 3, 0, 0, 0, 2]),
            ("1a 3c 4d", [0, 0, 3, 0, 0, 1, 3]),
            ("1a 3c 4d", [0, 0, 3, 0, 0, 0, 4]),
            ("4d 2b 1a 3x", [0, 1, 2, 0, 0, 0, 6]),
            ("1a 2b 3x 4d", [0, 0, 4, 0, 0, 0, 6]),
        ] {
            assert_eq!(sync(&mut mirror, list, true), expected, "{list}");
        }
    }
}
