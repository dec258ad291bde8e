//! The functions of a mirror. `gateway._mirror` wraps their results in typed classes.

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::ops::ControlFlow;
use std::path::PathBuf;

use jiff::Timestamp;
use methodical_mirror::queries::{self, Wanted};
use methodical_mirror::{Cursor, Error, ErrorKind, Mirror as Store, Source, State, SyncOptions};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::client::Client;
use crate::error::of_mirror;
use crate::feed::on_thread;
use crate::record::loads;

/// A mirror in a file. Each call opens it, so threads and forks can share the object.
#[pyclass(frozen, module = "gateway._native")]
pub(crate) struct Mirror {
    path: PathBuf,
}

#[pymethods]
impl Mirror {
    #[new]
    fn new(path: PathBuf) -> Self {
        Self { path }
    }

    fn sync<'py>(
        &self,
        py: Python<'py>,
        client: &Client,
        account: &str,
        accepted_missing: BTreeMap<String, u64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let source = Source::new(client.base_url.as_str(), account);
        let (path, client) = (self.path.clone(), client.client(py)?);
        // In a mirror that Python creates, the feed begins with all records.
        let options =
            SyncOptions { emits_baseline: true, accepted_missing, ..SyncOptions::default() };
        let synced =
            on_thread(py, move || Ok(Store::open(path, &source)?.sync_all(&client, &options)))?;
        let synced = synced.map_err(|error: Error| raised(py, error.kind(), &error))?;
        let report = synced.map_err(|error| raised(py, error.kind(), &error))?;
        let tables = report.tables.iter().filter_map(|table| {
            let one = table.result.as_ref().ok()?;
            Some(json!({
                "table": table.table, "added": one.added, "changed": one.changed, "unchanged": one.unchanged,
                "returned": one.returned, "missing": one.missing, "gone": one.gone, "rejected": one.rejected,
            }))
        });
        loads(py, &tables.collect::<Value>().to_string())
    }

    /// Returns the changes after a cursor, and the cursor after them.
    fn changes<'py>(
        &self,
        py: Python<'py>,
        after: Option<String>,
        limit: usize,
    ) -> PyResult<(Bound<'py, PyAny>, String)> {
        let (changes, cursor) = self.read(py, move |mirror| {
            let after = after.map(|cursor| cursor.parse::<Cursor>()).transpose()?;
            mirror.changes(after.as_ref(), limit)
        })?;
        let changes = changes.iter().map(|one| {
            json!({
                "number": one.number, "at": one.at, "table": one.table, "id": one.id, "kind": one.kind.as_str(),
                "fields": one.fields, "previous": one.previous, "value": one.value,
            })
        });
        Ok((loads(py, &changes.collect::<Value>().to_string())?, cursor.to_string()))
    }

    /// Returns a record, unless it is gone or forgotten.
    fn record<'py>(
        &self,
        py: Python<'py>,
        table: String,
        id: String,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = self.read(py, move |mirror| mirror.record(&table, &id))?;
        let found = found.filter(|one| matches!(one.state, State::Present | State::Missing));
        found.map(|one| loads(py, &one.json)).transpose()
    }

    fn placements<'py>(
        &self,
        py: Python<'py>,
        group: Option<String>,
        member: Option<String>,
        value: Option<String>,
        days: u32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = self.read(py, move |mirror| {
            let (group, member, value) = (group.as_deref(), member.as_deref(), value.as_deref());
            let wanted = Wanted { group, member, value, days, is_longest_first: true };
            let (mut found, now) = (Vec::new(), Timestamp::now().as_second());
            for table in queries::recovered(mirror)? {
                queries::placements(mirror, &table, &wanted, now, |one| {
                    found.push(json!({
                        "member": one.member, "group": one.group, "title": one.title, "value": one.value,
                        "previous": one.previous, "since": one.since, "days": one.days, "is_older": one.is_older,
                    }));
                    ControlFlow::Continue(())
                })?;
            }
            Ok(Value::from(found))
        })?;
        loads(py, &found.to_string())
    }

    /// Returns the counts for a period, whose start and end are in seconds since 1970.
    fn report<'py>(
        &self,
        py: Python<'py>,
        since: i64,
        until: i64,
        source: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let reports = self.read(py, move |mirror| {
            let tables = queries::recovered(mirror)?;
            let report =
                |table: &String| queries::report(mirror, table, since..until, source.as_deref());
            tables.iter().map(report).collect::<Result<Vec<_>, _>>()
        })?;
        let reports = reports.iter().map(|one| {
            let times = one.times.iter().map(|time| {
                json!({"value": time.value, "times": time.times, "average": time.average, "median": time.median})
            });
            let groups = one.groups.iter().map(|group| {
                json!({"group": group.group, "title": group.title, "new": group.new, "moved": group.moved})
            });
            json!({
                "new": one.new, "moved": one.moved, "times": times.collect::<Value>(),
                "groups": groups.collect::<Value>(), "sources": one.sources,
            })
        });
        loads(py, &reports.collect::<Value>().to_string())
    }
}

impl Mirror {
    /// Opens the mirror and calls `read` on a separate thread.
    fn read<T: Send + 'static>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&Store) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let path = self.path.clone();
        let read = on_thread(py, move || read(&Store::open_existing(path)?))?;
        read.map_err(|error| raised(py, error.kind(), &error))
    }
}

fn raised(py: Python<'_>, kind: ErrorKind, error: &(dyn StdError + 'static)) -> PyErr {
    let kind = match kind {
        ErrorKind::DeletionGuard => "deletion_guard",
        ErrorKind::Busy => "busy",
        ErrorKind::OtherSource => "other_source",
        ErrorKind::Cursor => "cursor",
        ErrorKind::Call => "call",
        ErrorKind::Filter => "filter",
        ErrorKind::Newer | ErrorKind::Foreign | ErrorKind::Io => "file",
        _ => "store",
    };
    of_mirror(py, kind, error)
}
