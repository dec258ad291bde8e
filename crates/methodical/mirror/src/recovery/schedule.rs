//! Which groups are due: each one within some runs, and within some hours. It does no I/O.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::store::Store;

/// When each group was asked for its values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Schedule {
    /// The number of recoveries.
    turn: u64,
    groups: BTreeMap<String, Asked>,
    /// All names of values that were asked for, those of the last recovery first.
    values: Vec<String>,
}

/// When a group was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Asked {
    turn: u64,
    /// In seconds since 1970.
    at: i64,
}

impl Schedule {
    /// Returns the due groups: of all groups, one part in `runs`, the longest waiting ones first, and those that were asked
    /// too long ago.
    pub(crate) fn due<'a>(&self, groups: &[&'a str], runs: u32, now: i64) -> BTreeSet<&'a str> {
        let mut waiting: Vec<(Asked, &str)> = groups
            .iter()
            .map(|&id| (self.groups.get(id).copied().unwrap_or_default(), id))
            .collect();
        waiting.sort_unstable();
        let share = groups.len().div_ceil(usize::try_from(runs.max(1)).unwrap_or(usize::MAX));
        // A clock that was set back does not delay a group.
        let recent = now.saturating_sub(MAX_AGE) + 1..=now;
        let waiting = waiting.into_iter().enumerate();
        let due =
            waiting.filter(|(index, (asked, _))| *index < share || !recent.contains(&asked.at));
        due.map(|(_, (_, id))| id).collect()
    }

    /// Returns whether one of these values was not asked for before.
    pub(crate) fn has_new(&self, values: &[String]) -> bool {
        let old: BTreeSet<&str> = self.values().iter().map(|value| &**value).collect();
        values.iter().any(|value| !old.contains(&**value))
    }

    /// Returns the values of earlier recoveries.
    pub(crate) fn values(&self) -> &[String] {
        &self.values
    }

    /// Returns when the longest waiting group was asked for its values, in seconds since 1970.
    pub(crate) fn oldest(&self) -> Option<i64> {
        self.groups.values().map(|asked| asked.at).min()
    }

    /// Returns the schedule after a recovery of these groups.
    pub(crate) fn after(
        &self,
        asked: impl IntoIterator<Item = impl Into<String>>,
        existing: &BTreeSet<&str>,
        values: &[String],
        at: i64,
    ) -> Self {
        let turn = self.turn.saturating_add(1);
        let old = self.groups.iter().filter(|(id, _)| existing.contains(&***id));
        let mut groups: BTreeMap<String, Asked> =
            old.map(|(id, asked)| (id.clone(), *asked)).collect();
        groups.extend(asked.into_iter().map(|id| (id.into(), Asked { turn, at })));
        Self { turn, groups, values: values.iter().take(VALUES_KEPT).cloned().collect() }
    }
}

impl Store {
    /// Returns the schedule of a recovered table.
    pub(crate) fn schedule(&self, table: &str) -> Result<Schedule, Error> {
        self.json_note(&format!("rota/{table}"))
    }

    /// Sets the schedule of a recovered table.
    pub(crate) fn set_schedule(&self, table: &str, schedule: &Schedule) -> Result<(), Error> {
        self.set_json_note(&format!("rota/{table}"), schedule)
    }
}

/// Time after which a group is asked again in any case, in seconds: less than a day, so that a daily run asks for all.
const MAX_AGE: i64 = 20 * 3600;

/// Maximum number of names of values that are kept.
const VALUES_KEPT: usize = 1000;

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::Schedule;

    #[test]
    fn each_group_is_due_at_least_in_every_eighth_run() {
        let ids: Vec<String> = (0..100).map(|id| id.to_string()).collect();
        let groups: Vec<&str> = ids.iter().map(|id| &**id).collect();
        let existing: BTreeSet<&str> = groups.iter().copied().collect();
        let (mut schedule, mut last) = (Schedule::default(), BTreeMap::new());
        for run in 0..40 {
            let due = schedule.due(&groups, 8, 1000);
            assert_eq!(due.len(), 13);
            for id in &due {
                let before = last.insert((*id).to_owned(), run);
                assert!(run - before.unwrap_or(0) <= 8);
            }
            schedule = schedule.after(due.iter().copied(), &existing, &[], 1000);
        }
        assert_eq!(last.len(), 100);
        assert_eq!(schedule.due(&groups, 1, 1000).len(), 100);
    }

    #[test]
    fn a_daily_run_and_one_after_a_jump_of_the_clock_ask_all_groups() {
        let groups = ["1", "2", "3", "4"];
        let day = 24 * 3600;
        let schedule = Schedule::default().after(groups, &BTreeSet::from(groups), &[], 10 * day);
        assert_eq!(schedule.due(&groups, 4, 10 * day + 60), BTreeSet::from(["1"]));
        for now in [11 * day - 60, 9 * day, i64::MIN, i64::MAX] {
            assert_eq!(schedule.due(&groups, 4, now).len(), 4, "{now}");
        }
    }

    #[test]
    fn a_schedule_is_read_back_without_the_groups_that_are_gone() {
        let existing = BTreeSet::from(["1"]);
        let schedule = Schedule::default().after(["1", "2"], &existing, &["New".to_owned()], 5);
        let again = schedule.after([""; 0], &existing, &["New".to_owned()], 6);
        let note = serde_json::to_string(&again).unwrap();
        assert_eq!(note, r#"{"turn":2,"groups":{"1":{"turn":1,"at":5}},"values":["New"]}"#);
        assert_eq!(serde_json::from_str::<Schedule>(&note).unwrap(), again);
        assert!(again.has_new(&["Late".to_owned()]) && !again.has_new(&["New".to_owned()]));
    }
}
