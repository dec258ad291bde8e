//! The names of the fields in which two versions of a record differ.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::error::Error;
use crate::fields::Shape;
use crate::fields::json::{meaning, members};

/// A record as JSON text, and the columns with which it was written.
#[derive(Clone, Copy)]
pub(crate) struct Version<'a> {
    pub(crate) json: &'a str,
    pub(crate) shape: &'a Shape,
}

/// Returns the names of the differing columns, in alphabetical order.
///
/// A nested record that became `null` or absent, or whose unlisted fields differ, is reported under its own name. Other
/// unlisted fields are reported as [`EXTRA`]. A field that only one of the two shapes lists is ignored.
pub(crate) fn changed(old: Version<'_>, new: Version<'_>) -> Result<Vec<String>, Error> {
    let shapes = [old.shape, new.shape];
    let nests = |name: &str| shapes.map(|shape| shape.nests(name));
    let is_nested = |name: &str| nests(name) != [false; 2];
    let [before, after] = [values(old.json, &is_nested)?, values(new.json, &is_nested)?];
    let mut changed = BTreeSet::new();
    for path in
        before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path))
    {
        let name = path.first().map_or("", |name| &**name);
        match (shapes.map(|shape| shape.lists(path)), nests(name)) {
            ([true, true], _) => drop(changed.insert(path.join("_"))),
            ([false, false], [true, true]) => drop(changed.insert(name.to_owned())),
            ([false, false], [false, false]) => drop(changed.insert(EXTRA.to_owned())),
            _ => {}
        }
    }
    Ok(changed.into_iter().collect())
}

/// The meanings of the fields, by path. A nested record with columns has no meaning as a whole, only those of its
/// fields.
type Values<'a> = BTreeMap<Vec<Cow<'a, str>>, String>;

fn values<'a>(record: &'a str, is_nested: &impl Fn(&str) -> bool) -> Result<Values<'a>, Error> {
    let mut values = Values::new();
    for (name, value) in members(record)? {
        let mut whole = String::new();
        if value.starts_with('{') && is_nested(&name) {
            for (field, value) in members(value)? {
                values.insert(vec![name.clone(), field], meaning(value)?);
            }
        } else {
            whole = meaning(value)?;
        }
        values.insert(vec![name], whole);
    }
    Ok(values)
}

/// The name under which the feed reports unlisted fields: the column that stores them.
pub(crate) const EXTRA: &str = "mirror_extra";

#[cfg(test)]
mod tests {
    use methodical_model::tables::{Column, Table};

    use super::{Version, changed};
    use crate::fields::Shape;

    const OLD: Table = Table::new(
        "photo",
        "id",
        &[Column::text(&["id"]), Column::text(&["title"]), Column::text(&["place", "name"])],
    );

    /// The same with three new fields.
    const NEW: Table = Table::new(
        "photo",
        "id",
        &[
            Column::text(&["id"]),
            Column::text(&["title"]),
            Column::text(&["place", "name"]),
            Column::text(&["place", "zip"]),
            Column::integer(&["size"]),
            Column::text(&["owner", "name"]),
        ],
    );

    fn names(tables: (Table, Table), old: &str, new: &str) -> String {
        let (before, after) = (Shape::of(&tables.0).unwrap(), Shape::of(&tables.1).unwrap());
        let (old, new) =
            (Version { json: old, shape: &before }, Version { json: new, shape: &after });
        changed(old, new).unwrap().join(" ")
    }

    #[test]
    fn a_field_of_one_shape_does_not_count() {
        for (old, new, expected) in [
            (r"{}", r#"{"size":7,"owner":{"name":"a"},"place":{"zip":"1"}}"#, "place"),
            (r#"{"place":{}}"#, r#"{"place":{"zip":"1"}}"#, ""),
            (r#"{"size":6}"#, r#"{"size":7}"#, ""),
            (r#"{"size":6,"title":"a"}"#, r#"{"size":7,"title":"b"}"#, "title"),
        ] {
            assert_eq!(names((OLD, NEW), old, new), expected, "{old} {new}");
            assert_eq!(names((NEW, OLD), new, old), expected, "{new} {old}");
        }
    }
}
