//! Placements: the rows of a recovered table, one for each member of each group, and their past values.

pub(crate) mod asking;

use std::collections::BTreeMap;

use methodical_model::tables::{Column, ColumnKind, Table};
use serde::{Deserialize, Serialize};
use serde_json::{Value as JsonValue, json};

use crate::error::{Error, ErrorKind, debug_with};
use crate::feed::{ChangeKind, Difference};
use crate::mirror::Mirror;
use crate::queries::Dialect;
use crate::store::filter::Filter;
use crate::store::rows::{Record, State, id as id_of};
use crate::store::{Store, integer, quoted, utc};

/// The table that a recovery fills, and the tables that it connects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) table: &'static Table,
    pub(crate) members: &'static Table,
    pub(crate) groups: &'static Table,
    /// The name of the value, such as `status`.
    pub(crate) value: &'static str,
    pub(crate) known_values: &'static [&'static str],
}

impl Target {
    /// Returns the column names: identity, group, member, and value. Fails if the table does not have four columns.
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
        let identity =
            |column: usize, text: &str| match self.table.columns().get(column).map(Column::kind) {
                Some(ColumnKind::Integer) => {
                    text.parse::<i64>().map_or_else(|_| text.into(), JsonValue::from)
                }
                _ => JsonValue::from(text),
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

/// Returns a placement's identity: group and member, joined by `/`. In the group, `%` and `/` become `%25` and `%2F`.
fn placement(group: &str, member: &str) -> String {
    format!("{}/{member}", escaped(group))
}

/// Returns a group as it appears at the start of a placement's identity.
pub(crate) fn escaped(group: &str) -> String {
    group.replace('%', "%25").replace('/', "%2F")
}

/// Returns the group and the member of a placement from its identity.
pub(crate) fn parts(id: &str) -> (String, &str) {
    let (group, member) = id.split_once('/').unwrap_or(("", id));
    (group.replace("%2F", "/").replace("%25", "%"), member)
}

/// A mirror's recovered tables by name, with their columns.
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

    /// Creates the view of a table's placements, unless a table already has the name of the view.
    fn create_view(&self, table: &str) -> Result<(), Error> {
        let view = self.relation(table)?.view(Dialect::Sqlite, "");
        let create = format!("CREATE VIEW {VIEW} AS {view}");
        let kept = "SELECT 1 FROM sqlite_schema WHERE name = ?1 AND (type <> 'view' OR sql = ?2)";
        if !self.query(kept, (VIEW, &create), |_| Ok(()))?.is_empty() {
            return Ok(());
        }
        self.run(&format!("DROP VIEW IF EXISTS {VIEW}; {create}"))
    }

    /// Erases the placements of a gone or forgotten record, including their values. They count as gone, and no recovery
    /// brings back a placement of a forgotten record. Past values belong to the member: if a group is gone, they end;
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
                    let of = if to == group { "group_id = ?2" } else { "member_id = ?2" };
                    self.erase_values(placements, of, id)?;
                }
                let (name, by) = (quoted(placements), quoted(&to.column));
                let index = quoted(&format!("mirror_index_{placements}_{}", to.column));
                self.run(&format!("CREATE INDEX IF NOT EXISTS {index} ON {name} ({by})"))?;
                let described = self.table(placements)?;
                let kept = [&described.shape.identity()?.name, &group.column, &member.column];
                let emptied = described.existing.iter().filter(|one| !kept.contains(one));
                let emptied: Vec<_> =
                    emptied.map(|one| format!("{} = NULL", quoted(one))).collect();
                let live = Filter::new().state(State::Present).state(State::Missing);
                self.each_record(placements, &live.column(&to.column, id), |stored| {
                    let Record { number, id, state, .. } = stored.record;
                    self.erase(placements, (number, state), State::Gone, at)?;
                    if keeps_values {
                        self.end_value(placements, &id, at)?;
                    }
                    let (time, kind) = (utc(at), ChangeKind::Gone);
                    self.append(&time, placements, &id, kind, Difference::default())
                })?;
                // A placement whose member had left the group still has its value.
                let empty = format!("UPDATE {name} SET {} WHERE {by} = ?1", emptied.join(", "));
                self.execute(&empty, (id,))?;
            }
        }
        Ok(())
    }

    /// Erases the placements of all forgotten members and groups, even of those without a row of their own.
    pub(crate) fn forget_placements(&self, at: i64) -> Result<(), Error> {
        let recovered = self.recovered()?;
        for (placements, References { group, member, .. }) in &recovered {
            for To { column, table } in [group, member] {
                let forgotten = self.suppressed(table)?;
                let select =
                    format!("SELECT DISTINCT {} FROM {}", quoted(column), quoted(placements));
                let ids = self.query(&select, (), |row| Ok(id_of(row.get_ref(0)?)))?;
                for id in ids.iter().filter(|id| forgotten.has(id)) {
                    self.erase_placements(&recovered, table, id, State::Forgotten, at)?;
                }
            }
        }
        Ok(())
    }
}

/// The name of the view of placements. If there are several recovered tables, the view shows the first one.
pub(crate) const VIEW: &str = "placement";

/// The note with the recovered tables.
const RECOVERED: &str = "recovered";

/// A period in which a placement kept one value.
///
/// A recovery notices a change only after it happened: the period begins and ends at the times of the recoveries that
/// noticed its changes. Times are in seconds since 1970 (UTC), by the clock of the program that synced.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PastValue {
    /// The number of the past value. A later past value has a larger number.
    pub number: i64,
    /// The placement's identity.
    pub id: String,
    /// The group's identity.
    pub group: String,
    /// The member's identity.
    pub member: String,
    /// The value; `None` while it was unknown.
    pub value: Option<String>,
    /// When a recovery found the value for the first time.
    pub began_at: i64,
    /// When a recovery first found another value, or no placement. `None` if the placement still has the value.
    pub ended_at: Option<i64>,
    /// Whether the value may be much older than [`began_at`](Self::began_at): the first recovery of the table found it,
    /// or it follows an unknown value. Exclude it from averages.
    pub began_before: bool,
}

// Does not show the value, which belongs to the member.
debug_with!(PastValue: number, id, began_at, ended_at, began_before);

impl Store {
    /// Records that a placement has a value from now on.
    pub(crate) fn begin_value(
        &self,
        table: &str,
        id: &str,
        value: Option<&str>,
        at: i64,
        began_before: bool,
    ) -> Result<(), Error> {
        let insert = "INSERT INTO mirror_past_value (table_name, record_id, group_id, member_id, value, began_at, \
                      began_before) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let (group, member) = parts(id);
        self.execute(insert, (table, id, group, member, value, utc(at), began_before)).map(drop)
    }

    /// Records that a placement no longer has its value.
    pub(crate) fn end_value(&self, table: &str, id: &str, at: i64) -> Result<(), Error> {
        let update = "UPDATE mirror_past_value SET ended_at = max(began_at, ?4) \
                      WHERE member_id = ?1 AND record_id = ?2 AND table_name = ?3 AND ended_at IS NULL";
        self.execute(update, (parts(id).1, id, table, utc(at))).map(drop)
    }

    /// Removes the end of a placement's last value, because the placement was missing and has returned.
    pub(crate) fn resume_value(&self, table: &str, id: &str) -> Result<(), Error> {
        let update = "UPDATE mirror_past_value SET ended_at = NULL WHERE number = (SELECT max(number) \
                      FROM mirror_past_value WHERE member_id = ?1 AND record_id = ?2 AND table_name = ?3)";
        self.execute(update, (parts(id).1, id, table)).map(drop)
    }

    /// Removes past values and clears them in the feed. `of` is the SQL condition that selects them; its `?2` is `id`.
    pub(crate) fn erase_values(&self, table: &str, of: &str, id: &str) -> Result<(), Error> {
        self.note_erasure()?;
        let erased = format!("FROM mirror_past_value WHERE table_name = ?1 AND {of}");
        // An index covers the changes with values.
        let empty = format!(
            "UPDATE mirror_change SET previous = NULL, value = NULL WHERE table_name = ?1 \
             AND (previous IS NOT NULL OR value IS NOT NULL) AND record_id IN (SELECT record_id {erased})"
        );
        self.execute(&empty, (table, id))?;
        self.execute(&format!("DELETE {erased}"), (table, id)).map(drop)
    }

    /// Removes the past values of placements without a row and clears them in the feed.
    pub(crate) fn sweep_values(&self, table: &str) -> Result<(), Error> {
        let identity = quoted(&self.table(table)?.shape.identity()?.name);
        let of = format!("?2 = '' AND record_id NOT IN (SELECT {identity} FROM {})", quoted(table));
        self.erase_values(table, &of, "")
    }
}

impl Mirror {
    /// Returns up to `limit` past values of a recovered table or one member, ordered by number. Other tables have none.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// fn print_history(mirror: &Mirror, member: &str) -> Result<(), Error> {
    ///     for one in mirror.past_values("photo_album", Some(member), 1000)? {
    ///         println!("{}: {} to {:?}", one.value.unwrap_or_default(), one.began_at, one.ended_at);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn past_values(
        &self,
        table: &str,
        member: Option<&str>,
        limit: usize,
    ) -> Result<Vec<PastValue>, Error> {
        let of = if member.is_some() { "member_id = ?3" } else { "?3 IS NULL" };
        let select = format!(
            "SELECT number, record_id, group_id, member_id, value, unixepoch(began_at), unixepoch(ended_at), began_before \
             FROM mirror_past_value WHERE table_name = ?1 AND {of} ORDER BY number LIMIT ?2"
        );
        self.store().query(&select, (table, integer(limit), member), |row| {
            Ok(PastValue {
                number: row.get(0)?,
                id: row.get(1)?,
                group: row.get(2)?,
                member: row.get(3)?,
                value: row.get(4)?,
                began_at: row.get(5)?,
                ended_at: row.get(6)?,
                began_before: row.get(7)?,
            })
        })
    }
}

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
