//! The board: how many members each group has with each value, and for how long.

pub(crate) mod counts;

use askama::Template;
use methodical_mirror::queries::{BoardGroup, Cell as Count};

use crate::board::counts::{Counts, total};
use crate::frame::Frame;
use crate::link::{self, Link};
use crate::outline::Board;
use crate::shared::{Params, Problem, Shared, completed_at};
use crate::time::{ago, day};
use crate::words::{counted, grouped, label, percent, plural};

/// The template of the board.
#[derive(Template)]
#[template(path = "board.html")]
struct BoardPage {
    frame: Frame,
    group: String,
    members: String,
    value: String,
    coverage: String,
    /// The names of the columns.
    columns: Vec<String>,
    rows: Vec<Row>,
    sums: Vec<String>,
    total: String,
    range: String,
    previous: Option<String>,
    next: Option<String>,
}

/// A group.
struct Row {
    title: String,
    id: Option<String>,
    href: String,
    cells: Vec<Option<Cell>>,
    total: String,
    /// The link to all members; `None` without members.
    all: Option<String>,
}

/// The count of a group and a value.
struct Cell {
    count: String,
    href: String,
    median: String,
    description: String,
    /// The share of the largest count, from 0 to 5.
    heat: u64,
}

/// Renders the board.
pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let boards = &shared.outline.boards;
    let board = match params.get("of") {
        Some(name) => boards.iter().find(|board| board.placements.table == name),
        None => boards.first(),
    };
    let board = board.ok_or_else(|| Problem::NotFound("no list has groups".to_owned()))?;
    let tables = [board.groups.name(), board.placements.table];
    let known = shared.counts()?;
    let (completed_at, counts) = (completed_at(&known.tables, &tables), known.of(board));
    let from = usize::try_from(params.number("from")?.unwrap_or_default()).unwrap_or_default();
    let now = (shared.now)();
    let largest = counts.groups.iter().flat_map(|group| &group.cells).map(|cell| cell.count).max();
    let largest = largest.unwrap_or_default().max(1);
    let shown = counts.groups.iter().skip(from).take(GROUPS);
    let rows: Vec<Row> =
        shown.map(|group| row(board, &counts.columns, group, now, largest)).collect();
    let to = |from: usize| {
        let from = (from > 0).then(|| from.to_string());
        let of = params.get("of");
        Link::to("/funnel").with_some("of", of).with_some("from", from.as_deref()).finish()
    };
    let end = from.saturating_add(rows.len());
    let name = board.placements.value;
    let page = BoardPage {
        frame: Frame::new(
            shared,
            &known.tables,
            "/funnel",
            label(&format!("{} by {name}", plural(board.groups.name()))),
            completed_at,
            to(from),
        ),
        group: label(board.groups.name()),
        members: plural(board.members.name()),
        value: name.to_owned(),
        coverage: coverage(&counts, name),
        columns: counts
            .columns
            .iter()
            .map(|one| counts::label(one.as_deref()).to_owned())
            .collect(),
        rows,
        sums: counts.sums.iter().map(|sum| grouped(*sum)).collect(),
        total: grouped(counts.sums.iter().sum()),
        range: format!(
            "{}–{} of {}",
            grouped((from + 1) as u64),
            grouped(end as u64),
            counted(counts.groups.len() as u64, board.groups.name())
        ),
        previous: (from > 0).then(|| to(from.saturating_sub(GROUPS))),
        next: (end < counts.groups.len()).then(|| to(end)),
    };
    Ok(page.render()?)
}

fn row(
    board: &Board,
    columns: &[Option<String>],
    group: &BoardGroup,
    now: i64,
    largest: u64,
) -> Row {
    let members = link::members(board, Some(&group.id));
    let cell = |(column, sum): (&Option<String>, &Count)| {
        (sum.count > 0).then(|| Cell {
            count: grouped(sum.count),
            href: members.clone().with_value(column.as_deref()).finish(),
            median: ago(now.saturating_sub(sum.median)),
            description: format!(
                "{}, {} {}; half of them for {} or longer, the first since {}",
                counts::title(group),
                counted(sum.count, board.members.name()),
                counts::label(column.as_deref()),
                ago(now.saturating_sub(sum.median)),
                day(sum.since)
            ),
            heat: (sum.count.saturating_mul(5)).div_ceil(largest).min(5),
        })
    };
    let title = counts::title(group);
    Row {
        title: title.to_owned(),
        id: group.title.as_deref().is_some_and(|one| one == title).then(|| group.id.clone()),
        href: link::record(board.groups.name(), &group.id),
        cells: columns.iter().zip(&group.cells).map(cell).collect(),
        total: grouped(total(group)),
        all: (total(group) > 0).then(|| members.clone().finish()),
    }
}

/// Returns a sentence about the placements whose value is known.
fn coverage(counts: &Counts, value: &str) -> String {
    let total: u64 = counts.sums.iter().sum();
    if total == 0 {
        return String::new();
    }
    let known = total.saturating_sub(counts.unknown());
    format!("{} of {} placements have a known {value}.", percent(known, total), grouped(total))
}

/// Maximum number of groups on a page.
const GROUPS: usize = 100;
