//! The feed of the mirror, by day, the latest change first.

use std::collections::HashMap;

use askama::Template;
use gateway_mirror::Change;

use crate::cells::{cell, fields, text};
use crate::frame::{Age, Frame};
use crate::link::{self, Link};
use crate::outline::title;
use crate::record::verb;
use crate::shared::{Params, Problem, Shared};
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

/// The record of a change.
#[derive(Clone)]
struct Subject {
    title: String,
    href: Option<String>,
    /// The group of a placement, with its link.
    group: Option<(String, String)>,
}

/// Renders the page.
pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let before = params.number("before")?;
    let mut changes = shared.mirror.latest_changes(None, before, CHANGES + 1)?;
    let has_next = changes.len() > CHANGES;
    changes.truncate(CHANGES);
    let next = changes.last().map(|change| change.number.to_string()).filter(|_| has_next);
    let mut subjects = HashMap::new();
    let mut days: Vec<Day> = Vec::new();
    for change in &changes {
        let entry = entry(shared, change, &mut subjects)?;
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
    let completed_at = shared.completed_at(&names)?.filter(|_| !names.is_empty());
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

fn entry(
    shared: &Shared,
    change: &Change,
    subjects: &mut HashMap<(String, String), Subject>,
) -> Result<Entry, Problem> {
    let key = (change.table.clone(), change.id.clone());
    let subject = if let Some(known) = subjects.get(&key) {
        known.clone()
    } else {
        let subject = subject(shared, &change.table, &change.id)?;
        subjects.insert(key, subject.clone());
        subject
    };
    let board = shared.outline.boards.iter().find(|one| one.placements.table == change.table);
    let names: Vec<String> = change.fields.iter().map(|name| label(name).to_lowercase()).collect();
    let detail = match board {
        Some(board) if !names.is_empty() => format!("{} in", board.placements.value),
        Some(_) => "in".to_owned(),
        None => names.join(", "),
    };
    Ok(Entry {
        time: clock(change.at),
        machine: machine(change.at),
        kind: verb(change.kind),
        noun: label(board.map_or(&change.table, |board| board.members.name())),
        subject,
        detail,
    })
}

/// Finds the record of a change, or the member and the group of a placement.
fn subject(shared: &Shared, table: &str, id: &str) -> Result<Subject, Problem> {
    let board = shared.outline.boards.iter().find(|board| board.placements.table == table);
    let Some(board) = board else {
        return named(shared, table, id);
    };
    let placement = shared.mirror.record(table, id)?;
    let all = placement.map(|placement| fields(&placement.json)).unwrap_or_default();
    let part = |column: &str| all.get(column).and_then(text);
    let (Some(group), Some(member)) = (part(board.placements.group), part(board.placements.member))
    else {
        return Ok(Subject { title: id.to_owned(), href: None, group: None });
    };
    let group = named(shared, board.groups.name(), &group)?;
    let member = named(shared, board.members.name(), &member)?;
    Ok(Subject { group: group.href.map(|href| (group.title, href)), ..member })
}

/// Returns the title of a record and its link, which it has if the mirror has the record.
fn named(shared: &Shared, table: &str, id: &str) -> Result<Subject, Problem> {
    let known = shared.outline.table(table);
    let record = match known {
        Some(_) => shared.mirror.record(table, id)?,
        None => None,
    };
    let column = known.and_then(title);
    let column = column.filter(|column| !(shared.masks && column.is_personal()));
    let title = record.as_ref().zip(column);
    let title = title.and_then(|(record, column)| cell(&fields(&record.json), column));
    Ok(Subject {
        title: title.filter(|title| !title.is_empty()).unwrap_or_else(|| id.to_owned()),
        href: record.map(|_| link::record(table, id)),
        group: None,
    })
}

/// Maximum number of changes on a page.
const CHANGES: usize = 100;
