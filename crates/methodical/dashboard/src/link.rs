//! Links to pages, and the titles of the records that they lead to.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::cells::{Shown, cell, fields};
use crate::outline::Board;
use crate::shared::{Problem, Shared};

/// A link to a page of the dashboard.
#[derive(Clone, Debug)]
pub(crate) struct Link(String);

impl Link {
    pub(crate) fn to(path: &str) -> Self {
        Self(path.to_owned())
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        let separator = if self.0.contains('?') { '&' } else { '?' };
        let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
        let _infallible = write!(self.0, "{separator}{name}={value}");
        self
    }

    /// Adds a parameter if it has a value.
    pub(crate) fn with_some(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a placement's value as a parameter; `None` stands for an unknown value.
    pub(crate) fn with_value(self, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.with("value", value),
            None => self.with("unknown", "1"),
        }
    }

    pub(crate) fn finish(self) -> String {
        self.0
    }
}

pub(crate) fn record(table: &str, id: &str) -> String {
    Link::to("/record").with("of", table).with("id", id).finish()
}

/// Returns the link to the members of a group, or of all groups.
pub(crate) fn members(board: &Board, group: Option<&str>) -> Link {
    Link::to("/records").with("of", board.members.name()).with_some("group", group)
}

/// The titles of records by table and identity, read with one query per table.
#[derive(Default)]
pub(crate) struct Names(HashMap<(String, String), String>);

impl Names {
    /// Reads the titles of records, given as table and identity.
    pub(crate) fn read<'a>(
        shared: &Shared,
        wanted: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, Problem> {
        let mut tables: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (table, id) in wanted {
            tables.entry(table).or_default().insert(id);
        }
        let mut names = HashMap::new();
        for (table, ids) in tables {
            let Some(table) = shared.outline.table(table) else { continue };
            let column =
                table.titles().next().filter(|one| !(shared.who.masks && one.is_personal()));
            let ids: Vec<&str> = ids.into_iter().collect();
            for (id, record) in shared.mirror.records_of(table.name(), &ids)? {
                let title = column.and_then(|column| cell(&fields(&record.json), column));
                let title =
                    title.filter(|title| !title.trim().is_empty()).unwrap_or_else(|| id.clone());
                names.insert((table.name().to_owned(), id), title);
            }
        }
        Ok(Self(names))
    }

    /// Returns the title of a record, with a link if the mirror has the record.
    pub(crate) fn of(&self, table: &str, id: &str) -> Shown {
        match self.0.get(&(table.to_owned(), id.to_owned())) {
            Some(title) => Shown::Link(record(table, id), title.clone()),
            None => Shown::Text(id.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Link, record};

    #[test]
    fn values_are_encoded() {
        let link = Link::to("/records").with("q", "a&b=\"<ü").with_some("after", None);
        assert_eq!(link.finish(), "/records?q=a%26b%3D%22%3C%C3%BC");
        assert_eq!(record("photo", "7/1"), "/record?of=photo&id=7%2F1");
    }
}
