//! The rows of a download, page by page, so that other readers of the mirror wait for one page at most.

use gateway_mirror::Record;
use serde_json::{Map, Value};

use crate::cells::{fields, text};
use crate::download::columns::{MIRROR, columns};
use crate::download::format::DownloadColumn;
use crate::records::View;
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

/// The begin of a page.
#[derive(Clone, Copy)]
struct Start(Option<i64>);

impl<'a> Rows<'a> {
    /// Begins before the first row. A table that was not synced yet has none.
    pub(crate) fn open(shared: &'a Shared, view: &'a View<'a>) -> Result<Self, Problem> {
        let next = view.is_in_mirror(shared)?.then_some(Start(None));
        Ok(Self { shared, view, columns: columns(view, shared.masks), next })
    }

    pub(crate) fn columns(&self) -> &[DownloadColumn] {
        &self.columns
    }

    /// Reads the next rows. A search can find none in a part of the table.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<Record>>, Problem> {
        let Some(Start(after)) = self.next else { return Ok(None) };
        let page = self.view.read(self.shared, after, ROWS)?;
        self.next = page.next.map(|next| Start(Some(next)));
        Ok(Some(page.records))
    }

    /// Returns a row as JSON: the record as received, and what the mirror knows about it.
    pub(crate) fn json(&self, row: &Record) -> Result<String, Problem> {
        let mut known = Map::new();
        let mut add = |name: &str, value: Value| known.insert(name.to_owned(), value);
        add("state", row.state.as_str().into());
        add("first_seen", civil(row.first_seen).into());
        add("changed_at", civil(row.changed_at).into());
        let record = match self.view.placements() {
            None => Some(row.json.clone()),
            Some(placements) => {
                let placement = fields(&row.json);
                for name in [placements.group, placements.value] {
                    add(name, placement.get(name).cloned().unwrap_or_default());
                }
                let member = placement.get(placements.member).and_then(text).unwrap_or_default();
                let found = self.shared.mirror.record(self.view.table.name(), &member)?;
                found.map(|found| found.json)
            }
        };
        // The text stays as it is: parsed numbers could lose digits.
        let record = record.unwrap_or_default();
        let inside = record.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let inside = inside.unwrap_or_default().trim();
        let comma = if inside.is_empty() { "" } else { "," };
        let known = Value::Object(known);
        Ok(format!("{{{inside}{comma}\"{MIRROR}\":{known}}}"))
    }
}

/// Number of rows of one read.
const ROWS: usize = 2000;
