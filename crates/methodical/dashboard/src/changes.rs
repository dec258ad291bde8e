//! The feed of the mirror by day and person, the latest change first.

use std::time::{Duration, Instant};

use askama::Template;
use methodical_mirror::{Change, ChangeKind};

use crate::board::counts;
use crate::cells::{fields, text};
use crate::frame::{Frame, whole};
use crate::link::{Link, Named, Names};
use crate::outline::Board;
use crate::record::{listed, step, verb};
use crate::shared::{Params, Problem, Shared};
use crate::time::{begin, clock, day, machine};
use crate::words::{counted, label};

/// The template of the page.
#[derive(Template)]
#[template(path = "changes.html")]
struct ChangesPage {
    frame: Frame,
    /// The noun of groups, of which there are perhaps none.
    noun: String,
    /// The groups to choose from: identity, title, and whether it is chosen.
    groups: Vec<(String, String, bool)>,
    /// The kinds to choose from, and whether one is chosen.
    kinds: Vec<(&'static str, bool)>,
    since: String,
    days: Vec<Day>,
    first: Option<String>,
    next: Option<String>,
    is_cut: bool,
}

/// The changes of a day.
struct Day {
    day: String,
    count: usize,
    people: Vec<Person>,
}

/// The changes of a record on a day, or those of a member and of its placements.
struct Person {
    noun: String,
    subject: Named,
    entries: Vec<Entry>,
    /// The table and the identity.
    key: (String, String),
}

/// A change.
struct Entry {
    time: String,
    machine: String,
    kind: &'static str,
    detail: String,
    group: Option<Named>,
}

/// The subject of a change: a record, or the member and the group of a placement.
struct Subject {
    table: String,
    id: String,
    group: Option<String>,
}

impl Day {
    fn counted(&self) -> String {
        counted(self.count as u64, "change")
    }
}

/// Renders the page.
pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let wrong = |name: &str| Problem::Request(format!("`{name}` is not a choice of this page"));
    let before = params.number("before")?;
    let (kind, group) = (params.get("kind"), params.get("group"));
    if kind.is_some_and(|kind| !KINDS.iter().any(|one| verb(*one) == kind)) {
        return Err(wrong("kind"));
    }
    let since =
        params.get("since").map(|day| begin(day).ok_or_else(|| wrong("since"))).transpose()?;
    let board = shared.outline.boards.first();
    let counts = shared.counts_of(board)?;
    let accepts = |change: &Change, subject: &Subject| {
        kind.is_none_or(|kind| verb(change.kind) == kind)
            && group.is_none_or(|group| {
                subject.group.as_deref() == Some(group)
                    || board.is_some_and(|board| board.groups.name() == subject.table)
                        && subject.id == group
            })
    };
    // Without an index for the filter, a page reads for a limited time, and the next one goes on.
    let (started, mut at) = (Instant::now(), before);
    let (mut found, mut next, mut is_cut) = (Vec::new(), None, false);
    'pages: loop {
        let changes = shared.mirror.latest_changes(None, at, BATCH)?;
        let is_last = changes.len() < BATCH;
        let subjects = subjects(shared, &changes)?;
        for (change, subject) in changes.into_iter().zip(subjects) {
            if since.is_some_and(|since| change.at < since) {
                next = None;
                break 'pages;
            }
            if found.len() == CHANGES && accepts(&change, &subject) {
                next = at;
                break 'pages;
            }
            at = Some(change.number);
            if accepts(&change, &subject) {
                found.push((change, subject));
            }
        }
        if is_last {
            break;
        }
        if started.elapsed() > SEARCH {
            (next, is_cut) = (at, found.len() < CHANGES);
            break;
        }
    }
    let of_records = found.iter().map(|(_, one)| (&*one.table, &*one.id));
    let of_groups = board.iter().flat_map(|board| {
        found.iter().filter_map(|(_, one)| Some((board.groups.name(), one.group.as_deref()?)))
    });
    let names = Names::read(shared, of_records.chain(of_groups))?;
    let statuses = shared.mirror.tables()?;
    let to = |before: Option<i64>| {
        let link = Link::to("/changes").with_some("kind", kind).with_some("group", group);
        let before = before.map(|before| before.to_string());
        link.with_some("since", params.get("since")).with_some("before", before.as_deref()).finish()
    };
    let page = ChangesPage {
        frame: Frame::new(shared, &statuses, "/changes", "Changes", whole(&statuses), to(before)),
        noun: board.map(|board| label(board.groups.name())).unwrap_or_default(),
        groups: counts
            .groups
            .iter()
            .take(GROUPS)
            .map(|one| (one.id.clone(), counts::title(one).to_owned(), group == Some(&*one.id)))
            .collect(),
        kinds: KINDS.iter().map(|one| (verb(*one), kind == Some(verb(*one)))).collect(),
        since: params.get("since").unwrap_or_default().to_owned(),
        days: days(&found, board, &names),
        first: before.map(|_| to(None)),
        next: next.map(|number| to(Some(number))),
        is_cut,
    };
    Ok(page.render()?)
}

/// Groups changes by day and record.
fn days(found: &[(Change, Subject)], board: Option<&Board>, names: &Names) -> Vec<Day> {
    let mut days: Vec<Day> = Vec::new();
    for (change, subject) in found {
        let today = day(change.at);
        if days.last().is_none_or(|last| last.day != today) {
            days.push(Day { day: today, count: 0, people: Vec::new() });
        }
        let Some(day) = days.last_mut() else { continue };
        day.count += 1;
        let key = (subject.table.clone(), subject.id.clone());
        let group = subject.group.as_deref().zip(board);
        let entry = Entry {
            time: clock(change.at),
            machine: machine(change.at),
            kind: verb(change.kind),
            detail: step(change).unwrap_or_else(|| listed(&change.fields)),
            group: group.map(|(id, board)| names.of(board.groups.name(), id)),
        };
        match day.people.iter_mut().find(|person| person.key == key) {
            Some(person) => person.entries.push(entry),
            None => day.people.push(Person {
                noun: label(&subject.table),
                subject: names.of(&subject.table, &subject.id),
                entries: vec![entry],
                key,
            }),
        }
    }
    days
}

/// Returns what changes are about. One query for each table reads the placements.
fn subjects(shared: &Shared, changes: &[Change]) -> Result<Vec<Subject>, Problem> {
    let mut subjects: Vec<Subject> = changes
        .iter()
        .map(|one| Subject { table: one.table.clone(), id: one.id.clone(), group: None })
        .collect();
    for board in &shared.outline.boards {
        let placements = &board.placements;
        let ids = changes.iter().filter(|one| one.table == placements.table);
        let ids: Vec<&str> = ids.map(|one| &*one.id).collect();
        let found = shared.mirror.records_of(placements.table, &ids)?;
        for subject in subjects.iter_mut().filter(|one| one.table == placements.table) {
            let Some(record) = found.get(&subject.id) else { continue };
            let all = fields(&record.json);
            let part = |name: &str| all.get(name).and_then(text);
            if let Some(member) = part(placements.member) {
                let group = part(placements.group);
                *subject = Subject { table: board.members.name().to_owned(), id: member, group };
            }
        }
    }
    Ok(subjects)
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

/// Number of changes of one read.
const BATCH: usize = 200;

/// Maximum number of groups to choose from.
const GROUPS: usize = 500;

/// Maximum time that one page reads.
const SEARCH: Duration = Duration::from_millis(40);
