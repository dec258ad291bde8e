//! The past values of placements: which value each had, and when. They are stored in the table `mirror_spell`.

use crate::error::{Error, debug_with};
use crate::mirror::Mirror;
use crate::recovery::parts;
use crate::store::{Store, integer, quoted, utc};

/// A period in which a placement kept one value.
///
/// A recovery notices a change only after it happened: the period begins and ends at the times of the recoveries that
/// noticed it. Times are in seconds since 1970 (UTC), by the clock of the program that synced.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PastValue {
    /// Its number. A later one has a larger number.
    pub number: i64,
    /// The identity of the placement.
    pub id: String,
    /// The identity of the group.
    pub group: String,
    /// The identity of the member.
    pub member: String,
    /// The value; `None` while it was unknown.
    pub value: Option<String>,
    /// When a recovery found the value for the first time.
    pub began_at: i64,
    /// When a recovery first found another value, or no placement. `None` if the placement has the value.
    pub ended_at: Option<i64>,
    /// Whether the value may be much older than [`began_at`](Self::began_at): the first recovery of the table found it,
    /// or it follows an unknown value. Leave it out of averages.
    pub began_before: bool,
}

// Does not show the value, which belongs to the member.
debug_with!(PastValue: number, id, began_at, ended_at, began_before);

/// Whose past values are removed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Of<'a> {
    Record(&'a str),
    Group(&'a str),
    Member(&'a str),
    Table,
}

impl Store {
    /// Begins the time in which a placement has a value.
    pub(crate) fn begin_value(
        &self,
        table: &str,
        id: &str,
        value: Option<&str>,
        at: i64,
        began_before: bool,
    ) -> Result<(), Error> {
        let insert = "INSERT INTO mirror_spell (table_name, record_id, group_id, member_id, value, began_at, \
                      began_before) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let (group, member) = parts(id);
        self.execute(insert, (table, id, group, member, value, utc(at), began_before)).map(drop)
    }

    /// Ends the time in which a placement has its value.
    pub(crate) fn end_value(&self, table: &str, id: &str, at: i64) -> Result<(), Error> {
        let update = "UPDATE mirror_spell SET ended_at = max(began_at, ?4) \
                      WHERE member_id = ?1 AND record_id = ?2 AND table_name = ?3 AND ended_at IS NULL";
        self.execute(update, (parts(id).1, id, table, utc(at))).map(drop)
    }

    /// Gives a placement that was missing its last value again.
    pub(crate) fn resume_value(&self, table: &str, id: &str) -> Result<(), Error> {
        let update = "UPDATE mirror_spell SET ended_at = NULL WHERE number = (SELECT max(number) \
                      FROM mirror_spell WHERE member_id = ?1 AND record_id = ?2 AND table_name = ?3)";
        self.execute(update, (parts(id).1, id, table)).map(drop)
    }

    /// Removes past values, and empties those in the feed.
    pub(crate) fn erase_values(&self, table: &str, of: Of<'_>) -> Result<(), Error> {
        let (of, id, member) = match of {
            Of::Record(id) => ("record_id = ?2 AND member_id = ?3", id, parts(id).1),
            Of::Group(id) => ("group_id = ?2 AND ?3 = ''", id, ""),
            Of::Member(id) => ("member_id = ?2 AND ?3 = ''", id, ""),
            Of::Table => ("?2 = ?3", "", ""),
        };
        let erased = format!("FROM mirror_spell WHERE table_name = ?1 AND {of}");
        let empty = format!("{EMPTY_FEED} AND record_id IN (SELECT record_id {erased})");
        self.execute(&empty, (table, id, member))?;
        self.execute(&format!("DELETE {erased}"), (table, id, member)).map(drop)
    }

    /// Removes the past values of placements that have no row, and empties those in the feed.
    pub(crate) fn sweep_values(&self, table: &str) -> Result<(), Error> {
        let described = self.table(table)?;
        let identity = quoted(&described.shape.identity()?.name);
        let of = format!("record_id NOT IN (SELECT {identity} FROM {})", quoted(table));
        self.execute(&format!("{EMPTY_FEED} AND {of}"), (table,))?;
        let delete = format!("DELETE FROM mirror_spell WHERE table_name = ?1 AND {of}");
        self.execute(&delete, (table,)).map(drop)
    }
}

/// Empties values in the feed of a table. An index has the changes with values.
const EMPTY_FEED: &str = "UPDATE mirror_change SET previous = NULL, value = NULL \
                          WHERE (previous IS NOT NULL OR value IS NOT NULL) AND table_name = ?1";

impl Mirror {
    /// Returns the past values of a recovered table, or of one member, ordered by number, at most `limit`. Other tables
    /// have no past values.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// /// Returns how many times each value of a member ended, and the seconds of these times.
    /// fn time_in_value(mirror: &Mirror, member: &str) -> Result<BTreeMap<String, (u32, i64)>, Error> {
    ///     let mut times = BTreeMap::<String, (u32, i64)>::new();
    ///     for one in mirror.past_values("photo_album", Some(member), 1000)? {
    ///         if let (Some(value), Some(ended_at), false) = (one.value, one.ended_at, one.began_before) {
    ///             let (count, seconds) = times.entry(value).or_default();
    ///             *count += 1;
    ///             *seconds += ended_at - one.began_at;
    ///         }
    ///     }
    ///     Ok(times)
    /// }
    /// # assert!(time_in_value(&Mirror::in_memory()?, "7")?.is_empty());
    /// # Ok::<(), Error>(())
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
             FROM mirror_spell WHERE table_name = ?1 AND {of} ORDER BY number LIMIT ?2"
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
