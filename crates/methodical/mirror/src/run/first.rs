//! The records of a list for a table without rows: they are written without looking them up.

use std::mem::take;

use crate::error::Error;
use crate::feed::change::ChangeKind;
use crate::run::Run;
use crate::run::batch::{Entry, Place, Waiting};
use crate::run::reader::Parsed;
use crate::store::data::{PAGE, Written};

/// The records that were read, but not written.
#[derive(Default)]
struct Others {
    /// Their identities may be repeated.
    repeated: Vec<Entry>,
    suppressed: u64,
    /// The identity and the value of each written placement.
    begun: Vec<(String, Option<String>)>,
    /// The index and the reason of each rejected record.
    rejected: Vec<(u64, String)>,
}

impl Run<'_> {
    /// Takes a record that is written later, together with others.
    pub(crate) fn wait(&mut self, place: Place, json: &str) -> Result<(), Error> {
        self.waiting.push(place, json);
        if self.waiting.len() < PAGE { Ok(()) } else { self.write_waiting() }
    }

    /// Writes the records that wait.
    pub(crate) fn write_waiting(&mut self) -> Result<(), Error> {
        if self.waiting.len() == 0 {
            return Ok(());
        }
        let mut waiting = take(&mut self.waiting);
        let (first, mut added) = (self.next_key, Vec::new());
        let others = self.insert(&waiting, &mut added)?;
        if let Some(spells) = self.spells {
            for (id, value) in &others.begun {
                spells.begin(&mut self.store, &self.table, id, value.as_deref(), false)?;
            }
        }
        waiting.clear();
        self.waiting = waiting;
        for key in first..self.next_key {
            self.comparison.add(key);
            self.after.present += 1;
            self.report.added += 1;
        }
        for id in added {
            self.emit(&id, ChangeKind::Added, &[])?;
        }
        for _ in 0..others.suppressed {
            self.suppress();
        }
        for (index, reason) in others.rejected {
            self.reject_at(index, &reason)?;
        }
        others.repeated.iter().try_for_each(|entry| self.judge_entry(entry))
    }

    /// Writes the records of which the table certainly has none. Collects their identities if changes are emitted.
    fn insert(&mut self, waiting: &Waiting, added: &mut Vec<String>) -> Result<Others, Error> {
        let (mut others, emits) = (Others::default(), self.emits);
        let (at, shape, spells) = (self.at, self.shape_number, self.spells);
        let Self { store, reader, next_key, .. } = self;
        store.insert(&self.table, at, &mut |insert| {
            for (place, json) in waiting.iter() {
                let Parsed { id, hash, members } = match reader.read(json) {
                    Ok(parsed) => parsed,
                    Err(error) => {
                        others.rejected.push((place.index, error.to_string()));
                        continue;
                    }
                };
                if reader.is_suppressed(&id) {
                    others.suppressed += 1;
                    continue;
                }
                let (row, key) = (&reader.row(&members)?, *next_key);
                if insert(&Written::new(key, &id, (hash, place.text), shape, row, at))? {
                    *next_key += 1;
                    if let Some(spells) = spells {
                        let value = spells.value(row).map(str::to_owned);
                        others.begun.push((id.clone().into_owned(), value));
                    }
                    added.extend(emits.then(|| id.into_owned()));
                } else {
                    let (id, json) = (id.into_owned(), json.to_owned());
                    others.repeated.push(Entry { place, id, hash, json });
                }
            }
            Ok(())
        })?;
        Ok(others)
    }
}
