//! The feed: changes are appended, and those that the mirror removes stay.

use methodical_mirror::Snapshot;

use crate::columns::{Column, Kind, Value};
use crate::delta::state::State;
use crate::error::Error;
use crate::export::draft::{Draft, NewFile};

/// Returns the columns of the table.
pub(crate) fn columns() -> Vec<Column> {
    vec![
        Column::new("number", Kind::Integer),
        Column::new("changed_at", Kind::Time),
        Column::new("table_name", Kind::Text),
        Column::new("record_id", Kind::Text),
        Column::new("kind", Kind::Text),
        Column::new("fields", Kind::Text),
    ]
}

/// Appends the changes that the table lacks. Returns how many the mirror removed before.
///
/// The last file is written again as long as it is not full, so that a table of many exports has few files.
pub(crate) fn write(
    snapshot: &mut Snapshot<'_>,
    state: &State,
    is_other: bool,
    draft: &mut Draft,
) -> Result<u64, Error> {
    if is_other {
        state.files.keys().for_each(|path| draft.remove(path));
    }
    let removed = snapshot.last_removed_change();
    let mut after = draft.before.unwrap_or(removed);
    let lost = u64::try_from(removed.saturating_sub(after)).unwrap_or_default();
    after = after.max(removed);
    if after >= snapshot.last_change() {
        return Ok(lost);
    }
    let range = |add: &str| -> Option<(i64, i64)> {
        let (from, to) = add.split_once('-')?;
        Some((from.parse().ok()?, to.parse().ok()?))
    };
    for add in state.files.values().filter(|_| !is_other) {
        let Some((from, to)) = add.tag(RANGE).and_then(range) else { continue };
        if to == after && from > removed && to - from + 1 < draft.rows_per_file {
            draft.remove(&add.path);
            after = from - 1;
            break;
        }
    }
    let columns = columns();
    let mut open: Option<(NewFile, i64)> = None;
    loop {
        let page = snapshot.changes(after, PAGE)?;
        let is_last = page.is_empty();
        for change in &page {
            let (file, _) = if let Some(open) = &mut open {
                open
            } else {
                let range = format!("{:012}", change.number);
                open.insert((draft.begin(&columns, &range)?, change.number))
            };
            let fields = serde_json::Value::from(change.fields.clone()).to_string();
            file.rows.push(&[
                Some(Value::Integer(change.number)),
                Some(Value::Time(change.at.saturating_mul(1_000_000))),
                Some(Value::Text(&change.table)),
                Some(Value::Text(&change.id)),
                Some(Value::Text(change.kind.as_str())),
                Some(Value::Text(&fields)),
            ])?;
            after = change.number;
            let is_full = |(file, _): &(NewFile, i64)| {
                i64::try_from(file.rows.count()).is_ok_and(|rows| rows >= draft.rows_per_file)
            };
            if open.as_ref().is_some_and(is_full)
                && let Some((file, from)) = open.take()
            {
                draft.add(file, &[(RANGE, format!("{from}-{after}"))])?;
            }
        }
        if is_last {
            break;
        }
    }
    if let Some((file, from)) = open {
        // Numbers have gaps. The end of the feed is the end of the last file.
        draft.add(file, &[(RANGE, format!("{from}-{}", snapshot.last_change()))])?;
    }
    Ok(lost)
}

/// The tag with the numbers of the first and the last change.
const RANGE: &str = "gateway.changes";

/// Number of changes that are read together.
const PAGE: usize = 4096;
