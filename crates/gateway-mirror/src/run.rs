//! One sync of a scope: passes a list through the engine into a store.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::mem::take;
use std::sync::MutexGuard;

use crate::engine::brake::Rules;
use crate::engine::known::{Known, State};
use crate::engine::occurred::Occurred;
use crate::engine::{Before, Comparison, Verdict};
use crate::error::{Error, ErrorKind};
use crate::feed::change::ChangeKind;
use crate::fields::difference::{Version, changed};
use crate::fields::hash::{Hash, Hasher};
use crate::fields::json::Members;
use crate::fields::meaning;
use crate::fields::omit::Omission;
use crate::fields::row::{Row, identity};
use crate::fields::shape::Shape;
use crate::history::report::{Rejection, Report};
use crate::recovery::follow::{self, Referring};
use crate::recovery::target::Target;
use crate::store::{End, Kept, Live, Mark, NewChange, PAGE, Scope, Store, Written};

/// One sync of a scope. Dropping it before [`finish`](Self::finish) undoes it.
///
/// # Examples
///
/// ```
/// use gateway_mirror::model::{Column, Table};
/// use gateway_mirror::{Mirror, Rules};
///
/// const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["title"])]);
///
/// let mut mirror = Mirror::in_memory()?;
/// let mut run = mirror.begin("photos/list", &PHOTO, Rules::new())?;
/// run.record(r#"{"id":"1","title":"Harbour"}"#)?;
/// run.record(r#"{"id":"2"}"#)?;
/// let report = run.finish()?;
/// assert_eq!((report.added, report.is_baseline), (2, true));
/// # Ok::<(), gateway_mirror::Error>(())
/// ```
pub struct Run<'a> {
    store: MutexGuard<'a, Box<dyn Store>>,
    name: String,
    table: String,
    shape: Shape,
    shape_number: i64,
    rules: Rules,
    at: i64,
    hashers: Hashers,
    comparison: Comparison,
    next_key: i64,
    suppressed: HashSet<Hash>,
    /// The identities that have occurred, if the table had no row before the list.
    occurred: Option<Occurred>,
    emits: bool,
    after: Before,
    batch: Vec<Entry>,
    entries: u64,
    report: Report,
    /// The record that is being hashed.
    meaning: Vec<u8>,
    /// The column of the recovered value, if the table is a recovered one.
    value: Option<&'static str>,
    /// How many records left since the last list because a record that they belong to did.
    followed: u64,
    /// The columns that refer to this table.
    referring: Referring,
    /// Set if the mirror omits personal data.
    omission: Option<Omission>,
}

/// The hashers of a mirror.
pub(crate) struct Hashers {
    pub(crate) record: Hasher,
    pub(crate) id: Hasher,
}

/// A record that waits for its batch.
struct Entry {
    index: u64,
    id: String,
    hash: Hash,
    json: String,
}

/// The stored versions of records, by their keys.
type Old = HashMap<i64, Kept>;

impl<'a> Run<'a> {
    pub(crate) fn begin(
        mut store: MutexGuard<'a, Box<dyn Store>>,
        scope: Scope<'_>,
        shape: Shape,
        rules: Rules,
        at: i64,
    ) -> Result<Self, Error> {
        let start = match store.begin(scope, &shape) {
            Ok(start) => start,
            Err(error) => {
                store.roll_back();
                return Err(error);
            }
        };
        let referring = follow::referring(&mut **store, scope.table);
        let both = referring.and_then(|referring| Ok((referring, Omission::of(&mut **store)?)));
        let (referring, omission) = match both {
            Ok(both) => both,
            Err(error) => {
                store.roll_back();
                return Err(error);
            }
        };
        let secret = &store.identity().secret;
        let hashers =
            Hashers { record: Hasher::new(secret, "record"), id: Hasher::new(secret, "identity") };
        Ok(Self {
            store,
            name: scope.name.to_owned(),
            table: scope.table.to_owned(),
            shape,
            shape_number: start.shape,
            rules,
            at,
            hashers,
            comparison: Comparison::new(start.shape, start.before),
            next_key: start.next_key,
            suppressed: start.suppressed,
            occurred: (start.next_key == 1).then(Occurred::default),
            emits: !start.is_first || rules.emits_baseline,
            after: start.before,
            batch: Vec::with_capacity(PAGE),
            entries: 0,
            report: Report { is_baseline: start.is_first, ..Report::default() },
            meaning: Vec::new(),
            value: None,
            followed: 0,
            referring,
            omission,
        })
    }

    /// Says that the list has the placements of a recovery.
    pub(crate) fn recover(&mut self, target: &Target) -> Result<(), Error> {
        self.value = Some(target.value);
        self.followed = follow::take_count(&mut **self.store, &self.table)?;
        follow::register(&mut **self.store, target)
    }

    /// Returns the forgotten identities of another table.
    pub(crate) fn suppressed(&mut self, table: &str) -> Result<HashSet<Hash>, Error> {
        self.store.suppressed(table)
    }

    /// Reads a note in the transaction of the run.
    pub(crate) fn read_note(&mut self, name: &str) -> Result<Option<String>, Error> {
        self.store.note(name)
    }

    /// Writes a note in the transaction of the run.
    pub(crate) fn note(&mut self, name: &str, text: &str) -> Result<(), Error> {
        self.store.set_note(name, text)
    }

    /// Leaves the present and missing records of a choice as they are: the list says nothing about them.
    pub(crate) fn keep(&mut self, is_kept: impl Fn(&str, bool) -> bool) -> Result<(), Error> {
        let mut after = 0;
        loop {
            let page = self.store.live_after(&self.table, after)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.key;
            for record in page.iter().filter(|record| is_kept(&record.id, record.misses > 0)) {
                self.comparison.keep(record.key, record.misses > 0);
                self.report.unchanged += u64::from(record.misses == 0);
            }
        }
    }

    /// Takes the next record of the list, as JSON text.
    ///
    /// A text that is not an object with an identity is rejected, as by [`reject`](Self::reject).
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn record(&mut self, json: &str) -> Result<(), Error> {
        let (members, id, hash) = match self.read(json) {
            Ok(read) => read,
            Err(error) => return self.reject(&error.to_string()),
        };
        let index = self.count();
        if self.occurred.as_mut().is_some_and(|occurred| occurred.insert(&id)) {
            return self.add(&id, hash, &members).map(drop);
        }
        self.batch.push(Entry { index, id: id.into_owned(), hash, json: json.to_owned() });
        if self.batch.len() >= PAGE { self.flush() } else { Ok(()) }
    }

    /// Takes the next record of the list, which could not be decoded. The reason must not quote the record.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn reject(&mut self, reason: &str) -> Result<(), Error> {
        self.comparison.reject();
        let index = self.count();
        self.note_rejected(index, reason)
    }

    /// Says that the list is complete, and commits it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Brake`](crate::ErrorKind::Brake) if too many records are missing. Fails also if the store does. After an error, the mirror is as it
    /// was before.
    pub fn finish(mut self) -> Result<Report, Error> {
        self.flush()?;
        if let Some(absent) = self.comparison.absent(self.rules)?
            && absent.newly + absent.again > 0
        {
            self.mark_absent()?;
        }
        let end = End {
            table: &self.table,
            completed_at: Some(self.at),
            after: self.after,
            has_erased: self.report.gone > 0,
        };
        self.store.commit(&end)?;
        self.report.gone += self.followed;
        Ok(take(&mut self.report))
    }

    /// Returns the members, the identity and the hash of a record.
    fn read<'j>(&mut self, json: &'j str) -> Result<(Members<'j>, Cow<'j, str>, Hash), Error> {
        let members = Members::of(json)?;
        let id = identity(&self.shape, &members)?;
        self.meaning.clear();
        meaning::write(&members, &mut self.meaning)?;
        Ok((members, id, self.hashers.record.hash(&[&self.meaning])))
    }

    /// Returns the index of the next entry of the list.
    fn count(&mut self) -> u64 {
        let index = self.entries;
        self.entries += 1;
        index
    }

    fn note_rejected(&mut self, index: u64, reason: &str) -> Result<(), Error> {
        self.report.rejected += 1;
        if self.report.rejections.len() < MAX_REJECTIONS {
            self.report.rejections.push(Rejection { index, reason: reason.to_owned() });
        }
        self.store.reject(&self.name, index, reason)
    }

    /// Compares the records of the batch with the store, and writes the differences.
    fn flush(&mut self) -> Result<(), Error> {
        let batch = take(&mut self.batch);
        let ids: Vec<&str> = batch.iter().map(|entry| &*entry.id).collect();
        let known = self.store.known(&self.table, &ids)?;
        let mut old = self.old_versions(&batch, &known)?;
        // A record may occur twice in a batch, and was then written since.
        let mut written: HashMap<&str, Known> = HashMap::new();
        for (entry, known) in batch.iter().zip(known) {
            let known = written.get(&*entry.id).copied().or(known);
            let now = match known {
                Some(known) => self.compare(entry, known, &mut old)?,
                None => self.add(&entry.id, entry.hash, &Members::of(&entry.json)?)?,
            };
            if let Some(now) = now {
                written.insert(&entry.id, now);
            }
        }
        self.batch = batch;
        self.batch.clear();
        Ok(())
    }

    /// Reads the rows of the records that may have changed.
    fn old_versions(&mut self, batch: &[Entry], known: &[Option<Known>]) -> Result<Old, Error> {
        let mut keys = Vec::new();
        for (entry, known) in batch.iter().zip(known) {
            let Some(known) = known else { continue };
            let is_live = matches!(known.state, State::Present | State::Missing);
            let is_same = known.hash == Some(entry.hash) && known.shape == self.shape_number;
            if is_live && !is_same && !self.comparison.has(known.key) {
                keys.push(known.key);
            }
        }
        if keys.is_empty() {
            return Ok(Old::new());
        }
        let rows = self.store.rows(&self.table, &keys)?;
        Ok(rows.into_iter().map(|kept| (kept.known.key, kept)).collect())
    }

    /// Compares a record with what is known of it, and writes the difference. Returns what is known of it from now on, if it
    /// was written.
    fn compare(
        &mut self,
        entry: &Entry,
        known: Known,
        old: &mut Old,
    ) -> Result<Option<Known>, Error> {
        let verdict = self.comparison.judge(known, entry.hash);
        match verdict {
            Verdict::Unchanged => self.report.unchanged += 1,
            Verdict::Repeated => self.report.repeated += 1,
            Verdict::Suppressed => self.report.suppressed += 1,
            Verdict::Contradicts => {
                let reason = "the list has another record with the same identity";
                self.note_rejected(entry.index, reason)?;
            }
            Verdict::Back => {
                self.come_back(entry, known)?;
                self.store.mark(&self.table, known.key, Mark::Present)?;
            }
            Verdict::BackChanged => {
                self.come_back(entry, known)?;
                self.change(entry, known, old)?;
            }
            Verdict::Returned => {
                self.come_back(entry, known)?;
                self.update(entry, known.key, true)?;
            }
            Verdict::Changed | Verdict::Outdated => {
                let is_changed = self.change(entry, known, old)?;
                let count =
                    if is_changed { &mut self.report.changed } else { &mut self.report.unchanged };
                *count += 1;
            }
        }
        let is_written = !matches!(
            verdict,
            Verdict::Unchanged | Verdict::Repeated | Verdict::Suppressed | Verdict::Contradicts
        );
        Ok(is_written.then(|| self.now(known.key, entry.hash)))
    }

    /// Adds a record of which nothing is known. Returns what is known of it from now on, if it was written.
    fn add(&mut self, id: &str, hash: Hash, members: &Members<'_>) -> Result<Option<Known>, Error> {
        if !self.suppressed.is_empty()
            && self.suppressed.contains(&self.hashers.id.hash(&[id.as_bytes()]))
        {
            self.comparison.suppress();
            self.report.suppressed += 1;
            return Ok(None);
        }
        let key = self.next_key;
        let row = self.row(members)?;
        let (shape, at) = (self.shape_number, self.at);
        let written =
            Written { key, is_new: true, is_changed: true, id, hash, shape, row: &row, at };
        self.store.write(&self.table, &written)?;
        self.next_key += 1;
        self.comparison.add(key);
        self.after.present += 1;
        self.report.added += 1;
        self.emit(id, ChangeKind::Added, &[])?;
        Ok(Some(self.now(key, hash)))
    }

    /// Writes a record that may have changed. Returns whether it has.
    fn change(&mut self, entry: &Entry, known: Known, old: &mut Old) -> Result<bool, Error> {
        let Kept { row, shape, .. } = old.remove(&known.key).ok_or_else(lost)?;
        let old = Version { json: &row.to_json(&shape)?, shape: &shape };
        let json = match &self.omission {
            Some(_) => &self.row(&Members::of(&entry.json)?)?.to_json(&self.shape)?,
            None => &entry.json,
        };
        let mut fields = changed(old, Version { json, shape: &self.shape })?;
        if known.hash == Some(entry.hash) {
            // With other columns, the hash of what is omitted differs, too.
            fields.clear();
        }
        self.update(entry, known.key, !fields.is_empty())?;
        if !fields.is_empty() {
            let is_value = fields.iter().any(|field| Some(&**field) == self.value);
            let kind = if is_value { ChangeKind::ValueChanged } else { ChangeKind::Changed };
            self.emit(&entry.id, kind, &fields)?;
        }
        Ok(!fields.is_empty())
    }

    /// Counts a record that was missing or gone.
    fn come_back(&mut self, entry: &Entry, known: Known) -> Result<(), Error> {
        if known.state == State::Missing {
            self.after.missing = self.after.missing.saturating_sub(1);
        }
        self.after.present += 1;
        self.report.returned += 1;
        self.emit(&entry.id, ChangeKind::Returned, &[])
    }

    fn update(&mut self, entry: &Entry, key: i64, is_changed: bool) -> Result<(), Error> {
        let members = Members::of(&entry.json)?;
        let row = self.row(&members)?;
        let (id, hash, shape, at) = (&*entry.id, entry.hash, self.shape_number, self.at);
        let written = Written { key, is_new: false, is_changed, id, hash, shape, row: &row, at };
        self.store.write(&self.table, &written)
    }

    /// Returns a record as the row that is stored.
    fn row<'r>(&self, members: &'r Members<'_>) -> Result<Row<'r>, Error> {
        let row = Row::of(&self.shape, members)?;
        match &self.omission {
            Some(omission) => omission.reduce(row, &self.shape),
            None => Ok(row),
        }
    }

    fn now(&self, key: i64, hash: Hash) -> Known {
        Known { key, state: State::Present, misses: 0, shape: self.shape_number, hash: Some(hash) }
    }

    /// Marks the records that the list lacks.
    fn mark_absent(&mut self) -> Result<(), Error> {
        let mut after = 0;
        loop {
            let page = self.store.live_after(&self.table, after)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.key;
            for record in &page {
                if !self.comparison.has(record.key) {
                    self.mark_one(record)?;
                }
            }
        }
    }

    fn mark_one(&mut self, record: &Live) -> Result<(), Error> {
        let misses = record.misses.saturating_add(1);
        let count = match record.misses {
            0 => &mut self.after.present,
            _ => &mut self.after.missing,
        };
        *count = count.saturating_sub(1);
        if misses >= self.rules.confirm {
            self.report.gone += 1;
            self.store.erase(&self.table, record.key, State::Gone, self.at)?;
            self.emit(&record.id, ChangeKind::Gone, &[])?;
            let (store, at) = (&mut **self.store, self.at);
            return follow::erase(store, &self.referring, &record.id, at);
        }
        self.after.missing += 1;
        self.store.mark(&self.table, record.key, Mark::Missing { misses, at: self.at })?;
        if misses > 1 {
            return Ok(());
        }
        self.report.missing += 1;
        self.emit(&record.id, ChangeKind::Missing, &[])
    }

    fn emit(&mut self, id: &str, kind: ChangeKind, fields: &[String]) -> Result<(), Error> {
        if !self.emits {
            return Ok(());
        }
        let (at, table) = (self.at, &*self.table);
        self.store.append(&NewChange { at, table, id, kind, fields })
    }
}

#[cold]
fn lost() -> Error {
    Error::new(ErrorKind::Store, "the mirror has a record that it cannot find")
}

/// Undoes an unfinished run. After a commit, there is nothing to undo.
impl Drop for Run<'_> {
    fn drop(&mut self) {
        self.store.roll_back();
    }
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("scope", &self.name)
            .field("report", &self.report)
            .finish_non_exhaustive()
    }
}

/// Maximum number of rejected records that a report describes.
const MAX_REJECTIONS: usize = 3;
