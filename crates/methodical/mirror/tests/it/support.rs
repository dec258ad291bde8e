//! Descriptions of tables, and helpers of the tests.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::{
    Change, Error, ErrorKind, Event, Failure, Filter, Mirror, Paging, Record, Report, Rules, Sink,
    Source, State,
};
use proptest::prelude::ProptestConfig;

/// Returns the settings of a slow test with random cases: it runs the default number of cases, which `PROPTEST_CASES`
/// sets, divided by `share`.
pub(crate) fn random_cases(share: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig { cases: config.cases.div_ceil(share), ..config }
}

/// Records with text as identity, and fields of all kinds.
pub(crate) const PHOTO: Table = Table::new("photo", "id", PHOTO_COLUMNS);

const PHOTO_COLUMNS: &[Column] = &[
    Column::text(&["id"]),
    Column::text(&["title"]).personal(),
    Column::integer(&["size"]),
    Column::text(&["place", "id"]),
    Column::text(&["place", "name"]).personal(),
];

/// The same table with a field that was added to the contract later.
pub(crate) const PHOTO_WITH_STARS: Table = Table::new(
    "photo",
    "id",
    &[
        Column::text(&["id"]),
        Column::text(&["title"]).personal(),
        Column::integer(&["size"]),
        Column::integer(&["stars"]),
        Column::text(&["place", "id"]),
        Column::text(&["place", "name"]).personal(),
    ],
);

pub(crate) fn source() -> Source {
    Source::new("https://gateway.example.com", "me")
}

pub(crate) fn open(path: &Path) -> Mirror {
    Mirror::open(path, &source()).unwrap()
}

/// Syncs a complete list.
pub(crate) fn sync(
    mirror: &mut Mirror,
    table: &Table,
    rules: Rules,
    list: &[impl AsRef<str>],
) -> Result<Report, Error> {
    let mut run = mirror.begin("photos/list", table, rules)?;
    for record in list {
        run.record(record.as_ref())?;
    }
    run.finish()
}

/// Syncs a complete list by the default rules.
pub(crate) fn photos(mirror: &mut Mirror, list: &[impl AsRef<str>]) -> Report {
    sync(mirror, &PHOTO, Rules::default(), list).unwrap()
}

/// Returns rules that accept this number of missing records.
pub(crate) fn accepting(missing: u64) -> Rules {
    Rules { accepted_missing: Some(missing), ..Rules::default() }
}

/// Returns a short form of the changes: kind, identity and fields.
pub(crate) fn shown(changes: &[Change]) -> Vec<String> {
    let shown = |change: &Change| {
        let fields = change.fields.join(",");
        format!("{} {} {fields}", change.kind.as_str(), change.id).trim_end().to_owned()
    };
    changes.iter().map(shown).collect()
}

/// Returns a short form of all changes.
pub(crate) fn feed(mirror: &Mirror) -> Vec<String> {
    shown(&mirror.changes(None, usize::MAX).unwrap().0)
}

/// A time that a test sets.
#[derive(Clone, Default)]
pub(crate) struct Clock(Arc<AtomicU64>);

impl Clock {
    /// Sets the time, in seconds since 1970.
    pub(crate) fn set(&self, seconds: u64) {
        self.0.store(seconds, Ordering::Relaxed);
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::Relaxed);
    }

    /// Lets a mirror use this time.
    pub(crate) fn of(&self, mirror: Mirror) -> Mirror {
        let clock = Arc::clone(&self.0);
        mirror.with_clock(move || UNIX_EPOCH + Duration::from_secs(clock.load(Ordering::Relaxed)))
    }
}

/// Returns the records of a table; none if it does not exist.
pub(crate) fn table(mirror: &Mirror, name: &str) -> Vec<Record> {
    match mirror.browse(name, &Filter::new(), &Paging::new(usize::MAX)) {
        Ok(page) => page.records,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Table);
            Vec::new()
        }
    }
}

pub(crate) fn ids(mirror: &Mirror, name: &str) -> Vec<String> {
    table(mirror, name).into_iter().map(|record| record.id).collect()
}

/// Returns the photos.
pub(crate) fn records(mirror: &Mirror) -> Vec<(String, State, String)> {
    let records = table(mirror, "photo").into_iter();
    records.map(|record| (record.id, record.state, record.json)).collect()
}

/// Passes events to a function.
pub(crate) struct To<F>(pub(crate) F);

impl<F: FnMut(&[Event])> Sink for To<F> {
    fn deliver(&mut self, events: &[Event]) -> Result<(), Failure> {
        (self.0)(events);
        Ok(())
    }
}
