//! The table of spells.

use rusqlite::types::Value;
use rusqlite::{Connection, Result, params_from_iter};

use crate::keep::spell::Spell;
use crate::recovery::target::parts;
use crate::store::data::{Direction, SpellPage, SpellStep, SpellsOf, StepKind};
use crate::store::table::{append, quoted};
use crate::time::utc;

/// Begins, ends or resumes a spell.
pub(crate) fn write(connection: &Connection, step: &SpellStep<'_>) -> Result<()> {
    let SpellStep { table, id, kind } = *step;
    let (group, member) = parts(id);
    match kind {
        StepKind::Begin { value, at, began_before } => {
            let insert = "INSERT INTO mirror_spell (table_name, record_id, group_id, member_id, value, began_at, \
                          began_before) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let row = (table, id, group, member, value, utc(at), began_before);
            connection.prepare_cached(insert)?.execute(row)?;
        }
        StepKind::End { at } => {
            let update = "UPDATE mirror_spell SET ended_at = max(began_at, ?4) \
                          WHERE member_id = ?1 AND record_id = ?2 AND table_name = ?3 AND ended_at IS NULL";
            connection.prepare_cached(update)?.execute((member, id, table, utc(at)))?;
        }
        StepKind::Resume => {
            let update = "UPDATE mirror_spell SET ended_at = NULL WHERE number = (SELECT max(number) \
                          FROM mirror_spell WHERE member_id = ?1 AND record_id = ?2 AND table_name = ?3)";
            connection.prepare_cached(update)?.execute((member, id, table))?;
        }
    }
    Ok(())
}

/// Removes spells.
pub(crate) fn erase(connection: &Connection, table: &str, of: SpellsOf<'_>) -> Result<()> {
    let delete = "DELETE FROM mirror_spell WHERE table_name = ?1";
    match of {
        SpellsOf::Record(id) => connection
            .prepare_cached(&format!("{delete} AND member_id = ?3 AND record_id = ?2"))?
            .execute((table, id, parts(id).1))?,
        SpellsOf::Group(id) => {
            connection.execute(&format!("{delete} AND group_id = ?2"), (table, id))?
        }
        SpellsOf::Member(id) => connection
            .prepare_cached(&format!("{delete} AND member_id = ?2"))?
            .execute((table, id))?,
        SpellsOf::Table => connection.execute(delete, (table,))?,
    };
    Ok(())
}

/// Removes the spells of placements that have no row in their table, which has this identity.
pub(crate) fn sweep(connection: &Connection, table: &str, identity: &str) -> Result<()> {
    let delete = format!(
        "DELETE FROM mirror_spell WHERE table_name = ?1 AND record_id NOT IN (SELECT {} FROM {})",
        quoted(identity),
        quoted(table)
    );
    connection.execute(&delete, (table,)).map(drop)
}

/// Reads spells.
pub(crate) fn read(connection: &Connection, page: &SpellPage<'_>) -> Result<Vec<Spell>> {
    let (number, comparison, order) = match page.direction {
        Direction::After(number) => (number, ">", ""),
        Direction::Before(number) => (number, "<", " DESC"),
    };
    let mut select = format!(
        "SELECT number, record_id, group_id, member_id, value, unixepoch(began_at), unixepoch(ended_at), began_before \
         FROM mirror_spell WHERE table_name = ?1 AND number {comparison} ?2"
    );
    let limit = i64::try_from(page.limit).unwrap_or(i64::MAX);
    let mut values = vec![Value::from(page.table.to_owned()), Value::from(number), limit.into()];
    let filter = page.filter;
    for (condition, value) in [
        ("record_id =", filter.id.clone()),
        ("member_id =", filter.id.as_deref().map(|id| parts(id).1.to_owned())),
        ("group_id =", filter.group.clone()),
        ("member_id =", filter.member.clone()),
        ("coalesce(ended_at, '9999') >", filter.from.map(utc)),
        ("began_at <", filter.before.map(utc)),
    ] {
        let Some(value) = value else { continue };
        values.push(value.into());
        append(&mut select, format_args!(" AND {condition} ?{}", values.len()));
    }
    append(&mut select, format_args!(" ORDER BY number{order} LIMIT ?3"));
    let mut statement = connection.prepare_cached(&select)?;
    let spells = statement.query_map(params_from_iter(values), |row| {
        Ok(Spell {
            number: row.get(0)?,
            id: row.get(1)?,
            group: row.get(2)?,
            member: row.get(3)?,
            value: row.get(4)?,
            began_at: row.get(5)?,
            ended_at: row.get(6)?,
            began_before: row.get(7)?,
        })
    });
    spells?.collect()
}
