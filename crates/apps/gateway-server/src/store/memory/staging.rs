//! The records of an import, before they are merged.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};
use crate::place::Place;
use crate::store::balance::Balance;
use crate::store::errors::contradiction;
use crate::store::{ApplicationRow, Changes, Stage, rendered};

/// The records of an import with the places where they were first given.
#[derive(Default)]
pub(super) struct Staging {
    pub(super) vacancies: BTreeMap<i64, (Place, String)>,
    pub(super) candidates: BTreeMap<i64, (Place, String)>,
    pub(super) applications: BTreeMap<(i64, i64), (Place, String)>,
    pub(super) balance: Balance,
}

impl Stage for Staging {
    fn vacancy(&mut self, place: Place, id: i64, row: &VacancyRow<'_>) -> Result<(), Error> {
        let record = rendered::vacancy(id, row, &mut Vec::new())?.to_owned();
        put(&mut self.vacancies, place, id, record, &format!("vacancy {id}"))
    }

    fn candidate(&mut self, place: Place, id: i64, row: &CandidateRow<'_>) -> Result<(), Error> {
        let record = rendered::candidate(id, row, &mut Vec::new())?.to_owned();
        put(&mut self.candidates, place, id, record, &format!("candidate {id}"))
    }

    fn application(&mut self, place: Place, row: &ApplicationRow<'_>) -> Result<(), Error> {
        let key = (row.vacancy_id, row.candidate_id);
        let what = format!("the status of candidate {}", row.candidate_id);
        put(&mut self.applications, place, key, row.status.to_owned(), &what)
    }

    fn credits(&mut self, place: Place, row: &CreditsRow<'_>) -> Result<(), Error> {
        self.balance.take(place, row)
    }
}

/// Stages a record. A record that is given twice must be the same.
fn put<K: Ord, V: PartialEq>(
    into: &mut BTreeMap<K, (Place, V)>,
    place: Place,
    key: K,
    value: V,
    what: &str,
) -> Result<(), Error> {
    match into.get(&key) {
        Some((first, other)) if *other != value => Err(contradiction(place, what, *first)),
        Some(_same) => Ok(()),
        None => {
            into.insert(key, (place, value));
            Ok(())
        }
    }
}

/// Writes staged records over those of the account, and counts the changes.
pub(super) fn merge<K: Ord, V: PartialEq>(
    into: &mut BTreeMap<K, V>,
    staged: BTreeMap<K, (Place, V)>,
) -> Changes {
    let mut changes = Changes::default();
    for (key, (_place, value)) in staged {
        match into.get(&key) {
            None => changes.added += 1,
            Some(other) if *other == value => changes.unchanged += 1,
            Some(_) => changes.changed += 1,
        }
        into.insert(key, value);
    }
    changes
}
