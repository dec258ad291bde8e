//! The names of the fields in which two versions of a record differ.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::fields::Shape;
use crate::fields::json::{Json, Member, Members, meaning};

/// A record as JSON text, and the columns that it was written with.
#[derive(Clone, Copy)]
pub(crate) struct Version<'a> {
    pub(crate) json: &'a str,
    pub(crate) shape: &'a Shape,
}

/// Returns the names of the columns that differ, in alphabetical order.
///
/// A nested record that became `null` or absent, and an unlisted field of one, count under the name of the record. Other
/// unlisted fields count as [`EXTRA`]. A field that only one of the two shapes lists does not count.
pub(crate) fn changed(old: Version<'_>, new: Version<'_>) -> Result<Vec<String>, Error> {
    let shapes = Shapes(old.shape, new.shape);
    let (old, new) = (Members::of(old.json)?, Members::of(new.json)?);
    let mut changed = BTreeSet::new();
    for name in names(&old, &new) {
        let (old, new) = (old.get(name), new.get(name));
        if same(old, new)? {
            continue;
        }
        if shapes.either(|shape| shape.nests(name)) {
            let is_new = !shapes.both(|shape| shape.nests(name));
            if !is_new && within(name, old, new, shapes, &mut changed)? {
                changed.insert(name.to_owned());
            }
        } else if shapes.both(|shape| shape.lists(&[name])) {
            changed.insert(name.to_owned());
        } else if !shapes.either(|shape| shape.lists(&[name])) {
            changed.insert(if name == PERSONAL { PERSONAL } else { EXTRA }.to_owned());
        }
    }
    Ok(changed.into_iter().collect())
}

/// Adds the columns of a nested record that differ. Returns whether something without a column differs, too.
fn within(
    name: &str,
    old: Option<&Member<'_>>,
    new: Option<&Member<'_>>,
    shapes: Shapes<'_>,
    changed: &mut BTreeSet<String>,
) -> Result<bool, Error> {
    let (old, new) = (object(old), object(new));
    let (mut others, empty) = (old.is_none() || new.is_none(), Members::default());
    let (old, new) = (old.unwrap_or(&empty), new.unwrap_or(&empty));
    for field in names(old, new) {
        if same(old.get(field), new.get(field))? {
            continue;
        }
        let lists = |shape: &Shape| shape.lists(&[name, field]);
        if shapes.both(lists) {
            changed.insert(format!("{name}_{field}"));
        } else if !shapes.either(lists) {
            others = true;
        }
    }
    Ok(others)
}

/// The shapes of the two versions.
#[derive(Clone, Copy)]
struct Shapes<'a>(&'a Shape, &'a Shape);

impl Shapes<'_> {
    fn both(self, is: impl Fn(&Shape) -> bool) -> bool {
        is(self.0) && is(self.1)
    }

    fn either(self, is: impl Fn(&Shape) -> bool) -> bool {
        is(self.0) || is(self.1)
    }
}

/// Returns the names that occur in one of two objects.
fn names<'a>(one: &'a Members<'_>, other: &'a Members<'_>) -> BTreeSet<&'a str> {
    one.iter().chain(other.iter()).map(|(name, _)| name).collect()
}

fn same(old: Option<&Member<'_>>, new: Option<&Member<'_>>) -> Result<bool, Error> {
    let meaning = |value: Option<&Member<'_>>| value.map(|value| meaning(&value.json)).transpose();
    Ok(meaning(old)? == meaning(new)?)
}

/// Returns the members of an object; `None` for any other value.
fn object<'m, 'a>(value: Option<&'m Member<'a>>) -> Option<&'m Members<'a>> {
    match value {
        Some(Member { json: Json::Object(members), .. }) => Some(members),
        _ => None,
    }
}

/// The name under which the feed reports unlisted fields: the column that has them.
pub(crate) const EXTRA: &str = "mirror_extra";

/// The name under which the feed reports personal fields whose values are not stored, and of the member with their hash.
pub(crate) const PERSONAL: &str = "mirror_personal";

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
    fn the_columns_that_differ_are_named() {
        for (old, new, expected) in [
            (r#"{"title":"a"}"#, r#"{"title":"b"}"#, "title"),
            (r#"{"title":null}"#, r"{}", "title"),
            (r#"{"place":{"name":"a"}}"#, r#"{"place":{"name":"b"}}"#, "place_name"),
            (r#"{"place":{"name":"a"}}"#, r#"{"place":null}"#, "place place_name"),
            (r#"{"place":null}"#, r"{}", "place"),
            (r#"{"place":{"x":1}}"#, r#"{"place":{"x":2}}"#, "place"),
            (r#"{"x":1}"#, r#"{"x":2,"y":1}"#, "mirror_extra"),
            (r#"{"x":1.0,"title":"a"}"#, r#"{"title":"\u0061","x":1}"#, ""),
        ] {
            assert_eq!(names((OLD, OLD), old, new), expected, "{old} {new}");
        }
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
