//! The sample service, in the process of Python.

use std::{mem, process};

use gateway_server::demo::{self, DemoHistory};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

/// A sample service on the loopback interface, which ends with this object.
#[pyclass(frozen, module = "gateway")]
pub(crate) struct Demo {
    /// `None` while it is dropped.
    running: Option<demo::Demo>,
    /// The data of the days, whose dates stay the same.
    history: DemoHistory,
    /// The process that has its thread.
    process: u32,
}

#[pymethods]
impl Demo {
    #[new]
    fn new(py: Python<'_>) -> PyResult<Self> {
        let running =
            py.detach(demo::start).map_err(|error| PyOSError::new_err(error.to_string()))?;
        let history = running.history();
        Ok(Self { running: Some(running), history, process: process::id() })
    }

    #[getter]
    fn base_url(&self) -> &str {
        self.running.as_ref().map_or("", |demo| demo.base_url())
    }

    #[getter]
    fn token(&self) -> &str {
        self.running.as_ref().map_or("", |demo| demo.token())
    }

    /// Changes the data to that of a day.
    fn set_day(&self, py: Python<'_>, day: u32) -> PyResult<()> {
        if day >= DemoHistory::DAYS {
            return Err(PyValueError::new_err(format!("there are {} days", DemoHistory::DAYS)));
        }
        let set = py.detach(|| self.history.set_day(day));
        set.map_err(|error| PyOSError::new_err(error.to_string()))
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        if self.process != process::id() {
            #[expect(clippy::mem_forget, reason = "its thread exists only in the other process")]
            mem::forget(self.running.take());
        }
    }
}
