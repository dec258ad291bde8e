//! The expected behavior of a mirror, written as plainly as possible: whole lists in memory, compared as parsed JSON.

use std::collections::BTreeSet;

use methodical_mirror::State;
use serde_json::{Map, Value};

/// One step of a history.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A complete list.
    List(Vec<Item>),
    /// The last complete list again, in this notation.
    Again(Spelling),
    /// A list that is truncated after these entries.
    Cut(Vec<Item>),
    /// Erases a record.
    Forget(String),
    /// From now on, the contract lists the field `stars`, or no longer lists it.
    Describe { has_stars: bool },
}

/// An entry of a list.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Record(Value),
    Rejected,
}

/// The notation of the records of a list, which does not change their meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Spelling {
    #[default]
    Compact,
    Spaced,
    /// The fields are in the opposite order.
    Reversed,
}

impl Spelling {
    pub(crate) fn of(self, record: &Value) -> String {
        match (self, record) {
            (Self::Spaced, _) => format!("{record:#}"),
            (Self::Reversed, Value::Object(fields)) => {
                // The order of the fields of a `Value` depends on a feature of serde_json.
                let fields: std::collections::BTreeMap<_, _> = fields.iter().collect();
                let fields = fields.into_iter().rev();
                let fields =
                    fields.map(|(name, value)| format!("{}:{value}", Value::from(&**name)));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
            }
            _ => record.to_string(),
        }
    }
}

/// The expected content of a mirror.
#[derive(Clone, Debug, Default)]
pub(crate) struct Oracle {
    /// In insertion order.
    pub(crate) records: Vec<Expected>,
    pub(crate) feed: Vec<String>,
    forgotten: BTreeSet<String>,
    pub(crate) is_complete: bool,
    has_stars: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub(crate) id: String,
    pub(crate) state: State,
    pub(crate) json: Value,
    misses: u32,
    had_stars: bool,
}

impl Oracle {
    pub(crate) fn describe(&mut self, has_stars: bool) {
        self.has_stars = has_stars;
    }

    pub(crate) fn forget(&mut self, id: &str) {
        self.forgotten.insert(id.to_owned());
        if let Some(record) = self.records.iter_mut().find(|record| record.id == id) {
            if matches!(record.state, State::Present | State::Missing) {
                self.feed.push(format!("gone {id}"));
            }
            record.state = State::Forgotten;
            record.erase();
        }
    }

    /// Returns whether the list is committed.
    pub(crate) fn list(&mut self, items: &[Item]) -> bool {
        let before = self.clone();
        let (mut seen, mut rejected, mut feed) = (Vec::new(), 0, Vec::new());
        for item in items {
            let Item::Record(json) = item else {
                rejected += 1;
                continue;
            };
            let id = json["id"].as_str().unwrap();
            if self.forgotten.contains(id) {
                continue;
            }
            if let Some((_, first)) = seen.iter().find(|(one, _)| *one == id) {
                rejected += u32::from(*first != json);
                continue;
            }
            seen.push((id, json));
            self.take(id, json, &mut feed);
        }
        if rejected == 0 {
            let was_present = |record: &Expected| record.state == State::Present;
            let is_absent = |record: &Expected| seen.iter().all(|(id, _)| *id != record.id);
            let newly = self.records.iter().filter(|one| was_present(one) && is_absent(one));
            if items.is_empty() && newly.count() > 0 {
                *self = before;
                return false;
            }
            for record in self.records.iter_mut().filter(|record| is_absent(record)) {
                match record.state {
                    State::Present => {
                        (record.state, record.misses) = (State::Missing, 1);
                        feed.push(format!("missing {}", record.id));
                    }
                    State::Missing => {
                        record.state = State::Gone;
                        record.erase();
                        feed.push(format!("gone {}", record.id));
                    }
                    _ => {}
                }
            }
        }
        if self.is_complete {
            self.feed.extend(feed);
        }
        self.is_complete = true;
        true
    }

    fn take(&mut self, id: &str, json: &Value, feed: &mut Vec<String>) {
        let has_stars = self.has_stars;
        let found = self.records.iter_mut().find(|record| record.id == id);
        let Some(record) = found else {
            feed.push(format!("added {id}"));
            let (id, state, json) = (id.to_owned(), State::Present, json.clone());
            self.records.push(Expected { id, state, json, misses: 0, had_stars: has_stars });
            return;
        };
        if record.state != State::Present {
            feed.push(format!("returned {id}"));
        }
        let fields = fields(&record.json, json, record.had_stars, has_stars);
        if record.state != State::Gone && !fields.is_empty() {
            feed.push(format!("changed {id} {}", fields.join(",")));
        }
        (record.state, record.misses) = (State::Present, 0);
        (record.json, record.had_stars) = (json.clone(), has_stars);
    }
}

impl Expected {
    /// Keeps the listed fields that are not personal.
    fn erase(&mut self) {
        let had_stars = self.had_stars;
        let Value::Object(fields) = &mut self.json else { return };
        let mut kept = Map::new();
        for (name, value) in fields.iter() {
            let is_listed = matches!(&**name, "id" | "size") || *name == "stars" && had_stars;
            if is_listed && !value.is_null() {
                kept.insert(name.clone(), value.clone());
            }
            if let ("place", Some(id)) = (&**name, value.get("id")) {
                kept.insert(name.clone(), serde_json::json!({ "id": id }));
            }
        }
        *fields = kept;
    }
}

/// Names the columns that differ.
fn fields(old: &Value, new: &Value, listed_before: bool, is_listed: bool) -> Vec<&'static str> {
    let mut fields = Vec::new();
    if old.get("x") != new.get("x")
        || !listed_before && !is_listed && old.get("stars") != new.get("stars")
    {
        fields.push("mirror_extra");
    }
    let place =
        |record: &Value, name: &str| record.get("place").and_then(|place| place.get(name)).cloned();
    let kind = |record: &Value| record.get("place").map(Value::is_null);
    if kind(old) != kind(new) {
        fields.push("place");
    }
    for (name, column) in [("id", "place_id"), ("name", "place_name")] {
        if place(old, name) != place(new, name) {
            fields.push(column);
        }
    }
    for name in ["size", "stars", "title"] {
        let counts = name != "stars" || listed_before && is_listed;
        if counts && old.get(name) != new.get(name) {
            fields.push(name);
        }
    }
    fields
}
