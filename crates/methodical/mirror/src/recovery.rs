//! Placements: the rows of a recovered table, one for each member of each group. They are erased with their member or group.

pub(crate) mod asking;
pub(crate) mod values;

use std::collections::BTreeMap;

use methodical_model::tables::{Column, ColumnKind, Table};
use serde::{Deserialize, Serialize};
use serde_json::{Value as JsonValue, json};

use crate::error::{Error, ErrorKind};
use crate::feed::ChangeKind;
use crate::queries::Dialect;
use crate::recovery::values::Of;
use crate::store::filter::Filter;
use crate::store::rows::State;
use crate::store::{Store, quoted, utc};

/// The table of a recovery, and what it is recovered from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) table: &'static Table,
    pub(crate) members: &'static Table,
    pub(crate) groups: &'static Table,
    /// The name of the value.
    pub(crate) value: &'static str,
    pub(crate) known_values: &'static [&'static str],
}

impl Target {
    /// Returns the names of the columns: identity, group, member, and value.
    pub(crate) fn columns(&self) -> Result<[&'static str; 4], Error> {
        let names = self.table.columns().iter().map(Column::path);
        let names: Vec<&str> = names.filter_map(|path| path.first().copied()).collect();
        <[&str; 4]>::try_from(names).map_err(|names| {
            let text = format!(
                "cannot recover into `{}`: it has {} columns, and a recovered table has 4",
                self.table.name(),
                names.len()
            );
            Error::new(ErrorKind::Table, text)
        })
    }

    /// Returns a placement as JSON text.
    pub(crate) fn record(
        &self,
        group: &str,
        member: &str,
        value: Option<&str>,
    ) -> Result<String, Error> {
        let [id, group_column, member_column, value_column] = self.columns()?;
        let identity = |column: usize, text: &str| {
            let column = self.table.columns().get(column);
            let is_number = column.is_some_and(|column| column.kind() == ColumnKind::Integer);
            let number = text.parse::<i64>().ok().filter(|_| is_number);
            number.map_or_else(|| JsonValue::from(text), JsonValue::from)
        };
        let record = json!({
            id: placement(group, member),
            group_column: identity(1, group),
            member_column: identity(2, member),
            value_column: value,
        });
        Ok(record.to_string())
    }
}

/// Returns the identity of a placement: group and member, joined by `/`. A `/` in the group is `%2F`.
fn placement(group: &str, member: &str) -> String {
    format!("{}/{member}", escaped(group))
}

/// Returns a group as written at the start of a placement's identity.
pub(crate) fn escaped(group: &str) -> String {
    group.replace('%', "%25").replace('/', "%2F")
}

/// Returns the group and the member of a placement from its identity.
pub(crate) fn parts(id: &str) -> (String, &str) {
    let (group, member) = id.split_once('/').unwrap_or(("", id));
    (group.replace("%2F", "/").replace("%25", "%"), member)
}

/// The recovered tables of a mirror, and their columns.
pub(crate) type Recovered = BTreeMap<String, References>;

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct References {
    pub(crate) group: To,
    pub(crate) member: To,
    pub(crate) value: String,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct To {
    pub(crate) column: String,
    pub(crate) table: String,
}

impl Store {
    pub(crate) fn recovered(&self) -> Result<Recovered, Error> {
        self.json_note(RECOVERED)
    }

    pub(crate) fn register_recovered(&self, target: &Target) -> Result<(), Error> {
        let [_, group, member, value] = target.columns()?;
        let to = |column: &str, table: &Table| To {
            column: column.to_owned(),
            table: table.name().to_owned(),
        };
        let references = References {
            group: to(group, target.groups),
            member: to(member, target.members),
            value: value.to_owned(),
        };
        let mut all = self.recovered()?;
        all.insert(target.table.name().to_owned(), references);
        self.set_json_note(RECOVERED, &all)?;
        self.create_view(all.keys().next().map_or("", |name| name))
    }

    /// Creates the view of the placements of a table, unless a list already has that name.
    fn create_view(&self, table: &str) -> Result<(), Error> {
        let view = self.relation(table)?.view(Dialect::Sqlite);
        let create = format!("CREATE VIEW {VIEW} AS {view}");
        let found = "SELECT type, sql FROM sqlite_schema WHERE name = ?1";
        let found = self.query(found, (VIEW,), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let found: Option<(String, String)> = found.into_iter().next();
        if found.is_some_and(|(kind, sql)| kind != "view" || sql == create) {
            return Ok(());
        }
        self.run(&format!("DROP VIEW IF EXISTS {VIEW}; {create}"))
    }

    /// Erases the placements of a gone or forgotten record, including their values. They count as gone, and a recovery
    /// does not bring back those of a forgotten record. Past values belong to the member: if a group is gone, they end;
    /// otherwise they are removed.
    pub(crate) fn erase_placements(
        &self,
        recovered: &Recovered,
        table: &str,
        id: &str,
        state: State,
        at: i64,
    ) -> Result<(), Error> {
        for (placements, References { group, member, .. }) in recovered {
            for to in [group, member].into_iter().filter(|to| to.table == table) {
                let keeps_values = to == group && state == State::Gone;
                if !keeps_values {
                    let of = if to == group { Of::Group(id) } else { Of::Member(id) };
                    self.erase_values(placements, of)?;
                }
                let (name, by) = (quoted(placements), quoted(&to.column));
                let index = quoted(&format!("mirror_index_{placements}_{}", to.column));
                self.run(&format!("CREATE INDEX IF NOT EXISTS {index} ON {name} ({by})"))?;
                let described = self.table(placements)?;
                let kept = [&described.shape.identity()?.name, &group.column, &member.column];
                let emptied = described.existing.iter().filter(|one| !kept.contains(one));
                let emptied: Vec<_> =
                    emptied.map(|one| format!("{} = NULL", quoted(one))).collect();
                let empty =
                    format!("UPDATE {name} SET {} WHERE mirror_key = ?1", emptied.join(", "));
                let live = Filter::new().state(State::Present).state(State::Missing);
                self.each_record(placements, &live.column(&to.column, id), |stored| {
                    self.erase(placements, stored.known, State::Gone, at)?;
                    self.execute(&empty, (stored.known.key,))?;
                    if keeps_values {
                        self.end_value(placements, &stored.id, at)?;
                    }
                    self.append(&utc(at), placements, &stored.id, ChangeKind::Gone)
                })?;
            }
        }
        Ok(())
    }
}

/// The view of the placements, of the first recovered table if there are several.
pub(crate) const VIEW: &str = "placement";

/// The note with the recovered tables.
const RECOVERED: &str = "recovered";

#[cfg(test)]
mod tests {
    use super::{escaped, parts, placement};

    #[test]
    fn no_two_placements_have_the_same_identity() {
        assert_eq!(placement("1", "7"), "1/7");
        assert_eq!(placement("a/b", "c"), "a%2Fb/c");
        assert_eq!(placement("a", "b/c"), "a/b/c");
        assert_eq!(escaped("a%2Fb"), "a%252Fb");
        for (group, member) in [("1", "7"), ("a/b", "c/d"), ("a%2Fb%", "%25")] {
            assert_eq!(parts(&placement(group, member)), (group.to_owned(), member));
        }
    }
}
