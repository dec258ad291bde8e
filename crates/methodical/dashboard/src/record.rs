//! One record: its fields, its groups or members, and its history.

mod timeline;

use askama::Template;
use methodical_mirror::model::tables::Table;
use methodical_mirror::{Change, ChangeKind, Record};

use crate::board::{Funnel, counts};
use crate::cells::{Fields, Shown, fields, shown, text};
use crate::frame::{self, Frame};
use crate::link::{Link, Names};
use crate::outline::Board;
use crate::record::timeline::Timeline;
use crate::shared::{Params, Problem, Shared, was_complete};
use crate::time::Time;
use crate::words::{label, plural};

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
    times: Vec<(&'static str, Time)>,
    /// The link that shows the personal values, if they are hidden and the reader may see them.
    reveal: Option<String>,
    /// Records that may be the same person.
    duplicates: Vec<Shown>,
    timeline: Option<Timeline>,
    funnel: Option<Funnel>,
    /// The changes: the time, the kind, and the details.
    history: Vec<(Time, &'static str, String)>,
}

pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let table = params.get("of").and_then(|name| shared.outline.table(name));
    let table = table.ok_or_else(|| Problem::NotFound("No list has this name.".to_owned()))?;
    let id = params.get("id").unwrap_or_default();
    let record = shared.mirror.record(table.name(), id)?;
    let missing = || Problem::NotFound(format!("The mirror has no such {}.", table.name()));
    let record = record.ok_or_else(missing)?;
    let is_asked = params.get("personal").is_some() && shared.who.can_reveal;
    let hides = shared.who.masks && !is_asked;
    let all = fields(&record.json);
    let heading = table.titles().next().map_or(Shown::Nothing, |column| shown(&all, column, hides));
    let heading = match heading {
        Shown::Text(text) => text,
        _ => format!("{} {id}", label(table.name())),
    };
    let statuses = shared.mirror.tables()?;
    let reveal = || {
        let link = Link::to("/record").with("of", table.name()).with("id", id);
        link.with("personal", "1").finish()
    };
    let columns = table.columns().iter();
    let listed_fields =
        columns.map(|column| (label(&column.path().join(" ")), shown(&all, column, hides)));
    let board = shared.outline.board_of(table);
    let of_groups = shared.outline.board.as_ref().filter(|board| board.groups == table);
    let is_counted = |board: &&Board| was_complete(&statuses, board.placements.table);
    let (board, of_groups) = (board.filter(is_counted), of_groups.filter(is_counted));
    let timeline = board.map(|board| Timeline::read(shared, board, id)).transpose()?;
    let counts = shared.counts_of(board.or(of_groups))?;
    let twins = if board.is_some() { counts.twins(id) } else { Vec::new() };
    let names = Names::read(shared, twins.iter().map(|id| (table.name(), *id)))?;
    // The timeline shows the placements' changes.
    let changes = shared.mirror.latest_changes(Some((table.name(), id)), None, EVENTS)?;
    let page = RecordPage {
        frame: Frame::new(shared, &statuses, &frame::records(table), heading),
        noun: label(table.name()),
        list: label(&plural(table.name())),
        list_href: frame::records(table),
        id: id.to_owned(),
        state: record.state.as_str(),
        fields: listed_fields.collect(),
        others: others(table, &all, hides),
        times: times(&record),
        reveal: (hides && shared.who.can_reveal).then(reveal),
        duplicates: twins.iter().map(|id| names.of(table.name(), id)).collect(),
        funnel: of_groups.map(|board| Funnel::of(board, &counts, Some(id))),
        history: changes
            .iter()
            .map(|one| (Time::minute(one.at), verb(one.kind), detail(one, false)))
            .collect(),
        timeline,
    };
    Ok(page.render()?)
}

/// Returns the fields without a column, even in nested objects. Any of them may be personal.
fn others(table: &Table, fields: &Fields, hides: bool) -> Vec<(String, Shown)> {
    let all = fields.iter().flat_map(|(name, value)| match value.as_object() {
        Some(inner) => {
            inner.iter().map(|(field, value)| (vec![&**name, &**field], value)).collect()
        }
        None => vec![(vec![&**name], value)],
    });
    let is_listed =
        |path: &[&str]| table.columns().iter().any(|column| path.starts_with(column.path()));
    let shown = |value| match text(value) {
        None => Shown::Nothing,
        Some(_) if hides => Shown::Hidden,
        Some(text) => Shown::Text(text),
    };
    all.filter(|(path, _)| !is_listed(path))
        .map(|(path, value)| (label(&path.join(" ")), shown(value)))
        .collect()
}

fn times(record: &Record) -> Vec<(&'static str, Time)> {
    let all = [
        ("First seen", Some(record.first_seen)),
        ("Last change", Some(record.changed_at)),
        ("Missing since", record.missing_since),
        ("Gone since", record.gone_at),
    ];
    all.into_iter().filter_map(|(name, at)| Some((name, Time::minute(at?)))).collect()
}

/// Returns the details of a change: the values of a placement before and after it, or the changed fields.
pub(crate) fn detail(change: &Change, is_placement: bool) -> String {
    let (from, to) = (change.previous.as_deref(), change.value.as_deref());
    match change.kind {
        ChangeKind::Added if to.is_some() => counts::label(to).to_owned(),
        _ if has_value(change) => format!("{} → {}", counts::label(from), counts::label(to)),
        ChangeKind::Added | ChangeKind::Returned if !is_placement => "to the list".to_owned(),
        ChangeKind::Missing | ChangeKind::Gone if !is_placement => "from the list".to_owned(),
        _ => {
            let names = change.fields.iter().map(|name| label(name).to_lowercase());
            names.collect::<Vec<_>>().join(", ")
        }
    }
}

/// Returns whether the value of a placement before or after a change is known.
pub(crate) fn has_value(change: &Change) -> bool {
    change.previous.is_some() || change.value.is_some()
}

pub(crate) const fn verb(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::ValueChanged => "moved",
        ChangeKind::ValueLearned => "learned",
        other => other.as_str(),
    }
}

/// Maximum number of changes in a history.
const EVENTS: usize = 100;
