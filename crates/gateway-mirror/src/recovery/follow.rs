//! The records of recovered tables that belong to an erased record: they are erased with it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engine::known::State;
use crate::error::{Error, ErrorKind};
use crate::feed::change::ChangeKind;
use crate::recovery::target::Target;
use crate::store::{Erased, NewChange, Store};

/// The columns that refer to a table, as pairs of table and column.
pub(crate) type Referring = Vec<(String, String)>;

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
        let columns = columns.into_iter().filter(|(_, to)| to == table);
        referring.extend(columns.map(|(column, _)| (recovered.clone(), column)));
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

/// Erases the records that refer to an erased one. They count as gone: a recovery does not bring back those of a forgotten
/// record.
pub(crate) fn erase(
    store: &mut dyn Store,
    referring: &Referring,
    id: &str,
    at: i64,
) -> Result<(), Error> {
    for (table, column) in referring {
        for id in store.erase_where(&Erased { table, column, text: id, state: State::Gone, at })? {
            let (id, kind) = (&*id, ChangeKind::Gone);
            store.append(&NewChange { at, table, id, kind, fields: &[] })?;
        }
    }
    Ok(())
}

fn read(store: &mut dyn Store) -> Result<Recovered, Error> {
    let Some(note) = store.note(NOTE)? else { return Ok(Recovered::default()) };
    serde_json::from_str(&note).map_err(|error| {
        Error::new(ErrorKind::Store, "cannot read the mirror: a note is damaged").because(error)
    })
}

/// The note with the recovered tables.
const NOTE: &str = "recovered";
