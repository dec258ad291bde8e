//! The columns and the rows of a download, page by page, so that other readers of the mirror wait for one page at most.

use methodical_mirror::Record;
use methodical_mirror::model::tables::FieldType;
use serde_json::{Map, Value};

use crate::cells::fields;
use crate::download::format::DownloadColumn;
use crate::records::view::View;
use crate::shared::{Problem, Shared};
use crate::time::civil;

/// The rows of a view.
pub(crate) struct Rows<'a> {
    shared: &'a Shared,
    view: &'a View<'a>,
    columns: Vec<DownloadColumn>,
    /// Where the next page begins; `None` after the last one.
    next: Option<Start>,
}

/// The start of a page.
#[derive(Clone, Copy)]
struct Start(Option<i64>);

impl<'a> Rows<'a> {
    /// Begins before the first row. A table that was not synced yet has none.
    pub(crate) fn open(shared: &'a Shared, view: &'a View<'a>) -> Result<Self, Problem> {
        let next = view.is_in_mirror(&shared.mirror.tables()?).then_some(Start(None));
        Ok(Self { shared, view, columns: columns(view, shared.who.masks), next })
    }

    pub(crate) fn columns(&self) -> &[DownloadColumn] {
        &self.columns
    }

    /// Reads the next rows as JSON: each is the record as received, and what the mirror knows about it. A search can find none
    /// in a part of the table.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<String>>, Problem> {
        let Some(Start(after)) = self.next else { return Ok(None) };
        let page = self.view.read(self.shared, after, ROWS)?;
        self.next = page.next.map(|next| Start(Some(next)));
        let records = self.view.records(self.shared, &page.records)?;
        let rows = page.records.iter().zip(records);
        Ok(Some(rows.map(|(row, (_, record))| self.json(row, record)).collect()))
    }

    fn json(&self, row: &Record, record: Option<String>) -> String {
        let mut known = Map::new();
        let mut add = |name: &str, value: Value| known.insert(name.to_owned(), value);
        add("state", row.state.as_str().into());
        add("first_seen", civil(row.first_seen).into());
        add("changed_at", civil(row.changed_at).into());
        if let Some(placements) = self.view.placements() {
            let placement = fields(&row.json);
            for name in [placements.group, placements.value] {
                add(name, placement.get(name).cloned().unwrap_or_default());
            }
        }
        // The text stays as it is: parsed numbers could lose digits.
        let record = record.unwrap_or_default();
        let inside = record.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let inside = inside.unwrap_or_default().trim();
        let comma = if inside.is_empty() { "" } else { "," };
        let known = Value::Object(known);
        format!("{{{inside}{comma}\"{MIRROR}\":{known}}}")
    }
}

/// Returns the columns of a view: the fields of the contract, without personal ones if these are hidden, and what the mirror
/// knows about each row.
fn columns(view: &View<'_>, hides_personal: bool) -> Vec<DownloadColumn> {
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
const MIRROR: &str = "mirror";

/// Number of rows of one read.
const ROWS: usize = 2000;
