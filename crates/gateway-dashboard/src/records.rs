//! The records of a table: search, state, order and pages; and the members of a group.

use std::time::Duration;

use askama::Template;
use gateway_mirror::model::{Column, ColumnKind, Table};
use gateway_mirror::{Filter, Order, Page, Paging, Placements, Record, State};

use crate::cells::{Fields, Shown, cell, fields, shown};
use crate::download::format::DownloadFormat;
use crate::frame::{self, Age, Frame};
use crate::link::{self, Link};
use crate::outline::{Board, is_identity, title};
use crate::shared::{Params, Problem, Shared};
use crate::time::{ago, day, machine};
use crate::words::{counted, label, plural};

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

/// The view that the parameters ask for.
pub(crate) struct View<'a> {
    pub(crate) table: &'static Table,
    pub(crate) q: Option<&'a str>,
    pub(crate) state: Option<State>,
    sort: Sort,
    pub(crate) members: Option<Members<'a>>,
}

/// The members of a group, perhaps with one value.
pub(crate) struct Members<'a> {
    board: &'a Board,
    group: &'a str,
    value: Value<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Value<'a> {
    Any,
    Is(&'a str),
    Unknown,
}

/// The order of a view.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sort {
    by: By,
    is_descending: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    FirstSeen,
    Changed,
    Title,
}

impl Sort {
    const fn text(self) -> &'static str {
        match (self.by, self.is_descending) {
            (By::FirstSeen, true) => "new",
            (By::FirstSeen, false) => "old",
            (By::Changed, true) => "changed",
            (By::Changed, false) => "unchanged",
            (By::Title, true) => "-title",
            (By::Title, false) => "title",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let all = [By::FirstSeen, By::Changed, By::Title];
        let mut all = all
            .into_iter()
            .flat_map(|by| [true, false].map(|is_descending| Self { by, is_descending }));
        all.find(|sort| sort.text() == text)
    }
}

impl<'a> View<'a> {
    /// Reads the parameters.
    pub(crate) fn of(shared: &'a Shared, params: &'a Params) -> Result<Self, Problem> {
        let wrong = |name: &str| Problem::Request(format!("`{name}` is not a choice of this page"));
        let table = params.get("of").and_then(|name| shared.outline.table(name));
        let table = table.ok_or_else(|| Problem::NotFound("no list has this name".to_owned()))?;
        let state = match params.get("state") {
            None | Some("present") => Some(State::Present),
            Some("missing") => Some(State::Missing),
            Some("gone") => Some(State::Gone),
            Some("all") => None,
            Some(_) => return Err(wrong("state")),
        };
        let members = match (params.get("group"), shared.outline.board_of(table)) {
            (Some(group), Some(board)) => {
                let value = match (params.get("value"), params.get("unknown")) {
                    (Some(value), _) => Value::Is(value),
                    (None, Some(_)) => Value::Unknown,
                    (None, None) => Value::Any,
                };
                Some(Members { board, group, value })
            }
            (Some(_), None) => return Err(wrong("group")),
            (None, _) => None,
        };
        let default = Sort {
            by: if members.is_some() { By::Changed } else { By::FirstSeen },
            is_descending: members.is_none(),
        };
        let sort = match params.get("sort") {
            Some(text) => Sort::parse(text).ok_or_else(|| wrong("sort"))?,
            None => default,
        };
        let is_possible = match sort.by {
            By::Changed => true,
            By::FirstSeen => members.is_none(),
            By::Title => members.is_none() && title(table).is_some(),
        };
        if !is_possible {
            return Err(wrong("sort"));
        }
        Ok(Self { table, q: params.get("q"), state, sort, members })
    }

    /// Returns the link to this view, from its first page.
    pub(crate) fn link(&self, path: &str) -> Link {
        let state = match self.state {
            Some(State::Present) => None,
            Some(state) => Some(state.as_str()),
            None => Some("all"),
        };
        let sort = self.sort.text();
        let mut link = Link::to(path).with("of", self.table.name());
        if let Some(members) = &self.members {
            link = link.with("group", members.group);
            link = match members.value {
                Value::Any => link,
                Value::Is(value) => link.with("value", value),
                Value::Unknown => link.with("unknown", "1"),
            };
        }
        link.with_some("q", self.q).with_some("state", state).with("sort", sort)
    }

    /// Reads a page of the view.
    pub(crate) fn read(
        &self,
        shared: &Shared,
        after: Option<i64>,
        limit: usize,
    ) -> Result<Page, Problem> {
        let order = match self.sort.by {
            By::FirstSeen => Order::FirstSeen,
            By::Changed => Order::Changed,
            By::Title => Order::Text(title(self.table).map(name).unwrap_or_default()),
        };
        let mut paging = Paging::new(limit).order(order).within(SEARCH);
        if self.sort.is_descending {
            paging = paging.descending();
        }
        if let Some(after) = after {
            paging = paging.after(after);
        }
        let mut filter = Filter::new();
        if let Some(state) = self.state {
            filter = filter.state(state);
        }
        let Some(members) = &self.members else {
            if let Some(q) = self.q {
                filter = filter.contains(q);
            }
            return Ok(shared.mirror.browse(self.table.name(), &filter, &paging)?);
        };
        let placements = &members.board.placements;
        filter = filter.column(placements.group, members.group);
        match members.value {
            Value::Any => {}
            Value::Is(value) => filter = filter.column(placements.value, value),
            Value::Unknown => paging = paging.without(placements.value),
        }
        Ok(shared.mirror.browse(placements.table, &filter, &paging)?)
    }

    /// Returns the placements of the members of a group.
    pub(crate) fn placements(&self) -> Option<&Placements<'static>> {
        self.members.as_ref().map(|members| &members.board.placements)
    }

    /// Returns whether the mirror has the table that the view reads.
    pub(crate) fn is_in_mirror(&self, shared: &Shared) -> Result<bool, Problem> {
        let read =
            self.placements().map_or_else(|| self.table.name(), |placements| placements.table);
        Ok(shared.mirror.tables()?.iter().any(|one| one.table == read))
    }
}

/// Renders the page.
pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let view = View::of(shared, params)?;
    let table = view.table;
    let after = params.number("after")?;
    let placements = view.placements().map(|placements| placements.table);
    let tables: Vec<&str> = [Some(table.name()), placements].into_iter().flatten().collect();
    let completed_at = shared.completed_at(&tables)?;
    let page =
        if view.is_in_mirror(shared)? { view.read(shared, after, ROWS)? } else { Page::default() };
    let title_column = title(table);
    let others: Vec<&Column> = table
        .columns()
        .iter()
        .filter(|column| !is_identity(table, column) && Some(*column) != title_column)
        .collect();
    let mut rows = Vec::with_capacity(page.records.len());
    for record in &page.records {
        rows.push(row(shared, &view, &others, record)?);
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
        lead: lead(shared, &view)?,
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
        let View { table, q, sort, .. } = *view;
        let members = view.members.as_ref().map(|one| Members { ..*one });
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
fn lead(shared: &Shared, view: &View<'_>) -> Result<String, Problem> {
    let tables = shared.mirror.tables()?;
    let status = tables.into_iter().find(|status| status.table == view.table.name());
    Ok(match status {
        Some(status) if status.missing > 0 => format!(
            "The mirror has {} in the list, and {} missing from it.",
            counted(status.present, view.table.name()),
            status.missing
        ),
        Some(status) => {
            format!("The mirror has {} in the list.", counted(status.present, view.table.name()))
        }
        None => "The list was not synced yet.".to_owned(),
    })
}

fn heads(view: &View<'_>, title: Option<&Column>, others: &[&Column]) -> Vec<Head> {
    let head = |text: String, by: Option<By>, is_number: bool| {
        let is_current = by == Some(view.sort.by);
        let by = by.filter(|by| view.members.is_none() || *by == By::Changed);
        let href = by.map(|by| {
            // A title begins with A, a time with the latest one.
            let is_descending = if is_current { !view.sort.is_descending } else { by != By::Title };
            let View { table, q, state, .. } = *view;
            let members = view.members.as_ref().map(|one| Members { ..*one });
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
) -> Result<Row, Problem> {
    let time = if view.members.is_some() || view.sort.by == By::Changed {
        record.changed_at
    } else {
        record.first_seen
    };
    let (id, found) = match &view.members {
        None => (record.id.clone(), Some(fields(&record.json))),
        Some(members) => {
            let placement = fields(&record.json);
            let member = placement.get(members.board.placements.member);
            let id = member.and_then(crate::cells::text).unwrap_or_default();
            let member = shared.mirror.record(view.table.name(), &id)?;
            (id, member.map(|member| fields(&member.json)))
        }
    };
    let fields: Fields = found.unwrap_or_default();
    let title = title(view.table)
        .map_or_else(|| Shown::Text(id.clone()), |column| shown(&fields, column, shared.masks));
    let cells =
        others.iter().map(|column| (shown(&fields, column, shared.masks), is_number(column)));
    Ok(Row {
        href: link::record(view.table.name(), &id),
        title,
        id,
        state: (record.state != State::Present).then(|| record.state.as_str()),
        cells: cells.collect(),
        time: day(time),
        machine: machine(time),
        ago: ago((shared.now)().saturating_sub(time)),
    })
}

fn is_number(column: &Column) -> bool {
    matches!(column.kind(), ColumnKind::Integer | ColumnKind::Real)
}

/// Returns the name of a column in the mirror.
fn name(column: &Column) -> String {
    column.path().join("_")
}

/// Maximum number of records on a page.
const ROWS: usize = 50;

/// Maximum time that one page of a search reads.
const SEARCH: Duration = Duration::from_millis(50);
