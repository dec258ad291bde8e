//! Random histories of lists: a mirror does what the oracle does, and replaying the feed gives the tables.

use std::collections::BTreeMap;

use methodical_mirror::{Cursor, ErrorKind, Mirror, Record, Rules, State};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::oracle::{Item, Oracle, Spelling, Step};
use crate::place::Place;
use crate::support::{Clock, PHOTO, PHOTO_WITH_STARS, feed, random_cases, table};

/// A record that may have each field in each form.
fn record() -> impl Strategy<Value = Value> {
    let title =
        prop::sample::select(vec![None, Some(Value::Null), Some("a".into()), Some("b".into())]);
    let number =
        || prop::sample::select(vec![None, Some(Value::Null), Some(1.into()), Some(2.into())]);
    let place = prop::sample::select(vec![
        None,
        Some(Value::Null),
        Some(json!({"id": "1", "name": "a"})),
        Some(json!({"id": "1", "name": "b"})),
        Some(json!({"id": "2"})),
    ]);
    let id = prop::sample::select(vec!["1", "01", "a b", "é😀", "5", "6"]);
    (id, title, number(), place, number(), number()).prop_map(
        |(id, title, size, place, stars, x)| {
            let fields =
                [("title", title), ("size", size), ("place", place), ("stars", stars), ("x", x)];
            let fields =
                fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
            let id = ("id".to_owned(), Value::from(id));
            Value::Object([id].into_iter().chain(fields).collect::<Map<_, _>>())
        },
    )
}

fn items() -> impl Strategy<Value = Vec<Item>> {
    let item = prop_oneof![20 => record().prop_map(Item::Record), 1 => Just(Item::Rejected)];
    prop::collection::vec(item, 0..8)
}

fn spelling() -> impl Strategy<Value = Spelling> {
    prop::sample::select(vec![Spelling::Compact, Spelling::Spaced, Spelling::Reversed])
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let id = prop::sample::select(vec!["1".to_owned(), "é😀".to_owned(), "never seen".to_owned()]);
    let step = prop_oneof![
        12 => items().prop_map(Step::List),
        6 => spelling().prop_map(Step::Again),
        2 => items().prop_map(Step::Cut),
        1 => id.prop_map(Step::Forget),
        1 => any::<bool>().prop_map(|has_stars| Step::Describe { has_stars }),
    ];
    prop::collection::vec(step, 1..12)
}

/// A mirror, and a replica built only from a snapshot and the feed.
struct Subject {
    mirror: Mirror,
    has_stars: bool,
    replica: Replica,
    cursor: Option<Cursor>,
}

type Replica = BTreeMap<String, (State, Value)>;

impl Subject {
    fn new(mirror: Mirror) -> Self {
        Self { mirror, has_stars: false, replica: Replica::new(), cursor: None }
    }

    /// Returns whether a list was committed.
    fn apply(&mut self, step: &Step, spelling: Spelling) -> bool {
        match step {
            // The test replaces it with the list that it repeats.
            Step::Again(_) => {}
            Step::Describe { has_stars } => self.has_stars = *has_stars,
            Step::Forget(id) => drop(self.mirror.forget("photo", id).unwrap()),
            Step::List(items) | Step::Cut(items) => {
                let table = if self.has_stars { PHOTO_WITH_STARS } else { PHOTO };
                let mut run = self.mirror.begin("photos/list", &table, Rules::default()).unwrap();
                for item in items {
                    match item {
                        Item::Record(record) => run.record(&spelling.of(record)).unwrap(),
                        Item::Rejected => run.reject("a reason").unwrap(),
                    }
                }
                if matches!(step, Step::Cut(_)) {
                    return false;
                }
                let finished = run.finish();
                if let Err(error) = &finished {
                    assert_eq!(error.kind(), ErrorKind::DeletionGuard);
                }
                return finished.is_ok();
            }
        }
        false
    }

    /// Applies the feed to the replica. The first complete list is a snapshot.
    fn follow(&mut self, is_complete: bool) {
        if !is_complete {
            return;
        }
        let records = self.records();
        let Some(cursor) = &self.cursor else {
            self.cursor = Some(self.mirror.cursor().unwrap());
            self.replica = records;
            return;
        };
        let (changes, cursor) = self.mirror.changes(Some(cursor), usize::MAX).unwrap();
        for change in changes {
            let record = records.get(&change.id).cloned();
            self.replica.extend(record.map(|record| (change.id, record)));
        }
        self.cursor = Some(cursor);
    }

    fn records(&self) -> Replica {
        let record = |one: Record| (one.id, (one.state, serde_json::from_str(&one.json).unwrap()));
        table(&self.mirror, "photo").into_iter().map(record).collect()
    }
}

/// The part of the records that can be derived from the feed: without the value of `stars`, which is not reported when
/// it becomes listed, and without the difference between gone and forgotten.
fn told(records: &Replica) -> Replica {
    let mut records = records.clone();
    for (state, json) in records.values_mut() {
        json.as_object_mut().unwrap().remove("stars");
        if *state == State::Forgotten {
            *state = State::Gone;
        }
    }
    records
}

#[test]
fn a_mirror_equals_the_oracle_and_the_feed_leads_to_the_tables() {
    proptest!(random_cases(8), |(steps in steps())| {
        let (mut oracle, clock) = (Oracle::default(), Clock::default());
        let place = Place::new();
        let mut subject = Subject::new(clock.of(place.open()));
        let mut last = Vec::new();
        for (time, step) in (100..).zip(&steps) {
            clock.set(time);
            let (mut is_committed, mut spelling, mut step) =
                (false, Spelling::default(), step.clone());
            match &step {
                Step::List(items) => last.clone_from(items),
                Step::Again(another) => (spelling, step) = (*another, Step::List(last.clone())),
                _ => {}
            }
            match &step {
                Step::Describe { has_stars } => oracle.describe(*has_stars),
                Step::Forget(id) => oracle.forget(id),
                Step::Cut(_) | Step::Again(_) => {}
                Step::List(items) => is_committed = oracle.list(items),
            }
            prop_assert_eq!(subject.apply(&step, spelling), is_committed);
            prop_assert_eq!(&feed(&subject.mirror), &oracle.feed);
            let expected = oracle.records.iter();
            let expected: Replica =
                expected.map(|one| (one.id.clone(), (one.state, one.json.clone()))).collect();
            prop_assert_eq!(subject.records(), expected);
            subject.follow(oracle.is_complete);
            if oracle.is_complete {
                prop_assert_eq!(told(&subject.replica), told(&subject.records()));
            }
        }
        prop_assert_eq!(subject.mirror.check().unwrap().findings, []);
        if !subject.mirror.tables().unwrap().is_empty() {
            counts_are_exact(&place);
        }
    });
}

fn counts_are_exact(place: &Place) {
    let counts = "SELECT present, missing FROM mirror_scope";
    let counted = "SELECT count(*) FILTER (WHERE mirror_state = 'present'), \
                   count(*) FILTER (WHERE mirror_state = 'missing') FROM photo";
    assert_eq!(place.row(counts), place.row(counted));
}
