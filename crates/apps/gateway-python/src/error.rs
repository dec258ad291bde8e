//! Converts errors to the exceptions that the module `gateway._errors` defines.

use std::error::Error as StdError;
use std::iter;

use gateway_client::Error;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Creates the exception for a failed call.
pub(crate) fn of_call(py: Python<'_>, error: &Error) -> PyErr {
    let facts = PyDict::new(py);
    let set = || -> PyResult<()> {
        facts.set_item("status", error.status().map(|status| status.as_u16()))?;
        facts.set_item("attempts", error.attempts())?;
        facts.set_item("delivered", error.delivered())?;
        facts.set_item("retry_after", error.retry_after().map(|delay| delay.as_secs_f64()))?;
        facts.set_item("transient", error.is_transient())?;
        facts.set_item("body", error.body().map(AsRef::<[u8]>::as_ref))
    };
    set().err().unwrap_or_else(|| create(py, error.kind().as_str(), error, &facts))
}

/// Creates the exception for an error of a mirror. If a call failed, its exception is the cause.
pub(crate) fn of_mirror(py: Python<'_>, kind: &str, error: &(dyn StdError + 'static)) -> PyErr {
    let mut calls = iter::successors(error.source(), |&error| error.source());
    let call = calls.find_map(|error| error.downcast_ref::<Error>());
    let exception = create(py, kind, error, &PyDict::new(py));
    exception.set_cause(py, call.map(|call| of_call(py, call)));
    exception
}

/// Creates the exception for a usage error.
pub(crate) fn usage(py: Python<'_>, text: &str) -> PyErr {
    raised(py, ("config", text, "", PyDict::new(py)))
}

/// Creates an exception from the messages of an error and its causes. The client's messages contain no data, but those
/// of a token callable may, so the callable's exception becomes the cause instead.
fn create(
    py: Python<'_>,
    kind: &str,
    error: &(dyn StdError + 'static),
    facts: &Bound<'_, PyDict>,
) -> PyErr {
    let text = error.to_string();
    let (what, hint) = text.split_once("; ").unwrap_or((&text, ""));
    let mut message = what.to_owned();
    let mut cause = None;
    for source in iter::successors(error.source(), |&error| error.source()) {
        if let Some(raised) = source.downcast_ref::<PyErr>() {
            cause = Some(raised.clone_ref(py));
            break;
        }
        message = format!("{message}: {source}");
    }
    let exception = raised(py, (kind, &message, hint, facts.clone()));
    if let Some(cause) = cause {
        exception.set_cause(py, Some(cause));
    }
    exception
}

fn raised(py: Python<'_>, arguments: (&str, &str, &str, Bound<'_, PyDict>)) -> PyErr {
    let create = || py.import("gateway._errors")?.call_method1("create", arguments);
    create().map_or_else(|error| error, PyErr::from_value)
}
