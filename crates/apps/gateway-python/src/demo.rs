//! The sample service, which runs in the Python process.

use std::{mem, process};

use gateway_server::demo::{self, DemoHistory};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

/// A sample service on the loopback interface. It stops when this object is dropped.
#[pyclass(frozen, module = "gateway")]
pub(crate) struct Demo {
    /// `None` only while the object is dropped.
    running: Option<demo::Demo>,
    #[pyo3(get)]
    base_url: String,
    #[pyo3(get)]
    token: String,
    /// The data of each day, with dates that do not change while the service runs.
    history: DemoHistory,
    /// The id of the process in which the service runs.
    process: u32,
}

#[pymethods]
impl Demo {
    #[new]
    fn new(py: Python<'_>) -> PyResult<Self> {
        let running =
            py.detach(demo::start).map_err(|error| PyOSError::new_err(error.to_string()))?;
        let (base_url, token) = (running.base_url().to_owned(), running.token().to_owned());
        let (history, running) = (running.history(), Some(running));
        Ok(Self { running, base_url, token, history, process: process::id() })
    }

    /// Sets the data to its state on a day.
    fn set_day(&self, py: Python<'_>, day: u32) -> PyResult<()> {
        if day >= DemoHistory::DAYS {
            return Err(PyValueError::new_err(format!(
                "the sample data has {} days, counted from 0",
                DemoHistory::DAYS
            )));
        }
        let set = py.detach(|| self.history.set_day(day));
        set.map_err(|error| PyOSError::new_err(error.to_string()))
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        if self.process != process::id() {
            #[expect(clippy::mem_forget, reason = "its thread exists only in the parent process")]
            mem::forget(self.running.take());
        }
    }
}
