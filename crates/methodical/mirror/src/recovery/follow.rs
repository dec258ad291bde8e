//! The records of recovered tables that belong to an erased record: they are erased with it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engine::known::State;
use crate::error::{Error, ErrorKind};
use crate::feed::change::ChangeKind;
use crate::recovery::target::Target;
use crate::store::Store;
use crate::store::data::{Erased, NewChange, SpellStep, SpellsOf, StepKind};

/// The columns that refer to a table.
pub(crate) type Referring = Vec<Reference>;

/// A column of a recovered table that refers to another table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    table: String,
    column: String,
    /// The columns that identify a placement: they stay when it is erased.
    kept: [String; 2],
    is_member: bool,
}

/// The recovered tables of a mirror.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Recovered(BTreeMap<String, References>);

/// The columns of a recovered table.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct References {
    group: To,
    member: To,
    value: String,
}

/// A column and the table that it refers to.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct To {
    column: String,
    table: String,
}

/// Returns the columns of recovered tables that refer to this table.
pub(crate) fn referring(store: &mut Store, table: &str) -> Result<Referring, Error> {
    let mut referring = Vec::new();
    for (recovered, References { group, member, .. }) in read(store)?.0 {
        let kept = [group.column.clone(), member.column.clone()];
        for (to, is_member) in [(group, false), (member, true)] {
            if to.table == table {
                let (table, kept) = (recovered.clone(), kept.clone());
                referring.push(Reference { table, column: to.column, kept, is_member });
            }
        }
    }
    Ok(referring)
}

/// Returns the recovered tables, with the column of the value.
pub(crate) fn recovered(store: &mut Store) -> Result<BTreeMap<String, String>, Error> {
    Ok(read(store)?.0.into_iter().map(|(table, columns)| (table, columns.value)).collect())
}

/// Notes a recovered table.
pub(crate) fn register(store: &mut Store, target: &Target) -> Result<(), Error> {
    let [_, group, member, value] = target.columns()?;
    let to = |column: &str, table: &str| To { column: column.to_owned(), table: table.to_owned() };
    let references = References {
        group: to(group, target.groups.name()),
        member: to(member, target.members.name()),
        value: value.to_owned(),
    };
    let mut all = read(store)?;
    all.0.insert(target.table.name().to_owned(), references);
    let note = serde_json::to_string(&all)
        .map_err(|error| Error::new(ErrorKind::Store, "cannot write a note").because(error))?;
    store.set_note(NOTE, &note)
}

/// Erases the records that refer to a gone or forgotten one, also their values. They count as gone: a recovery does not bring
/// back those of a forgotten record. Spells belong to the member: they end with a group that is gone, and are removed otherwise.
pub(crate) fn erase(
    store: &mut Store,
    referring: &Referring,
    id: &str,
    state: State,
    at: i64,
) -> Result<(), Error> {
    for Reference { table, column, kept, is_member } in referring {
        let keeps_spells = !is_member && state == State::Gone;
        if !keeps_spells {
            let of = if *is_member { SpellsOf::Member(id) } else { SpellsOf::Group(id) };
            store.erase_spells(table, of)?;
        }
        let erased = Erased { table, column, text: id, kept, state: State::Gone, at };
        let ids = store.erase_where(&erased)?;
        if ids.is_empty() {
            continue;
        }
        let count =
            count(store, table)?.saturating_add(u64::try_from(ids.len()).unwrap_or(u64::MAX));
        store.set_note(&counter(table), &count.to_string())?;
        for id in &ids {
            if keeps_spells {
                store.write_spell(&SpellStep { table, id, kind: StepKind::End { at } })?;
            }
            store.append(&NewChange { at, table, id, kind: ChangeKind::Gone, fields: &[] })?;
        }
    }
    Ok(())
}

/// Returns how many records of a recovered table were erased with others since the last call.
pub(crate) fn take_count(store: &mut Store, table: &str) -> Result<u64, Error> {
    let count = count(store, table)?;
    if count > 0 {
        store.set_note(&counter(table), "0")?;
    }
    Ok(count)
}

fn count(store: &mut Store, table: &str) -> Result<u64, Error> {
    let note = store.note(&counter(table))?;
    Ok(note.and_then(|count| count.parse().ok()).unwrap_or_default())
}

/// Returns the name of the note that counts the erased records of a recovered table.
fn counter(table: &str) -> String {
    format!("followed/{table}")
}

fn read(store: &mut Store) -> Result<Recovered, Error> {
    let Some(note) = store.note(NOTE)? else { return Ok(Recovered::default()) };
    serde_json::from_str(&note).map_err(|error| {
        Error::new(ErrorKind::Store, "cannot read the mirror: a note is damaged").because(error)
    })
}

/// The note with the recovered tables.
const NOTE: &str = "recovered";
