//! The columns of a download.

use methodical_mirror::model::tables::FieldType;

use crate::download::format::DownloadColumn;
use crate::records::view::View;

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
    let mut of_mirror = |name: &str, field_type| {
        columns.push(DownloadColumn { path: format!("{MIRROR}.{name}"), field_type });
    };
    if let Some(placements) = view.placements() {
        of_mirror(placements.group, FieldType::Id);
        of_mirror(placements.value, FieldType::Text);
    }
    of_mirror("state", FieldType::Text);
    of_mirror("first_seen", FieldType::DateTime);
    of_mirror("changed_at", FieldType::DateTime);
    columns
}

/// The name of the object with what the mirror knows about a row.
pub(crate) const MIRROR: &str = "mirror";
