//! Any history of lists: a mirror has the same records as a simple model, replaying its feed gives its tables, the
//! deletion guard refuses what it must, and nothing is missing after an incomplete list.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::{
    Change, ChangeKind, Cursor, ErrorKind, Filter, Mirror, Paging, Rules, State,
};

/// Whether the feed contains the first list, and the steps.
type Input = (bool, Vec<(u8, List)>);

/// Records with consecutive identities: the first one, their number and their size. Then the number of entries that
/// cannot be decoded, and the number of missing records that is accepted.
type List = (Vec<(u8, u8, u8)>, u8, Option<u8>);

fuzz_target!(|input: Input| {
    let (emits_baseline, steps) = input;
    let mut mirror = Mirror::in_memory().unwrap();
    let mut model = Model::default();
    let mut position = mirror.cursor().unwrap();
    for (kind, list) in steps.iter().take(12) {
        let id = list.1;
        match kind % 8 {
            0 => {
                mirror.forget("photo", &id.to_string()).unwrap();
                model.forget(id);
            }
            1 => {
                let was_forgotten = mirror.unforget("photo", &id.to_string()).unwrap();
                assert_eq!(was_forgotten, model.unforget(id));
            }
            // The response ends before the list does.
            2 => assert_eq!(sync(&mut mirror, list, emits_baseline, true), None),
            _ => {
                let is_committed = sync(&mut mirror, list, emits_baseline, false);
                let expected = model.list(list, emits_baseline);
                assert_eq!(
                    is_committed,
                    Some(expected),
                    "whether the deletion guard refuses {list:?}"
                );
            }
        }
        check(&mirror, &model);
        // Only the new part, because reading all of it after each step would take most of the time.
        let (new, next) = mirror.changes(Some(&position), usize::MAX).unwrap();
        position = next;
        new.iter().for_each(|change| model.fold(change));
        assert_eq!(model.folded, model.live(), "the feed does not lead to the table");
    }
    if model.is_complete {
        let findings = mirror.check().unwrap().findings;
        assert!(findings.is_empty(), "{findings:?}");
        // It takes as long as many steps do.
        if steps.len() < 3 {
            cursors(&mirror);
        }
        let all = feed(&mirror, None);
        assert!(all.windows(2).all(|pair| pair[0].number < pair[1].number), "a number twice");
    }
});

/// Syncs a list. Returns whether it was committed; `None` if it was truncated.
fn sync(mirror: &mut Mirror, list: &List, emits_baseline: bool, is_cut: bool) -> Option<bool> {
    let (_, rejected, accept) = list;
    let rules = Rules { accepted_missing: accept.map(u64::from), emits_baseline };
    let mut run = mirror.begin("photos/list", &PHOTO, rules).unwrap();
    for _ in 0..*rejected {
        run.reject("a reason").unwrap();
    }
    for (id, size) in records(list) {
        run.record(&format!(r#"{{"id":"{id}","size":{size}}}"#)).unwrap();
    }
    if is_cut {
        return None;
    }
    match run.finish() {
        Ok(_) => Some(true),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::DeletionGuard);
            Some(false)
        }
    }
}

/// Compares the table with the model.
fn check(mirror: &Mirror, model: &Model) {
    let mut records = BTreeMap::new();
    match mirror.browse("photo", &Filter::new(), &Paging::new(usize::MAX)) {
        Err(error) => assert_eq!(error.kind(), ErrorKind::Table),
        Ok(page) => {
            for record in page.records {
                let json: serde_json::Value = serde_json::from_str(&record.json).unwrap();
                let size = json["size"].as_u64().unwrap();
                let id: u8 = record.id.parse().unwrap();
                records.insert(id, (record.state, u8::try_from(size).unwrap()));
            }
        }
    }
    let expected = model.records.iter().map(|(id, record)| (*id, (record.state, record.size)));
    assert_eq!(records, expected.collect());
}

fn feed(mirror: &Mirror, cursor: Option<&Cursor>) -> Vec<Change> {
    mirror.changes(cursor, usize::MAX).unwrap().0
}

/// Every position in the feed has exactly one notation, and any other text is refused.
fn cursors(mirror: &Mirror) {
    let cursor = mirror.cursor().unwrap();
    assert!(feed(mirror, Some(&cursor)).is_empty());
    let text = cursor.to_string();
    for (index, letter) in text.char_indices() {
        for other in
            ["", "0", "+", " ", "."].into_iter().filter(|other| *other != letter.to_string())
        {
            for changed in [
                format!("{}{other}{}", &text[..index], &text[index + 1..]),
                format!("{}{other}{}", &text[..index], &text[index..]),
            ] {
                let read =
                    changed.parse::<Cursor>().and_then(|cursor| mirror.changes(Some(&cursor), 1));
                assert!(changed == text || read.is_err(), "{changed} is read as {text}");
            }
        }
    }
}

/// The expected content of a mirror.
#[derive(Debug, Default)]
struct Model {
    records: BTreeMap<u8, Expected>,
    forgotten: Vec<u8>,
    is_complete: bool,
    /// How many records left the lists, minus those that came, all within a week.
    left: i64,
    /// The states that replaying the feed gives.
    folded: BTreeMap<u8, State>,
}

#[derive(Clone, Debug)]
struct Expected {
    state: State,
    size: u8,
}

impl Model {
    /// Returns whether the list is committed.
    fn list(&mut self, list: &List, emits_baseline: bool) -> bool {
        let &(_, rejected, accept) = list;
        let before = self.records.clone();
        let (mut listed, mut is_rejected) = (BTreeMap::new(), rejected > 0);
        for (id, size) in records(list).filter(|(id, _)| !self.forgotten.contains(id)) {
            let first = *listed.entry(id).or_insert(size);
            is_rejected |= first != size;
        }
        for (id, size) in &listed {
            let known = Expected { state: State::Present, size: *size };
            self.records.insert(*id, known);
        }
        let present = before.iter().filter(|(_, one)| one.state == State::Present);
        let present: BTreeMap<_, _> = present.collect();
        let came = listed.keys().filter(|id| !present.contains_key(id)).count();
        if is_rejected {
            self.add_left(0, came);
        } else {
            let newly = present.keys().filter(|id| !listed.contains_key(id)).count();
            let is_empty = rejected == 0 && records(list).next().is_none();
            let is_too_many = newly > 50 && newly > present.len() / 10;
            let (left, now) =
                (self.left + signed(newly) - signed(came), present.len() - newly + came);
            let is_shrunk = left > 50 && left > (signed(now) + left) / 10;
            let is_refused = newly > 0 && (is_empty || is_too_many || is_shrunk);
            if is_refused && accept.is_none_or(|count| usize::from(count) != newly) {
                self.records = before;
                return false;
            }
            self.add_left(newly, came);
            if is_refused {
                // It was accepted.
                self.left = 0;
            }
            let absent = self.records.iter_mut().filter(|(id, _)| !listed.contains_key(id));
            for (_, record) in absent {
                match record.state {
                    State::Present => record.state = State::Missing,
                    State::Missing => record.state = State::Gone,
                    _ => {}
                }
            }
        }
        if !self.is_complete && !emits_baseline {
            self.folded = self.live();
        }
        self.is_complete = true;
        true
    }

    /// Counts the records that left and came, unless the list is the first one.
    fn add_left(&mut self, newly: usize, came: usize) {
        if self.is_complete {
            self.left += signed(newly) - signed(came);
        }
    }

    fn forget(&mut self, id: u8) {
        self.forgotten.push(id);
        if let Some(record) = self.records.get_mut(&id) {
            record.state = State::Forgotten;
        }
    }

    fn unforget(&mut self, id: u8) -> bool {
        if let Some(record) = self.records.get_mut(&id)
            && record.state == State::Forgotten
        {
            record.state = State::Gone;
        }
        let before = self.forgotten.len();
        self.forgotten.retain(|other| *other != id);
        self.forgotten.len() < before
    }

    /// The states that a reader of the feed knows.
    fn live(&self) -> BTreeMap<u8, State> {
        let live = |state| match state {
            State::Forgotten => State::Gone,
            state => state,
        };
        self.records.iter().map(|(id, record)| (*id, live(record.state))).collect()
    }

    fn fold(&mut self, change: &Change) {
        let id = change.id.parse().unwrap();
        let state = match change.kind {
            ChangeKind::Added => State::Present,
            ChangeKind::Returned => {
                assert!(matches!(self.folded[&id], State::Missing | State::Gone));
                State::Present
            }
            ChangeKind::Changed => {
                assert_eq!(change.fields, ["size"]);
                assert_eq!(self.folded[&id], State::Present);
                State::Present
            }
            ChangeKind::Missing => {
                assert_eq!(self.folded[&id], State::Present);
                State::Missing
            }
            ChangeKind::Gone => State::Gone,
            other => panic!("a change of kind {}", other.as_str()),
        };
        let before = self.folded.insert(id, state);
        assert_eq!(change.kind == ChangeKind::Added, before.is_none());
    }
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap()
}

fn records(list: &List) -> impl Iterator<Item = (u8, u8)> {
    let each = |&(first, count, size): &(u8, u8, u8)| {
        (0..count).map(move |offset| (first.wrapping_add(offset), size))
    };
    list.0.iter().take(3).flat_map(each)
}

const PHOTO: Table =
    Table::new("photo", "id", &[Column::text(&["id"]), Column::integer(&["size"])]);
