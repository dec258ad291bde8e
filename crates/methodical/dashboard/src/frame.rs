//! The layout around a page.

use methodical_mirror::model::tables::Table;

use crate::link::Link;
use crate::outline::Outline;
use crate::shared::Shared;
use crate::time::{ago, machine, minute};
use crate::words::{label, plural};

/// The layout around a page.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) links: Vec<NavLink>,
    pub(crate) age: Age,
    /// The page itself.
    pub(crate) reload: String,
}

/// A link of the navigation.
#[derive(Debug)]
pub(crate) struct NavLink {
    pub(crate) text: String,
    pub(crate) href: String,
    pub(crate) is_current: bool,
}

/// How old the data of a page is.
#[derive(Debug)]
pub(crate) enum Age {
    Known { ago: String, minute: String, machine: String, is_old: bool },
    Never,
}

impl Age {
    pub(crate) fn of(completed_at: Option<i64>, now: i64) -> Self {
        match completed_at {
            None => Self::Never,
            Some(at) => Self::Known {
                ago: ago(now.saturating_sub(at)),
                minute: minute(at),
                machine: machine(at),
                is_old: now.saturating_sub(at) > OLD,
            },
        }
    }
}

impl Frame {
    /// Creates the layout of a page. `path` is that of its link in the navigation.
    pub(crate) fn new(
        shared: &Shared,
        path: &str,
        title: impl Into<String>,
        completed_at: Option<i64>,
        reload: String,
    ) -> Self {
        let links = navigation(&shared.outline);
        let links = links.into_iter().map(|(text, href)| {
            let is_current = href == path;
            NavLink { text, href, is_current }
        });
        Self {
            name: shared.name.clone(),
            title: title.into(),
            links: links.collect(),
            age: Age::of(completed_at, (shared.now)()),
            reload,
        }
    }
}

/// Returns the link to the records of a table.
pub(crate) fn records(table: &Table) -> String {
    Link::to("/records").with("of", table.name()).finish()
}

/// Returns the link to a gauge.
pub(crate) fn gauge(name: &str) -> String {
    Link::to("/gauge").with("of", name).finish()
}

fn navigation(outline: &Outline) -> Vec<(String, String)> {
    let mut links = Vec::new();
    if !outline.boards.is_empty() {
        links.push(("Board".to_owned(), "/".to_owned()));
    }
    for table in &outline.tables {
        links.push((label(&plural(table.name())), records(table)));
    }
    links.push(("Changes".to_owned(), "/changes".to_owned()));
    for name in &outline.gauges {
        links.push((label(name), gauge(name)));
    }
    links.push(("Health".to_owned(), "/health".to_owned()));
    links
}

/// The age after which data is marked as old, in seconds.
const OLD: i64 = 24 * 3600;
