//! The funnel: how many members have each value, how many reached it, and for how long.

pub(crate) mod counts;

use askama::Template;
use methodical_mirror::queries::{BoardGroup, Cell as Count, Passage};

use crate::board::counts::{Counts, WEEKS, Weeks, total};
use crate::frame::Frame;
use crate::link::{self, Link};
use crate::outline::{self, Board};
use crate::shared::{Params, Problem, Shared, completed_at};
use crate::time::{DAY, ago, day};
use crate::words::{counted, grouped, label, percent, plural};

/// The template of the page.
#[derive(Template)]
#[template(path = "board.html")]
struct FunnelPage {
    frame: Frame,
    group: String,
    members: String,
    value: String,
    coverage: String,
    /// Whether the order of the values and their groups are guessed.
    is_guessed: bool,
    funnel: Funnel,
    /// The groups of the values, with the number of columns.
    stages: Vec<(String, usize)>,
    /// The names of the columns.
    columns: Vec<String>,
    rows: Vec<Row>,
    sums: Vec<String>,
    total: String,
    range: String,
    previous: Option<String>,
    next: Option<String>,
    /// The name of the column with the source of a member, such as a portal, and the sources.
    source: String,
    sources: Vec<Source>,
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
    bars: Bars,
}

/// The count of a group and a value.
struct Cell {
    count: String,
    href: String,
    note: String,
    description: String,
    /// How long half of the members have had the value, from 0 to 5.
    heat: usize,
}

/// A source of members, such as a portal.
struct Source {
    name: String,
    new: String,
    bars: Bars,
    /// The share that reached each value, and the median time with it.
    cells: Vec<(String, String)>,
}

/// The way of the members of a group, or of all, through the values.
pub(crate) struct Funnel {
    pub(crate) value: String,
    pub(crate) members: String,
    /// The values of each stage.
    pub(crate) stages: Vec<(String, Vec<Step>)>,
    pub(crate) bars: Bars,
    /// The times with the values are known: those of one group.
    pub(crate) has_times: bool,
}

/// A value of a funnel.
pub(crate) struct Step {
    pub(crate) value: String,
    pub(crate) href: String,
    pub(crate) now: String,
    /// How many have or had the value, and their share of all.
    pub(crate) ever: String,
    pub(crate) reached: String,
    /// The share in percent, rounded down.
    pub(crate) width: u64,
    pub(crate) median: String,
}

/// A small picture of a number for each week, in a box of 12 to 10 units.
pub(crate) struct Bars {
    pub(crate) path: String,
    /// The numbers for those who do not see the picture.
    pub(crate) text: String,
}

impl Bars {
    fn of(weeks: &Weeks) -> Self {
        let most = weeks.iter().copied().max().unwrap_or_default().max(1);
        let bars = weeks.iter().enumerate().filter(|(_, count)| **count > 0);
        let bar = |(place, count): (usize, &u64)| {
            format!("M{place} 10h.8v-{}h-.8z", count.saturating_mul(10).div_ceil(most).min(10))
        };
        let numbers: Vec<String> = weeks.iter().map(|count| grouped(*count)).collect();
        let text = format!("New in each of the last {WEEKS} weeks: {}", numbers.join(", "));
        Self { path: bars.map(bar).collect(), text }
    }
}

impl Funnel {
    /// Describes the way of the members of a group, or of all.
    pub(crate) fn of(board: &Board, counts: &Counts, group: Option<&str>) -> Self {
        let passed: Vec<&Passage> = counts.passages_of(group).collect();
        let all = counts.reach(&passed, counts.of_group(group).iter().sum());
        let mut stages: Vec<(String, Vec<Step>)> = Vec::new();
        let columns = counts.columns.iter().zip(&counts.stages).zip(counts.of_group(group));
        for ((column, stage), now) in columns {
            let of_value = passed.iter().filter(|one| Some(&one.value) == column.as_ref());
            let (ever, median) =
                of_value.fold((0, None), |(ever, _), one| (ever + one.ever, one.median.map(ago)));
            // Without a history, only those who have it now are known.
            let ever = ever.max(now);
            let step = Step {
                value: counts::label(column.as_deref()).to_owned(),
                href: link::members(board, group).with_value(column.as_deref()).finish(),
                now: grouped(now),
                ever: grouped(ever),
                reached: share(ever, all),
                width: ever.saturating_mul(100).checked_div(all).unwrap_or_default().min(100),
                median: median.unwrap_or_else(|| "–".to_owned()),
            };
            match stages.last_mut().filter(|(name, _)| name == stage) {
                Some((_, steps)) => steps.push(step),
                None => stages.push((stage.clone(), vec![step])),
            }
        }
        Self {
            value: label(board.placements.value),
            members: plural(board.members.name()),
            stages,
            bars: Bars::of(&counts.weeks_of(group)),
            has_times: group.is_some(),
        }
    }
}

/// Renders the page.
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
    let shown = counts.groups.iter().skip(from).take(GROUPS);
    let rows: Vec<Row> = shown.map(|group| row(board, &counts, group, now)).collect();
    let to = |from: usize| {
        let from = (from > 0).then(|| from.to_string());
        let of = params.get("of");
        Link::to("/funnel").with_some("of", of).with_some("from", from.as_deref()).finish()
    };
    let end = from.saturating_add(rows.len());
    let name = board.placements.value;
    let funnel = Funnel::of(board, &counts, None);
    let page = FunnelPage {
        frame: Frame::new(shared, &known.tables, "/funnel", "Funnel", completed_at, to(from)),
        group: label(board.groups.name()),
        members: plural(board.members.name()),
        value: name.to_owned(),
        coverage: coverage(&counts, name),
        is_guessed: shared.order.is_empty(),
        stages: funnel.stages.iter().map(|(name, all)| (name.clone(), all.len())).collect(),
        funnel,
        columns: counts.columns.iter().map(|one| counts::label(one.as_deref()).into()).collect(),
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
        source: label(&outline::source(board.members).unwrap_or_default()),
        sources: sources(&counts),
    };
    Ok(page.render()?)
}

fn row(board: &Board, counts: &Counts, group: &BoardGroup, now: i64) -> Row {
    let members = link::members(board, Some(&group.id));
    let passed: Vec<&Passage> = counts.passages_of(Some(&group.id)).collect();
    let all = counts.reach(&passed, total(group));
    let cell = |(column, sum): (&Option<String>, &Count)| {
        let passed = passed.iter().find(|one| Some(&one.value) == column.as_ref());
        let waiting = now.saturating_sub(sum.median);
        let reached = share(passed.map_or(0, |one| one.ever).max(sum.count), all);
        let is_over = counts.is_final(column.as_deref());
        (sum.count > 0).then(|| Cell {
            count: grouped(sum.count),
            href: members.clone().with_value(column.as_deref()).finish(),
            note: format!("{} · {reached}", ago(waiting)),
            description: format!(
                "{}, {} {}; half of them for {} or longer, the first since {}; {reached} reached it",
                counts::title(group),
                counted(sum.count, board.members.name()),
                counts::label(column.as_deref()),
                ago(waiting),
                day(sum.since)
            ),
            heat: HEAT.iter().filter(|days| !is_over && waiting >= *days * DAY).count(),
        })
    };
    let title = counts::title(group);
    Row {
        title: title.to_owned(),
        id: group.title.as_deref().is_some_and(|one| one == title).then(|| group.id.clone()),
        href: link::record(board.groups.name(), &group.id),
        cells: counts.columns.iter().zip(&group.cells).map(cell).collect(),
        total: grouped(total(group)),
        all: (total(group) > 0).then(|| members.clone().finish()),
        bars: Bars::of(&counts.weeks_of(Some(&group.id))),
    }
}

/// Compares the sources of members.
fn sources(counts: &Counts) -> Vec<Source> {
    let source = |(name, weeks, passages): &counts::Source| {
        let passed: Vec<&Passage> = passages.iter().collect();
        let all = counts.reach(&passed, 0);
        let cell = |column: &Option<String>| {
            let passed = passed.iter().find(|one| Some(&one.value) == column.as_ref());
            let time = passed.and_then(|one| one.median).map(ago).unwrap_or_default();
            (passed.map_or_else(|| "–".to_owned(), |one| share(one.ever, all)), time)
        };
        Source {
            name: name.as_deref().filter(|name| !name.is_empty()).unwrap_or("Unknown").to_owned(),
            new: grouped(weeks.iter().sum()),
            bars: Bars::of(weeks),
            cells: counts.columns.iter().map(cell).collect(),
        }
    };
    counts.sources.iter().map(source).collect()
}

/// Returns a share in whole percent.
fn share(part: u64, all: u64) -> String {
    let share = part.saturating_mul(100).saturating_add(all / 2).checked_div(all);
    share.map_or_else(|| "–".to_owned(), |share| format!("{} %", share.min(100)))
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

/// After how many days the colour of a count is the next darker one.
const HEAT: [i64; 5] = [3, 7, 14, 30, 60];
