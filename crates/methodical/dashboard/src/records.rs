//! The records of a table: search, state, order and pages; and the members of a group.

pub(crate) mod view;

use askama::Template;
use methodical_mirror::model::tables::{Column, ColumnKind};
use methodical_mirror::{Page, Record, State, TableStatus};

use crate::cells::{Shown, cell, fields, shown};
use crate::download::format::DownloadFormat;
use crate::frame::{self, Age, Frame};
use crate::link;
use crate::outline::{is_identity, title};
use crate::records::view::{By, Members, Sort, Value, View, name};
use crate::shared::{Params, Problem, Shared, completed_at};
use crate::time::{ago, day, machine};
use crate::words::{counted, grouped, label, plural};

/// The template of the page.
#[derive(Template)]
#[template(path = "records.html")]
struct RecordsPage {
    frame: Frame,
    of: String,
    noun: String,
    q: String,
    /// The parameters that a search keeps.
    kept: Vec<(&'static str, String)>,
    can_search: bool,
    states: Vec<Choice>,
    group: Option<Chosen>,
    lead: String,
    columns: Vec<Head>,
    rows: Vec<Row>,
    first: Option<String>,
    next: Option<String>,
    is_cut: bool,
    /// The names of the formats of downloads, with their links.
    downloads: Vec<(&'static str, String)>,
}

/// A choice among links.
struct Choice {
    text: &'static str,
    href: String,
    is_current: bool,
}

/// The group whose members are shown.
struct Chosen {
    noun: String,
    title: String,
    href: String,
    value: String,
    clear: String,
}

/// The head of a column.
struct Head {
    text: String,
    /// The link that orders by it.
    href: Option<String>,
    sorted: Option<&'static str>,
    is_number: bool,
}

struct Row {
    href: String,
    title: Shown,
    id: String,
    state: Option<&'static str>,
    cells: Vec<(Shown, bool)>,
    time: String,
    machine: String,
    ago: String,
}

/// Renders the page.
pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let view = View::of(shared, params)?;
    let table = view.table;
    let after = params.number("after")?;
    let placements = view.placements().map(|placements| placements.table);
    let tables: Vec<&str> = [Some(table.name()), placements].into_iter().flatten().collect();
    let statuses = shared.mirror.tables()?;
    let completed_at = completed_at(&statuses, &tables);
    let page = if view.is_in_mirror(&statuses) {
        view.read(shared, after, ROWS)?
    } else {
        Page::default()
    };
    let title_column = title(table);
    let others: Vec<&Column> = table
        .columns()
        .iter()
        .filter(|column| !is_identity(table, column) && Some(*column) != title_column)
        .collect();
    let mut rows = Vec::with_capacity(page.records.len());
    for (record, found) in page.records.iter().zip(view.records(shared, &page.records)?) {
        rows.push(row(shared, &view, &others, record, found));
    }
    let at = |after: Option<i64>| {
        let after = after.map(|after| after.to_string());
        view.link("/records").with_some("after", after.as_deref()).finish()
    };
    let is_cut = view.q.is_some() && page.next.is_some() && rows.len() < ROWS;
    let completed = Frame::new(
        shared,
        &frame::records(table),
        label(&plural(table.name())),
        completed_at,
        at(after),
    );
    let page = RecordsPage {
        frame: completed,
        of: table.name().to_owned(),
        noun: plural(table.name()),
        q: view.q.unwrap_or_default().to_owned(),
        kept: kept(&view),
        can_search: view.members.is_none(),
        states: states(&view),
        group: chosen(shared, &view)?,
        lead: lead(&statuses, &view),
        columns: heads(&view, title_column, &others),
        rows,
        first: after.map(|_| at(None)),
        next: page.next.map(|next| at(Some(next))),
        is_cut,
        downloads: downloads(shared, &view),
    };
    Ok(page.render()?)
}

/// Returns the links to all records of the view.
fn downloads(shared: &Shared, view: &View<'_>) -> Vec<(&'static str, String)> {
    let link = |format: &dyn DownloadFormat| {
        (format.name(), view.link("/download").with("as", format.extension()).finish())
    };
    shared.formats.iter().map(|format| link(&**format)).collect()
}

/// Returns the parameters that a search keeps.
fn kept(view: &View<'_>) -> Vec<(&'static str, String)> {
    let state = match view.state {
        Some(State::Present) => None,
        Some(state) => Some(state.as_str()),
        None => Some("all"),
    };
    let state = state.map(|state| ("state", state.to_owned()));
    state.into_iter().chain([("sort", view.sort.text().to_owned())]).collect()
}

fn states(view: &View<'_>) -> Vec<Choice> {
    let choices = [
        ("In the list", Some(State::Present)),
        ("Missing", Some(State::Missing)),
        ("Gone", Some(State::Gone)),
        ("All", None),
    ];
    let choice = |(text, state)| {
        let View { table, q, sort, members, .. } = *view;
        let other = View { table, q, state, sort, members };
        Choice { text, href: other.link("/records").finish(), is_current: state == view.state }
    };
    choices.map(choice).into()
}

/// Returns the group whose members are shown.
fn chosen(shared: &Shared, view: &View<'_>) -> Result<Option<Chosen>, Problem> {
    let Some(Members { board, group, value }) = &view.members else { return Ok(None) };
    let record = shared.mirror.record(board.groups.name(), group)?;
    let title = title(board.groups).and_then(|column| {
        let fields = fields(&record.as_ref()?.json);
        cell(&fields, column).filter(|_| !(shared.masks && column.is_personal()))
    });
    let name = board.placements.value;
    Ok(Some(Chosen {
        noun: label(board.groups.name()),
        title: title.unwrap_or_else(|| (*group).to_owned()),
        href: link::record(board.groups.name(), group),
        value: match value {
            Value::Any => format!("any {name}"),
            Value::Is(value) => (*value).to_owned(),
            Value::Unknown => format!("unknown {name}"),
        },
        clear: frame::records(view.table),
    }))
}

/// Returns how many records the table has.
fn lead(statuses: &[TableStatus], view: &View<'_>) -> String {
    let name = view.table.name();
    match statuses.iter().find(|status| status.table == name) {
        Some(status) if status.missing > 0 => format!(
            "The mirror has {} in the list, and {} missing from it.",
            counted(status.present, name),
            grouped(status.missing)
        ),
        Some(status) => format!("The mirror has {} in the list.", counted(status.present, name)),
        None => "The list was not synced yet.".to_owned(),
    }
}

fn heads(view: &View<'_>, title: Option<&Column>, others: &[&Column]) -> Vec<Head> {
    let head = |text: String, by: Option<By>, is_number: bool| {
        let is_current = by == Some(view.sort.by);
        let by = by.filter(|by| view.members.is_none() || *by == By::Changed);
        let href = by.map(|by| {
            // A title begins with A, a time with the latest one.
            let is_descending = if is_current { !view.sort.is_descending } else { by != By::Title };
            let View { table, q, state, members, .. } = *view;
            let sort = Sort { by, is_descending };
            View { table, q, state, sort, members }.link("/records").finish()
        });
        let direction = if view.sort.is_descending { "descending" } else { "ascending" };
        Head { text, href, sorted: is_current.then_some(direction), is_number }
    };
    let first = match title {
        Some(column) => head(label(&name(column)), Some(By::Title), false),
        None => head(label(view.table.identity()), None, false),
    };
    let time = match &view.members {
        Some(members) if members.value != Value::Any => head(
            format!("{} since", label(members.board.placements.value)),
            Some(By::Changed),
            true,
        ),
        Some(_) => head("Last change".to_owned(), Some(By::Changed), true),
        None if view.sort.by == By::Changed => {
            head("Last change".to_owned(), Some(By::Changed), true)
        }
        None => head("First seen".to_owned(), Some(By::FirstSeen), true),
    };
    let others = others.iter().map(|column| head(label(&name(column)), None, is_number(column)));
    std::iter::once(first).chain(others).chain([time]).collect()
}

fn row(
    shared: &Shared,
    view: &View<'_>,
    others: &[&Column],
    record: &Record,
    (id, found): (String, Option<String>),
) -> Row {
    let time = if view.members.is_some() || view.sort.by == By::Changed {
        record.changed_at
    } else {
        record.first_seen
    };
    let fields = found.map(|json| fields(&json)).unwrap_or_default();
    let title = title(view.table)
        .map_or_else(|| Shown::Text(id.clone()), |column| shown(&fields, column, shared.masks));
    let cells =
        others.iter().map(|column| (shown(&fields, column, shared.masks), is_number(column)));
    Row {
        href: link::record(view.table.name(), &id),
        title,
        id,
        state: (record.state != State::Present).then(|| record.state.as_str()),
        cells: cells.collect(),
        time: day(time),
        machine: machine(time),
        ago: ago((shared.now)().saturating_sub(time)),
    }
}

fn is_number(column: &Column) -> bool {
    matches!(column.kind(), ColumnKind::Integer | ColumnKind::Real)
}

/// Maximum number of records on a page.
const ROWS: usize = 50;
