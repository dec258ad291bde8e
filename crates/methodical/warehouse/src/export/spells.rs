//! The spells: past values of recovered tables.

use methodical_mirror::{Snapshot, Spell};

use crate::columns::{Column, Kind, Value};
use crate::delta::state::State;
use crate::error::Error;
use crate::export::draft::Draft;
use crate::export::ranges::{Hash, Numbered, Ranges};

/// The spells of a table.
#[derive(Debug)]
struct Spells<'a> {
    table: &'a str,
}

/// Returns the columns of the table.
pub(crate) fn columns() -> Vec<Column> {
    vec![
        Column::new("number", Kind::Integer),
        Column::new("table_name", Kind::Text),
        Column::new("record_id", Kind::Text),
        Column::new("group_id", Kind::Text),
        Column::new("member_id", Kind::Text),
        Column::new("value", Kind::Text),
        Column::new("began_at", Kind::Time),
        Column::new("ended_at", Kind::Time),
        Column::new("began_before", Kind::Boolean),
    ]
}

/// Writes the files whose spells differ.
pub(crate) fn write(
    tables: &[&'static str],
    snapshot: &mut Snapshot<'_>,
    state: &State,
    draft: &mut Draft,
) -> Result<(), Error> {
    let mut ranges = Ranges::of(state, draft);
    for &table in tables {
        ranges.write(&format!("{table}-"), &Spells { table }, snapshot, draft)?;
    }
    ranges.finish(draft);
    Ok(())
}

impl Numbered for Spells<'_> {
    type Row = Spell;

    fn columns(&self) -> Vec<Column> {
        columns()
    }

    fn page(
        &self,
        snapshot: &mut Snapshot<'_>,
        after: i64,
        limit: usize,
    ) -> Result<Vec<Spell>, Error> {
        Ok(snapshot.spells(self.table, after, limit)?)
    }

    fn number(spell: &Spell) -> i64 {
        spell.number
    }

    fn hash(spell: &Spell, hash: &mut Hash) {
        for text in [&spell.id, &spell.group, &spell.member] {
            hash.lasting(text);
        }
        hash.lasting([u8::from(spell.value.is_some())]);
        hash.lasting(spell.value.as_deref().unwrap_or_default());
        hash.lasting(spell.began_at.to_le_bytes());
        hash.lasting([u8::from(spell.began_before)]);
        hash.changing(spell.ended_at.unwrap_or(i64::MIN).to_le_bytes());
    }

    fn with(
        &self,
        spell: &Spell,
        take: impl FnOnce(&[Option<Value<'_>>]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let time = |seconds: i64| Value::Time(seconds.saturating_mul(1_000_000));
        take(&[
            Some(Value::Integer(spell.number)),
            Some(Value::Text(self.table)),
            Some(Value::Text(&spell.id)),
            Some(Value::Text(&spell.group)),
            Some(Value::Text(&spell.member)),
            spell.value.as_deref().map(Value::Text),
            Some(time(spell.began_at)),
            spell.ended_at.map(time),
            Some(Value::Boolean(spell.began_before)),
        ])
    }
}
