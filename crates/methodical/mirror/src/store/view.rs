//! The views for other programs: the present records of a table.

/// Returns the name of the view of a table.
pub(crate) fn name(table: &str) -> String {
    format!("{table}{SUFFIX}")
}

/// Returns the columns of a view, from those of its table: the identity, the times, and the columns of records. A column that is
/// added to the table is the last one, so that a view can be replaced in its place.
pub(crate) fn columns<'a>(identity: &'a str, existing: &'a [String]) -> Vec<&'a str> {
    let own = existing.iter().map(|name| &**name);
    let own = own.filter(|name| *name != identity && !name.starts_with("mirror_"));
    [identity, "mirror_first_seen", "mirror_changed_at"].into_iter().chain(own).collect()
}

/// The end of the name of a view. No table has such a name.
pub(crate) const SUFFIX: &str = "_present";
