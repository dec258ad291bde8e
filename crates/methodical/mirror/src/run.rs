//! One sync of a scope: passes a list through the engine into a store.

mod absent;
mod batch;
mod compare;
mod first;
mod known;
mod reader;
mod texts;

use std::collections::HashSet;
use std::fmt;
use std::mem::take;
use std::sync::MutexGuard;

use crate::engine::brake::{Judged, Rules};
use crate::engine::week::{self, Week};
use crate::engine::{Before, Comparison};
use crate::error::{Error, ErrorKind};
use crate::feed::change::ChangeKind;
use crate::fields::hash::Hash;
use crate::fields::omit::Omission;
use crate::fields::shape::Shape;
use crate::history::report::{Rejection, Report};
use crate::recovery::follow::{self, Referring};
use crate::recovery::spells::Spells;
use crate::recovery::target::Target;
use crate::run::batch::{Entry, Place, Waiting};
use crate::run::known::KnownRows;
use crate::run::reader::{Parsed, Reader};
use crate::run::texts::Texts;
use crate::store::Store;
use crate::store::data::{End, NewChange, Scope, Start};

/// One sync of a scope. Dropping it before [`finish`](Self::finish) undoes it.
///
/// # Examples
///
/// ```
/// use methodical_mirror::model::{Column, Table};
/// use methodical_mirror::{Mirror, Rules};
///
/// const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["title"])]);
///
/// let mut mirror = Mirror::in_memory()?;
/// let mut run = mirror.begin("photos/list", &PHOTO, Rules::new())?;
/// run.record(r#"{"id":"1","title":"Harbour"}"#)?;
/// run.record(r#"{"id":"2"}"#)?;
/// let report = run.finish()?;
/// assert_eq!((report.added, report.is_baseline), (2, true));
/// # Ok::<(), methodical_mirror::Error>(())
/// ```
pub struct Run<'a> {
    store: MutexGuard<'a, Store>,
    name: String,
    table: String,
    reader: Reader,
    shape_number: i64,
    rules: Rules,
    at: i64,
    comparison: Comparison,
    next_key: i64,
    /// The table had no row before the list.
    was_empty: bool,
    emits: bool,
    after: Before,
    texts: Texts,
    known: KnownRows,
    waiting: Waiting,
    entries: u64,
    report: Report,
    /// How many records seem to be other people than before.
    replaced: u64,
    /// The column of the recovered value, if the table is a recovered one.
    value: Option<&'static str>,
    /// Set if the table has spells.
    spells: Option<Spells>,
    /// How many records left since the last list because a record that they belong to did.
    followed: u64,
    /// The columns that refer to this table.
    referring: Referring,
    /// The record that is being read.
    json: Vec<u8>,
}

impl<'a> Run<'a> {
    pub(crate) fn begin(
        mut store: MutexGuard<'a, Store>,
        scope: Scope<'_>,
        shape: Shape,
        rules: Rules,
        at: i64,
    ) -> Result<Self, Error> {
        let (start, reader, texts, referring) = match begin(&mut store, scope, shape) {
            Ok(begun) => begun,
            Err(error) => {
                store.roll_back();
                return Err(error);
            }
        };
        let mut run = Self {
            store,
            name: scope.name.to_owned(),
            table: scope.table.to_owned(),
            reader,
            shape_number: start.shape,
            rules,
            at,
            comparison: Comparison::new(start.shape, start.before),
            next_key: start.next_key,
            was_empty: start.next_key == 1,
            emits: !start.is_first || rules.emits_baseline,
            after: start.before,
            texts,
            known: KnownRows::default(),
            waiting: Waiting::default(),
            entries: 0,
            report: Report { is_baseline: start.is_first, ..Report::default() },
            replaced: 0,
            value: None,
            spells: None,
            followed: 0,
            referring,
            json: Vec::new(),
        };
        if !run.was_empty {
            if rules.checks_rows {
                run.check_rows()?;
            }
            let known = &mut run.known;
            run.store.each_known(scope.table, |id, one| known.set(id, one))?;
        }
        Ok(run)
    }

    /// Says that the list has the placements of a recovery.
    pub(crate) fn recover(&mut self, target: &Target) -> Result<(), Error> {
        let [_, _, _, value] = target.columns()?;
        let (is_baseline, is_reduced) = (self.report.is_baseline, self.reader.is_reduced());
        self.spells = Spells::new(&self.reader.shape, value, self.at, is_baseline, is_reduced);
        self.value = Some(target.value);
        self.followed = follow::take_count(&mut self.store, &self.table)?;
        follow::register(&mut self.store, target)
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

    /// Takes the next record of the list, as JSON text.
    ///
    /// A text that is not an object with an identity is rejected, as by [`reject`](Self::reject).
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn record(&mut self, json: &str) -> Result<(), Error> {
        match self.place(json) {
            Some(place) => self.read(place, json),
            None => Ok(()),
        }
    }

    /// Takes the next record of the list, as the service sent it. If it must be read, `render` writes it in the spelling of its
    /// model.
    pub(crate) fn sent(
        &mut self,
        sent: &str,
        render: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Some(place) = self.place(sent) else { return Ok(()) };
        let mut json = take(&mut self.json);
        json.clear();
        let read = render(&mut json).and_then(|()| self.read(place, text(&json)?));
        self.json = json;
        read
    }

    /// Sets how the records of the list are read. A record that was read in another way before is read again.
    pub(crate) fn read_as(&mut self, reading: &str) -> Result<(), Error> {
        self.texts = Texts::of(&mut self.store, &self.table, reading)?;
        Ok(())
    }

    /// Returns the place of the next record in the list; `None` if it is unchanged because its text is, so that it need not be
    /// read.
    fn place(&mut self, sent: &str) -> Option<Place> {
        let place = Place { index: self.count(), text: self.texts.hash(sent) };
        if self.was_empty {
            return Some(place);
        }
        // A record that occurred before is compared with the one before.
        let same = self.known.of_text(place.text, self.shape_number);
        let same = same.filter(|known| !self.comparison.has(known.key));
        let Some((known, hash)) = same.and_then(|known| Some((known, known.hash?))) else {
            return Some(place);
        };
        self.comparison.judge(known, hash);
        self.report.unchanged += 1;
        None
    }

    fn read(&mut self, place: Place, json: &str) -> Result<(), Error> {
        if self.was_empty {
            return self.wait(place, json);
        }
        match self.reader.read(json) {
            Ok(Parsed { id, hash, .. }) => {
                let (id, json) = (id.into_owned(), json.to_owned());
                self.judge_entry(&Entry { place, id, hash, json })
            }
            Err(error) => self.reject_at(place.index, &error.to_string()),
        }
    }

    /// Takes the next record of the list, which could not be decoded. The reason must not quote the record.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn reject(&mut self, reason: &str) -> Result<(), Error> {
        let index = self.count();
        // In the order of the list.
        self.write_waiting()?;
        self.reject_at(index, reason)
    }

    /// Says that the list is complete, and commits it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Brake`](crate::ErrorKind::Brake) if too many records are missing. Fails also if the store does. After an error, the mirror is as it
    /// was before.
    pub fn finish(mut self) -> Result<Report, Error> {
        self.write_waiting()?;
        let absent = self.comparison.absent();
        self.judge(absent.newly)?;
        if absent.newly + absent.again > 0 {
            self.mark_absent()?;
        }
        self.texts.finish(&mut self.store)?;
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

    /// Refuses a list that lacks too many records, and notes how many left.
    fn judge(&mut self, newly: u64) -> Result<(), Error> {
        if self.report.is_baseline {
            return Ok(());
        }
        let note = week::note(&self.table);
        let before = self.store.note(&note)?;
        let mut week = Week::read(before.as_deref());
        week.add(self.at, newly, self.report.added + self.report.returned);
        let is_accepted = self.rules.check(Judged {
            newly,
            replaced: self.replaced,
            present: self.comparison.present_before(),
            is_empty: self.comparison.is_empty(),
            now: self.after.present.saturating_sub(newly),
            lost: week.lost(),
        })?;
        // A person has seen the losses.
        let week = if is_accepted { Week::default() } else { week };
        let text = week.to_note();
        if before.as_deref() == Some(&*text) { Ok(()) } else { self.store.set_note(&note, &text) }
    }

    /// Returns the index of the next entry of the list.
    fn count(&mut self) -> u64 {
        let index = self.entries;
        self.entries += 1;
        index
    }

    fn reject_at(&mut self, index: u64, reason: &str) -> Result<(), Error> {
        self.comparison.reject();
        self.note_rejected(index, reason)
    }

    fn note_rejected(&mut self, index: u64, reason: &str) -> Result<(), Error> {
        self.report.rejected += 1;
        if self.report.rejections.len() < MAX_REJECTIONS {
            self.report.rejections.push(Rejection { index, reason: reason.to_owned() });
        }
        self.store.reject(&self.name, index, reason)
    }

    /// Counts a record that has no row, and whose identity is forgotten.
    fn suppress(&mut self) {
        self.comparison.suppress();
        self.report.suppressed += 1;
    }

    fn emit(&mut self, id: &str, kind: ChangeKind, fields: &[String]) -> Result<(), Error> {
        if !self.emits {
            return Ok(());
        }
        let (at, table) = (self.at, &*self.table);
        self.store.append(&NewChange { at, table, id, kind, fields })
    }
}

/// Begins the transaction, and reads what a run needs to know.
fn begin(
    store: &mut Store,
    scope: Scope<'_>,
    shape: Shape,
) -> Result<(Start, Reader, Texts, Referring), Error> {
    let mut start = store.begin(scope, &shape)?;
    let referring = follow::referring(store, scope.table)?;
    let omission = Omission::of(store)?;
    let suppressed = take(&mut start.suppressed);
    let reader = Reader::new(shape, &store.identity().secret, suppressed, omission)?;
    let texts = Texts::of(store, scope.table, AS_IT_IS)?;
    Ok((start, reader, texts, referring))
}

/// Returns the text of a rendered record.
pub(crate) fn text(json: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(json).map_err(|error| {
        Error::new(ErrorKind::Record, "cannot write a record as JSON").because(error)
    })
}

/// The way of reading a record that is already in the spelling of its model.
const AS_IT_IS: &str = "as it is";

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
