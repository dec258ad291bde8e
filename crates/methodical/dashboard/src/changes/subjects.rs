//! The records that changes are about.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use methodical_mirror::{Change, Record};

use crate::cells::{cell, fields, text};
use crate::link;
use crate::outline::{Placements, title};
use crate::shared::{Problem, Shared};

/// The record of a change.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) title: String,
    pub(crate) href: Option<String>,
    /// The group of a placement, with its link.
    pub(crate) group: Option<(String, String)>,
}

/// The records of many changes. A query for each table reads them.
pub(crate) struct Subjects {
    /// The groups and members of placements, by the tables and identities of these.
    places: HashMap<(String, String), (String, String)>,
    /// The records by table and identity.
    records: HashMap<(String, String), Record>,
}

impl Subjects {
    pub(crate) fn of(shared: &Shared, changes: &[Change]) -> Result<Self, Problem> {
        let mut wanted = Wanted::default();
        let mut places = HashMap::new();
        for change in changes {
            wanted.add(&change.table, &change.id);
        }
        for board in &shared.outline.boards {
            let ids = wanted.0.remove(board.placements.table).unwrap_or_default();
            for (id, placement) in read(shared, board.placements.table, &ids)? {
                let Some((group, member)) = parts(&placement, &board.placements) else { continue };
                wanted.add(board.groups.name(), &group);
                wanted.add(board.members.name(), &member);
                places.insert((board.placements.table.to_owned(), id), (group, member));
            }
        }
        let mut records = HashMap::new();
        for (table, ids) in wanted.0 {
            if shared.outline.table(&table).is_some() {
                let found = read(shared, &table, &ids)?;
                records.extend(found.into_iter().map(|(id, one)| ((table.clone(), id), one)));
            }
        }
        Ok(Self { places, records })
    }

    /// Returns the record of a change, or the member and the group of a placement.
    pub(crate) fn of_change(&self, shared: &Shared, change: &Change) -> Subject {
        let board = shared.outline.boards.iter().find(|one| one.placements.table == change.table);
        let Some(board) = board else { return self.named(shared, &change.table, &change.id) };
        let key = (change.table.clone(), change.id.clone());
        let Some((group, member)) = self.places.get(&key) else {
            return Subject { title: change.id.clone(), href: None, group: None };
        };
        let group = self.named(shared, board.groups.name(), group);
        let member = self.named(shared, board.members.name(), member);
        Subject { group: group.href.map(|href| (group.title, href)), ..member }
    }

    /// Returns the title of a record and its link, which it has if the mirror has the record.
    fn named(&self, shared: &Shared, table: &str, id: &str) -> Subject {
        let record = self.records.get(&(table.to_owned(), id.to_owned()));
        let column = shared.outline.table(table).and_then(title);
        let column = column.filter(|column| !(shared.masks && column.is_personal()));
        let title =
            record.zip(column).and_then(|(record, column)| cell(&fields(&record.json), column));
        Subject {
            title: title.filter(|title| !title.is_empty()).unwrap_or_else(|| id.to_owned()),
            href: record.map(|_| link::record(table, id)),
            group: None,
        }
    }
}

/// The identities of the records to read, by their tables.
#[derive(Default)]
struct Wanted(BTreeMap<String, BTreeSet<String>>);

impl Wanted {
    fn add(&mut self, table: &str, id: &str) {
        self.0.entry(table.to_owned()).or_default().insert(id.to_owned());
    }
}

fn read(
    shared: &Shared,
    table: &str,
    ids: &BTreeSet<String>,
) -> Result<HashMap<String, Record>, Problem> {
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    Ok(shared.mirror.records_of(table, &ids)?)
}

/// Returns the identities of the group and of the member of a placement.
fn parts(placement: &Record, placements: &Placements) -> Option<(String, String)> {
    let all = fields(&placement.json);
    let part = |column: &str| all.get(column).and_then(text);
    Some((part(placements.group)?, part(placements.member)?))
}
