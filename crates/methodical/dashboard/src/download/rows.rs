//! The columns of a download, and its rows as JSON.

use methodical_mirror::Record;
use methodical_mirror::model::tables::FieldType;
use serde_json::{Map, Value};

use crate::cells::fields;
use crate::download::format::DownloadColumn;
use crate::records::view::View;
use crate::time::civil;

/// Returns a row: the record as it was received, and what the mirror knows about it.
pub(crate) fn json(view: &View<'_>, row: &Record, record: &str) -> String {
    let mut known = Map::new();
    let mut add = |name: &str, value: Value| known.insert(name.to_owned(), value);
    add("state", row.state.as_str().into());
    add("first_seen", civil(row.first_seen).into());
    add("changed_at", civil(row.changed_at).into());
    if let Some(placements) = view.placements() {
        let placement = fields(&row.json);
        for name in [placements.group, placements.value] {
            add(name, placement.get(name).cloned().unwrap_or_default());
        }
    }
    // The text stays as it is: parsed numbers could lose digits.
    let inside = record.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let inside = inside.unwrap_or_default().trim();
    let comma = if inside.is_empty() { "" } else { "," };
    let known = Value::Object(known);
    format!("{{{inside}{comma}\"{MIRROR}\":{known}}}")
}

/// Returns the columns of a view: the fields of the contract, without personal ones if these are hidden, and what the mirror
/// knows about each row.
pub(crate) fn columns(view: &View<'_>, hides_personal: bool) -> Vec<DownloadColumn> {
    let all = view.table.columns().iter();
    let shown = all.filter(|column| !(hides_personal && column.is_personal()));
    let mut columns: Vec<DownloadColumn> = shown
        .map(|column| DownloadColumn {
            path: column.path().join("."),
            field_type: column.field_type(),
        })
        .collect();
    let placed = view
        .placements()
        .map(|placements| [(placements.group, FieldType::Id), (placements.value, FieldType::Text)]);
    let known = [
        ("state", FieldType::Text),
        ("first_seen", FieldType::DateTime),
        ("changed_at", FieldType::DateTime),
    ];
    for (name, field_type) in placed.into_iter().flatten().chain(known) {
        columns.push(DownloadColumn { path: format!("{MIRROR}.{name}"), field_type });
    }
    columns
}

/// The name of the object with what the mirror knows about a row.
const MIRROR: &str = "mirror";
