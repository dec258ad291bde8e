//! A filter, applied to records in memory.

use crate::fields::row::Value;
use crate::fields::shape::{Column, Kind};
use crate::keep::filter::Filter;
use crate::keep::search::Search;
use crate::store::kept::Kept;

/// Returns whether a filter accepts a record, apart from its columns.
pub(crate) fn accepts(filter: &Filter, kept: &Kept) -> bool {
    let is_recent = filter.since().is_none_or(|since| kept.times.first_seen >= since);
    let is_text = |column: &Column| column.kind == Kind::Text;
    let texts =
        kept.shape.columns.iter().zip(&kept.row.cells).filter_map(|(column, cell)| match cell {
            Some(Value::Text(text)) if is_text(column) => Some(&**text),
            _ => None,
        });
    let has_text = |mut search: Search<'_>| {
        std::iter::once(&*kept.id).chain(texts).any(|text| search.is_within(text))
    };
    is_recent && filter.accepts_state(kept.known.state) && filter.search().is_none_or(has_text)
}
