//! The records of a list, read as they arrive.

use std::collections::VecDeque;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, OnceLock};

use arrow_schema::ArrowError;
use gateway_client::model::service::RecruitmentGateway;
use gateway_client::model::tables::Column;
use gateway_client::model::{ListOperation, Record, Rejected};
use gateway_client::{Entry, Error, blocking};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow::{Batches, Row, Rows, Table};
use crate::error::{of_call, usage};
use crate::feed::{Feed, lock};

/// A record of a list, as generated code describes it.
pub(crate) trait Listed: Record + Send + 'static {
    /// The columns of a table of records.
    const COLUMNS: &'static [Column];

    /// Converts the record to its Python object.
    fn object(self, py: Python<'_>) -> PyResult<Py<PyAny>>;

    /// Appends the record's value for each column.
    fn append(record: &Self::Ref<'_>, row: &mut Row<'_>);
}

/// The records of a list: an iterator, or a table. Nothing is sent until they are read.
#[pyclass(frozen, module = "gateway._native")]
pub(crate) struct Stream {
    /// The list, until reading begins.
    list: Mutex<Option<Box<dyn List>>>,
    records: OnceLock<Feed<Received>>,
    received: Mutex<VecDeque<Received>>,
    rejected: Rejections,
    was_warned: AtomicBool,
}

/// Creates the Python object of a received record; an error says why the list was truncated.
type Received = Result<Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>, Error>;

/// The records that were rejected so far.
type Rejections = Arc<Mutex<Vec<Rejected>>>;

impl Stream {
    pub(crate) fn new<O>(client: blocking::Client, query: O) -> Self
    where
        O: ListOperation<Service = RecruitmentGateway> + Send + 'static,
        O::Item: Listed,
    {
        let rejected = Rejections::default();
        let list = Box::new(Query { client, query, rejected: Arc::clone(&rejected) });
        Self {
            list: Mutex::new(Some(list)),
            records: OnceLock::new(),
            received: Mutex::default(),
            rejected,
            was_warned: AtomicBool::new(false),
        }
    }

    /// Returns the records and, on the first call, starts reading them. Fails if the list was already read into
    /// batches.
    fn records(&self, py: Python<'_>) -> PyResult<&Feed<Received>> {
        let mut list = lock(&self.list);
        if let Some(list) = list.take() {
            let feed = Feed::start(AHEAD, move |sender| list.records(sender))?;
            return Ok(self.records.get_or_init(|| feed));
        }
        self.records.get().ok_or_else(|| usage(py, READ))
    }

    fn batches(&self, py: Python<'_>) -> PyResult<Batches> {
        let list = lock(&self.list).take();
        list.ok_or_else(|| usage(py, READ))?.batches(py)
    }

    /// Warns once about rejected records.
    fn warn(&self, py: Python<'_>) -> PyResult<()> {
        let count = lock(&self.rejected).len();
        if count == 0 || self.was_warned.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let category = py.import("gateway._errors")?.getattr("RejectedWarning")?;
        let text =
            format!("records that do not match the contract: {count}; `rejected` lists them");
        PyErr::warn(py, &category, &CString::new(text)?, 2)
    }
}

#[pymethods]
impl Stream {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        loop {
            let received = lock(&self.received).pop_front();
            match received {
                Some(Ok(create)) => return create(py).map(Some),
                Some(Err(error)) => return Err(of_call(py, &error)),
                None => {}
            }
            let more = self.records(py)?.wait(py, AHEAD)?;
            if more.is_empty() {
                self.warn(py)?;
                return Ok(None);
            }
            lock(&self.received).extend(more);
        }
    }

    /// Waits for the next records and returns them; empty at the end.
    fn batch(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        let mut batch: Vec<_> = self.__next__(py)?.into_iter().collect();
        // The next call returns an error, after this one has returned the records before it.
        while !batch.is_empty() && matches!(lock(&self.received).front(), Some(Ok(_))) {
            batch.extend(self.__next__(py)?);
        }
        Ok(batch)
    }

    /// Reads all records into a table.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        let table = self.batches(py)?.collect(py)?;
        self.warn(py)?;
        Ok(table)
    }

    /// Returns a stream that reads each batch when the caller requests it.
    fn arrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        self.batches(py)?.capsule(py)
    }

    /// The index, the reason, the path and the JSON text of each rejected record.
    #[getter]
    fn rejected(&self) -> Vec<(u64, String, String, String)> {
        let rejected = lock(&self.rejected);
        let facts = rejected.iter().map(|one| {
            let (error, raw) = (one.error(), one.raw().to_owned());
            (one.index(), error.to_string(), error.path().to_owned(), raw)
        });
        facts.collect()
    }

    /// Ends all waits.
    fn close(&self) {
        if let Some(records) = self.records.get() {
            records.close();
        }
    }
}

/// A list of any kind of record. It can be read only once.
trait List: Send {
    fn records(self: Box<Self>, sender: &SyncSender<Received>);
    fn batches(self: Box<Self>, py: Python<'_>) -> PyResult<Batches>;
}

struct Query<O> {
    client: blocking::Client,
    query: O,
    rejected: Rejections,
}

impl<O> List for Query<O>
where
    O: ListOperation<Service = RecruitmentGateway> + Send + 'static,
    O::Item: Listed,
{
    fn records(self: Box<Self>, sender: &SyncSender<Received>) {
        let read = || {
            for entry in self.client.stream(&self.query)? {
                match entry? {
                    Entry::Record(record) => {
                        let create = move |py: Python<'_>| record.object(py);
                        if sender.send(Ok(Box::new(create))).is_err() {
                            break;
                        }
                    }
                    Entry::Rejected(record) => lock(&self.rejected).push(record),
                }
            }
            Ok(())
        };
        if let Err(error) = read() {
            sender.send(Err(error)).ok();
        }
    }

    fn batches(self: Box<Self>, py: Python<'_>) -> PyResult<Batches> {
        Batches::start(py, O::Item::COLUMNS, move |rows: &mut Rows<'_>| {
            let failed = |error: Error| ArrowError::ExternalError(error.into());
            let mut records = self.client.stream(&self.query).map_err(failed)?;
            while let Some(entry) =
                records.next_json_with(|record, _| O::Item::append(&record, &mut rows.row()))
            {
                match entry.map_err(failed)? {
                    Entry::Record(()) => rows.end_row()?,
                    Entry::Rejected(record) => lock(&self.rejected).push(record),
                }
            }
            Ok(())
        })
    }
}

/// Maximum number of records that a thread may be ahead of the reader.
const AHEAD: usize = 1024;

const READ: &str = "the list has already been read; call the operation again";
