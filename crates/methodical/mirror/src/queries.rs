//! Queries about placements: who is where and since when, who is waiting, and what moved. Also reports for a period,
//! funnels, duplicates, and boards. All programs share these functions, so that figures agree.
//!
//! `table` is the name of a recovered table, such as `photo_album`; [`recovered`] lists them. Times are in seconds
//! since 1970 (UTC), by the clock of the program that synced. Functions with a `table` fail with [`ErrorKind::Table`]
//! if the mirror has no such table, and with any error of the store.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::{ControlFlow, Range};

use rusqlite::{OptionalExtension as _, Row, params_from_iter};

use crate::error::{Error, ErrorKind, debug_with};
use crate::fields::Kind;
use crate::mirror::Mirror;
use crate::recovery::References;
use crate::store::rows::id;
use crate::store::{OrFailed as _, Store, count, integer, quoted, utc};

/// A present placement: a member in a group, with its value.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Placement {
    /// The placement's identity.
    pub id: String,
    /// The identity of the member (a person, for example).
    pub member: String,
    /// The identity of the group (an album, for example).
    pub group: String,
    /// The group's title: the text in its first text column that is neither personal nor the identity, or `None`.
    pub title: Option<String>,
    /// The value; `None` while it is unknown.
    pub value: Option<String>,
    /// The last known value before this one; `None` if there was none.
    pub previous: Option<String>,
    /// When the placement got the value, as far as the mirror knows.
    pub since: i64,
    /// For how many days the placement has had the value: the number of midnights (UTC) from [`since`](Self::since)
    /// until the query.
    pub days: i64,
    /// Whether the placement may have had the value for longer: the first sync found it, or it was unknown before.
    pub is_older: bool,
}

// Does not show the values, which belong to the member.
debug_with!(Placement: id, since);

/// Selects placements and their order. The default is all of them, in insertion order.
///
/// ```
/// use methodical_mirror::queries::Wanted;
///
/// // Those in album 7 that have been waiting for review for five days or more, longest waiting first.
/// let wanted = Wanted { group: Some("7"), value: Some("In review"), days: 5, is_longest_first: true, ..Wanted::default() };
/// # assert_ne!(wanted, Wanted::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "fields that are not set have defaults")]
pub struct Wanted<'a> {
    /// Only placements in the group with this identity.
    pub group: Option<&'a str>,
    /// Only placements of the member with this identity.
    pub member: Option<&'a str>,
    /// Only placements with this value.
    pub value: Option<&'a str>,
    /// Only placements that have had their value for at least this many [days](Placement::days).
    pub days: u32,
    /// Whether to return the placements that have had their value longest first; otherwise, in insertion order.
    pub is_longest_first: bool,
}

/// A change of a placement from one value to another.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Move {
    /// When a sync found the change, in seconds since 1970 (UTC).
    pub at: i64,
    /// The member's identity.
    pub member: String,
    /// The group's identity.
    pub group: String,
    /// The group's [title](Placement::title).
    pub title: Option<String>,
    /// The old value; `None` if it was unknown.
    pub from: Option<String>,
    /// The new value; `None` if it became unknown.
    pub to: Option<String>,
    /// Whether the old value was unknown, so that the new one was learned rather than changed.
    pub is_learned: bool,
}

// Does not show the values, which belong to the member.
debug_with!(Move: at);

/// The counts for a period: new members, moves, and how long values were kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PeriodReport {
    /// How many members were seen for the first time.
    pub new: u64,
    /// How many times a placement changed its value, not counting values that were learned.
    pub moved: u64,
    /// How long placements had kept the values that they lost in the period, by value.
    pub times: Vec<ValueTime>,
    /// The groups in which something happened, ordered by identity.
    pub groups: Vec<GroupReport>,
    /// The number of new members for each text in the named column, most frequent first. Empty if no column was named.
    pub sources: Vec<(Option<String>, u64)>,
}

/// How long placements kept a value that they lost in a period.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValueTime {
    /// The value that these counts describe.
    pub value: String,
    /// How often a placement lost the value, not counting values that it got at an unknown time.
    pub times: u64,
    /// The average time for which the value was kept, in seconds.
    pub average: i64,
    /// The median time for which the value was kept, in seconds.
    pub median: i64,
}

/// The counts for one group in a period.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupReport {
    /// The group's identity.
    pub group: String,
    /// The group's [title](Placement::title).
    pub title: Option<String>,
    /// How many placements were seen for the first time.
    pub new: u64,
    /// How many times a placement of the group changed its value, not counting values that were learned.
    pub moved: u64,
}

/// How many records appeared in a table on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arrivals {
    /// When the day began (UTC), in seconds since 1970.
    pub day: i64,
    /// The text in the named column; `None` if no column was named or the column is empty.
    pub source: Option<String>,
    /// How many records were seen for the first time.
    pub count: u64,
}

/// How many placements ever had a value, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passage {
    /// What the counts are grouped by: the group's identity or, if [`passages`] was given a column, the member's text
    /// in that column; `None` if the column is empty.
    pub by: Option<String>,
    /// The value that these counts describe.
    pub value: String,
    /// How many placements have or had the value.
    pub ever: u64,
    /// How many of these placements have lost the value since.
    pub left: u64,
    /// The median time for which placements had the value, in seconds; `None` if no period has a known start and end.
    pub median: Option<i64>,
}

/// Records that may describe the same person.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Duplicate {
    /// The names of the columns that contain the shared value. Different records may have it in different columns.
    pub columns: Vec<String>,
    /// The identities of the records, at least two, in insertion order.
    pub ids: Vec<String>,
}

/// How many members each group has with each value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Board {
    /// The values: first the given ones, then others in alphabetical order, then `None` if some are unknown.
    pub values: Vec<Option<String>>,
    /// The present groups, in insertion order.
    pub groups: Vec<BoardGroup>,
}

/// A row of a [`Board`]: a group, and its number of members with each value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoardGroup {
    /// The group's identity.
    pub id: String,
    /// The group's [title](Placement::title).
    pub title: Option<String>,
    /// One cell for each value of the board, in the same order.
    pub cells: Vec<Cell>,
}

/// How many members of a group have one value, and since when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cell {
    /// How many members there are, counting only present placements.
    pub count: u64,
    /// When the first of these members got the value; 0 without members.
    pub since: i64,
    /// The median of the times at which they got the value; 0 unless requested.
    pub median: i64,
}

/// Returns the names of the recovered tables, in alphabetical order.
///
/// # Errors
///
/// Fails if the database cannot be read.
pub fn recovered(mirror: &Mirror) -> Result<Vec<String>, Error> {
    Ok(mirror.store().recovered()?.into_keys().collect())
}

/// Passes each selected placement to `take`, until `take` returns `Break`. Days are counted up to `now`. The mirror is
/// locked during the call, so do not use it within `take`.
///
/// # Errors
///
/// Fails as described in the [module documentation](self).
///
/// ```
/// use std::ops::ControlFlow;
///
/// use methodical_mirror::queries::{Wanted, placements};
/// use methodical_mirror::{Error, Mirror};
///
/// /// Prints who waits for review for a week or more.
/// fn print_waiting(mirror: &Mirror, now: i64) -> Result<(), Error> {
///     let wanted = Wanted { value: Some("In review"), days: 7, is_longest_first: true, ..Wanted::default() };
///     placements(mirror, "photo_album", &wanted, now, |one| {
///         println!("{} in {}: {} days", one.member, one.title.unwrap_or(one.group), one.days);
///         ControlFlow::Continue(())
///     })
/// }
/// # assert!(print_waiting(&Mirror::in_memory()?, 0).is_err());
/// # Ok::<(), Error>(())
/// ```
pub fn placements(
    mirror: &Mirror,
    table: &str,
    wanted: &Wanted<'_>,
    now: i64,
    mut take: impl FnMut(Placement) -> ControlFlow<()>,
) -> Result<(), Error> {
    let store = mirror.store();
    let relation = store.relation(table)?;
    let Wanted { group, member, value, days, is_longest_first } = *wanted;
    // The end of the day that was this number of days ago.
    let end = now.div_euclid(DAY).saturating_sub(i64::from(days)).saturating_add(1);
    let before = utc(end.saturating_mul(DAY).saturating_sub(1));
    let wanted = [
        (format!("{} =", quoted(&relation.of.group.column)), group),
        (format!("{} =", quoted(&relation.of.member.column)), member),
        (format!("{} =", quoted(&relation.of.value)), value),
        ("since <=".to_owned(), (days > 0).then_some(&*before)),
    ];
    let (mut conditions, mut parameters) = ("1 = 1".to_owned(), Vec::new());
    for (condition, value) in wanted {
        if let Some(value) = value {
            parameters.push(value);
            let _ = write!(conditions, " AND {condition} ?{}", parameters.len());
        }
    }
    let more = ", mirror_key AS key, unixepoch(since) AS since_seconds, is_older";
    let placements = relation.view(Dialect::Sqlite, more);
    let order = if is_longest_first { "since, key" } else { "key" };
    let select = format!("SELECT * FROM ({placements}) WHERE {conditions} ORDER BY {order}");
    store.read_each(&select, params_from_iter(parameters), |row| {
        Ok(take(read_placement(row, now).or_failed()?).is_continue())
    })
}

fn read_placement(row: &Row<'_>, now: i64) -> rusqlite::Result<Placement> {
    let since: i64 = row.get("since_seconds")?;
    Ok(Placement {
        id: row.get(0)?,
        member: id(row.get_ref(1)?),
        group: id(row.get_ref(2)?),
        title: row.get("title")?,
        value: row.get(4)?,
        previous: row.get(5)?,
        since,
        days: now.div_euclid(DAY).saturating_sub(since.div_euclid(DAY)).max(0),
        is_older: row.get("is_older")?,
    })
}

/// Returns the moves in a period, oldest first: values that changed or were learned. A new placement is not a move, so
/// the first sync of a table has no moves.
///
/// # Errors
///
/// Fails as described in the [module documentation](self).
pub fn moves(mirror: &Mirror, table: &str, period: Range<i64>) -> Result<Vec<Move>, Error> {
    let store = mirror.store();
    let relation = store.relation(table)?;
    // Looks up the old value only for values that began in the period; a window function would sort all past values.
    let select = format!(
        "SELECT unixepoch(s.began_at), s.member_id, s.group_id, {}, b.value, s.value FROM mirror_past_value s \
         JOIN mirror_past_value b ON b.number = (SELECT number FROM mirror_past_value WHERE member_id = s.member_id \
         AND record_id = s.record_id AND table_name = s.table_name AND number < s.number ORDER BY number DESC LIMIT 1) \
         WHERE s.table_name = ?1 AND s.began_at >= ?2 AND s.began_at < ?3 AND b.value IS NOT s.value \
         ORDER BY s.began_at, s.number",
        relation.title_of("", "s.group_id")
    );
    store.query(&select, (table, utc(period.start), utc(period.end)), |row| {
        let (from, to): (Option<String>, Option<String>) = (row.get(4)?, row.get(5)?);
        let (at, member, group, title) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        Ok(Move { at, member, group, title, is_learned: from.is_none(), from, to })
    })
}

/// Returns what happened in a period. Given a column of the members, such as `portal_name`, also counts the new members
/// by their text in that column.
///
/// # Errors
///
/// Fails as described in the [module documentation](self), and if the members have no such column.
pub fn report(
    mirror: &Mirror,
    table: &str,
    period: Range<i64>,
    source: Option<&str>,
) -> Result<PeriodReport, Error> {
    let times = times(mirror, table, period.clone())?;
    let mut report = PeriodReport { times, ..PeriodReport::default() };
    let mut groups: BTreeMap<String, GroupReport> = BTreeMap::new();
    for one in moves(mirror, table, period.clone())?.into_iter().filter(|one| !one.is_learned) {
        report.moved += 1;
        let group = groups.entry(one.group.clone()).or_default();
        (group.group, group.title) = (one.group, one.title);
        group.moved += 1;
    }
    let store = mirror.store();
    let relation = store.relation(table)?;
    let (from, until) = (utc(period.start), utc(period.end));
    let is_new = "mirror_first_seen >= ?1 AND mirror_first_seen < ?2";
    let select = format!(
        "SELECT {group}, {title}, count(*) FROM {table} WHERE {is_new} GROUP BY 1",
        group = quoted(&relation.of.group.column),
        title = relation.title_of("", &quoted(&relation.of.group.column)),
        table = quoted(table)
    );
    for (id, title, new) in store.query(&select, (&from, &until), |row| {
        Ok((id(row.get_ref(0)?), row.get(1)?, count(row, 2)?))
    })? {
        let group = groups.entry(id.clone()).or_default();
        (group.group, group.title, group.new) = (id, title, new);
    }
    report.groups = groups.into_values().collect();
    let members = quoted(&relation.of.member.table);
    let by = column(&store, &relation.of.member.table, source)?;
    let select = format!(
        "SELECT {by}, count(*) FROM {members} WHERE {is_new} GROUP BY 1 ORDER BY 2 DESC, 1"
    );
    let sources = store.query(&select, (&from, &until), |row| Ok((row.get(0)?, count(row, 1)?)))?;
    report.new = sources.iter().map(|(_, new)| *new).sum();
    report.sources = if source.is_some() { sources } else { Vec::new() };
    Ok(report)
}

/// Returns how many records of a table were seen for the first time on each day, at or after `since`. Given a column,
/// counts each text in it separately. The records of a table's first list do not count as arrivals.
///
/// # Errors
///
/// Returns [`ErrorKind::Table`] if the mirror has no such table or column, or any error of the store.
pub fn arrivals(
    mirror: &Mirror,
    table: &str,
    source: Option<&str>,
    since: i64,
) -> Result<Vec<Arrivals>, Error> {
    let store = mirror.store();
    store.table(table)?;
    let select = format!(
        "SELECT unixepoch(date(mirror_first_seen)), {by}, count(*) FROM {of} WHERE mirror_first_seen >= ?1 \
         AND mirror_first_seen > (SELECT mirror_first_seen FROM {of} ORDER BY mirror_key LIMIT 1) \
         GROUP BY 1, 2 ORDER BY 1, 2",
        by = column(&store, table, source)?,
        of = quoted(table)
    );
    store.query(&select, (utc(since),), |row| {
        Ok(Arrivals { day: row.get(0)?, source: row.get(1)?, count: count(row, 2)? })
    })
}

/// Returns how many present placements got their value at or before `since`, by value.
///
/// # Errors
///
/// Fails as described in the [module documentation](self).
pub fn waiting(
    mirror: &Mirror,
    table: &str,
    since: i64,
) -> Result<Vec<(Option<String>, u64)>, Error> {
    let store = mirror.store();
    let relation = store.relation(table)?;
    let [of, group, value] = [table, &relation.of.group.column, &relation.of.value].map(quoted);
    // Follows the index for boards, which covers all columns used here. The `+` avoids reading each row.
    let select = format!(
        "SELECT value, sum(members) FROM (SELECT {group}, {value} AS value, count(*) AS members FROM {of} \
         WHERE mirror_state = 'present' AND +mirror_changed_at <= ?1 GROUP BY {group}, {value}) GROUP BY 1 ORDER BY 1"
    );
    store.query(&select, (utc(since),), |row| Ok((row.get(0)?, count(row, 1)?)))
}

/// Returns the end values: a placement with an end value does not count as waiting.
///
/// `order` contains the values in the reader's order, in groups that may have names. If any group has a name, the end
/// values are those of the named groups. Otherwise, they are guessed: a value is an end value if fewer than one in ten
/// of the placements that ever had it have lost it. The first value in `order`, or in `known_values` if `order` is
/// empty, is never guessed. Until some placement has lost a value, the result is empty.
pub fn ends<'a>(
    passages: &'a [Passage],
    order: &'a [(Option<String>, Vec<String>)],
    known_values: &[&str],
) -> BTreeSet<&'a str> {
    let named = order.iter().filter(|(name, _)| name.is_some()).flat_map(|(_, values)| values);
    let named: BTreeSet<&str> = named.map(String::as_str).collect();
    if !named.is_empty() {
        return named;
    }
    let mut sums: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for one in passages {
        let (ever, left) = sums.entry(&one.value).or_default();
        *ever += one.ever;
        *left += one.left;
    }
    if sums.values().all(|(_, left)| *left == 0) {
        return BTreeSet::new();
    }
    let mut ordered = order.iter().flat_map(|(_, values)| values).map(String::as_str);
    let first = ordered.next().or_else(|| known_values.first().copied());
    sums.retain(|value, (ever, left)| first != Some(*value) && left.saturating_mul(10) < *ever);
    sums.into_keys().collect()
}

/// Returns the funnel: how many placements ever had each value and for how long, by group or, given a column of the
/// members such as `portal_name`, by its text. Placements that are gone count as long as their past values are kept.
///
/// # Errors
///
/// Fails as described in the [module documentation](self), and if the members have no such column.
pub fn passages(mirror: &Mirror, table: &str, source: Option<&str>) -> Result<Vec<Passage>, Error> {
    let store = mirror.store();
    let relation = store.relation(table)?;
    let (by, join) = match source {
        None => ("s.group_id".to_owned(), String::new()),
        Some(name) => {
            let identity = quoted(&store.table(&relation.of.member.table)?.shape.identity()?.name);
            let members = quoted(&relation.of.member.table);
            let join = format!("CROSS JOIN {members} m ON m.{identity} = s.member_id");
            (format!("m.{}", column(&store, &relation.of.member.table, Some(name))?), join)
        }
    };
    let select = format!(
        "SELECT {by}, s.value, s.record_id, s.ended_at IS NOT NULL, \
         CASE WHEN NOT s.began_before THEN unixepoch(s.ended_at) - unixepoch(s.began_at) END \
         FROM mirror_past_value s {join} WHERE s.table_name = ?1 AND s.value IS NOT NULL"
    );
    // To count distinct placements, the database would sort all past values each time. A hash of the placement and its
    // value is enough to count each pair once.
    let (state, mut had, mut lost) = (RandomState::new(), HashSet::new(), HashSet::new());
    let mut found: BTreeMap<_, (u64, u64, Vec<i64>)> = BTreeMap::new();
    store.query(&select, (table,), |row| {
        let value: String = row.get(1)?;
        let placement = state.hash_one((row.get_ref(2)?.as_str()?, &value));
        let (ever, left, seconds) = found.entry((row.get(0)?, value)).or_default();
        *ever += u64::from(had.insert(placement));
        *left += u64::from(row.get(3)? && lost.insert(placement));
        seconds.extend(row.get::<_, Option<i64>>(4)?);
        Ok(())
    })?;
    let passages = found.into_iter().map(|((by, value), (ever, left, mut seconds))| {
        seconds.sort_unstable();
        Passage { by, value, ever, left, median: seconds.get(seconds.len() / 2).copied() }
    });
    Ok(passages.collect())
}

/// Returns the present records of a table that share an e-mail address or, in any notation, a telephone number.
///
/// E-mail addresses are compared without surrounding spaces, ignoring case. Telephone numbers are compared by their
/// last nine digits: `+40 (0721) 000-501`, `0721000501` and `0040721000501` are the same. Numbers with fewer than seven
/// digits are not compared. Numbers of two countries with the same last nine digits are also returned, so a person has
/// to check each result.
///
/// # Errors
///
/// Returns [`ErrorKind::Table`] if the mirror has no such table or columns, or any error of the store.
///
/// ```
/// use methodical_mirror::queries::duplicates;
/// use methodical_mirror::{Error, Mirror};
///
/// fn print(mirror: &Mirror) -> Result<(), Error> {
///     for same in duplicates(mirror, "owner", &["email"], &["phone", "mobile"])? {
///         println!("{} have the same {}", same.ids.join(", "), same.columns.join(", "));
///     }
///     Ok(())
/// }
/// ```
pub fn duplicates(
    mirror: &Mirror,
    table: &str,
    emails: &[&str],
    phones: &[&str],
) -> Result<Vec<Duplicate>, Error> {
    let store = mirror.store();
    let identity = store.table(table)?.shape.identity()?.name.clone();
    let (mut columns, mut names) = (Vec::new(), vec!["mirror_key".to_owned()]);
    for (is_phone, of_kind) in [(false, emails), (true, phones)] {
        for name in of_kind {
            names.push(column(&store, table, Some(name))?);
            columns.push((is_phone, *name));
        }
    }
    // `+` keeps the database from reading the table in the order of an index.
    let select = format!(
        "SELECT {} FROM {} WHERE +mirror_state = 'present'",
        names.join(", "),
        quoted(table)
    );
    // Hashes are enough to find equal values, and take less memory. Each is stored with the number of its column.
    let (state, mut found) = (RandomState::new(), Vec::new());
    store.query(&select, (), |row| {
        for (number, (is_phone, _)) in columns.iter().enumerate() {
            let text = row.get_ref(number + 1)?.as_str_or_null()?;
            let text = text.and_then(|text| if *is_phone { phone(text) } else { email(text) });
            let key: i64 = row.get(0)?;
            found.extend(text.map(|text| (*is_phone, state.hash_one(text), key, number)));
        }
        Ok(())
    })?;
    found.sort_unstable();
    let select =
        format!("SELECT {} FROM {} WHERE mirror_key = ?1", quoted(&identity), quoted(table));
    let mut read = store.connection.prepare_cached(&select).or_failed()?;
    let mut duplicates = Vec::new();
    for same in found.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
        let mut keys: Vec<i64> = same.iter().map(|(_, _, key, _)| *key).collect();
        keys.dedup();
        let [_, _, ..] = *keys else { continue };
        let names = same.iter().filter_map(|(.., number)| Some(columns.get(*number)?.1));
        let names: BTreeSet<&str> = names.collect();
        let columns = names.into_iter().map(str::to_owned).collect();
        let ids = keys.iter().map(|key| read.query_row((key,), |row| Ok(id(row.get_ref(0)?))));
        let ids = ids.collect::<Result<_, _>>().or_failed()?;
        let is_phone = same.first().is_some_and(|(is_phone, ..)| *is_phone);
        duplicates.push((is_phone, keys, Duplicate { columns, ids }));
    }
    // The hashes, and so their order, differ from call to call.
    duplicates.sort_by(|(is_phone, keys, one), (is_other, others, other)| {
        (is_phone, keys, &one.columns).cmp(&(is_other, others, &other.columns))
    });
    Ok(duplicates.into_iter().map(|(.., duplicate)| duplicate).collect())
}

/// Normalizes an e-mail address for comparison; `None` if it is empty.
fn email(text: &str) -> Option<String> {
    Some(text.trim().to_lowercase()).filter(|text| !text.is_empty())
}

/// Returns the digits of a telephone number that are compared; `None` if there are fewer than seven.
fn phone(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let last = digits.get(digits.len().saturating_sub(9)..)?;
    (last.len() >= 7).then(|| last.to_owned())
}

/// Counts the members of each present group by value. The values in `known` are the first columns of the board, even
/// without members. With `has_medians`, each placement takes about a microsecond more.
///
/// # Errors
///
/// Fails as described in the [module documentation](self).
pub fn board(
    mirror: &Mirror,
    table: &str,
    known: &[&str],
    has_medians: bool,
) -> Result<Board, Error> {
    let store = mirror.store();
    // A transaction, so that the cached counts, the medians and the groups show one state even during a sync.
    let _snapshot = store.connection.unchecked_transaction().or_failed()?;
    let relation = store.relation(table)?;
    let [of, group, value] = [table, &relation.of.group.column, &relation.of.value].map(quoted);
    let median = format!(
        "SELECT unixepoch(mirror_changed_at) FROM {of} WHERE mirror_state = 'present' AND {group} IS ?1 \
         AND {value} IS ?2 ORDER BY mirror_changed_at LIMIT 1 OFFSET ?3"
    );
    let mut medians = store.connection.prepare_cached(&median).or_failed()?;
    let cells = store.json_note::<Option<Cells>>(&board_note(table))?;
    let mut counted = HashMap::new();
    for (group, value, count, since) in cells.map_or_else(|| store.cells(&relation), Ok)? {
        let key = (&group, &value, integer(count / 2));
        // Another program may have moved the members of a cached cell.
        let median = if has_medians {
            medians.query_row(key, |row| row.get(0)).optional().or_failed()?.unwrap_or(since)
        } else {
            0
        };
        counted.insert((group, value), Cell { count, since, median });
    }
    let select = format!(
        "SELECT {}, {} FROM {} WHERE mirror_state = 'present' ORDER BY mirror_key",
        quoted(&relation.group_identity),
        relation.title.as_deref().map_or_else(|| "NULL".to_owned(), quoted),
        quoted(&relation.of.group.table)
    );
    let mut groups = store.query(&select, (), |row| {
        Ok(BoardGroup { id: id(row.get_ref(0)?), title: row.get(1)?, cells: Vec::new() })
    })?;
    let shown: HashSet<&str> = groups.iter().map(|group| &*group.id).collect();
    let mut values: Vec<_> = known.iter().map(|value| Some((*value).to_owned())).collect();
    let others = counted.keys().filter(|(group, _)| shown.contains(&**group));
    let others = others.map(|(_, value)| value).filter(|value| !values.contains(value));
    let others: BTreeSet<_> = others.map(|value| (value.is_none(), value)).collect();
    values.extend(others.into_iter().map(|(_, value)| value.clone()));
    for group in &mut groups {
        let cell = |value: &Option<String>| counted.get(&(group.id.clone(), value.clone()));
        group.cells = values.iter().map(|value| cell(value).copied().unwrap_or_default()).collect();
    }
    Ok(Board { values, groups })
}

/// A recovered table, with the names of its columns and of the tables that its placements connect.
pub(crate) struct Relation {
    pub(crate) table: String,
    identity: String,
    pub(crate) of: References,
    group_identity: String,
    title: Option<String>,
}

impl Relation {
    /// Returns the `SELECT` statement for the view of placements. Its columns are identity, member, group, title,
    /// value, previous value, since and days, followed by `more`.
    pub(crate) fn view(&self, dialect: Dialect<'_>, more: &str) -> String {
        let Self { table, identity, of: References { group, member, value }, .. } = self;
        let (group, member) = (&group.column, &member.column);
        let prefix = match dialect {
            Dialect::Sqlite => String::new(),
            Dialect::Postgres(schema) => format!("{}.", quoted(schema)),
        };
        let days = match dialect {
            Dialect::Sqlite => "CAST(julianday(date('now')) - julianday(date(since)) AS INTEGER)",
            Dialect::Postgres(_) => {
                "((now() AT TIME ZONE 'UTC')::date - (since AT TIME ZONE 'UTC')::date)::bigint"
            }
        };
        let last = |column: &str, condition: &str| {
            format!(
                "(SELECT s.{column} FROM {prefix}mirror_past_value s WHERE s.member_id = CAST(p.{member} AS text) \
                 AND s.record_id = p.{identity} AND s.table_name = '{name}' AND {condition} ORDER BY s.number DESC LIMIT 1)",
                member = quoted(member),
                identity = quoted(identity),
                name = table.replace('\'', "''"),
            )
        };
        let [identity, member, group, value] =
            [identity, member, group, value].map(|name| quoted(name));
        let previous = quoted(&format!("previous_{}", self.of.value));
        format!(
            "SELECT {identity}, {member}, {group}, title, {value}, {previous}, since, {days} AS days{more} FROM \
             (SELECT p.{identity}, p.{member}, p.{group}, {title} AS title, p.{value}, {before} AS {previous}, \
             p.mirror_changed_at AS since, p.mirror_key, {older} AS is_older FROM {prefix}{table} p \
             WHERE p.mirror_state = 'present') one",
            title = self.title_of(&prefix, &format!("p.{group}")),
            before = last("value", "s.ended_at IS NOT NULL AND s.value IS NOT NULL"),
            older = last("began_before", "s.ended_at IS NULL"),
            table = quoted(table),
        )
    }

    /// Returns an SQL expression for the title of the group whose identity is in `column`, as text or as the group's
    /// table stores it. `prefix` precedes the names of tables.
    fn title_of(&self, prefix: &str, column: &str) -> String {
        let Some(title) = &self.title else { return "NULL".to_owned() };
        format!(
            "(SELECT g.{} FROM {prefix}{} g WHERE g.{} = {column})",
            quoted(title),
            quoted(&self.of.group.table),
            quoted(&self.group_identity)
        )
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Dialect<'a> {
    Sqlite,
    /// PostgreSQL, with the name of the schema.
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "only copies have it"))]
    Postgres(&'a str),
}

/// The cells of a board: the group, the value, the number of members, and when the first of them got the value.
type Cells = Vec<(String, Option<String>, u64, i64)>;

/// Returns the name of the note that caches a table's cells. An erasure removes the note.
fn board_note(table: &str) -> String {
    format!("board/{table}")
}

impl Store {
    /// Caches a table's cells for later boards, if the table has changed or has no cached cells. Counting the cells of
    /// a million placements takes up to a second.
    pub(crate) fn note_board(&self, table: &str, is_changed: bool) -> Result<(), Error> {
        let (note, find) = (board_note(table), "SELECT 1 FROM mirror_note WHERE name = ?1");
        if !is_changed && !self.query(find, (&note,), |_| Ok(()))?.is_empty() {
            return Ok(());
        }
        self.set_json_note(&note, &self.cells(&self.relation(table)?)?)
    }

    fn cells(&self, relation: &Relation) -> Result<Cells, Error> {
        let References { group, value, .. } = &relation.of;
        let [of, group, value] = [&relation.table, &group.column, value].map(|name| quoted(name));
        let select = format!(
            "SELECT {group}, {value}, count(*), unixepoch(min(mirror_changed_at)) FROM {of} \
             WHERE mirror_state = 'present' GROUP BY {group}, {value}"
        );
        self.query(&select, (), |row| {
            Ok((id(row.get_ref(0)?), row.get(1)?, count(row, 2)?, row.get(3)?))
        })
    }

    pub(crate) fn relation(&self, table: &str) -> Result<Relation, Error> {
        let unknown = || {
            let text = format!(
                "cannot read `{table}`: the mirror has no placements of this name; sync it first"
            );
            Error::new(ErrorKind::Table, text)
        };
        let references = self.recovered()?.remove(table).ok_or_else(unknown)?;
        let (placed, groups) = (self.table(table)?, self.table(&references.group.table)?);
        let (placed, groups) = (&placed.shape, &groups.shape);
        let is_title = |(index, column): &(usize, &crate::fields::Column)| {
            *index != groups.identity
                && column.kind == Kind::Text
                && column.path.len() == 1
                && !column.is_personal
        };
        let title = groups.columns.iter().enumerate().find(is_title);
        Ok(Relation {
            table: table.to_owned(),
            identity: placed.identity()?.name.clone(),
            group_identity: groups.identity()?.name.clone(),
            title: title.map(|(_, column)| column.name.clone()),
            of: references,
        })
    }
}

/// Returns a table's column as an SQL identifier, or `NULL` if `name` is `None`.
fn column(store: &Store, table: &str, name: Option<&str>) -> Result<String, Error> {
    let Some(name) = name else { return Ok("NULL".to_owned()) };
    Ok(quoted(&store.table(table)?.shape.column(table, name)?.name))
}

const DAY: i64 = 24 * 3600;

/// How many members of a group went straight from one value to another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The group's identity.
    pub group: String,
    /// The value before the step.
    pub from: String,
    /// The value after the step.
    pub to: String,
    /// How many members took the step. A member that took it twice counts once.
    pub count: u64,
}

/// Returns how many members of each group went straight from one known value to another, for each pair of values.
///
/// # Errors
///
/// Fails as described in the [module documentation](self).
pub fn steps(mirror: &Mirror, table: &str) -> Result<Vec<Step>, Error> {
    let store = mirror.store();
    store.relation(table)?;
    // Few values have ended, so the next value is looked up only for those that have.
    let select = "SELECT b.group_id, b.value, s.value, count(DISTINCT b.member_id) FROM mirror_past_value b \
                  JOIN mirror_past_value s ON s.number = (SELECT number FROM mirror_past_value \
                  WHERE member_id = b.member_id AND record_id = b.record_id AND table_name = b.table_name \
                  AND number > b.number ORDER BY number LIMIT 1) WHERE b.table_name = ?1 AND b.ended_at IS NOT NULL \
                  AND b.value IS NOT NULL AND s.value IS NOT NULL AND b.value IS NOT s.value \
                  GROUP BY 1, 2, 3 ORDER BY 1, 2, 3";
    store.query(select, (table,), |row| {
        let (group, from, to) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(Step { group, from, to, count: count(row, 3)? })
    })
}

/// Returns how long placements had kept the values that they lost in a period, by value.
///
/// # Errors
///
/// Fails as described in the [module documentation](self).
pub fn times(mirror: &Mirror, table: &str, period: Range<i64>) -> Result<Vec<ValueTime>, Error> {
    let store = mirror.store();
    store.relation(table)?;
    let select = "SELECT value, count(*), sum(seconds) / count(*), max(CASE place WHEN half THEN seconds END) FROM \
                  (SELECT value, seconds, row_number() OVER (PARTITION BY value ORDER BY seconds) - 1 AS place, \
                  count(*) OVER (PARTITION BY value) / 2 AS half FROM \
                  (SELECT value, unixepoch(ended_at) - unixepoch(began_at) AS seconds FROM mirror_past_value \
                  WHERE table_name = ?1 AND ended_at >= ?2 AND ended_at < ?3 AND value IS NOT NULL AND NOT began_before)) \
                  GROUP BY value ORDER BY value";
    store.query(select, (table, utc(period.start), utc(period.end)), |row| {
        let (value, times) = (row.get(0)?, count(row, 1)?);
        Ok(ValueTime { value, times, average: row.get(2)?, median: row.get(3)? })
    })
}
