//! The mirror's feed, by day and person, latest change first.

use std::time::{Duration, Instant};

use askama::Template;
use methodical_mirror::{Change, ChangeKind};

use crate::board::counts::{self, Column, Counts};
use crate::cells::Shown;
use crate::frame::{Frame, Pager};
use crate::link::{Link, Names};
use crate::outline::Board;
use crate::record::{detail, has_value, verb};
use crate::shared::{Params, Problem, Shared};
use crate::time::{Time, begin, day};
use crate::words::{self, label};

#[derive(Template)]
#[template(path = "changes.html")]
struct ChangesPage<'a> {
    frame: Frame,
    /// The form's lists: the parameter, its label, and the choices.
    lists: Vec<(&'static str, String, Vec<Choice<'a>>)>,
    since: &'a str,
    days: Vec<Day>,
    pager: Pager,
}

/// A choice of a list: its value, its text, and whether it is chosen.
type Choice<'a> = (&'a str, &'a str, bool);

struct Day {
    day: String,
    count: u64,
    people: Vec<Person>,
}

/// The changes of a record, or of a member and its placements, on one day.
struct Person {
    noun: String,
    name: Shown,
    /// Each change: its time, kind, details and group.
    entries: Vec<(Time, &'static str, String, Option<Shown>)>,
    /// The table and the identity of the record.
    key: (String, String),
}

/// A change with its subject: a record, or the member and the group of a placement.
struct Entry {
    change: Change,
    table: String,
    id: String,
    group: Option<String>,
}

pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let before = params.number("before")?;
    let [kind, group, from, to] = ["kind", "group", "from", "to"].map(|name| params.get(name));
    if kind.is_some_and(|kind| !KINDS.iter().any(|one| verb(*one) == kind)) {
        return Err(Params::wrong("kind"));
    }
    let since = params
        .get("since")
        .map(|day| begin(day).ok_or_else(|| Params::wrong("since")))
        .transpose()?;
    let board = shared.outline.board.as_ref();
    let counts = shared.counts()?;
    let accepts = |Entry { change, table, id, group: of_change }: &Entry| {
        let is_value = |wanted: Option<&str>, value: &Option<String>| {
            wanted
                .is_none_or(|wanted| has_value(change) && counts::label(value.as_deref()) == wanted)
        };
        let is_group = |group: &str| {
            of_change.as_deref() == Some(group)
                || board.is_some_and(|board| board.groups.name() == table) && id == group
        };
        kind.is_none_or(|kind| verb(change.kind) == kind)
            && group.is_none_or(is_group)
            && is_value(from, &change.previous)
            && is_value(to, &change.value)
    };
    // Without an index for the filter, a page stops reading after a time limit, and the next page continues.
    let (started, mut at) = (Instant::now(), before);
    let (mut found, mut next, mut is_cut) = (Vec::new(), None, false);
    'pages: loop {
        let changes = shared.mirror.latest_changes(None, at, BATCH)?;
        let is_last = changes.len() < BATCH;
        for entry in entries(shared, changes)? {
            if since.is_some_and(|since| entry.change.at < since) {
                next = None;
                break 'pages;
            }
            let is_accepted = accepts(&entry);
            if found.len() == CHANGES && is_accepted {
                next = at;
                break 'pages;
            }
            at = Some(entry.change.number);
            found.extend(is_accepted.then_some(entry));
        }
        if is_last {
            break;
        }
        if started.elapsed() > SEARCH {
            (next, is_cut) = (at, found.len() < CHANGES);
            break;
        }
    }
    let statuses = shared.mirror.tables()?;
    let here = ["kind", "group", "from", "to", "since"]
        .into_iter()
        .fold(Link::to("/changes"), |link, name| link.with_some(name, params.get(name)));
    let mut page = ChangesPage {
        frame: Frame::new(shared, &statuses, "/changes", "Changes"),
        lists: Vec::new(),
        since: params.get("since").unwrap_or_default(),
        days: days(shared, found, board)?,
        pager: Pager { is_cut, ..Pager::of(&here, "before", before.unwrap_or_default(), next) },
    };
    if let Some(board) = board {
        page.lists = lists(board, &counts, [group, kind, from, to]);
    }
    Ok(page.render()?)
}

/// Returns the form's lists, each with its choices.
fn lists<'a>(
    board: &Board,
    counts: &'a Counts,
    [group, kind, from, to]: [Option<&str>; 4],
) -> Vec<(&'static str, String, Vec<Choice<'a>>)> {
    let groups = counts.groups.iter().take(GROUPS);
    let groups: Vec<_> =
        groups.map(|one| (&*one.id, &*one.title, group == Some(&*one.id))).collect();
    let kinds = KINDS.map(|one| (verb(one), verb(one), kind == Some(verb(one))));
    let values = |chosen: Option<&str>| {
        let all = counts.columns.iter().map(Column::label);
        all.map(|one| (one, one, chosen == Some(one))).collect()
    };
    let value = board.placements.value;
    let mut lists = vec![
        ("group", label(board.groups.name()), groups),
        ("kind", "Kind".to_owned(), kinds.into()),
        ("from", format!("From {value}"), values(from)),
        ("to", format!("To {value}"), values(to)),
    ];
    lists.retain(|(.., choices)| !choices.is_empty());
    lists
}

/// Groups changes by day and record.
fn days(shared: &Shared, found: Vec<Entry>, board: Option<&Board>) -> Result<Vec<Day>, Problem> {
    let groups = board.map(|board| board.groups.name()).unwrap_or_default();
    let names = found.iter().flat_map(|one| {
        let group = one.group.as_deref().map(|id| (groups, id));
        group.into_iter().chain([(&*one.table, &*one.id)])
    });
    let names = Names::read(shared, names)?;
    let mut days: Vec<Day> = Vec::new();
    for Entry { change, table, id, group } in found {
        let today = day(change.at);
        if days.last().is_none_or(|last| last.day != today) {
            days.push(Day { day: today, count: 0, people: Vec::new() });
        }
        let Some(day) = days.last_mut() else { continue };
        day.count += 1;
        let text = detail(&change, group.is_some());
        let group = group.map(|id| names.of(groups, &id));
        let entry = (Time::clock(change.at), verb(change.kind), text, group);
        let key = (table, id);
        match day.people.iter_mut().find(|person| person.key == key) {
            Some(person) => person.entries.push(entry),
            None => day.people.push(Person {
                noun: label(&key.0),
                name: names.of(&key.0, &key.1),
                entries: vec![entry],
                key,
            }),
        }
    }
    Ok(days)
}

/// Returns the subjects of changes. The placements are read with one query per table.
fn entries(shared: &Shared, changes: Vec<Change>) -> Result<Vec<Entry>, Problem> {
    let entry = |change: Change| {
        let (table, id) = (change.table.clone(), change.id.clone());
        Entry { change, table, id, group: None }
    };
    let mut entries: Vec<Entry> = changes.into_iter().map(entry).collect();
    if let Some(board) = &shared.outline.board {
        let placements = &board.placements;
        let ids = entries.iter().filter(|one| one.table == placements.table);
        let ids: Vec<&str> = ids.map(|one| &*one.id).collect();
        let found = shared.mirror.records_of(placements.table, &ids)?;
        for entry in entries.iter_mut().filter(|one| one.table == placements.table) {
            let Some(record) = found.get(&entry.id) else { continue };
            let placed = placements.placed(record);
            (entry.table, entry.id) = (board.members.name().to_owned(), placed.member);
            entry.group = Some(placed.group);
        }
    }
    Ok(entries)
}

/// The kinds of changes to choose from.
const KINDS: [ChangeKind; 7] = [
    ChangeKind::Added,
    ChangeKind::ValueChanged,
    ChangeKind::ValueLearned,
    ChangeKind::Changed,
    ChangeKind::Missing,
    ChangeKind::Gone,
    ChangeKind::Returned,
];

/// Maximum number of changes on a page.
const CHANGES: usize = 100;

/// Number of changes per read.
const BATCH: usize = 200;

/// Maximum number of groups to choose from.
const GROUPS: usize = 500;

/// Maximum time that one page reads.
const SEARCH: Duration = Duration::from_millis(15);
