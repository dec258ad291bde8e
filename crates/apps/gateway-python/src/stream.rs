//! The records of a list, read while it arrives.

use std::collections::VecDeque;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use gateway_client::model::service::RecruitmentGateway;
use gateway_client::model::tables::Column;
use gateway_client::model::{self, ListOperation, Record};
use gateway_client::{Entry, Error, blocking};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow::{Batches, Failed, Row, Rows, Table};
use crate::error::{of_call, usage};
use crate::feed::{Feed, lock};

/// A record of a list, as generated code describes it.
pub(crate) trait Listed: Record + Send + 'static {
    /// The columns of a table of records.
    const COLUMNS: &'static [Column];

    /// Returns the object of Python.
    fn object(self, py: Python<'_>) -> PyResult<Py<PyAny>>;

    /// Appends one value for each column.
    fn append(record: &Self::Ref<'_>, row: &mut Row<'_>);
}

/// The records of a list: an iterator, or a table. Nothing is sent until they are read.
#[pyclass(frozen, module = "gateway._native")]
pub(crate) struct Stream {
    list: Box<dyn List>,
    rejected: Rejections,
    was_warned: AtomicBool,
}

/// The records that were rejected so far.
type Rejections = Arc<Mutex<Vec<model::Rejected>>>;

impl Stream {
    pub(crate) fn new<O>(client: blocking::Client, query: O) -> Self
    where
        O: ListOperation<Service = RecruitmentGateway> + Send + Sync + 'static,
        O::Item: Listed,
    {
        let rejected = Rejections::default();
        let list = Box::new(Query {
            client,
            query: Arc::new(query),
            rejected: Arc::clone(&rejected),
            reading: Mutex::new(Reading::Nothing),
            received: Mutex::default(),
        });
        Self { list, rejected, was_warned: AtomicBool::new(false) }
    }

    /// Warns once of records that were rejected.
    fn warn(&self, py: Python<'_>) -> PyResult<()> {
        let count = lock(&self.rejected).len();
        if count == 0 || self.was_warned.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let category = py.import("gateway._errors")?.getattr("RejectedWarning")?;
        let text = format!("{count} of the records do not match the contract; `rejected` has them");
        PyErr::warn(py, &category, &CString::new(text)?, 2)
    }
}

#[pymethods]
impl Stream {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let next = self.list.next(py)?;
        if next.is_none() {
            self.warn(py)?;
        }
        Ok(next)
    }

    /// Waits for the next records; none at the end.
    fn batch(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        let batch = self.list.batch(py)?;
        if batch.is_empty() {
            self.warn(py)?;
        }
        Ok(batch)
    }

    /// Reads all records into a table.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        let table = self.list.batches(py)?.collect(py)?;
        self.warn(py)?;
        Ok(table)
    }

    /// Returns a stream of batches, which are read as the caller asks for them.
    fn arrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        self.list.batches(py)?.capsule(py)
    }

    #[getter]
    fn rejected(&self) -> Vec<Rejected> {
        lock(&self.rejected).iter().cloned().map(Rejected).collect()
    }

    /// Whether reading has begun.
    #[getter]
    fn is_read(&self) -> bool {
        self.list.is_read()
    }

    /// Ends all waits.
    fn close(&self) {
        self.list.close();
    }
}

/// A list of any records.
trait List: Send + Sync {
    fn next(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>>;
    fn batch(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>>;
    fn batches(&self, py: Python<'_>) -> PyResult<Batches>;
    fn is_read(&self) -> bool;
    fn close(&self);
}

struct Query<O: ListOperation> {
    client: blocking::Client,
    query: Arc<O>,
    rejected: Rejections,
    reading: Mutex<Reading<O::Item>>,
    received: Mutex<VecDeque<Result<O::Item, Error>>>,
}

/// The records of a list that arrive, and an error at the end if it is cut.
type Records<T> = Arc<Feed<Result<T, Error>>>;

/// How a list is read.
enum Reading<T> {
    Nothing,
    Records(Records<T>),
    Batches,
}

/// How many records a thread may be ahead.
const AHEAD: usize = 1024;

impl<O> Query<O>
where
    O: ListOperation<Service = RecruitmentGateway> + Send + Sync + 'static,
    O::Item: Listed,
{
    /// Returns the records, and begins to read them.
    fn records(&self, py: Python<'_>) -> PyResult<Records<O::Item>> {
        let mut reading = lock(&self.reading);
        match &*reading {
            Reading::Records(feed) => return Ok(Arc::clone(feed)),
            Reading::Batches => return Err(usage(py, READ)),
            Reading::Nothing => {}
        }
        let (client, query, rejected) =
            (self.client.clone(), Arc::clone(&self.query), Arc::clone(&self.rejected));
        let feed = Arc::new(Feed::start(AHEAD, move |sender| {
            let failed = |error| drop(sender.send(Err(error)));
            let records = match client.stream(&*query) {
                Ok(records) => records,
                Err(error) => return failed(error),
            };
            for entry in records {
                match entry {
                    Ok(Entry::Record(record)) => {
                        if sender.send(Ok(record)).is_err() {
                            return;
                        }
                    }
                    Ok(Entry::Rejected(record)) => lock(&rejected).push(record),
                    Err(error) => return failed(error),
                }
            }
        })?);
        *reading = Reading::Records(Arc::clone(&feed));
        Ok(feed)
    }
}

impl<O> List for Query<O>
where
    O: ListOperation<Service = RecruitmentGateway> + Send + Sync + 'static,
    O::Item: Listed,
{
    fn next(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        loop {
            let received = lock(&self.received).pop_front();
            match received {
                Some(Ok(record)) => return record.object(py).map(Some),
                Some(Err(error)) => return Err(of_call(py, &error)),
                None => {}
            }
            let more = self.records(py)?.wait(py, AHEAD)?;
            if more.is_empty() {
                return Ok(None);
            }
            lock(&self.received).extend(more);
        }
    }

    fn batch(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        let mut batch: Vec<_> = self.next(py)?.into_iter().collect();
        if !batch.is_empty() {
            // An error is returned by the next call, after the records before it.
            while matches!(lock(&self.received).front(), Some(Ok(_))) {
                batch.extend(self.next(py)?);
            }
        }
        Ok(batch)
    }

    fn batches(&self, py: Python<'_>) -> PyResult<Batches> {
        let mut reading = lock(&self.reading);
        if !matches!(*reading, Reading::Nothing) {
            return Err(usage(py, READ));
        }
        *reading = Reading::Batches;
        drop(reading);
        let (client, query, rejected) =
            (self.client.clone(), Arc::clone(&self.query), Arc::clone(&self.rejected));
        Batches::start(py, O::Item::COLUMNS, move |rows: &mut Rows<'_>| {
            let mut records = client.stream(&*query).map_err(Failed::Call)?;
            while let Some(entry) =
                records.next_json_with(|record, _| O::Item::append(&record, &mut rows.row()))
            {
                match entry.map_err(Failed::Call)? {
                    Entry::Record(()) => rows.end_row()?,
                    Entry::Rejected(record) => lock(&rejected).push(record),
                }
            }
            Ok(())
        })
    }

    fn is_read(&self) -> bool {
        !matches!(*lock(&self.reading), Reading::Nothing)
    }

    fn close(&self) {
        if let Reading::Records(feed) = &*lock(&self.reading) {
            feed.close();
        }
    }
}

const READ: &str = "the list was read already; call the operation again";

/// A record that does not match the contract.
#[pyclass(frozen, module = "gateway")]
pub(crate) struct Rejected(model::Rejected);

#[pymethods]
impl Rejected {
    #[getter]
    fn index(&self) -> u64 {
        self.0.index()
    }

    #[getter]
    fn reason(&self) -> String {
        self.0.error().to_string()
    }

    #[getter]
    fn path(&self) -> String {
        self.0.error().path().to_owned()
    }

    #[getter]
    fn raw(&self) -> &str {
        self.0.raw()
    }

    /// Does not show the record, which may be personal.
    fn __repr__(&self) -> String {
        format!("Rejected(index={}, reason={:?})", self.index(), self.reason())
    }
}
