//! The values of records as text.

use methodical_mirror::model::tables::Column;
use serde_json::{Map, Value};

/// The fields of a record.
pub(crate) type Fields = Map<String, Value>;

/// Returns the fields of a record.
pub(crate) fn fields(json: &str) -> Fields {
    serde_json::from_str(json).unwrap_or_default()
}

/// Returns the value of a column as text; `None` without a value.
pub(crate) fn cell(fields: &Fields, column: &Column) -> Option<String> {
    let (first, rest) = column.path().split_first()?;
    let mut value = fields.get(*first)?;
    for name in rest {
        value = value.as_object()?.get(*name)?;
    }
    text(value)
}

/// Returns a value as text; `None` for `null`.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// A value on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    Text(String),
    Nothing,
    /// A personal value that the reader did not ask for.
    Hidden,
}

/// Returns the value of a column as it is shown.
pub(crate) fn shown(fields: &Fields, column: &Column, hides_personal: bool) -> Shown {
    match cell(fields, column).filter(|text| !text.is_empty()) {
        None => Shown::Nothing,
        Some(_) if hides_personal && column.is_personal() => Shown::Hidden,
        Some(text) => Shown::Text(text),
    }
}

#[cfg(test)]
mod tests {
    use methodical_mirror::model::tables::Column;

    use super::{Shown, fields, shown};

    #[test]
    fn values_are_shown_as_received() {
        let fields =
            fields(r#"{"id":7,"place":{"name":"Köln"},"tags":["a"],"size":null,"note":""}"#);
        let text = |text: &str| Shown::Text(text.to_owned());
        for (column, expected) in [
            (Column::integer(&["id"]), text("7")),
            (Column::text(&["place", "name"]), text("Köln")),
            (Column::json(&["tags"]), text(r#"["a"]"#)),
            (Column::integer(&["size"]), Shown::Nothing),
            (Column::text(&["note"]), Shown::Nothing),
            (Column::text(&["id", "name"]), Shown::Nothing),
        ] {
            assert_eq!(shown(&fields, &column, true), expected);
        }
        let personal = Column::text(&["place", "name"]).personal();
        assert_eq!(shown(&fields, &personal, true), Shown::Hidden);
        assert_eq!(shown(&fields, &personal, false), text("Köln"));
    }
}
