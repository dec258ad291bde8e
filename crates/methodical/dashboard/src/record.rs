//! One record: its fields, its groups or members, and its history.

mod timeline;
mod titles;

use askama::Template;
use methodical_mirror::model::tables::Table;
use methodical_mirror::{Change, ChangeKind, Filter, Order, Paging, Record, State};

use crate::board::counts;
use crate::cells::{Fields, Shown, fields, shown, text};
use crate::frame::{self, Age, Frame};
use crate::link::{self, Link};
use crate::outline::{Board, title};
use crate::record::timeline::{PastValues, Timeline};
use crate::record::titles::Titles;
use crate::shared::{Params, Problem, Shared, completed_at};
use crate::time::{ago, day, machine, minute};
use crate::words::{grouped, label, plural};

/// The template of the page.
#[derive(Template)]
#[template(path = "record.html")]
struct RecordPage {
    frame: Frame,
    noun: String,
    list: String,
    list_href: String,
    id: String,
    state: &'static str,
    fields: Vec<(String, Shown)>,
    /// Fields that the contract does not list.
    others: Vec<(String, Shown)>,
    times: Vec<(&'static str, String, String)>,
    /// The link that shows the personal values.
    reveal: Option<String>,
    groups: Option<Groups>,
    members: Option<Members>,
    timeline: Option<Timeline>,
    history: Vec<Event>,
}

/// The groups of a member.
struct Groups {
    heading: String,
    group: String,
    value: String,
    rows: Vec<Place>,
}

/// A placement.
struct Place {
    title: String,
    href: String,
    value: Option<String>,
    day: String,
    machine: String,
    ago: String,
}

/// The members of a group, by their value.
struct Members {
    heading: String,
    value: String,
    rows: Vec<(String, String, String)>,
}

/// An entry of the history.
pub(crate) struct Event {
    minute: String,
    machine: String,
    kind: &'static str,
    text: String,
    number: i64,
}

/// Renders the page.
pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let table = params.get("of").and_then(|name| shared.outline.table(name));
    let table = table.ok_or_else(|| Problem::NotFound("no list has this name".to_owned()))?;
    let id = params.get("id").unwrap_or_default();
    let record = shared.mirror.record(table.name(), id)?;
    let missing = || Problem::NotFound(format!("the mirror has no such {}", table.name()));
    let record = record.ok_or_else(missing)?;
    let hides = shared.masks && params.get("personal").is_none();
    let all = fields(&record.json);
    let heading = title(table).map_or(Shown::Nothing, |column| shown(&all, column, hides));
    let heading = match heading {
        Shown::Text(text) => text,
        _ => format!("{} {id}", label(table.name())),
    };
    let statuses = shared.mirror.tables()?;
    let completed = |table: &str| completed_at(&statuses, &[table]);
    let here = |personal: Option<&str>| {
        Link::to("/record")
            .with("of", table.name())
            .with("id", id)
            .with_some("personal", personal)
            .finish()
    };
    let named = table.columns().iter();
    let named = named.map(|column| (label(&column.path().join(" ")), shown(&all, column, hides)));
    let board = shared.outline.board_of(table);
    let of_groups = shared.outline.boards.iter().find(|board| board.groups == table);
    let board = board.filter(|board| completed(board.placements.table).is_some());
    let placed = board.map(|board| Placed::read(shared, board, id)).transpose()?;
    let of_groups = of_groups.filter(|board| completed(board.placements.table).is_some());
    let page = RecordPage {
        frame: Frame::new(
            shared,
            &frame::records(table),
            heading,
            completed(table.name()),
            here(params.get("personal")),
        ),
        noun: label(table.name()),
        list: label(&plural(table.name())),
        list_href: frame::records(table),
        id: id.to_owned(),
        state: record.state.as_str(),
        fields: named.collect(),
        others: others(table, &all, hides),
        times: times(&record),
        reveal: hides.then(|| here(Some("1"))),
        groups: placed.as_ref().map(|placed| groups(shared, placed)),
        members: of_groups.map(|board| members(shared, board, id)).transpose()?.flatten(),
        timeline: placed.as_ref().map(|placed| placed.timeline(shared)).transpose()?.flatten(),
        history: history(shared, table, id, placed.as_ref())?,
    };
    Ok(page.render()?)
}

/// Returns the fields that have no column. Nothing says whether they are personal.
fn others(table: &Table, fields: &Fields, hides: bool) -> Vec<(String, Shown)> {
    let is_listed =
        |path: &[&str]| table.columns().iter().any(|column| column.path().starts_with(path));
    let mut others = Vec::new();
    for (name, value) in fields {
        let inner = value.as_object().filter(|_| is_listed(&[name]));
        let all: Vec<(String, &serde_json::Value)> = match inner {
            Some(inner) => inner
                .iter()
                .filter(|(field, _)| !is_listed(&[name, field]))
                .map(|(field, value)| (format!("{name} {field}"), value))
                .collect(),
            None if is_listed(&[name]) => Vec::new(),
            None => vec![(name.clone(), value)],
        };
        others.extend(all.into_iter().map(|(name, value)| {
            let shown = match text(value) {
                None => Shown::Nothing,
                Some(_) if hides => Shown::Hidden,
                Some(text) => Shown::Text(text),
            };
            (label(&name), shown)
        }));
    }
    others
}

fn times(record: &Record) -> Vec<(&'static str, String, String)> {
    let all = [
        ("First seen", Some(record.first_seen)),
        ("Last change", Some(record.changed_at)),
        ("Missing since", record.missing_since),
        ("Gone since", record.gone_at),
    ];
    let times = all.into_iter().filter_map(|(name, time)| Some((name, time?)));
    times.map(|(name, time)| (name, minute(time), machine(time))).collect()
}

/// Where a member is and was placed.
struct Placed<'a> {
    board: &'a Board,
    /// The placements with the identities of their groups.
    places: Vec<(Record, Fields, String)>,
    spells: PastValues,
    titles: Titles,
}

impl<'a> Placed<'a> {
    fn read(shared: &Shared, board: &'a Board, id: &str) -> Result<Self, Problem> {
        let filter = Filter::new().state(State::Present).column(board.placements.member, id);
        let paging = Paging::new(GROUPS).order(Order::Changed).descending();
        let found = shared.mirror.browse(board.placements.table, &filter, &paging)?.records;
        let with_group = |record: Record| {
            let all = fields(&record.json);
            let group = all.get(board.placements.group).and_then(text).unwrap_or_default();
            (record, all, group)
        };
        let places: Vec<_> = found.into_iter().map(with_group).collect();
        let spells = PastValues::read(shared, board, id)?;
        let groups = places.iter().map(|(_, _, group)| &**group);
        let titles = Titles::read(shared, board, groups.chain(spells.groups()).collect())?;
        Ok(Self { board, places, spells, titles })
    }

    fn timeline(&self, shared: &Shared) -> Result<Option<Timeline>, Problem> {
        timeline::drawn(shared, self.board, &self.spells, &self.titles)
    }
}

fn groups(shared: &Shared, Placed { board, places, titles, .. }: &Placed<'_>) -> Groups {
    let now = (shared.now)();
    let place = |(place, all, group): &(Record, Fields, String)| {
        let since = place.changed_at;
        Place {
            title: titles.of(group),
            href: link::record(board.groups.name(), group),
            value: all.get(board.placements.value).and_then(text),
            day: day(since),
            machine: machine(since),
            ago: ago(now.saturating_sub(since)),
        }
    };
    Groups {
        heading: label(&plural(board.groups.name())),
        group: label(board.groups.name()),
        value: label(board.placements.value),
        rows: places.iter().map(place).collect(),
    }
}

fn members(shared: &Shared, board: &Board, id: &str) -> Result<Option<Members>, Problem> {
    let counts = shared.counts()?.of(board);
    let Some(group) = counts.groups.iter().find(|group| group.id == id) else { return Ok(None) };
    let rows = counts.columns.iter().zip(&group.cells).filter(|(_, sum)| sum.count > 0);
    let rows = rows.map(|(column, sum)| {
        let link = Link::to("/records").with("of", board.members.name()).with("group", id);
        let link = match column {
            Some(value) => link.with("value", value),
            None => link.with("unknown", "1"),
        };
        (counts::label(column.as_deref()).to_owned(), grouped(sum.count), link.finish())
    });
    Ok(Some(Members {
        heading: label(&plural(board.members.name())),
        value: label(board.placements.value),
        rows: rows.collect(),
    }))
}

/// Reads the changes of a record and of its placements, the latest one first.
fn history(
    shared: &Shared,
    table: &Table,
    id: &str,
    placed: Option<&Placed<'_>>,
) -> Result<Vec<Event>, Problem> {
    let latest =
        |table: &str, id: &str| shared.mirror.latest_changes(Some((table, id)), None, EVENTS);
    let mut events: Vec<Event> =
        latest(table.name(), id)?.iter().map(|one| event(one, None)).collect();
    if let Some(Placed { board, places, titles, .. }) = placed {
        for (place, _, group) in places {
            let within = format!("{} {}", board.groups.name(), titles.of(group));
            let changes = latest(board.placements.table, &place.id)?;
            events.extend(changes.iter().map(|change| event(change, Some(&within))));
        }
    }
    events.sort_by_key(|event| std::cmp::Reverse(event.number));
    events.truncate(EVENTS);
    Ok(events)
}

/// Describes a change; `within` names the group of a placement.
fn event(change: &Change, within: Option<&str>) -> Event {
    let names: Vec<String> = change.fields.iter().map(|name| label(name).to_lowercase()).collect();
    let text = match (within, names.is_empty()) {
        (Some(within), true) => within.to_owned(),
        (Some(within), false) => format!("{} in {within}", names.join(", ")),
        (None, true) => label(&change.table).to_lowercase(),
        (None, false) => names.join(", "),
    };
    Event {
        minute: minute(change.at),
        machine: machine(change.at),
        kind: verb(change.kind),
        text,
        number: change.number,
    }
}

/// Returns the kind of a change as a word.
pub(crate) const fn verb(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::ValueChanged => "moved",
        other => other.as_str(),
    }
}

/// Maximum number of groups of a member that are shown.
const GROUPS: usize = 50;

/// Maximum number of changes in a history.
const EVENTS: usize = 100;
