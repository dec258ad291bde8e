//! Keeps the counts of all boards, so that no page waits until a million placements are counted.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use methodical_mirror::{Error, Mirror, TableStatus};

use crate::board::counts::Counts;
use crate::outline::{Board, Outline};
use crate::time::midnight;

/// The counts of the last state of the mirror that was counted. A thread counts again after each sync, over a connection of its
/// own; until it has, pages show the counts from before, with their age.
#[derive(Default)]
pub(crate) struct Keeper {
    state: Mutex<State>,
    /// Signals new counts, the wish for them, and the end.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    known: Option<Arc<Known>>,
    is_running: bool,
    is_wanted: bool,
    is_stopped: bool,
}

/// The counts of one state of the mirror.
pub(crate) struct Known {
    version: Version,
    /// The start of its day.
    today: i64,
    /// How long the count took.
    took: Duration,
    pub(crate) tables: Vec<TableStatus>,
    /// By the table of their placements.
    boards: HashMap<&'static str, Arc<Counts>>,
}

/// A state of the mirror: the cursor after its last change, and when each table was complete.
pub(crate) type Version = (String, Vec<(String, Option<i64>, u64)>);

impl Keeper {
    /// Returns the latest counts. If the mirror has changed since, they are those from before, unless the new ones are ready in
    /// a moment.
    pub(crate) fn read(
        &self,
        mirror: &Mirror,
        outline: &Outline,
        now: i64,
    ) -> Result<Arc<Known>, Error> {
        let (version, tables) = version(mirror)?;
        let mut state = self.lock();
        let is_current =
            |state: &State| state.known.as_ref().is_some_and(|known| known.is_of(&version, now));
        if state.is_running && !is_current(&state) {
            state.is_wanted = true;
            self.changed.notify_all();
            let waits = |state: &mut State| state.is_running && !is_current(state);
            let limit = match &state.known {
                None => FIRST,
                // The next count takes about as long as the last one.
                Some(known) if known.took > PATIENCE => Duration::ZERO,
                Some(_) => PATIENCE,
            };
            let waited = self.changed.wait_timeout_while(state, limit, waits);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if let Some(known) = state.known.as_ref().filter(|_| state.is_running || is_current(&state))
        {
            return Ok(Arc::clone(known));
        }
        drop(state);
        let known = Arc::new(Known::count(mirror, outline, version, tables, now)?);
        self.lock().known = Some(Arc::clone(&known));
        Ok(known)
    }

    /// Counts the boards whenever the mirror has changed, until `stop`. Fails with the mirror; then pages count by themselves.
    pub(crate) fn keep(
        &self,
        mirror: &Mirror,
        outline: &Outline,
        now: &dyn Fn() -> i64,
    ) -> Result<(), Error> {
        self.lock().is_running = true;
        let kept = self.keep_until_stopped(mirror, outline, now);
        self.lock().is_running = false;
        self.changed.notify_all();
        kept
    }

    fn keep_until_stopped(
        &self,
        mirror: &Mirror,
        outline: &Outline,
        now: &dyn Fn() -> i64,
    ) -> Result<(), Error> {
        loop {
            let (version, tables) = version(mirror)?;
            let now = now();
            if !self.lock().known.as_ref().is_some_and(|known| known.is_of(&version, now)) {
                let known = Known::count(mirror, outline, version, tables, now)?;
                self.lock().known = Some(Arc::new(known));
                self.changed.notify_all();
            }
            if self.pauses_until_stopped() {
                return Ok(());
            }
        }
    }

    /// Waits for a page that wants newer counts, or a second. Returns whether the dashboard was stopped.
    pub(crate) fn pauses_until_stopped(&self) -> bool {
        let waits = |state: &mut State| !state.is_wanted && !state.is_stopped;
        let waited = self.changed.wait_timeout_while(self.lock(), PAUSE, waits);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        state.is_wanted = false;
        state.is_stopped
    }

    /// Ends `keep`.
    pub(crate) fn stop(&self) {
        self.lock().is_stopped = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// Returns the counts of a board, which has none before its lists were complete.
    pub(crate) fn of(&self, board: &Board) -> Arc<Counts> {
        self.boards.get(board.placements.table).cloned().unwrap_or_default()
    }

    /// Returns whether the counts are those of a state of the mirror, on the day of a time.
    fn is_of(&self, version: &Version, now: i64) -> bool {
        self.version == *version && self.today == midnight(now)
    }

    fn count(
        mirror: &Mirror,
        outline: &Outline,
        version: Version,
        tables: Vec<TableStatus>,
        now: i64,
    ) -> Result<Self, Error> {
        let started = Instant::now();
        let is_complete = |table: &str| {
            tables.iter().any(|status| status.table == table && status.completed_at.is_some())
        };
        let mut boards = HashMap::new();
        for board in &outline.boards {
            let parts = [board.members.name(), board.groups.name(), board.placements.table];
            if parts.into_iter().all(is_complete) {
                boards.insert(board.placements.table, Arc::new(Counts::read(mirror, board, now)?));
            }
        }
        let today = midnight(now);
        Ok(Self { version, today, took: started.elapsed(), tables, boards })
    }
}

/// Returns the state of a mirror, with its tables.
pub(crate) fn version(mirror: &Mirror) -> Result<(Version, Vec<TableStatus>), Error> {
    // The cursor is read first: if a sync ends in between, the next version is another one.
    let cursor = mirror.cursor()?.to_string();
    let tables = mirror.tables()?;
    let of = |status: &TableStatus| (status.table.clone(), status.completed_at, status.present);
    Ok(((cursor, tables.iter().map(of).collect()), tables))
}

/// How long a page waits for counts of the latest sync.
const PATIENCE: Duration = Duration::from_millis(5);

/// How long a page waits for the first counts.
const FIRST: Duration = Duration::from_secs(20);

/// How long the thread waits between two looks at the mirror.
const PAUSE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use methodical_mirror::model::tables::{Column, Table};
    use methodical_mirror::{Mirror, Rules};

    use super::Keeper;
    use crate::outline::Outline;

    const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"])]);

    fn sync(mirror: &mut Mirror, id: &str) {
        let mut run = mirror.begin("photos/list", &PHOTO, Rules::new()).unwrap();
        run.record(&format!(r#"{{"id":"{id}"}}"#)).unwrap();
        run.finish().unwrap();
    }

    #[test]
    fn counts_are_those_of_the_mirror() {
        let (keeper, outline) = (Keeper::default(), Outline::default());
        let mut mirror = Mirror::in_memory().unwrap();
        sync(&mut mirror, "1");
        let first = keeper.read(&mirror, &outline, 0).unwrap();
        assert_eq!(first.tables[0].present, 1);
        assert!(Arc::ptr_eq(&first, &keeper.read(&mirror, &outline, 0).unwrap()));
        sync(&mut mirror, "2");
        assert_eq!(keeper.read(&mirror, &outline, 0).unwrap().tables[0].missing, 1);
    }

    #[test]
    fn a_page_does_not_wait_for_a_thread_that_is_counting() {
        let (keeper, outline) = (Keeper::default(), Outline::default());
        let mut mirror = Mirror::in_memory().unwrap();
        sync(&mut mirror, "1");
        let first = keeper.read(&mirror, &outline, 0).unwrap();
        // A thread that does not finish.
        keeper.lock().is_running = true;
        sync(&mut mirror, "2");
        assert!(Arc::ptr_eq(&first, &keeper.read(&mirror, &outline, 0).unwrap()));
        assert!(keeper.lock().is_wanted);
        // A thread that failed.
        keeper.lock().is_running = false;
        assert_eq!(keeper.read(&mirror, &outline, 0).unwrap().tables[0].missing, 1);
    }
}
