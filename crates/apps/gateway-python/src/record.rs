//! Functions for the classes of all records: JSON, parameters, and fields that the contract does not list.

use gateway_client::model::Extra;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;

use crate::error::usage;

/// Returns the JSON text of a record or a field. A field that was absent is absent, and one that was null is null.
pub(crate) fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value)
        .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))
}

/// Returns the objects of Python for a JSON text.
pub(crate) fn loads<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}

/// Returns a record or a field as objects of Python.
pub(crate) fn plain<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    loads(py, &json(value)?)
}

/// Returns the fields that the contract does not list.
pub(crate) fn extra<'py>(py: Python<'py>, extra: &Extra<'_>) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    for (name, value) in extra.iter() {
        fields.set_item(&*name, loads(py, value)?)?;
    }
    Ok(fields)
}

/// A parameter that is sent as text or in digits: a string, or a whole number.
#[derive(Clone, FromPyObject)]
pub(crate) enum Argument {
    Number(i64),
    Text(String),
}

impl Argument {
    pub(crate) fn text(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text,
        }
    }
}

/// Refuses a parameter without another one that it needs: the service would ignore it.
pub(crate) fn needs(py: Python<'_>, one: (&str, bool), other: (&str, bool)) -> PyResult<()> {
    if one.1 && !other.1 {
        return Err(usage(py, &format!("`{}` has an effect only with `{}`", one.0, other.0)));
    }
    Ok(())
}
