//! The feed of the mirror, by day, the latest change first.

mod subjects;

use askama::Template;
use methodical_mirror::Change;

use crate::changes::subjects::{Subject, Subjects};
use crate::frame::{Age, Frame};
use crate::link::Link;
use crate::record::verb;
use crate::shared::{Params, Problem, Shared, completed_at};
use crate::time::{clock, day, machine};
use crate::words::{counted, label};

/// The template of the page.
#[derive(Template)]
#[template(path = "changes.html")]
struct ChangesPage {
    frame: Frame,
    days: Vec<Day>,
    first: Option<String>,
    next: Option<String>,
}

/// The changes of a day.
struct Day {
    day: String,
    count: String,
    entries: Vec<Entry>,
}

/// A change.
struct Entry {
    time: String,
    machine: String,
    kind: &'static str,
    noun: String,
    subject: Subject,
    detail: String,
}

/// Renders the page.
pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let before = params.number("before")?;
    let mut changes = shared.mirror.latest_changes(None, before, CHANGES + 1)?;
    let has_next = changes.len() > CHANGES;
    changes.truncate(CHANGES);
    let next = changes.last().map(|change| change.number.to_string()).filter(|_| has_next);
    let subjects = Subjects::of(shared, &changes)?;
    let mut days: Vec<Day> = Vec::new();
    for change in &changes {
        let entry = entry(shared, change, &subjects);
        let today = day(change.at);
        match days.last_mut().filter(|last| last.day == today) {
            Some(last) => last.entries.push(entry),
            None => {
                days.push(Day { day: today, count: String::new(), entries: vec![entry] });
            }
        }
    }
    for day in &mut days {
        day.count = counted(day.entries.len() as u64, "change");
    }
    let statuses = shared.mirror.tables()?;
    let names: Vec<&str> = statuses.iter().map(|status| &*status.table).collect();
    let completed_at = completed_at(&statuses, &names).filter(|_| !names.is_empty());
    let to = |before: Option<&str>| Link::to("/changes").with_some("before", before).finish();
    let here = to(params.get("before"));
    let page = ChangesPage {
        frame: Frame::new(shared, "/changes", "Changes", completed_at, here),
        days,
        first: before.map(|_| to(None)),
        next: next.map(|number| to(Some(&number))),
    };
    Ok(page.render()?)
}

fn entry(shared: &Shared, change: &Change, subjects: &Subjects) -> Entry {
    let board = shared.outline.boards.iter().find(|one| one.placements.table == change.table);
    let names: Vec<String> = change.fields.iter().map(|name| label(name).to_lowercase()).collect();
    let detail = match board {
        Some(board) if !names.is_empty() => format!("{} in", board.placements.value),
        Some(_) => "in".to_owned(),
        None => names.join(", "),
    };
    Entry {
        time: clock(change.at),
        machine: machine(change.at),
        kind: verb(change.kind),
        noun: label(board.map_or(&change.table, |board| board.members.name())),
        subject: subjects.of_change(shared, change),
        detail,
    }
}

/// Maximum number of changes on a page.
const CHANGES: usize = 100;
