//! Which records a page or a download shows, and in which order.

use std::time::Duration;

use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::{Filter, Order, Page, Paging, Record, State, TableStatus};

use crate::cells::{Fields, fields};
use crate::link::Link;
use crate::outline::{Board, Placements};
use crate::shared::{Params, Problem, Shared};
use crate::time::{begin, days_ago};

/// The view that the parameters request.
#[derive(Clone)]
pub(crate) struct View<'a> {
    pub(crate) table: &'static Table,
    pub(crate) q: Option<&'a str>,
    pub(crate) state: Option<State>,
    pub(crate) sort: Sort,
    /// Only records first seen on or after this day.
    pub(crate) since: Option<&'a str>,
    pub(crate) members: Option<Members<'a>>,
}

/// The members of a group or of all groups, optionally only the members with certain values.
#[derive(Clone)]
pub(crate) struct Members<'a> {
    pub(crate) board: &'a Board,
    pub(crate) group: Option<&'a str>,
    /// The values, where `None` stands for unknown. An empty list accepts any value.
    pub(crate) values: Vec<Option<&'a str>>,
    /// Minimum time with the value, in days.
    pub(crate) days: Option<i64>,
}

/// The order of a view's records.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sort {
    pub(crate) by: By,
    pub(crate) is_descending: bool,
}

/// The key that sorts the records.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    FirstSeen,
    Changed,
    Title,
}

impl Sort {
    pub(crate) fn text(self) -> &'static str {
        let found = SORTS.iter().find(|(_, sort)| *sort == self);
        found.map_or("", |(text, _)| text)
    }
}

/// A view's sort orders, by the value of the parameter `sort`.
const SORTS: [(&str, Sort); 6] = [
    ("new", Sort { by: By::FirstSeen, is_descending: true }),
    ("old", Sort { by: By::FirstSeen, is_descending: false }),
    ("changed", Sort { by: By::Changed, is_descending: true }),
    ("unchanged", Sort { by: By::Changed, is_descending: false }),
    ("title", Sort { by: By::Title, is_descending: false }),
    ("-title", Sort { by: By::Title, is_descending: true }),
];

impl<'a> View<'a> {
    pub(crate) fn of(shared: &'a Shared, params: &'a Params) -> Result<Self, Problem> {
        let wrong = Params::wrong;
        let table = params.get("of").and_then(|name| shared.outline.table(name));
        let table = table.ok_or_else(|| Problem::NotFound("No list has this name.".to_owned()))?;
        let name = params.get("state").unwrap_or("present");
        let state = STATES.iter().find(|(one, ..)| *one == name).map(|(.., state)| *state);
        let state = state.ok_or_else(|| wrong("state"))?;
        let values = params.all("value").filter(|value| !value.is_empty()).map(Some);
        let unknown = params.get("unknown").map(|_| None);
        let (group, values) = (params.get("group"), values.chain(unknown).collect::<Vec<_>>());
        let days = params.number("waiting")?;
        let has_members = group.is_some() || !values.is_empty() || days.is_some();
        let members = match shared.outline.board_of(table) {
            Some(board) if has_members => Some(Members { board, group, values, days }),
            None if has_members => return Err(wrong("group")),
            _ => None,
        };
        let since = params.get("since");
        if since.is_some_and(|day| begin(day).is_none() || members.is_some()) {
            return Err(wrong("since"));
        }
        let default = Sort {
            by: if members.is_some() { By::Changed } else { By::FirstSeen },
            is_descending: members.is_none(),
        };
        let sort = params.get("sort").map_or(Some(default), |text| {
            SORTS.iter().find(|(name, _)| *name == text).map(|(_, sort)| *sort)
        });
        let sort = sort.ok_or_else(|| wrong("sort"))?;
        // A view with a time limit ends at the first row beyond it.
        let is_possible = match sort.by {
            _ if since.is_some() || days.is_some() => sort == default,
            By::Changed => true,
            By::FirstSeen => members.is_none(),
            // The order of hidden titles would reveal where each is in the alphabet.
            By::Title => {
                members.is_none() && table.titles().next().is_some() && !has_hidden(shared, table)
            }
        };
        // A search would reveal what a hidden value contains.
        if params.get("q").is_some() && has_hidden(shared, table) {
            return Err(wrong("q"));
        }
        if !is_possible {
            return Err(wrong("sort"));
        }
        Ok(Self { table, q: params.get("q"), state, sort, since, members })
    }

    /// Returns the value of the parameter `state`; `None` for the default state.
    pub(crate) fn state_text(&self) -> Option<&'static str> {
        let mut others = STATES.iter().skip(1);
        others.find(|(.., state)| *state == self.state).map(|(name, ..)| *name)
    }

    /// Returns the link to this view, from its first page.
    pub(crate) fn link(&self, path: &str) -> Link {
        let mut link = Link::to(path).with("of", self.table.name());
        if let Some(Members { group, values, days, .. }) = &self.members {
            link = link.with_some("group", *group);
            link = values.iter().fold(link, |link, value| link.with_value(*value));
            link = link.with_some("waiting", days.map(|days| days.to_string()).as_deref());
        }
        link = link
            .with_some("q", self.q)
            .with_some("state", self.state_text())
            .with_some("since", self.since);
        link.with("sort", self.sort.text())
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
            By::Title => {
                Order::Text(self.table.titles().next().map(Column::name).unwrap_or_default())
            }
        };
        let is_descending = self.sort.is_descending;
        let mut paging = Paging { order, is_descending, after, ..Paging::new(limit) };
        let mut filter = Filter::new();
        if let Some(state) = self.state {
            filter = filter.state(state);
        }
        let Some(Members { board, group, values, days }) = &self.members else {
            if let Some(q) = self.q {
                filter = filter.contains(q);
                paging.time = SEARCH;
            }
            let page = shared.mirror.browse(self.table.name(), &filter, &paging)?;
            let since = self.since.and_then(begin);
            return Ok(within(page, |row| since.is_none_or(|since| row.first_seen >= since)));
        };
        let placements = &board.placements;
        if let Some(group) = group {
            filter = filter.column(placements.group, group);
        }
        if !values.is_empty() {
            filter = filter.one_of(placements.value, values);
        }
        let page = shared.mirror.browse(placements.table, &filter, &paging)?;
        let until = days.map(|days| days_ago((shared.now)(), days));
        Ok(within(page, |row| until.is_none_or(|until| row.changed_at <= until)))
    }

    /// Returns the names of the placements' table and columns if the view lists members of groups.
    pub(crate) fn placements(&self) -> Option<&Placements> {
        self.members.as_ref().map(|members| &members.board.placements)
    }

    /// Returns the identity and the fields of each row's record: the row itself, or the member that it places. If the
    /// mirror does not have the member, the fields are missing.
    pub(crate) fn records(
        &self,
        shared: &Shared,
        rows: &[Record],
    ) -> Result<Vec<(String, Fields)>, Problem> {
        let texts = self.texts(shared, rows)?.into_iter();
        Ok(texts.map(|(id, json)| (id, fields(&json))).collect())
    }

    /// Returns the identity and the JSON text of each row's record, as received. The text is empty if the mirror does
    /// not have the member.
    pub(crate) fn texts(
        &self,
        shared: &Shared,
        rows: &[Record],
    ) -> Result<Vec<(String, String)>, Problem> {
        let Some(placements) = self.placements() else {
            return Ok(rows.iter().map(|row| (row.id.clone(), row.json.clone())).collect());
        };
        let ids: Vec<String> = rows.iter().map(|row| placements.placed(row).member).collect();
        let wanted: Vec<&str> = ids.iter().map(String::as_str).collect();
        let found = shared.mirror.records_of(self.table.name(), &wanted)?;
        let json = |id: &String| found.get(id).map(|one| one.json.clone()).unwrap_or_default();
        Ok(ids.into_iter().map(|id| (id.clone(), json(&id))).collect())
    }

    /// Returns whether the mirror has the table that the view reads.
    pub(crate) fn is_in_mirror(&self, statuses: &[TableStatus]) -> bool {
        let read =
            self.placements().map_or_else(|| self.table.name(), |placements| placements.table);
        statuses.iter().any(|one| one.table == read)
    }
}

/// The choices of states, with their names and labels. The first one is the default.
pub(crate) const STATES: [(&str, &str, Option<State>); 4] = [
    ("present", "In the list", Some(State::Present)),
    ("missing", "Missing", Some(State::Missing)),
    ("gone", "Gone", Some(State::Gone)),
    ("all", "All", None),
];

/// Returns whether a table has values that the reader must not learn.
pub(crate) fn has_hidden(shared: &Shared, table: &Table) -> bool {
    shared.who.is_barred() && table.columns().iter().any(Column::is_personal)
}

/// Ends a page at the first row that is not accepted.
fn within(mut page: Page, accepts: impl Fn(&Record) -> bool) -> Page {
    if let Some(end) = page.records.iter().position(|row| !accepts(row)) {
        page.records.truncate(end);
        page.next = None;
    }
    page
}

/// Maximum time that one page of a search reads.
const SEARCH: Duration = Duration::from_millis(15);
