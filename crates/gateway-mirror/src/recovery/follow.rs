//! The records of recovered tables that belong to an erased record: they are erased with it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engine::known::State;
use crate::error::{Error, ErrorKind};
use crate::feed::change::ChangeKind;
use crate::recovery::target::Target;
use crate::store::{Erased, NewChange, Store};

/// The columns that refer to a table.
pub(crate) type Referring = Vec<Reference>;

/// A column of a recovered table that refers to another table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    table: String,
    column: String,
    /// The columns that identify a placement: they stay when it is erased.
    kept: Vec<String>,
}

/// The recovered tables of a mirror.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Recovered(BTreeMap<String, References>);

/// The tables that the columns of a recovered table refer to, by the names of the columns.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct References(BTreeMap<String, String>);

/// Returns the columns of recovered tables that refer to this table.
pub(crate) fn referring(store: &mut dyn Store, table: &str) -> Result<Referring, Error> {
    let mut referring = Vec::new();
    for (recovered, References(columns)) in read(store)?.0 {
        let kept: Vec<String> = columns.keys().cloned().collect();
        let columns = columns.into_iter().filter(|(_, to)| to == table);
        referring.extend(columns.map(|(column, _)| Reference {
            table: recovered.clone(),
            column,
            kept: kept.clone(),
        }));
    }
    Ok(referring)
}

/// Notes a recovered table.
pub(crate) fn register(store: &mut dyn Store, target: &Target) -> Result<(), Error> {
    let [_, group, member, _] = target.columns()?;
    let columns = [(group, target.groups), (member, target.members)];
    let references = columns.map(|(column, to)| (column.to_owned(), to.name().to_owned()));
    let mut all = read(store)?;
    all.0.insert(target.table.name().to_owned(), References(references.into()));
    let note = serde_json::to_string(&all)
        .map_err(|error| Error::new(ErrorKind::Store, "cannot write a note").because(error))?;
    store.set_note(NOTE, &note)
}

/// Erases the records that refer to an erased one, also their values. They count as gone: a recovery does not bring back
/// those of a forgotten record.
pub(crate) fn erase(
    store: &mut dyn Store,
    referring: &Referring,
    id: &str,
    at: i64,
) -> Result<(), Error> {
    for Reference { table, column, kept } in referring {
        let erased = Erased { table, column, text: id, kept, state: State::Gone, at };
        let ids = store.erase_where(&erased)?;
        if ids.is_empty() {
            continue;
        }
        let count =
            count(store, table)?.saturating_add(u64::try_from(ids.len()).unwrap_or(u64::MAX));
        store.set_note(&counter(table), &count.to_string())?;
        for id in &ids {
            store.append(&NewChange { at, table, id, kind: ChangeKind::Gone, fields: &[] })?;
        }
    }
    Ok(())
}

/// Returns how many records of a recovered table were erased with others since the last call.
pub(crate) fn take_count(store: &mut dyn Store, table: &str) -> Result<u64, Error> {
    let count = count(store, table)?;
    if count > 0 {
        store.set_note(&counter(table), "0")?;
    }
    Ok(count)
}

fn count(store: &mut dyn Store, table: &str) -> Result<u64, Error> {
    let note = store.note(&counter(table))?;
    Ok(note.and_then(|count| count.parse().ok()).unwrap_or_default())
}

/// Returns the name of the note that counts the erased records of a recovered table.
fn counter(table: &str) -> String {
    format!("followed/{table}")
}

fn read(store: &mut dyn Store) -> Result<Recovered, Error> {
    let Some(note) = store.note(NOTE)? else { return Ok(Recovered::default()) };
    serde_json::from_str(&note).map_err(|error| {
        Error::new(ErrorKind::Store, "cannot read the mirror: a note is damaged").because(error)
    })
}

/// The note with the recovered tables.
const NOTE: &str = "recovered";
