//! The funnel: how many members have each value, how many ever had it, for how long, and where they went from it.

pub(crate) mod counts;

use std::cmp::Reverse;
use std::fmt;

use askama::Template;
use askama::filters::HtmlSafe;

use crate::board::counts::{Column, Counts, Figures, Group, Part, WEEKS};
use crate::frame::Frame;
use crate::link::{self, Link};
use crate::outline::{self, Board};
use crate::shared::{Params, Problem, Shared, completed_at};
use crate::time::{DAY, ago};
use crate::words::{self, counted, grouped, label, percent, plural};

/// The template of the page.
#[derive(Template)]
#[template(path = "board.html")]
struct FunnelPage<'a> {
    frame: Frame,
    group: String,
    members: String,
    value: &'static str,
    coverage: String,
    /// Whether the order of the values and their groups are guessed.
    is_guessed: bool,
    funnel: Funnel,
    counts: &'a Counts,
    total: String,
    rows: Vec<Row<'a>>,
    range: String,
    previous: Option<String>,
    next: Option<String>,
    /// The name of the column with the source of a member, such as a portal.
    source: String,
    sources: Vec<Source>,
}

/// A group.
struct Row<'a> {
    group: &'a Group,
    href: String,
    cells: Vec<Option<Cell>>,
    total: String,
    /// The link to all members.
    all: Option<String>,
    bars: Bars,
}

/// The count of a group and a value.
struct Cell {
    count: String,
    href: String,
    note: String,
    /// How long half of the members have had the value, from 0 to 3.
    heat: usize,
}

/// A source of members, such as a portal.
struct Source {
    name: String,
    new: String,
    bars: Bars,
    /// The share that ever had each value, and the median time with it.
    cells: Vec<(String, String)>,
}

/// The way of the members of a group, or of all, through the values. It writes itself as HTML.
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
    /// The share of all that ever had the value, in words, and in percent rounded down.
    share: String,
    width: u64,
    time: String,
    /// How many went from here to each end, with their share and a link to the changes.
    then: Vec<Option<(u64, String, String)>>,
}

impl HtmlSafe for Funnel {}

/// A small picture of a number for each week, in a box of 12 to 10 units. It writes itself as HTML, and nothing without new members.
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
    /// Describes the way of the members of a group, or of all.
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

/// Renders the page.
pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let board = shared.outline.board.as_ref();
    let board = board.ok_or_else(|| Problem::NotFound("no list has groups".to_owned()))?;
    let counts = shared.counts()?;
    let completed_at = completed_at(&counts.tables, &[board.groups.name(), board.placements.table]);
    let from = usize::try_from(params.number("from")?.unwrap_or_default()).unwrap_or_default();
    let now = (shared.now)();
    let shown = counts.groups.iter().skip(from).take(GROUPS);
    let rows: Vec<Row<'_>> = shown.map(|group| row(board, &counts, group, now)).collect();
    let to = |from: usize| {
        let from = (from > 0).then(|| from.to_string());
        Link::to("/funnel").with_some("from", from.as_deref()).finish()
    };
    let end = from.saturating_add(rows.len());
    let value = board.placements.value;
    let total = counts.all.total();
    let known_values = total.saturating_sub(counts.unknown());
    let page = FunnelPage {
        frame: Frame::new(shared, &counts.tables, "/funnel", "Funnel", completed_at),
        group: label(board.groups.name()),
        members: plural(board.members.name()),
        value,
        coverage: match total {
            0 => String::new(),
            _ => format!(
                "{} of {} placements have a known {value}.",
                percent(known_values, total),
                grouped(total)
            ),
        },
        is_guessed: shared.order.is_empty(),
        funnel: Funnel::of(board, &counts, None),
        total: grouped(total),
        rows,
        range: format!(
            "{}–{} of {}",
            grouped((from + 1) as u64),
            grouped(end as u64),
            counted(counts.groups.len() as u64, board.groups.name())
        ),
        previous: (from > 0).then(|| to(from.saturating_sub(GROUPS))),
        next: (end < counts.groups.len()).then(|| to(end)),
        source: label(&outline::source(board.members).unwrap_or_default()),
        sources: counts.sources.iter().map(source).collect(),
        counts: &counts,
    };
    Ok(page.render()?)
}

fn row<'a>(board: &Board, counts: &Counts, group: &'a Group, now: i64) -> Row<'a> {
    let members = link::members(board, Some(&group.id));
    let base = group.part.base();
    let cell = |(column, figures): (&Column, &Figures)| {
        let waiting = now.saturating_sub(figures.half);
        let share = share(figures.ever, base);
        (figures.now > 0).then(|| Cell {
            count: grouped(figures.now),
            href: members.clone().with_value(column.value.as_deref()).finish(),
            note: format!("{} · {share}", ago(waiting)),
            heat: HEAT.iter().filter(|days| !column.is_final && waiting >= *days * DAY).count(),
        })
    };
    Row {
        href: link::record(board.groups.name(), &group.id),
        cells: counts.columns.iter().zip(&group.part.figures).map(cell).collect(),
        total: grouped(group.part.total()),
        all: (group.part.total() > 0).then(|| members.clone().finish()),
        bars: Bars(group.part.weeks),
        group,
    }
}

/// Describes a source of members.
fn source((name, part): &(Option<String>, Part)) -> Source {
    let base = part.base();
    let cell = |one: &Figures| match one.ever {
        0 => ("–".to_owned(), String::new()),
        ever => (share(ever, base), one.time.map(ago).unwrap_or_default()),
    };
    Source {
        name: name.as_deref().filter(|name| !name.is_empty()).unwrap_or("Unknown").to_owned(),
        new: grouped(part.weeks.iter().sum()),
        bars: Bars(part.weeks),
        cells: part.figures.iter().map(cell).collect(),
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

/// After how many days the color of a count is the next darker one.
const HEAT: [i64; 3] = [7, 14, 30];
