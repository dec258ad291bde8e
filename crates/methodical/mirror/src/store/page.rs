//! Pages of records, read in the order of an index.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::params_from_iter;
use rusqlite::types::Value as SqlValue;

use crate::error::{Error, ErrorKind};
use crate::fields::{Kind, Shape};
use crate::store::filter::Filter;
use crate::store::rows::{State, Stored};
use crate::store::{OrFailed as _, Store, quoted};

/// The order of the records in a [`Page`](crate::Page). Ties are in insertion order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// By the time when the record was first seen.
    #[default]
    FirstSeen,
    /// By the time of the last change.
    Changed,
    /// By the text in this column, ignoring the case of ASCII letters. Records without text come first.
    Text(String),
}

/// Selects a page of records.
///
/// ```
/// use methodical_mirror::{Order, Paging};
///
/// // The 50 records that changed last.
/// let paging = Paging { order: Order::Changed, is_descending: true, ..Paging::new(50) };
/// # assert_ne!(paging, Paging::new(50));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "fields that are not set have defaults")]
pub struct Paging {
    /// The maximum number of records on the page.
    pub limit: usize,
    /// The order of the records on the page.
    pub order: Order,
    /// Whether the order is reversed.
    pub is_descending: bool,
    /// The [`Record::number`](crate::Record::number) after which the page begins; `None` for the first page.
    pub after: Option<i64>,
    /// The maximum time of a text search, which cannot use an index. A page that reaches it may have fewer records than
    /// its limit, or even none, without being the last page.
    pub time: Duration,
}

impl Paging {
    /// Selects the first page, with at most `limit` records, in insertion order, and without a maximum time.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        let (order, time) = (Order::FirstSeen, Duration::MAX);
        Self { limit, order, is_descending: false, after: None, time }
    }
}

/// Statements to run one after the other, and the parameters that they share.
type Statements = (Vec<String>, Vec<SqlValue>);

impl Store {
    /// Reads a page of the records that a filter accepts. Also returns the number of the row after which the next page
    /// begins; `None` after the last page.
    pub(crate) fn page(
        &self,
        table: &str,
        filter: &Filter,
        paging: &Paging,
    ) -> Result<(Vec<Stored>, Option<i64>), Error> {
        let shape = Arc::clone(&self.table(table)?.shape);
        let (mut found, mut next, mut last) = (Vec::<Stored>::new(), None, None);
        let Some((selects, values)) = self.statements(table, &shape, filter, paging)? else {
            return Ok((found, next));
        };
        let (mut reads, started) = (0_usize, Instant::now());
        let identity = shape.identity()?;
        let searched = shape.columns.iter().filter(|column| column.kind == Kind::Text);
        let searched = searched.chain((identity.kind != Kind::Text).then_some(identity));
        let searched: Vec<&str> = searched.map(|column| &*column.name).collect();
        for select in selects {
            self.read_each(&select, params_from_iter(&values), |row| {
                // Read at least some rows, so that each page makes progress.
                if reads > 0 && reads.is_multiple_of(64) && started.elapsed() >= paging.time {
                    next = last;
                    return Ok(false);
                }
                reads += 1;
                last = row.get("mirror_key").or_failed()?;
                if let Some(text) = &filter.text {
                    let mut has_text = false;
                    for name in &searched {
                        has_text |= text.is_within_value(row.get_ref(*name).or_failed()?);
                    }
                    if !has_text {
                        return Ok(true);
                    }
                }
                if found.len() >= paging.limit {
                    next = found.last().map(|one| one.record.number);
                    return Ok(false);
                }
                found.push(self.stored(row)?);
                Ok(true)
            })?;
            if next.is_some() {
                break;
            }
        }
        Ok((found, next))
    }

    /// Returns the statements of a page; `None` if no record can match.
    fn statements(
        &self,
        table: &str,
        shape: &Shape,
        filter: &Filter,
        paging: &Paging,
    ) -> Result<Option<Statements>, Error> {
        let states = State::ALL.into_iter().filter(|state| filter.accepts_state(*state));
        let states: Vec<String> = states.map(|state| format!("'{}'", state.as_str())).collect();
        if states.is_empty() {
            return Ok(None);
        }
        let order = expression(table, shape, &paging.order)?;
        let mut values = vec![SqlValue::from(paging.after.unwrap_or_default())];
        let Some(conditions) = filter.conditions(table, shape, &mut values)? else {
            return Ok(None);
        };
        let name = quoted(table);
        let (than, direction) = if paging.is_descending { ('<', "DESC") } else { ('>', "ASC") };
        if paging.order == Order::FirstSeen {
            // The table is stored in this order, and the `+` keeps the database from choosing another one. The index on
            // the few records that are not present is used only for its own condition.
            let state = if filter.accepts_state(State::Present) {
                "+mirror_state".to_owned()
            } else {
                format!("{ABSENT} AND mirror_state")
            };
            let begin = match paging.after {
                None => "?1 <= mirror_key".to_owned(),
                Some(_) => format!("mirror_key {than} ?1"),
            };
            let states = states.join(", ");
            let select = format!(
                "SELECT * FROM {name} WHERE {begin} AND {state} IN ({states}){conditions} \
                 ORDER BY mirror_key {direction}"
            );
            return Ok(Some((vec![select], values)));
        }
        let by_key = format!("mirror_key {direction}");
        let in_order = format!("mirror_order {direction}, mirror_key {direction}");
        // First the rows that tie with the row of the cursor, then those after them: each statement starts at its first
        // row in the index. Comparing pairs would read all ties, and a first sync can leave a million of them.
        let parts = match paging.after {
            // Each parameter must be used.
            None => vec![(" AND ?1 = 0".to_owned(), in_order)],
            Some(number) => {
                values.push(self.position(table, &order, number)?);
                let position = values.len();
                vec![
                    (format!(" AND {order} = ?{position} AND mirror_key {than} ?1"), by_key),
                    (format!(" AND {order} {than} ?{position} AND ?1 > 0"), in_order),
                ]
            }
        };
        // For each state, one part reads the rows of an index in order; the union merges the parts.
        let select = |(part, by): (String, String)| {
            let of = |state: &String| {
                format!(
                    "SELECT *, {order} AS mirror_order FROM {name} WHERE mirror_state = {state}{conditions}{part}"
                )
            };
            let selects: Vec<String> = states.iter().map(of).collect();
            format!("{} ORDER BY {by}", selects.join(" UNION ALL "))
        };
        Ok(Some((parts.into_iter().map(select).collect(), values)))
    }

    /// Returns the value of the expression `order` in a row. Fails if the row was removed.
    fn position(&self, table: &str, order: &str, number: i64) -> Result<SqlValue, Error> {
        let select = format!("SELECT {order} FROM {} WHERE mirror_key = ?1", quoted(table));
        self.query(&select, (number,), |row| row.get(0))?.pop().ok_or_else(|| {
            let text = format!(
                "cannot continue after row {number}: it was removed; start again from the first page"
            );
            Error::new(ErrorKind::Cursor, text)
        })
    }

    /// Creates an index on a table, unless it exists. `by` contains its columns or expressions, in parentheses. Fails
    /// if another process is syncing.
    pub(crate) fn add_index(&mut self, table: &str, name: &str, by: &str) -> Result<(), Error> {
        let index = format!("mirror_index_{table}_by_{name}");
        let select = "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?1";
        if self.connection.prepare_cached(select).or_failed()?.exists((&index,)).or_failed()? {
            return Ok(());
        }
        let create = format!("CREATE INDEX {} ON {} {by}", quoted(&index), quoted(table));
        self.change(|store| store.run(&create))
    }

    /// Creates the index from which pages of a table are read in this order.
    pub(crate) fn add_page_index(&mut self, table: &str, order: &Order) -> Result<(), Error> {
        let by = expression(table, &self.table(table)?.shape, order)?;
        match order {
            // The table is stored in this order.
            Order::FirstSeen => {
                self.add_index(table, "absent", &format!("(mirror_state) WHERE {ABSENT}"))
            }
            Order::Changed => self.add_index(table, "changed_at", &format!("(mirror_state, {by})")),
            Order::Text(name) => {
                self.add_index(table, &format!("text_{name}"), &format!("(mirror_state, {by})"))
            }
        }
    }
}

/// The condition of the index on records that are not present.
const ABSENT: &str = "mirror_state <> 'present'";

/// Returns the SQL expression that orders the rows. Its value is never `NULL`, which would match no comparison.
fn expression(table: &str, shape: &Shape, order: &Order) -> Result<String, Error> {
    Ok(match order {
        Order::FirstSeen => "mirror_key".to_owned(),
        Order::Changed => "mirror_changed_at".to_owned(),
        Order::Text(name) => {
            let mut texts = shape.columns.iter().filter(|column| column.kind == Kind::Text);
            let unknown = || {
                let text =
                    format!("cannot read a page of `{table}`: it has no text column `{name}`");
                Error::new(ErrorKind::Table, text)
            };
            let column = texts.find(|column| column.name == *name).ok_or_else(unknown)?;
            format!("lower(coalesce({}, ''))", quoted(&column.name))
        }
    })
}
