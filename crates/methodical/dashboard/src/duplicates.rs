//! Members that may be the same person, with the groups of each.

use std::collections::BTreeSet;

use askama::Template;

use crate::board::counts;
use crate::cells::Shown;
use crate::frame::{Frame, Pager};
use crate::link::{Link, Names};
use crate::shared::{Params, Problem, Shared};
use crate::time::Time;
use crate::words::{counted, label, plural};

#[derive(Template)]
#[template(path = "duplicates.html")]
struct DuplicatesPage {
    frame: Frame,
    noun: String,
    count: String,
    /// A shared value, the people who have it, and how many more have it.
    all: Vec<(String, Vec<Person>, usize)>,
    pager: Pager,
}

/// A member with its groups and values.
struct Person {
    name: Shown,
    id: String,
    places: Vec<(Shown, String, Time)>,
}

pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let board = shared.outline.board.as_ref();
    let board = board.ok_or_else(|| Problem::NotFound("No list has groups.".to_owned()))?;
    let (members, groups) = (board.members.name(), board.groups.name());
    let counts = shared.counts()?;
    let from = usize::try_from(params.number("from")?.unwrap_or_default()).unwrap_or_default();
    let shown = || counts.duplicates.iter().skip(from).take(ROWS);
    let ids: BTreeSet<&String> = shown().flat_map(|one| one.ids.iter().take(PEOPLE)).collect();
    let mut all = Vec::new();
    for id in &ids {
        all.extend(board.placements.of_member(&shared.mirror, id, GROUPS)?);
    }
    let of_groups = all.iter().map(|one| (groups, &*one.group));
    let names = Names::read(shared, of_groups.chain(ids.iter().map(|id| (members, &***id))))?;
    let person = |id: &String| {
        let places = all.iter().filter(|one| one.member == *id).map(|one| {
            let value = counts::label(one.value.as_deref()).to_owned();
            (names.of(groups, &one.group), value, Time::day(one.since))
        });
        Person { name: names.of(members, id), id: id.clone(), places: places.collect() }
    };
    let end = from.saturating_add(ROWS);
    let next = (end < counts.duplicates.len()).then_some(end);
    let page = DuplicatesPage {
        frame: Frame::new(shared, &counts.tables, "/", "Duplicates"),
        noun: plural(members),
        count: counted(counts.duplicates.len() as u64, "group"),
        all: shown()
            .map(|one| {
                let columns: Vec<String> = one.columns.iter().map(|name| label(name)).collect();
                let more = one.ids.len().saturating_sub(PEOPLE);
                (columns.join(", "), one.ids.iter().take(PEOPLE).map(person).collect(), more)
            })
            .collect(),
        pager: Pager::of(&Link::to("/duplicates"), "from", from, next),
    };
    Ok(page.render()?)
}

/// Maximum number of duplicates on a page.
const ROWS: usize = 25;

/// Maximum number of people shown for a duplicate.
const PEOPLE: usize = 20;

/// Maximum number of groups shown for a person.
const GROUPS: usize = 20;
