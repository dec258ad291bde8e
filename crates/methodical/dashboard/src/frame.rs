//! The layout around a page.

use methodical_mirror::model::tables::Table;
use methodical_mirror::{Outcome, TableStatus};

use crate::link::Link;
use crate::outline::Outline;
use crate::shared::Shared;
use crate::time::{Time, ago};
use crate::words::{label, plural};

/// The layout around a page.
pub(crate) struct Frame {
    pub(crate) name: String,
    pub(crate) account: String,
    /// The name of the reader who has logged in.
    pub(crate) reader: Option<String>,
    pub(crate) title: String,
    /// The links of the navigation, and whether each leads to the current page.
    pub(crate) links: Vec<(String, String, bool)>,
    pub(crate) warnings: Vec<String>,
    /// The age of the data, its time, and whether it is too old; `None` before the first sync.
    pub(crate) age: Option<(String, Time, bool)>,
}

impl Frame {
    /// Creates a page's layout. `path` is the target of the page's link in the navigation.
    pub(crate) fn new(
        shared: &Shared,
        statuses: &[TableStatus],
        path: &str,
        title: impl Into<String>,
    ) -> Self {
        let now = (shared.now)();
        let link = |(text, href): (String, String)| {
            let is_current = href == path;
            (text, href, is_current)
        };
        let age = |at: i64| {
            let age = now.saturating_sub(at);
            (ago(age), Time::minute(at), age > OLD)
        };
        Self {
            name: shared.name.clone(),
            account: shared.account.clone(),
            reader: shared.who.name.clone(),
            title: title.into(),
            links: navigation(&shared.outline).into_iter().map(link).collect(),
            warnings: warnings(statuses, now),
            age: whole(statuses).map(age),
        }
    }
}

/// The links below a list, to its first and its next page.
pub(crate) struct Pager {
    pub(crate) first: Option<String>,
    pub(crate) next: Option<String>,
    /// Whether a search ended before its page was full.
    pub(crate) is_cut: bool,
}

impl Pager {
    /// Creates the links below a list. `at` is the position at which this page begins, and the default is the first
    /// page. `next` is the position of the next page.
    pub(crate) fn of<N: Copy + Default + PartialEq + ToString>(
        list: &Link,
        name: &str,
        at: N,
        next: Option<N>,
    ) -> Self {
        let to = |at: N| list.clone().with(name, &at.to_string()).finish();
        let first = (at != N::default()).then(|| list.clone().finish());
        Self { first, next: next.map(to), is_cut: false }
    }
}

/// Returns warnings about tables whose last sync failed, and about the age of the data if it is too old.
fn warnings(statuses: &[TableStatus], now: i64) -> Vec<String> {
    let outcome = |status: &TableStatus| {
        let outcome = status.outcome.filter(|outcome| *outcome != Outcome::Complete)?;
        let reason = status.reason.as_deref().unwrap_or("no reason is known");
        Some(format!("{}: last sync {}: {reason}", label(&status.table), outcome.as_str()))
    };
    let mut warnings: Vec<String> = statuses.iter().filter_map(outcome).collect();
    let oldest = whole(statuses).filter(|at| now.saturating_sub(*at) > OLD);
    warnings.extend(oldest.map(|at| {
        let ago = ago(now.saturating_sub(at));
        format!("This is not today’s data: the last complete sync was {ago} ago.")
    }));
    warnings
}

/// Returns the oldest of the times at which the tables were last complete; `None` if no table ever was.
pub(crate) fn whole(statuses: &[TableStatus]) -> Option<i64> {
    statuses.iter().filter_map(|status| status.completed_at).min()
}

pub(crate) fn records(table: &Table) -> String {
    Link::to("/records").with("of", table.name()).finish()
}

fn navigation(outline: &Outline) -> Vec<(String, String)> {
    let mut links = vec![("Today".to_owned(), "/".to_owned())];
    for table in &outline.tables {
        links.push((label(&plural(table.name())), records(table)));
    }
    links.push(("Changes".to_owned(), "/changes".to_owned()));
    if outline.board.is_some() {
        links.push(("Funnel".to_owned(), "/funnel".to_owned()));
    }
    links.push(("Health".to_owned(), "/health".to_owned()));
    links
}

/// The age after which data is marked as old, in seconds.
const OLD: i64 = 24 * 3600;

#[cfg(test)]
mod tests {
    use methodical_mirror::model::tables::{Column, Table};
    use methodical_mirror::{Mirror, Rules};

    use super::whole;

    const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"])]);

    #[test]
    fn a_table_that_never_was_complete_does_not_hide_the_age() {
        let mut mirror = Mirror::in_memory().unwrap();
        mirror.begin("photos/list", &PHOTO, Rules::default()).unwrap().finish().unwrap();
        let mut statuses = mirror.tables().unwrap();
        let at = whole(&statuses);
        assert!(at.is_some());
        let mut never = statuses[0].clone();
        never.completed_at = None;
        statuses.push(never);
        assert_eq!(whole(&statuses), at);
    }
}
