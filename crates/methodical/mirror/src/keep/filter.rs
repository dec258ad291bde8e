//! Which records a reader wants.

use std::fmt;

use crate::engine::known::State;
use crate::error::{Error, ErrorKind};
use crate::fields::row::Value;
use crate::fields::shape::{Column, Kind, Shape};
use crate::keep::search::{Search, Wanted};

/// Which records of a table to read. The default is all of them, in every state.
///
/// ```
/// use methodical_mirror::{Filter, State};
///
/// // The records of album 7 that were first seen since 1 November 2026, and that are not deleted.
/// let filter = Filter::new()
///     .state(State::Present)
///     .state(State::Missing)
///     .first_seen_since(1_793_491_200)
///     .column("album_id", "7");
/// # assert_ne!(filter, Filter::new());
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct Filter {
    states: Vec<State>,
    first_seen_since: Option<i64>,
    columns: Vec<(String, String)>,
    text: Option<Wanted>,
}

impl Filter {
    /// Creates a filter that accepts every record.
    pub fn new() -> Self {
        Self::default()
    }

    /// Accepts records in this state. Several states add up.
    pub fn state(mut self, state: State) -> Self {
        self.states.push(state);
        self
    }

    /// Accepts records that were first seen at or after this time, in seconds since 1970 (UTC).
    pub fn first_seen_since(self, seconds: i64) -> Self {
        Self { first_seen_since: Some(seconds), ..self }
    }

    /// Accepts records whose column has this value: text, a number, `true`, `false`, or the text of a JSON value. All
    /// columns of a filter must match. A value that its column cannot hold is never equal.
    pub fn column(mut self, name: &str, value: &str) -> Self {
        self.columns.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Accepts records that have this text within their identity or within a column of text.
    ///
    /// Case and accents do not count, in any script, and letters such as `ł`, `ø`, `đ` and `ß` equal `l`, `o`, `d` and
    /// `ss`: `cwik` is within `Ćwik`, and `STRASSE` within `Straße`. In a text of at least three digits, spaces and `+-./()`
    /// do not count, so that `0721000 501` is within `+40 (0721) 000-501`. No character has a special meaning. Records
    /// that are gone or forgotten are not accepted.
    pub fn contains(mut self, text: &str) -> Self {
        self.text = Some(Wanted::new(text));
        self
    }

    /// Returns the earliest time of first sight.
    pub(crate) fn since(&self) -> Option<i64> {
        self.first_seen_since
    }

    /// Returns whether records in this state are accepted.
    pub(crate) fn accepts_state(&self, state: State) -> bool {
        let is_erased = matches!(state, State::Gone | State::Forgotten);
        (self.states.is_empty() || self.states.contains(&state))
            && !(is_erased && self.text.is_some())
    }

    /// Returns the columns that must have a value, with the value; `None` if the column cannot hold it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Table`] if the table has no such column.
    pub(crate) fn values<'a>(
        &'a self,
        table: &str,
        shape: &'a Shape,
    ) -> Result<Vec<(&'a Column, Option<Value<'static>>)>, Error> {
        let find = |(name, value): &'a (String, String)| {
            let column = shape.columns.iter().find(|column| column.name == *name);
            let unknown = || {
                let text = format!("cannot read the table `{table}`: it has no column `{name}`");
                Error::new(ErrorKind::Table, text)
            };
            column.ok_or_else(unknown).map(|column| (column, parse(column.kind, value)))
        };
        self.columns.iter().map(find).collect()
    }

    /// Returns the search for the text; `None` if any text is accepted.
    pub(crate) fn search(&self) -> Option<Search<'_>> {
        self.text.as_ref().map(Search::new)
    }
}

/// Does not show values, which may be personal.
impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<&str> = self.columns.iter().map(|(name, _)| &**name).collect();
        f.debug_struct("Filter")
            .field("states", &self.states)
            .field("first_seen_since", &self.first_seen_since)
            .field("columns", &columns)
            .finish_non_exhaustive()
    }
}

/// Returns a text as a value of a column; `None` if the column cannot hold it.
fn parse(kind: Kind, text: &str) -> Option<Value<'static>> {
    Some(match kind {
        Kind::Text | Kind::Json => Value::Text(text.to_owned().into()),
        Kind::Integer => Value::Integer(text.parse().ok()?),
        Kind::Real => Value::Real(text.parse().ok()?),
        Kind::Boolean => Value::Boolean(text.parse().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::Filter;

    #[test]
    fn debug_shows_no_value() {
        let filter = Filter::new().column("title", "Zanzibar").contains("Zanzibar");
        assert!(!format!("{filter:?}").contains("anzibar"));
    }
}
