//! Tests a recovery's decisions, against services in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Mutex;

use proptest::prelude::*;

use crate::error::{Error, ErrorKind};
use crate::recovery::asking::{Answer, Ask, Asking, Fate, Fault, Group, NONSENSE};

const VALUES: [&str; 4] = ["New", "Rejected", "Print", "Late"];

/// The members of each group with their values: indexes in `VALUES`, or a larger number for an unlisted value.
type Truth = BTreeMap<String, BTreeMap<String, usize>>;

/// A service with a defect.
#[derive(Clone, Debug, Default)]
struct Service {
    truth: Truth,
    /// Ignores the filter, but only for the values in `VALUES`.
    ignores_known: bool,
    refuses_unknown: bool,
    fails: BTreeSet<String>,
    asked: Vec<(String, Option<String>)>,
}

impl Service {
    fn of(groups: &[(&str, &[(&str, usize)])]) -> Self {
        let members = |members: &[(&str, usize)]| {
            members.iter().map(|(id, value)| ((*id).to_owned(), *value)).collect()
        };
        let truth = groups.iter().map(|(id, all)| ((*id).to_owned(), members(all))).collect();
        Self { truth, ..Self::default() }
    }

    fn answer(&mut self, group: &str, value: Option<&str>) -> Answer {
        self.asked.push((group.to_owned(), value.map(str::to_owned)));
        if self.fails.contains(group) {
            return Err(Fault::Failed(failure()));
        }
        let members = self.truth.get(group).cloned().unwrap_or_default();
        let Some(value) = value else {
            return Ok(members.into_keys().collect());
        };
        let number = VALUES.iter().position(|one| *one == value);
        if number.is_some() && self.ignores_known {
            return Ok(members.into_keys().collect());
        }
        if number.is_none() && self.refuses_unknown {
            return Err(Fault::Refused(failure()));
        }
        let has = |(id, one): (String, usize)| (Some(one) == number).then_some(id);
        Ok(members.into_iter().filter_map(has).collect())
    }

    fn members(&self) -> u64 {
        let all: BTreeSet<&String> = self.truth.values().flat_map(BTreeMap::keys).collect();
        u64::try_from(all.len()).unwrap()
    }

    /// Returns the group and value of each request for one of the `VALUES`.
    fn values_asked(&self) -> Vec<(&str, &str)> {
        let values =
            self.asked.iter().filter_map(|(group, value)| Some((&**group, value.as_deref()?)));
        values.filter(|(_, value)| VALUES.contains(value)).collect()
    }
}

fn failure() -> Error {
    Error::new(ErrorKind::Call, "the call failed")
}

/// Returns what a mirror knows after a recovery of these values.
fn known(truth: &Truth, groups: &BTreeSet<String>, due: bool, hasher: &RandomState) -> Vec<Group> {
    let one = |id: &String| {
        let mut known = Group { id: id.clone(), is_due: due, ..Group::default() };
        for (member, value) in truth.get(id).into_iter().flatten() {
            known.members.add(hasher.hash_one(&**member));
            match VALUES.get(*value) {
                Some(value) => *known.values.entry((*value).to_owned()).or_default() += 1,
                None => known.unknown += 1,
            }
        }
        known
    };
    groups.iter().map(one).collect()
}

fn asking<'a>(values: &'a [String], members: u64, hasher: RandomState, ask: Ask<'a>) -> Asking<'a> {
    let (probe, progress) = (Mutex::default(), Mutex::default());
    Asking { name: "mark", values, members, hasher, ask, probe, progress }
}

/// Runs a recovery with this many concurrent calls.
fn ask(
    service: &mut Service,
    before: &Truth,
    due: bool,
    concurrency: usize,
) -> Result<Vec<(Group, Fate)>, Error> {
    let (hasher, members) = (RandomState::new(), service.members());
    let groups: BTreeSet<String> = service.truth.keys().cloned().collect();
    let known = known(before, &groups, due, &hasher);
    let values = VALUES.map(str::to_owned);
    let service = Mutex::new(service);
    let ask = |group: &str, value: Option<&str>| {
        // Another call may overtake this one.
        std::thread::yield_now();
        service.lock().unwrap().answer(group, value)
    };
    asking(&values, members, hasher, &ask)
        .run(known, concurrency, |_ended| {})
        .map(|all| all.groups)
}

fn found(groups: &[(Group, Fate)]) -> BTreeMap<String, BTreeMap<String, usize>> {
    let placed = |fate: &Fate| match fate {
        Fate::Placed(members) => Some(
            members.iter().map(|(id, value)| (id.clone(), value.unwrap_or(usize::MAX))).collect(),
        ),
        _ => None,
    };
    groups.iter().filter_map(|(known, fate)| Some((known.id.clone(), placed(fate)?))).collect()
}

fn text(result: Result<Vec<(Group, Fate)>, Error>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Filter);
    error.to_string()
}

fn truth() -> impl Strategy<Value = Truth> {
    let members = prop::collection::btree_map("[a-h]", 0..VALUES.len() + 1, 0..6);
    prop::collection::btree_map("[1-9]", members, 1..7).prop_filter("looks unfiltered", |truth| {
        let sets: BTreeSet<Vec<&String>> =
            truth.values().map(|group| group.keys().collect()).collect();
        sets.len() > 1 || truth.len() == 1
    })
}

proptest! {
    #[test]
    fn every_value_that_is_known_is_found_in_any_order_of_answers(
        truth in truth(),
        concurrency in 1..5_usize,
    ) {
        let mut service = Service { truth: truth.clone(), ..Service::default() };
        let groups = ask(&mut service, &Truth::new(), false, concurrency).unwrap();
        let mut expected = truth;
        for value in expected.values_mut().flat_map(BTreeMap::values_mut) {
            if *value >= VALUES.len() {
                *value = usize::MAX;
            }
        }
        expected.retain(|_, members| !members.is_empty());
        prop_assert_eq!(found(&groups), expected);
        let mut asked = service.asked.clone();
        asked.sort();
        asked.dedup();
        prop_assert_eq!(asked.len(), service.asked.len(), "no query is sent twice");
    }
}

/// Otherwise, every member would seem to have the first value.
#[test]
fn a_filter_that_is_ignored_only_for_known_values_is_refused() {
    for refuses_unknown in [false, true] {
        let mut service = Service::of(&[("1", &[("a", 0), ("b", 1)]), ("2", &[("c", 2)])]);
        (service.ignores_known, service.refuses_unknown) = (true, refuses_unknown);
        let error = text(ask(&mut service, &Truth::new(), true, 3));
        assert!(error.contains("the lists of two values share a record in the group"), "{error}");
    }
}

#[test]
fn a_group_with_one_value_is_asked_for_another_one() {
    let mut service = Service::of(&[("1", &[("a", 0)]), ("2", &[("b", 0), ("c", 0)])]);
    let before = service.truth.clone();
    ask(&mut service, &before, true, 1).unwrap();
    let asked = service.values_asked();
    assert_eq!(asked, [("1", "New"), ("1", "Rejected"), ("2", "New"), ("2", "Rejected")]);
}

#[test]
fn a_group_is_asked_for_frequent_values_first_and_until_all_members_are_placed() {
    let mut service = Service::of(&[("1", &[("a", 2), ("b", 2), ("c", 0)]), ("2", &[])]);
    let before = service.truth.clone();
    ask(&mut service, &before, true, 1).unwrap();
    assert_eq!(service.values_asked(), [("1", "Print"), ("1", "New")]);
}

#[test]
fn ten_failures_in_a_row_end_the_recovery() {
    let ids: Vec<String> = (10..40).map(|id| id.to_string()).collect();
    let groups: Vec<(&str, &[(&str, usize)])> = ids.iter().map(|id| (&**id, &[][..])).collect();
    let mut service = Service::of(&groups);
    service.fails.extend(ids.iter().cloned());
    let error = ask(&mut service, &Truth::new(), false, 1).unwrap_err();
    assert_eq!((error.kind(), service.asked.len()), (ErrorKind::Call, 10));
}

/// Recovers a group of `a` and `b`. The list of `New` is `of_new`. The list of `Rejected` is `of_rejected` for the
/// first `times` requests, and then `b`. Returns how many members were placed.
fn contradicting(of_new: &[&str], of_rejected: &[&str], times: usize) -> Result<usize, Error> {
    let known = vec![Group { id: "1".to_owned(), ..Group::default() }];
    let values = ["New", "Rejected"].map(str::to_owned);
    let contradictions = Mutex::new(0);
    let members = |ids: &[&str]| Ok(ids.iter().map(|id| (*id).to_owned()).collect());
    let ask = |_group: &str, value: Option<&str>| match value {
        None => members(&["a", "b"]),
        Some(NONSENSE) => members(&[]),
        Some("New") => members(of_new),
        Some(_) => {
            let mut contradictions = contradictions.lock().unwrap();
            *contradictions += 1;
            members(if *contradictions <= times { of_rejected } else { &["b"] })
        }
    };
    let asked = asking(&values, 2, RandomState::new(), &ask).run(known, 1, |_ended| {})?;
    Ok(found(&asked.groups)["1"].len())
}

#[test]
fn answers_that_contradict_each_other_are_asked_for_again_once() {
    assert_eq!(contradicting(&["a"], &["a"], 1).unwrap(), 2);
    let shared = contradicting(&["a"], &["a"], 2).unwrap_err();
    assert!(shared.to_string().contains("the lists of two values share a record in the group `1`"));
    assert_eq!(contradicting(&["a"], &["c"], 1).unwrap(), 2);
    let foreign = contradicting(&["a"], &["c"], 2).unwrap_err();
    assert_eq!(foreign.kind(), ErrorKind::Filter);
    assert!(foreign.to_string().contains("the list of a value has records that its group lacks"));
}
