//! One record: its fields, its groups or members, and its history.

mod timeline;

use askama::Template;
use methodical_mirror::model::tables::Table;
use methodical_mirror::{Change, ChangeKind, Record};

use crate::board::{Funnel, counts};
use crate::cells::{Fields, Shown, fields, shown, text};
use crate::frame::{self, Frame};
use crate::link::{Link, Names};
use crate::outline::title;
use crate::record::timeline::Timeline;
use crate::shared::{Params, Problem, Shared, completed_at};
use crate::time::Time;
use crate::words::{label, plural};

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
    times: Vec<(&'static str, Time)>,
    /// The link that shows the personal values.
    reveal: Option<String>,
    /// Records that may be the same person.
    duplicates: Vec<Shown>,
    timeline: Option<Timeline>,
    funnel: Option<Funnel>,
    history: Vec<Event>,
}

/// An entry of the history.
struct Event {
    time: Time,
    kind: &'static str,
    text: String,
}

/// Renders the page.
pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let table = params.get("of").and_then(|name| shared.outline.table(name));
    let table = table.ok_or_else(|| Problem::NotFound("no list has this name".to_owned()))?;
    let id = params.get("id").unwrap_or_default();
    let record = shared.mirror.record(table.name(), id)?;
    let missing = || Problem::NotFound(format!("the mirror has no such {}", table.name()));
    let record = record.ok_or_else(missing)?;
    let is_asked = params.get("personal").is_some() && shared.who.can_reveal;
    let hides = shared.who.masks && !is_asked;
    let all = fields(&record.json);
    let heading = title(table).map_or(Shown::Nothing, |column| shown(&all, column, hides));
    let heading = match heading {
        Shown::Text(text) => text,
        _ => format!("{} {id}", label(table.name())),
    };
    let statuses = shared.mirror.tables()?;
    let completed = |table: &str| completed_at(&statuses, &[table]);
    let reveal = || {
        let link = Link::to("/record").with("of", table.name()).with("id", id);
        link.with("personal", "1").finish()
    };
    let columns = table.columns().iter();
    let listed_fields =
        columns.map(|column| (label(&column.path().join(" ")), shown(&all, column, hides)));
    let board = shared.outline.board_of(table);
    let of_groups = shared.outline.board.as_ref().filter(|board| board.groups == table);
    let board = board.filter(|board| completed(board.placements.table).is_some());
    let of_groups = of_groups.filter(|board| completed(board.placements.table).is_some());
    let timeline = board.map(|board| Timeline::read(shared, board, id)).transpose()?;
    let counts = shared.counts_of(board.or(of_groups))?;
    let twins = if board.is_some() { counts.twins(id) } else { Vec::new() };
    let names = Names::read(shared, twins.iter().map(|id| (table.name(), *id)))?;
    let page = RecordPage {
        frame: Frame::new(
            shared,
            &statuses,
            &frame::records(table),
            heading,
            completed(table.name()),
        ),
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
        history: history(shared, table, id)?,
        timeline,
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

fn times(record: &Record) -> Vec<(&'static str, Time)> {
    let all = [
        ("First seen", Some(record.first_seen)),
        ("Last change", Some(record.changed_at)),
        ("Missing since", record.missing_since),
        ("Gone since", record.gone_at),
    ];
    all.into_iter().filter_map(|(name, at)| Some((name, Time::minute(at?)))).collect()
}

/// Reads the changes of a record, the latest one first. The timeline has those of its placements.
fn history(shared: &Shared, table: &Table, id: &str) -> Result<Vec<Event>, Problem> {
    let changes = shared.mirror.latest_changes(Some((table.name(), id)), None, EVENTS)?;
    let event = |change: &Change| Event {
        time: Time::minute(change.at),
        kind: verb(change.kind),
        text: listed(&change.fields),
    };
    Ok(changes.iter().map(event).collect())
}

/// Returns the names of fields as text.
pub(crate) fn listed(fields: &[String]) -> String {
    fields.iter().map(|name| label(name).to_lowercase()).collect::<Vec<_>>().join(", ")
}

/// Returns the values of a placement before and after a change; `None` if neither is known.
pub(crate) fn step(change: &Change) -> Option<String> {
    let (from, to) = (change.previous.as_deref(), change.value.as_deref());
    (from.is_some() || to.is_some())
        .then(|| format!("{} → {}", counts::label(from), counts::label(to)))
}

/// Returns the kind of a change as a word.
pub(crate) const fn verb(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::ValueChanged => "moved",
        ChangeKind::ValueLearned => "learned",
        other => other.as_str(),
    }
}

/// Maximum number of changes in a history.
const EVENTS: usize = 100;
