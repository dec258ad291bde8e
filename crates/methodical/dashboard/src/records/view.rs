//! Which records a page or a download shows, in which order.

use std::time::Duration;

use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::{Filter, Order, Page, Paging, Record, State, TableStatus};

use crate::cells::{fields, text};
use crate::link::Link;
use crate::outline::{Board, Placements, title};
use crate::shared::{Params, Problem, Shared};

/// The view that the parameters ask for.
pub(crate) struct View<'a> {
    pub(crate) table: &'static Table,
    pub(crate) q: Option<&'a str>,
    pub(crate) state: Option<State>,
    pub(crate) sort: Sort,
    pub(crate) members: Option<Members<'a>>,
}

/// The members of a group, perhaps with one value.
#[derive(Clone, Copy)]
pub(crate) struct Members<'a> {
    pub(crate) board: &'a Board,
    pub(crate) group: &'a str,
    pub(crate) value: Value<'a>,
}

/// Which members are shown, by their value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Any,
    Is(&'a str),
    Unknown,
}

/// The order of a view.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sort {
    pub(crate) by: By,
    pub(crate) is_descending: bool,
}

/// The order of the records.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    FirstSeen,
    Changed,
    Title,
}

impl Sort {
    pub(crate) const fn text(self) -> &'static str {
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
    pub(crate) fn placements(&self) -> Option<&Placements> {
        self.members.as_ref().map(|members| &members.board.placements)
    }

    /// Returns the record of each row that was read, with its identity: the row itself, or the member that it places. `None` if
    /// the mirror does not have the member.
    pub(crate) fn records(
        &self,
        shared: &Shared,
        rows: &[Record],
    ) -> Result<Vec<(String, Option<String>)>, Problem> {
        let Some(placements) = self.placements() else {
            return Ok(rows.iter().map(|row| (row.id.clone(), Some(row.json.clone()))).collect());
        };
        let member = |row: &Record| {
            fields(&row.json).get(placements.member).and_then(text).unwrap_or_default()
        };
        let ids: Vec<String> = rows.iter().map(member).collect();
        let wanted: Vec<&str> = ids.iter().map(String::as_str).collect();
        let found = shared.mirror.records_of(self.table.name(), &wanted)?;
        let json = |id: &String| found.get(id).map(|record| record.json.clone());
        Ok(ids.iter().map(|id| (id.clone(), json(id))).collect())
    }

    /// Returns whether the mirror has the table that the view reads.
    pub(crate) fn is_in_mirror(&self, statuses: &[TableStatus]) -> bool {
        let read =
            self.placements().map_or_else(|| self.table.name(), |placements| placements.table);
        statuses.iter().any(|one| one.table == read)
    }
}

/// Returns the name of a column in the mirror.
pub(crate) fn name(column: &Column) -> String {
    column.path().join("_")
}

/// Maximum time that one page of a search reads.
const SEARCH: Duration = Duration::from_millis(40);
