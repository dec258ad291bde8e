//! The present and past data of the service, with which every answer is compared.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use fastrand::Rng;
use gateway_server::{
    AccountId, ApplicationRow, CandidateRow, CreditsRow, Error, ImportMode, Place, Removals, Stage,
    Store, UnixTime, VacancyRow,
};

use crate::world::World;

/// The records of the account at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Records {
    /// The names of the candidates by id.
    pub(crate) candidates: BTreeMap<i64, String>,
    /// The projects of the vacancies by id.
    pub(crate) vacancies: BTreeMap<i64, String>,
    /// The statuses by vacancy and candidate.
    pub(crate) statuses: BTreeMap<(i64, i64), String>,
    /// The balance.
    pub(crate) credits: String,
}

impl Records {
    /// Returns the ids and the names of the candidates that a filter selects.
    pub(crate) fn list(&self, vacancy: Option<i64>, status: Option<&str>) -> Vec<(String, String)> {
        let is_listed = |id: i64| match vacancy {
            None => true,
            Some(vacancy) => self
                .statuses
                .get(&(vacancy, id))
                .is_some_and(|own| status.is_none_or(|status| status == own)),
        };
        let listed = self.candidates.iter().filter(|(id, _)| is_listed(**id));
        listed.map(|(id, name)| (id.to_string(), name.clone())).collect()
    }

    /// Returns the ids and the projects of the vacancies.
    pub(crate) fn projects(&self) -> Vec<(String, String)> {
        self.vacancies.iter().map(|(id, project)| (id.to_string(), project.clone())).collect()
    }

    fn fill(&self, stage: &mut dyn Stage) -> Result<(), Error> {
        let place = Place { file: 0, line: 1 };
        for (id, project) in &self.vacancies {
            stage.vacancy(
                place,
                *id,
                &VacancyRow { project, ..VacancyRow::new(&id.to_string()) },
            )?;
        }
        for (id, name) in &self.candidates {
            let text = id.to_string();
            let row = CandidateRow { name, kind: "person", ..CandidateRow::new(&text) };
            stage.candidate(place, *id, &row)?;
        }
        for ((vacancy_id, candidate_id), status) in &self.statuses {
            let (vacancy_id, candidate_id) = (*vacancy_id, *candidate_id);
            stage.application(place, &ApplicationRow { vacancy_id, candidate_id, status })?;
        }
        stage.credits(place, &CreditsRow::new(&self.credits, "EUR"))
    }
}

/// The account of the service, in its store, with every state that it had.
#[derive(Clone)]
pub(crate) struct Account(Arc<Inner>);

struct Inner {
    world: World,
    store: Arc<Store>,
    id: AccountId,
    /// Each state, and the time from which it was current.
    history: Mutex<Vec<(Duration, Arc<Records>)>>,
}

impl Account {
    /// Creates the account with some records.
    pub(crate) fn new(world: &World, random: &mut Rng) -> Self {
        let store = Arc::new(Store::in_memory().unwrap());
        let id = store.create_account("simulation", UnixTime(0)).unwrap();
        let candidates = if random.u8(0..16) == 0 { 100 } else { random.i64(5..24) };
        let mut records = Records { credits: "100".to_owned(), ..Records::default() };
        for id in 1..=random.i64(1..5) {
            records.vacancies.insert(id, format!("project {id}"));
        }
        for id in 1..=candidates {
            records.candidates.insert(id, format!("name {id}"));
            place(&mut records, random, id);
        }
        let history = Mutex::default();
        let account = Self(Arc::new(Inner { world: world.clone(), store, id, history }));
        account.set(records);
        account
    }

    /// Returns the store.
    pub(crate) fn store(&self) -> Arc<Store> {
        Arc::clone(&self.0.store)
    }

    /// Returns the number of the account.
    pub(crate) fn id(&self) -> AccountId {
        self.0.id
    }

    /// Changes some records in one import.
    pub(crate) fn change(&self, random: &mut Rng) {
        let mut records = (*self.now()).clone();
        let number = self.history().len();
        for _ in 0..random.u8(1..6) {
            edit(&mut records, random, number);
        }
        self.set(records);
    }

    /// Returns the current records.
    pub(crate) fn now(&self) -> Arc<Records> {
        self.history().last().map(|(_, records)| Arc::clone(records)).unwrap_or_default()
    }

    /// Returns whether a state that was current at any moment since `begin` satisfies `is_it`.
    pub(crate) fn had_since(
        &self,
        begin: Duration,
        mut is_it: impl FnMut(&Records) -> bool,
    ) -> bool {
        let history = self.history();
        // The times do not show the order of two simultaneous events.
        let first = history.iter().rposition(|(since, _)| *since < begin).unwrap_or(0);
        history.iter().skip(first).any(|(_, records)| is_it(records))
    }

    fn set(&self, records: Records) {
        let Inner { world, store, id, .. } = &*self.0;
        let fill = &mut |stage: &mut dyn Stage| records.fill(stage);
        store.replace(*id, ImportMode::Commit, Removals::Few, fill).unwrap();
        let mut history = self.history();
        world.note(format!("state {} {}", history.len(), records.candidates.len()));
        history.push((world.elapsed(), Arc::new(records)));
    }

    fn history(&self) -> MutexGuard<'_, Vec<(Duration, Arc<Records>)>> {
        self.0.history.lock().unwrap()
    }
}

/// Changes one record.
fn edit(records: &mut Records, random: &mut Rng, number: usize) {
    let ids: Vec<i64> = records.candidates.keys().copied().collect();
    let Some(id) = random.choice(&ids).copied() else { return };
    match random.u8(0..6) {
        0 => {
            let new = ids.last().copied().unwrap_or(0) + random.i64(1..3);
            records.candidates.insert(new, format!("new {number}"));
            place(records, random, new);
        }
        1 if ids.len() > 3 && id != UNPLACED => {
            records.candidates.remove(&id);
            records.statuses.retain(|(_, candidate), _| *candidate != id);
        }
        2 => records.credits = random.u32(0..1_000).to_string(),
        3 | 4 => place(records, random, id),
        _ => {
            records.candidates.insert(id, format!("name {id} of {number}"));
        }
    }
}

/// Gives a candidate a status in a vacancy, or removes it.
fn place(records: &mut Records, random: &mut Rng, candidate: i64) {
    let vacancies: Vec<i64> = records.vacancies.keys().copied().collect();
    let Some(vacancy) = random.choice(&vacancies).copied() else { return };
    if candidate == UNPLACED {
        return;
    }
    let key = (vacancy, candidate);
    match random.choice(STATUSES) {
        Some(status) => {
            records.statuses.insert(key, (*status).to_owned());
        }
        None => {
            records.statuses.remove(&key);
        }
    }
}

/// A candidate in no vacancy. If all candidates were in all vacancies, a mirror could not tell whether the service
/// applies the filter, and would refuse the recovery.
const UNPLACED: i64 = 1;

/// The names of statuses. The contract lists all of them, so a mirror requests them without a setting.
pub(crate) const STATUSES: &[&str] = &["New", "Rejected", "Shortlist"];
