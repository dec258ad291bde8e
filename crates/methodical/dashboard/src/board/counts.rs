//! Counts a board.

use std::collections::HashMap;
use std::ops::ControlFlow;

use methodical_mirror::{Error, Filter, Mirror, State};

use crate::board::counted::{Column, Counts, Group, Sum};
use crate::cells::{cell, fields};
use crate::outline::{Board, title};

/// Counts a board.
pub(crate) fn count(mirror: &Mirror, board: &Board) -> Result<Counts, Error> {
    let mut groups: HashMap<String, Group> = HashMap::new();
    let column = title(board.groups);
    mirror.each_matching(board.groups.name(), &Filter::new().state(State::Present), |record| {
        let title = column.and_then(|column| cell(&fields(&record.json), column));
        let title = title.filter(|title| !title.is_empty());
        let group = Group::new(record.id.clone(), title);
        groups.insert(record.id, group);
        ControlFlow::Continue(())
    })?;
    let known = board.known_values.iter().map(|&value| Column::Value(value.to_owned()));
    let mut columns: Vec<Column> = known.collect();
    let cells = mirror.cells(&board.placements)?;
    let mut others: Vec<Column> = cells
        .iter()
        .map(|cell| cell.value.clone().map_or(Column::Unknown, Column::Value))
        .filter(|column| !columns.contains(column))
        .collect();
    others.sort();
    others.dedup();
    columns.append(&mut others);
    let places: HashMap<Column, usize> = columns.iter().cloned().zip(0..).collect();
    let mut sums = vec![0; columns.len()];
    for group in groups.values_mut() {
        group.sums = vec![Sum::default(); columns.len()];
    }
    for cell in cells {
        let column = cell.value.map_or(Column::Unknown, Column::Value);
        let Some(&place) = places.get(&column) else { continue };
        let Some(group) = groups.get_mut(&cell.group) else { continue };
        if let (Some(sum), Some(all)) = (group.sums.get_mut(place), sums.get_mut(place)) {
            *sum = Sum { count: cell.count, since: cell.since, median: cell.median };
            *all += cell.count;
        }
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.sort_by_cached_key(|group| {
        (std::cmp::Reverse(group.total()), group.title(false).to_lowercase(), group.id.clone())
    });
    Ok(Counts { columns, groups, sums })
}
