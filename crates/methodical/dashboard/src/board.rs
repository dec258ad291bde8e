//! The funnel: how many members have each value, how many ever had it, for how long, and where they went from there.

pub(crate) mod counts;

use std::cmp::Reverse;
use std::fmt;

use askama::Template;
use askama::filters::HtmlSafe;
use methodical_mirror::model::tables;

use crate::board::counts::{Column, Counts, Figures, Group, Part, WEEKS};
use crate::cells::Shown;
use crate::frame::{Frame, Pager};
use crate::link::{self, Link};
use crate::outline::Board;
use crate::shared::{Params, Problem, Shared};
use crate::time::{DAY, ago};
use crate::words::{self, counted, grouped, label, plural};

#[derive(Template)]
#[template(path = "board.html")]
struct FunnelPage<'a> {
    frame: Frame,
    members: String,
    value: &'static str,
    /// How many placements have no known value.
    unknown: Option<String>,
    /// What is guessed about the values: their order and groups, or only which are final.
    guessed: Option<String>,
    funnel: Funnel,
    counts: &'a Counts,
    tables: Vec<Table>,
    pager: Pager,
}

/// The figures by group, or by the source of the members, such as a portal.
struct Table {
    by: String,
    lead: String,
    /// The name of the last column.
    total: &'static str,
    rows: Vec<Row>,
}

/// The row of a group or a source.
struct Row {
    title: Shown,
    id: Option<String>,
    cells: Vec<Option<Cell>>,
    total: Shown,
    bars: Bars,
}

/// The figure of a row for one value.
struct Cell {
    text: String,
    href: Option<String>,
    note: String,
    /// How long half of the members have had the value, as a color from 0 to 3.
    heat: usize,
}

/// The path of a group's members, or of all members, through the values. Its display form is HTML.
#[derive(Template)]
#[template(path = "steps.html")]
pub(crate) struct Funnel {
    value: String,
    members: String,
    /// The values of each stage.
    stages: Vec<(String, Vec<Step>)>,
    /// The values at which members end.
    ends: Vec<String>,
    bars: Bars,
}

/// A value of a funnel.
struct Step {
    value: String,
    href: String,
    figures: Figures,
    /// The share of all members that ever had the value: as text, and as a percentage, rounded down.
    share: String,
    width: u64,
    time: String,
    /// How many went from here to each end, with their share and a link to the changes.
    then: Vec<Option<(u64, String, String)>>,
}

impl HtmlSafe for Funnel {}

/// A sparkline of a number for each week, in a box of 12 by 10 units, as HTML. Empty if all numbers are zero.
struct Bars([u64; WEEKS]);

impl fmt::Display for Bars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.0.iter().copied().max().unwrap_or_default();
        let numbers: Vec<String> = self.0.iter().map(|count| grouped(*count)).collect();
        if most == 0 {
            return Ok(());
        }
        let text = format!("New in each of the last {WEEKS} weeks: {}", numbers.join(", "));
        let size = r#"viewBox="0 0 12 10" preserveAspectRatio="none""#;
        write!(f, r#"<svg class="bars" {size} role="img" aria-label="{text}"><path d=""#)?;
        for (place, count) in self.0.iter().enumerate().filter(|(_, count)| **count > 0) {
            let height = count.saturating_mul(10).div_ceil(most).min(10);
            write!(f, "M{place} 10h.8v-{height}h-.8z")?;
        }
        f.write_str(r#""/></svg>"#)
    }
}

impl HtmlSafe for Bars {}

impl Funnel {
    /// Describes the path of a group's members, or of all members.
    pub(crate) fn of(board: &Board, counts: &Counts, group: Option<&str>) -> Self {
        let part = counts.part(group).cloned().unwrap_or_default();
        let columns = || counts.columns.iter().enumerate();
        let came = |to: usize| columns().map(|(from, _)| part.stepped(from, to)).sum::<u64>();
        let mut ends: Vec<(usize, &Column)> =
            columns().filter(|(place, one)| one.is_final && came(*place) > 0).collect();
        ends.sort_by_key(|(place, _)| Reverse(came(*place)));
        ends.truncate(ENDS);
        ends.sort_by_key(|(place, _)| *place);
        let base = part.base();
        let mut stages: Vec<(String, Vec<Step>)> = Vec::new();
        for ((place, column), figures) in columns().zip(&part.figures) {
            let then = |(to, end): &(usize, &Column)| {
                let count = part.stepped(place, *to);
                let changes = Link::to("/changes").with_some("group", group).with("kind", "moved");
                let href = changes.with("from", column.label()).with("to", end.label()).finish();
                (count > 0).then(|| (count, share(count, figures.ever), href))
            };
            let width = figures.ever.saturating_mul(100).checked_div(base);
            let step = Step {
                value: column.label().to_owned(),
                href: link::members(board, group).with_value(column.value.as_deref()).finish(),
                figures: *figures,
                share: share(figures.ever, base),
                width: width.unwrap_or_default().min(100),
                time: figures.time.map_or_else(|| "–".to_owned(), ago),
                then: ends.iter().map(then).collect(),
            };
            match stages.last_mut().filter(|(name, _)| *name == column.stage) {
                Some((_, steps)) => steps.push(step),
                None => stages.push((column.stage.clone(), vec![step])),
            }
        }
        Self {
            value: label(board.placements.value),
            members: plural(board.members.name()),
            stages,
            ends: ends.iter().map(|(_, end)| end.label().to_owned()).collect(),
            bars: Bars(part.weeks),
        }
    }
}

pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let board = shared.outline.board.as_ref();
    let board = board.ok_or_else(|| Problem::NotFound("No list has groups.".to_owned()))?;
    let counts = shared.counts()?;
    let from = usize::try_from(params.number("from")?.unwrap_or_default()).unwrap_or_default();
    let now = (shared.now)();
    let (value, members) = (board.placements.value, plural(board.members.name()));
    let shown = counts.groups.iter().skip(from).take(GROUPS);
    let rows: Vec<Row> = shown.map(|group| of_group(board, &counts, group, now)).collect();
    let end = from.saturating_add(rows.len());
    let (total, unknown) = (counts.all.total(), counts.unknown());
    let mut tables = Vec::new();
    if !rows.is_empty() {
        tables.push(Table {
            by: label(board.groups.name()),
            lead: format!(
                "Each number links to its {members}. Below it are the median time they have had the {value}, shown by the \
                 color, and the share that ever had it."
            ),
            total: "Total",
            rows,
        });
    }
    if !counts.sources.is_empty() {
        tables.push(Table {
            by: label(&board.members.source().map(tables::Column::name).unwrap_or_default()),
            lead: format!(
                "In each row, the share of {members} that ever had a {value}, and the median time until they left it."
            ),
            total: "New in 12 weeks",
            rows: counts.sources.iter().map(of_source).collect(),
        });
    }
    let next = (end < counts.groups.len()).then_some(end);
    let has_named = shared.order.iter().any(|(name, _)| name.is_some());
    let guessed = if shared.order.is_empty() {
        Some(format!("The order and the groups of each {value} are"))
    } else {
        (!has_named).then(|| format!("Which {} are final is", plural(value)))
    };
    let page = FunnelPage {
        frame: Frame::new(shared, &counts.tables, "/funnel", "Funnel"),
        members,
        value,
        unknown: (unknown > 0)
            .then(|| format!("{} of {} placements", grouped(unknown), grouped(total))),
        guessed,
        funnel: Funnel::of(board, &counts, None),
        tables,
        pager: Pager::of(&Link::to("/funnel"), "from", from, next),
        counts: &counts,
    };
    Ok(page.render()?)
}

fn of_group(board: &Board, counts: &Counts, group: &Group, now: i64) -> Row {
    let members = link::members(board, Some(&group.id));
    let base = group.part.base();
    let cell = |(column, figures): (&Column, &Figures)| {
        let waiting = now.saturating_sub(figures.half);
        let share = share(figures.ever, base);
        (figures.now > 0).then(|| Cell {
            text: grouped(figures.now),
            href: Some(members.clone().with_value(column.value.as_deref()).finish()),
            note: format!("{} · {share}", ago(waiting)),
            heat: HEAT.iter().filter(|days| !column.is_final && waiting >= *days * DAY).count(),
        })
    };
    let total = group.part.total();
    Row {
        title: Shown::Link(link::record(board.groups.name(), &group.id), group.title.clone()),
        id: (group.title != group.id).then(|| group.id.clone()),
        cells: counts.columns.iter().zip(&group.part.figures).map(cell).collect(),
        total: match total {
            0 => Shown::Text(grouped(0)),
            _ => Shown::Link(members.clone().finish(), grouped(total)),
        },
        bars: Bars(group.part.weeks),
    }
}

fn of_source((name, part): &(Option<String>, Part)) -> Row {
    let base = part.base();
    let cell = |one: &Figures| {
        (one.ever > 0).then(|| Cell {
            text: share(one.ever, base),
            href: None,
            note: one.time.map(ago).unwrap_or_default(),
            heat: 0,
        })
    };
    let name = name.as_deref().filter(|name| !name.is_empty()).unwrap_or("Unknown");
    Row {
        title: Shown::Text(name.to_owned()),
        id: Some(counted(base, "placement")),
        cells: part.figures.iter().map(cell).collect(),
        total: Shown::Text(grouped(part.weeks.iter().sum())),
        bars: Bars(part.weeks),
    }
}

/// Returns a share in whole percent.
fn share(part: u64, all: u64) -> String {
    let share = part.saturating_mul(100).saturating_add(all / 2).checked_div(all);
    share.map_or_else(|| "–".to_owned(), |share| format!("{} %", share.min(100)))
}

/// Maximum number of groups on a page.
const GROUPS: usize = 100;

/// Maximum number of ends in a funnel.
const ENDS: usize = 3;

/// Number of days after which the color of a count becomes one step darker.
const HEAT: [i64; 3] = [7, 14, 30];
