//! Functions that all record classes share: JSON, parameters, and fields that the contract does not list.

use gateway_client::model::Extra;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;

use crate::error::usage;

/// Returns the JSON text of a record or a field. Absent fields stay absent, and null fields stay null.
pub(crate) fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value)
        .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))
}

/// Parses JSON text into Python objects.
pub(crate) fn loads<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}

/// Converts a record or a field to Python objects.
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

/// A parameter: a string, or a whole number, which is sent in digits.
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

/// Refuses the parameter `one` if it is given without `other`, because the service would ignore it. Each is a
/// parameter's name, and whether it is given.
pub(crate) fn needs(py: Python<'_>, one: (&str, bool), other: (&str, bool)) -> PyResult<()> {
    if one.1 && !other.1 {
        return Err(usage(py, &format!("`{}` has an effect only with `{}`", one.0, other.0)));
    }
    Ok(())
}
