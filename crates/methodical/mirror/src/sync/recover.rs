//! Recovers one table's values: reads the known values, requests the others, and writes the placements as one list.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Mutex;

use rusqlite::types::ValueRef;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::history::Report;
use crate::mirror::Mirror;
use crate::recovery::asking::{Answer, Asking, Fate, Group};
use crate::recovery::{Target, escaped};
use crate::store::rows::{State, id};
use crate::store::{Store, quoted};
use crate::sync::report::{Coverage, GroupFailure, SyncOptions, SyncProgress};

/// The parts of the report on a recovered table.
pub(crate) type Parts = (Report, Option<Coverage>, Vec<GroupFailure>);

pub(crate) fn recover(
    mirror: &mut Mirror,
    target: &Target,
    options: &SyncOptions,
    ask: impl Fn(&str, Option<&str>) -> Answer + Sync,
) -> Result<Parts, Error> {
    let (hasher, now) = (RandomState::new(), mirror.now());
    let store = mirror.store();
    let mut groups = read(&store, target, &hasher)?;
    let schedule = store.schedule(target.table.name())?;
    let more = options.values.get(target.value).into_iter().flatten();
    let values = values(&groups, target, more.chain(&schedule.values));
    let ids: Vec<String> = groups.keys().cloned().collect();
    let due = schedule.due(&ids, options.recheck_every, now);
    let has_new = schedule.has_new(&values);
    for (id, group) in &mut groups {
        group.is_due = due.contains(&**id) || has_new && group.unknown > 0;
    }
    let tables = store.tables()?.into_iter();
    let members = tables.filter(|one| one.table == target.members.name()).map(|one| one.present);
    let (members, forgotten) = (members.sum(), store.suppressed(target.members.name())?);
    drop(store);
    let ask = |group: &str, value: Option<&str>| {
        let ids = ask(group, value)?.into_iter();
        Ok(ids.filter(|id| !forgotten.has(id)).collect())
    };
    let all = groups.len() as u64;
    let report = |asked: usize| {
        let (table, groups) = (target.table.name(), target.groups.name());
        options.report(SyncProgress::Groups { table, groups, asked: asked as u64, all });
    };
    let (name, probe, progress) = (target.value, Mutex::default(), Mutex::default());
    let asking = Asking { name, values: &values, members, hasher, ask: &ask, probe, progress };
    let asked = asking.run(groups.into_values().collect(), options.concurrency, report)?;
    let kept = values.iter().enumerate().filter(|(index, _)| !asked.refused.contains(index));
    let kept = kept.map(|(_, value)| value.clone()).collect();
    let schedule = schedule.after(&asked.groups, kept, mirror.now());
    write(mirror, target, options, &schedule, asked.groups, &values)
}

/// Reads what the mirror knows about the present groups, by identity.
fn read(
    store: &Store,
    target: &Target,
    hasher: &RandomState,
) -> Result<BTreeMap<String, Group>, Error> {
    let mut groups = BTreeMap::new();
    for (_, id, state) in store.live(target.groups.name())? {
        if state == State::Present {
            groups.insert(id.clone(), Group { id, ..Group::default() });
        }
    }
    let [_, group, member, value] = target.columns()?.map(quoted);
    let table = quoted(target.table.name());
    let select =
        format!("SELECT {group}, {member}, {value} FROM {table} WHERE mirror_state = 'present'");
    if store.columns(target.table.name())?.is_empty() {
        return Ok(groups);
    }
    for (group, member, value) in store.query(&select, (), |row| {
        let value = row.get_ref(2)?;
        let value = (value != ValueRef::Null).then(|| id(value));
        Ok((id(row.get_ref(0)?), id(row.get_ref(1)?), value))
    })? {
        let Some(group) = groups.get_mut(&group) else { continue };
        group.members.add(hasher.hash_one(&*member));
        match value {
            Some(value) => *group.values.entry(value).or_default() += 1,
            None => group.unknown += 1,
        }
    }
    Ok(groups)
}

/// Returns all values to try: from the contract, the options, earlier recoveries, and the mirror.
fn values<'a>(
    groups: &'a BTreeMap<String, Group>,
    target: &Target,
    more: impl Iterator<Item = &'a String>,
) -> Vec<String> {
    let found = groups.values().flat_map(|group| group.values.keys());
    let named = more.chain(found).map(|value| &**value);
    let mut seen = BTreeSet::new();
    let all = target.known_values.iter().copied().chain(named);
    all.filter(|value| seen.insert(*value)).map(str::to_owned).collect()
}

/// Commits the placements of the requested groups. The placements of other groups are left unchanged.
fn write(
    mirror: &mut Mirror,
    target: &Target,
    options: &SyncOptions,
    schedule: &Schedule,
    groups: Vec<(Group, Fate)>,
    values: &[String],
) -> Result<Parts, Error> {
    let table = target.table.name();
    let (value, group) = (target.value, target.groups.name());
    let mut coverage = Coverage { value, group, ..Coverage::default() };
    for (group, fate) in &groups {
        coverage.add(group, fate);
    }
    let fates: BTreeMap<String, &Fate> =
        groups.iter().map(|(group, fate)| (escaped(&group.id), fate)).collect();
    // A member that was forgotten during the calls must not return.
    let forgotten = mirror.store().suppressed(target.members.name())?;
    let mut run =
        mirror.begin(&format!("recovery/{table}"), target.table, options.rules_of(table))?;
    run.recover(target)?;
    run.keep(|id, is_missing| {
        let group = id.split_once('/').map_or("", |(group, _)| group);
        match fates.get(group) {
            Some(Fate::Placed(_)) => false,
            // The group's list was complete and still lacks the missing member.
            Some(Fate::Kept) => !is_missing,
            Some(Fate::Failed(_)) | None => true,
        }
    })?;
    for (group, fate) in &groups {
        let Fate::Placed(members) = fate else { continue };
        for (member, value) in members.iter().filter(|(member, _)| !forgotten.has(member)) {
            let value = value.and_then(|value| values.get(value)).map(|value| &**value);
            run.record(&target.record(&group.id, member, value)?)?;
        }
    }
    run.store().set_json_note(&format!("schedule/{table}"), schedule)?;
    let report = run.finish()?;
    let failures = groups.into_iter().filter_map(|(group, fate)| match fate {
        Fate::Failed(error) => Some(GroupFailure { group: group.id, error }),
        Fate::Placed(_) | Fate::Kept => None,
    });
    Ok((report, Some(coverage), failures.collect()))
}

/// When the values of each group were last requested.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Schedule {
    /// How many recoveries have run so far.
    turn: u64,
    groups: BTreeMap<String, Asked>,
    /// All values that were requested, except those that the service refused.
    values: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Asked {
    turn: u64,
    /// In seconds since 1970.
    at: i64,
}

impl Schedule {
    /// Returns the groups that are due: those that were last requested too long ago, and those that have waited
    /// longest, which are one in `runs` of all groups.
    pub(crate) fn due<'a>(&self, groups: &'a [String], runs: u32, now: i64) -> BTreeSet<&'a str> {
        let asked = |id: &'a String| (self.groups.get(id).copied().unwrap_or_default(), &**id);
        let mut waiting: Vec<(Asked, &str)> = groups.iter().map(asked).collect();
        waiting.sort_unstable();
        let share = groups.len().div_ceil(usize::try_from(runs.max(1)).unwrap_or(usize::MAX));
        // A clock that was set back does not delay a group.
        let recent = now.saturating_sub(MAX_AGE) + 1..=now;
        let waiting = waiting.into_iter().enumerate();
        let due =
            waiting.filter(|(index, (asked, _))| *index < share || !recent.contains(&asked.at));
        due.map(|(_, (_, id))| id).collect()
    }

    /// Returns whether one of these values has never been requested, or was refused.
    pub(crate) fn has_new(&self, values: &[String]) -> bool {
        values.iter().any(|value| !self.values.contains(value))
    }

    /// Returns when the values of the group that has waited longest were last requested, in seconds since 1970; `None`
    /// if there are no groups.
    pub(crate) fn oldest(&self) -> Option<i64> {
        self.groups.values().map(|asked| asked.at).min()
    }

    /// Returns the schedule after a recovery of these groups.
    fn after(&self, groups: &[(Group, Fate)], values: Vec<String>, at: i64) -> Self {
        let now = Asked { turn: self.turn.saturating_add(1), at };
        let last = |(Group { id, .. }, fate): &(Group, Fate)| {
            let is_asked = matches!(fate, Fate::Placed(_));
            Some((id.clone(), if is_asked { now } else { *self.groups.get(id)? }))
        };
        Self { turn: now.turn, groups: groups.iter().filter_map(last).collect(), values }
    }
}

impl Store {
    pub(crate) fn schedule(&self, table: &str) -> Result<Schedule, Error> {
        self.json_note(&format!("schedule/{table}"))
    }
}

/// Time after which a group's values are always due, in seconds: less than a day, so a daily run requests all groups.
const MAX_AGE: i64 = 20 * 3600;

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::Schedule;
    use crate::recovery::asking::{Fate, Group, Members};

    fn asked(id: &str, is_asked: bool) -> (Group, Fate) {
        let fate = if is_asked { Fate::Placed(Members::new()) } else { Fate::Kept };
        (Group { id: id.to_owned(), ..Group::default() }, fate)
    }

    #[test]
    fn each_group_is_due_at_least_in_every_eighth_run() {
        let groups: Vec<String> = (0..100).map(|id| id.to_string()).collect();
        let (mut schedule, mut last) = (Schedule::default(), BTreeMap::new());
        for run in 0..40 {
            let due = schedule.due(&groups, 8, 1000);
            assert_eq!(due.len(), 13);
            for id in &due {
                let before = last.insert((*id).to_owned(), run);
                assert!(run - before.unwrap_or(0) <= 8);
            }
            let asked: Vec<_> = groups.iter().map(|id| asked(id, due.contains(&**id))).collect();
            schedule = schedule.after(&asked, Vec::new(), 1000);
        }
        assert_eq!(last.len(), 100);
        assert_eq!(schedule.due(&groups, 1, 1000).len(), 100);
    }

    #[test]
    fn a_daily_run_and_one_after_a_jump_of_the_clock_ask_all_groups() {
        let groups = ["1", "2", "3", "4"].map(str::to_owned);
        let (day, all) = (24 * 3600, groups.each_ref().map(|id| asked(id, true)));
        let schedule = Schedule::default().after(&all, Vec::new(), 10 * day);
        assert_eq!(schedule.due(&groups, 4, 10 * day + 60), BTreeSet::from(["1"]));
        for now in [11 * day - 60, 9 * day, i64::MIN, i64::MAX] {
            assert_eq!(schedule.due(&groups, 4, now).len(), 4, "{now}");
        }
    }
}
