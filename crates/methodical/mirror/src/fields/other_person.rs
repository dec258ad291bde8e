//! Whether two versions of a record seem to be two people.

use crate::fields::row::{Row, Value};
use crate::fields::shape::Shape;

/// Returns whether at least two of the personal values that both versions have, and more than half of them, are different. A person
/// may get another name. Case, spaces and separators do not count.
pub(crate) fn is_other(old: (&Row<'_>, &Shape), new: (&Row<'_>, &Shape)) -> bool {
    let (mut compared, mut different) = (0_u32, 0_u32);
    for (name, old) in personal(old) {
        if let Some((_, new)) = personal(new).find(|(one, _)| *one == name) {
            compared += 1;
            different += u32::from(!same(old, new));
        }
    }
    different > 1 && different * 2 > compared
}

/// Returns the names and values of the personal columns that have one.
fn personal<'a>(
    (row, shape): (&'a Row<'_>, &'a Shape),
) -> impl Iterator<Item = (&'a str, &'a Value<'a>)> {
    let columns = shape.columns.iter().zip(&row.cells).enumerate();
    columns.filter_map(move |(index, (column, cell))| {
        let is_personal = column.is_personal && index != shape.identity;
        Some((&*column.name, cell.as_ref().filter(|_| is_personal)?))
    })
}

fn same(old: &Value<'_>, new: &Value<'_>) -> bool {
    let (Value::Text(old), Value::Text(new)) = (old, new) else { return old == new };
    let letters = |text: &str| -> String {
        text.chars().filter(|one| one.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    letters(old) == letters(new)
}

#[cfg(test)]
mod tests {
    use methodical_model::{Column, Table};

    use super::is_other;
    use crate::fields::json::Members;
    use crate::fields::layout::Layout;
    use crate::fields::shape::Shape;

    const PERSON: Table = Table::new(
        "person",
        "id",
        &[
            Column::text(&["id"]),
            Column::text(&["name"]).personal(),
            Column::text(&["mail"]).personal(),
            Column::text(&["phone"]).personal(),
            Column::text(&["date"]),
        ],
    );

    #[test]
    fn another_person_has_most_values_changed() {
        let shape = Shape::of(&PERSON).unwrap();
        let layout = Layout::of(&shape).unwrap();
        for (old, new, expected) in [
            (r#"{"name":"Ada","mail":"a@x"}"#, r#"{"name":"Bob","mail":"b@x"}"#, true),
            (r#"{"name":"Ada","mail":"a@x"}"#, r#"{"name":"Eve","mail":"a@x"}"#, false),
            (r#"{"name":"Ada","phone":"1"}"#, r#"{"name":"Bob","phone":"2","mail":"b@x"}"#, true),
            (r#"{"name":"Ada"}"#, r#"{"name":"Bob"}"#, false),
            (r#"{"name":"Ada"}"#, r#"{"name":"Bob","mail":"b@x","phone":"1"}"#, false),
            (r#"{"name":"ada l."}"#, r#"{"name":"Ada L","phone":"1"}"#, false),
            (r#"{"phone":"+31 1"}"#, r#"{"phone":"+311"}"#, false),
            (r#"{"date":"1"}"#, r#"{"date":"2"}"#, false),
        ] {
            let (old_json, new_json) = (Members::of(old).unwrap(), Members::of(new).unwrap());
            let (one, other) = (layout.row(&old_json), layout.row(&new_json));
            assert_eq!(is_other((&one, &shape), (&other, &shape)), expected, "{old} {new}");
        }
    }
}
