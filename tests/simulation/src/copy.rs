//! The content of a mirror, and the content that it must have after a sync.

use std::collections::BTreeMap;

use methodical_mirror::{Change, ChangeKind, Error, Filter, Mirror, Paging, State};

use crate::account::Records;

/// Everything that a mirror has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Copy {
    /// The rows of each table by identity.
    pub(crate) tables: BTreeMap<&'static str, Rows>,
    /// The whole feed.
    pub(crate) feed: Vec<Change>,
    /// The findings of the mirror's check of itself.
    pub(crate) findings: Vec<String>,
}

/// The rows of a table by identity: the state, and the record.
pub(crate) type Rows = BTreeMap<String, (State, String)>;

impl Copy {
    /// Reads everything, and lets the mirror check itself.
    pub(crate) fn checked(mirror: &Mirror) -> Result<Self, Error> {
        let findings = mirror.check()?.findings.iter().map(ToString::to_string).collect();
        Ok(Self { findings, ..Self::read(mirror)? })
    }

    /// Reads everything.
    pub(crate) fn read(mirror: &Mirror) -> Result<Self, Error> {
        let mut copy = Self::default();
        let existing = mirror.tables()?;
        for name in [CANDIDATES, VACANCIES, PLACEMENTS] {
            let rows = copy.tables.entry(name).or_default();
            if existing.iter().any(|status| status.table == name) {
                let page = mirror.browse(name, &Filter::new(), &Paging::new(usize::MAX))?;
                let records = page.records.into_iter();
                rows.extend(records.map(|one| (one.id, (one.state, one.json))));
            }
        }
        copy.feed = mirror.changes(None, usize::MAX)?.0;
        Ok(copy)
    }

    /// Returns the rows of a table.
    pub(crate) fn rows(&self, table: &str) -> &Rows {
        self.tables.get(table).unwrap_or(const { &Rows::new() })
    }

    /// Returns the present placements: vacancy, candidate, and the status if it is known.
    pub(crate) fn placements(&self) -> BTreeMap<(i64, i64), Option<String>> {
        let present = self.rows(PLACEMENTS).values().filter(|(state, _)| *state == State::Present);
        present
            .filter_map(|(_, json)| {
                let number = |name: &str| member(json, name)?.parse().ok();
                Some(((number("vacancy_id")?, number("candidate_id")?), member(json, "status")))
            })
            .collect()
    }

    /// Returns the states that replaying the feed gives. A record that was never reported has none.
    pub(crate) fn fold(&self) -> BTreeMap<(String, String), State> {
        let mut states = BTreeMap::new();
        for change in &self.feed {
            let state = match change.kind {
                ChangeKind::Missing => State::Missing,
                ChangeKind::Gone => State::Gone,
                _ => State::Present,
            };
            states.insert((change.table.clone(), change.id.clone()), state);
        }
        states
    }

    /// Returns the states of the rows.
    pub(crate) fn states(&self) -> BTreeMap<(String, String), State> {
        let rows = self.tables.iter().flat_map(|(table, rows)| {
            rows.iter().map(|(id, (state, _))| (((*table).to_owned(), id.clone()), *state))
        });
        rows.collect()
    }
}

/// Returns whether a complete list turns a table from `before` into `after`: each record of the list is present, and
/// any other one is missing at first, and then gone.
pub(crate) fn is_synced(table: &str, before: &Rows, after: &Rows, records: &Records) -> bool {
    let (list, name) = match table {
        CANDIDATES => (records.list(None, None), "name"),
        _ => (records.projects(), "project"),
    };
    let list: BTreeMap<String, String> = list.into_iter().collect();
    let is_known = |id: &String| before.contains_key(id) || list.contains_key(id);
    let is_as_expected = |id: &String| {
        let was = before.get(id).map(|(state, _)| *state);
        let Some((state, json)) = after.get(id) else { return false };
        match (list.get(id), was) {
            (Some(text), _) => {
                *state == State::Present && member(json, name).as_ref() == Some(text)
            }
            (None, Some(State::Present)) => *state == State::Missing,
            (None, _) => *state == State::Gone,
        }
    };
    after.keys().all(is_known) && before.keys().chain(list.keys()).all(is_as_expected)
}

/// Returns the text of a member of a JSON object.
fn member(json: &str, name: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(json).ok()?;
    Some(value.get(name)?.as_str()?.to_owned())
}

/// The table of the candidates.
pub(crate) const CANDIDATES: &str = "candidate";

/// The table of the vacancies.
pub(crate) const VACANCIES: &str = "vacancy";

/// The recovered table: candidates in vacancies, with their statuses.
pub(crate) const PLACEMENTS: &str = "candidate_vacancy";
