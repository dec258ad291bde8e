//! The table of spells.

use std::mem::take;

use ::postgres::Row;
use ::postgres::types::Type;

use crate::error::Error;
use crate::keep::spell::{Spell, SpellFilter};
use crate::recovery::target::parts;
use crate::store::postgres::copy::{Rows, clamped};
use crate::store::postgres::link::{Link, Parameter, Session};
use crate::store::postgres::rows::get;
use crate::store::postgres::table::{append, quoted, seconds};
use crate::store::spells::{Direction, SpellPage, SpellStep, SpellsOf, StepKind};

/// Changes of spells that were not sent yet. A placement has at most one of each kind.
#[derive(Default)]
pub(crate) struct Pending {
    begun: Rows,
    ended: Ids,
    resumed: Ids,
}

/// Placements, one array for each column.
#[derive(Default)]
struct Ids {
    tables: Vec<String>,
    ids: Vec<String>,
    members: Vec<String>,
    times: Vec<i64>,
}

impl Ids {
    fn push(&mut self, step: &SpellStep<'_>, at: i64) {
        self.tables.push(step.table.to_owned());
        self.ids.push(step.id.to_owned());
        self.members.push(parts(step.id).1.to_owned());
        self.times.push(clamped(at));
    }
}

impl Pending {
    pub(crate) fn push(&mut self, step: &SpellStep<'_>) {
        match step.kind {
            StepKind::Resume => self.resumed.push(step, 0),
            StepKind::End { at } => self.ended.push(step, at),
            StepKind::Begin { value, at, began_before } => {
                let (group, member) = parts(step.id);
                self.begun.begin(7);
                for text in [step.table, step.id, &group, member] {
                    self.begun.text(text);
                }
                self.begun.optional(value);
                self.begun.time(at);
                self.begun.bytes(&[u8::from(began_before)]);
            }
        }
    }

    /// Sends the changes, and does not wait for them. A spell is resumed before it ends, and ends before the next one begins.
    pub(crate) fn flush(&mut self, link: &Link, schema: &str) -> Result<(), Error> {
        let own =
            "s.member_id = one.member AND s.record_id = one.id AND s.table_name = one.table_name";
        for (ids, update) in [
            (
                take(&mut self.resumed),
                format!(
                    "UPDATE {schema}.mirror_spell SET ended_at = NULL WHERE number IN (SELECT max(s.number) \
                     FROM {schema}.mirror_spell s JOIN {FROM} ON {own} GROUP BY s.table_name, s.record_id)"
                ),
            ),
            (
                take(&mut self.ended),
                format!(
                    "UPDATE {schema}.mirror_spell s SET ended_at = greatest(began_at, to_timestamp(one.at)) \
                     FROM {FROM} WHERE {own} AND s.ended_at IS NULL"
                ),
            ),
        ] {
            if !ids.ids.is_empty() {
                link.post(move |session| {
                    let parameters: [Parameter<'_>; 4] = [
                        (&ids.tables, Type::TEXT_ARRAY),
                        (&ids.ids, Type::TEXT_ARRAY),
                        (&ids.members, Type::TEXT_ARRAY),
                        (&ids.times, Type::INT8_ARRAY),
                    ];
                    session.execute(&update, &parameters)
                })?;
            }
        }
        if let Some(rows) = self.begun.take() {
            let sql = format!(
                "COPY {schema}.mirror_spell (table_name, record_id, group_id, member_id, value, began_at, \
                 began_before) FROM STDIN (FORMAT binary)"
            );
            link.post(move |session| rows.send(session, &sql))?;
        }
        Ok(())
    }
}

/// Which spells are removed: a condition and its parameters.
pub(crate) struct Removed {
    condition: &'static str,
    ids: [String; 2],
}

impl Removed {
    pub(crate) fn of(of: SpellsOf<'_>) -> Self {
        let (condition, ids) = match of {
            SpellsOf::Record(id) => ("record_id = $2 AND member_id = $3", [id, parts(id).1]),
            SpellsOf::Group(id) => ("group_id = $2 AND $3 = ''", [id, ""]),
            SpellsOf::Member(id) => ("member_id = $2 AND $3 = ''", [id, ""]),
            SpellsOf::Table => ("$2 = '' AND $3 = ''", [""; 2]),
        };
        Self { condition, ids: ids.map(str::to_owned) }
    }
}

/// Removes spells.
pub(crate) fn erase(
    session: &mut Session,
    schema: &str,
    table: &str,
    removed: &Removed,
) -> Result<(), Error> {
    let Removed { condition, ids: [first, second] } = removed;
    let delete = format!("DELETE FROM {schema}.mirror_spell WHERE table_name = $1 AND {condition}");
    let parameters: [Parameter<'_>; 3] =
        [(&table, Type::TEXT), (first, Type::TEXT), (second, Type::TEXT)];
    session.execute(&delete, &parameters).map(drop)
}

/// Removes the spells of placements that have no row in their table, which has this identity.
pub(crate) fn sweep(
    session: &mut Session,
    schema: &str,
    table: &str,
    identity: &str,
) -> Result<(), Error> {
    let delete = format!(
        "DELETE FROM {schema}.mirror_spell WHERE table_name = $1 \
         AND NOT EXISTS (SELECT 1 FROM {schema}.{} WHERE {}::text = record_id)",
        quoted(table),
        quoted(identity)
    );
    session.execute(&delete, &[(&table, Type::TEXT)]).map(drop)
}

/// Which spells to read.
pub(crate) struct Wanted {
    table: String,
    filter: SpellFilter,
    direction: Direction,
    limit: i64,
}

impl Wanted {
    pub(crate) fn of(page: &SpellPage<'_>) -> Self {
        let limit = i64::try_from(page.limit).unwrap_or(i64::MAX);
        let (table, filter) = (page.table.to_owned(), page.filter.clone());
        Self { table, filter, direction: page.direction, limit }
    }
}

/// Reads spells.
pub(crate) fn read(
    session: &mut Session,
    schema: &str,
    wanted: &Wanted,
) -> Result<Vec<Spell>, Error> {
    let Wanted { table, filter, direction, limit } = wanted;
    let (number, comparison, order) = match direction {
        Direction::After(number) => (number, ">", ""),
        Direction::Before(number) => (number, "<", " DESC"),
    };
    let mut select = format!(
        "SELECT number, record_id, group_id, member_id, value, {}, {}, began_before \
         FROM {schema}.mirror_spell WHERE table_name = $1 AND number {comparison} $2",
        seconds("began_at"),
        seconds("ended_at")
    );
    let mut parameters: Vec<Parameter<'_>> =
        vec![(table, Type::TEXT), (number, Type::INT8), (limit, Type::INT8)];
    let (from, before) = (filter.from.map(clamped), filter.before.map(clamped));
    let texts =
        [("record_id", &filter.id), ("group_id", &filter.group), ("member_id", &filter.member)];
    for (column, value) in texts {
        if let Some(value) = value {
            // No identity has U+0000, and PostgreSQL refuses it.
            if value.contains('\0') {
                return Ok(Vec::new());
            }
            parameters.push((value, Type::TEXT));
            append(&mut select, format_args!(" AND {column} = ${}", parameters.len()));
        }
    }
    if let Some(from) = &from {
        parameters.push((from, Type::INT8));
        let number = parameters.len();
        let condition =
            format_args!(" AND (ended_at IS NULL OR ended_at > to_timestamp(${number}))");
        append(&mut select, condition);
    }
    if let Some(before) = &before {
        parameters.push((before, Type::INT8));
        append(&mut select, format_args!(" AND began_at < to_timestamp(${})", parameters.len()));
    }
    append(&mut select, format_args!(" ORDER BY number{order} LIMIT $3"));
    let spell = |row: &Row| {
        Ok(Spell {
            number: get(row, 0)?,
            id: get(row, 1)?,
            group: get(row, 2)?,
            member: get(row, 3)?,
            value: get(row, 4)?,
            began_at: get(row, 5)?,
            ended_at: get(row, 6)?,
            began_before: get(row, 7)?,
        })
    };
    session.query(&select, &parameters)?.iter().map(spell).collect()
}

/// The placements of a statement.
const FROM: &str =
    "unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS one (table_name, id, member, at)";
