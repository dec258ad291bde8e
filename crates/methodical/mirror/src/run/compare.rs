//! Compares the records of a list with the store, and writes the differences.

use crate::engine::Verdict;
use crate::engine::known::{Known, State};
use crate::error::{Error, ErrorKind};
use crate::feed::change::ChangeKind;
use crate::fields::difference::{Version, changed};
use crate::fields::json::Members;
use crate::fields::other_person::is_other;
use crate::recovery::spells::resume;
use crate::run::Run;
use crate::run::batch::Entry;
use crate::store::data::{Kept, Mark, Written};

impl Run<'_> {
    /// Compares a record with the store, and writes the difference.
    pub(crate) fn judge_entry(&mut self, entry: &Entry) -> Result<(), Error> {
        let known = match self.known.of_id(&entry.id) {
            // The rows of a first list are not in memory.
            None if self.was_empty => {
                self.store.known(&self.table, &[&entry.id])?.into_iter().next().flatten()
            }
            known => known,
        };
        let now = match known {
            Some(known) => self.compare(entry, known)?,
            None => self.add(entry)?,
        };
        if let Some(now) = now {
            self.known.set(&entry.id, now);
        }
        Ok(())
    }

    /// Compares a record with what is known of it, and writes the difference. Returns what is known of it from now on, if it
    /// was written.
    fn compare(&mut self, entry: &Entry, known: Known) -> Result<Option<Known>, Error> {
        let verdict = self.comparison.judge(known, entry.hash);
        match verdict {
            Verdict::Unchanged => {
                self.report.unchanged += 1;
                if self.texts.are_new() && known.text != Some(entry.place.text) {
                    self.update(entry, known.key, false)?;
                }
            }
            Verdict::Repeated => self.report.repeated += 1,
            Verdict::Suppressed => self.report.suppressed += 1,
            Verdict::Contradicts => {
                let reason = "the list has another record with the same identity";
                self.note_rejected(entry.place.index, reason)?;
            }
            Verdict::Back => {
                self.come_back(entry, known)?;
                self.store.mark(&self.table, known.key, Mark::Present)?;
            }
            Verdict::BackChanged => {
                self.come_back(entry, known)?;
                self.change(entry, known)?;
            }
            Verdict::Returned => {
                self.come_back(entry, known)?;
                self.update(entry, known.key, true)?;
                self.begin_spell(entry, false)?;
            }
            Verdict::Changed | Verdict::Outdated => {
                let is_changed = self.change(entry, known)?;
                let count =
                    if is_changed { &mut self.report.changed } else { &mut self.report.unchanged };
                *count += 1;
            }
        }
        let is_written = !matches!(
            verdict,
            Verdict::Unchanged | Verdict::Repeated | Verdict::Suppressed | Verdict::Contradicts
        );
        Ok(is_written.then(|| self.now(known.key, entry)))
    }

    /// Adds a record of which nothing is known. Returns what is known of it from now on, if it was written.
    fn add(&mut self, entry: &Entry) -> Result<Option<Known>, Error> {
        if self.reader.is_suppressed(&entry.id) {
            self.suppress();
            return Ok(None);
        }
        let (key, shape) = (self.next_key, self.shape_number);
        let row = self.reader.row(&Members::of(&entry.json)?)?;
        let hashes = (entry.hash, entry.place.text);
        let written = Written::new(key, &entry.id, hashes, shape, &row, self.at);
        self.store.write(&self.table, &written)?;
        self.next_key += 1;
        self.comparison.add(key);
        self.after.present += 1;
        self.report.added += 1;
        self.begin_spell(entry, false)?;
        self.emit(&entry.id, ChangeKind::Added, &[])?;
        Ok(Some(self.now(key, entry)))
    }

    fn now(&self, key: i64, entry: &Entry) -> Known {
        let (hash, text) = (Some(entry.hash), Some(entry.place.text));
        Known { key, state: State::Present, misses: 0, shape: self.shape_number, hash, text }
    }

    /// Writes a record that may have changed. Returns whether it has.
    fn change(&mut self, entry: &Entry, known: Known) -> Result<bool, Error> {
        let old = self.store.rows(&self.table, &[known.key])?.pop();
        let Kept { row, shape, .. } = old.ok_or_else(lost)?;
        let was_unknown = self.spells.is_some_and(|spells| spells.value(&row).is_none());
        let new = self.reader.row(&Members::of(&entry.json)?)?;
        self.replaced += u64::from(is_other((&row, &shape), (&new, &self.reader.shape)));
        let old = Version { json: &row.to_json(&shape)?, shape: &shape };
        let json = &self.reader.kept(&entry.json)?;
        let mut fields = changed(old, Version { json, shape: &self.reader.shape })?;
        if known.hash == Some(entry.hash) {
            // With other columns, the hash of what is omitted differs, too.
            fields.clear();
        }
        self.update(entry, known.key, !fields.is_empty())?;
        if !fields.is_empty() {
            let is_value = fields.iter().any(|field| Some(&**field) == self.value);
            let kind = if is_value { ChangeKind::ValueChanged } else { ChangeKind::Changed };
            if is_value && let Some(spells) = self.spells {
                spells.end(&mut self.store, &self.table, &entry.id)?;
                self.begin_spell(entry, was_unknown)?;
            }
            self.emit(&entry.id, kind, &fields)?;
        }
        Ok(!fields.is_empty())
    }

    fn begin_spell(&mut self, entry: &Entry, was_unknown: bool) -> Result<(), Error> {
        let Some(spells) = self.spells else { return Ok(()) };
        let members = Members::of(&entry.json)?;
        let row = self.reader.row(&members)?;
        let value = spells.value(&row);
        spells.begin(&mut self.store, &self.table, &entry.id, value, was_unknown)
    }

    /// Counts a record that was missing or gone.
    fn come_back(&mut self, entry: &Entry, known: Known) -> Result<(), Error> {
        if known.state == State::Missing {
            self.after.missing = self.after.missing.saturating_sub(1);
            if self.spells.is_some() {
                resume(&mut self.store, &self.table, &entry.id)?;
            }
        }
        self.after.present += 1;
        self.report.returned += 1;
        self.emit(&entry.id, ChangeKind::Returned, &[])
    }

    fn update(&mut self, entry: &Entry, key: i64, is_changed: bool) -> Result<(), Error> {
        let row = self.reader.row(&Members::of(&entry.json)?)?;
        let (hashes, shape) = ((entry.hash, entry.place.text), self.shape_number);
        let new = Written::new(key, &entry.id, hashes, shape, &row, self.at);
        self.store.write(&self.table, &Written { is_new: false, is_changed, ..new })
    }
}

#[cold]
fn lost() -> Error {
    Error::new(ErrorKind::Store, "the mirror has a record that it cannot find")
}
