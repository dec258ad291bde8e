//! The counts of the members of groups.

/// The names of a recovered table and of its columns: rows that place a member in a group, with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a caller names all of them")]
pub struct Placements<'a> {
    /// The name of the table, such as `photo_album`.
    pub table: &'a str,
    /// The column with the identity of the group, such as `album_id`.
    pub group: &'a str,
    /// The column with the identity of the member, such as `photo_id`.
    pub member: &'a str,
    /// The column with the value, such as `status`.
    pub value: &'a str,
}

/// How many members a group has with one value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cell {
    /// The identity of the group.
    pub group: String,
    /// The value; `None` for the members whose value is unknown.
    pub value: Option<String>,
    /// How many members there are. Only placements that are present count.
    pub count: u64,
    /// Since when the first of them has the value, in seconds since 1970 (UTC).
    pub since: i64,
    /// Since when half of them have it, at least: the median, in seconds since 1970 (UTC).
    pub median: i64,
}
