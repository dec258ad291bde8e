//! The native part of the Python package `gateway`: the program, the client, Arrow streams and mirrors.
//!
//! | module | contents |
//! |---|---|
//! | `client` | the class `Client`, its token, and calls that Ctrl-C can end |
//! | `feed` | items that a thread produces while Python waits without its lock |
//! | `stream` | the records of a list, as objects or in batches |
//! | `arrow` | the columns of records, and the C stream interface |
//! | `demo` | the sample service |
//! | `mirror` | the functions of a mirror |
//! | `error` | errors as exceptions of `gateway._errors` |
//! | `generated` | the classes of the records and the calls, from the spec |

use std::ffi::OsString;
use std::io::{self, Write as _};

use pyo3::prelude::*;

mod arrow;
mod client;
mod demo;
mod error;
mod feed;
mod generated;
mod mirror;
mod record;
mod stream;

/// Runs the program with the arguments of the Python process and returns its exit code.
#[pyfunction]
fn main(py: Python<'_>) -> PyResult<u8> {
    // The program handles Ctrl-C as it does without Python.
    let signal = py.import("signal")?;
    signal.call_method1("signal", (signal.getattr("SIGINT")?, signal.getattr("SIG_DFL")?))?;
    let mut arguments: Vec<OsString> = py.import("sys")?.getattr("argv")?.extract()?;
    if let Some(name) = arguments.first_mut() {
        *name = "gateway".into();
    }
    Ok(py.detach(|| {
        let code = gateway_cli::run_embedded(&gateway_cli::program(), &arguments);
        // A Rust program does this at the end of `main`. If a write failed, that was already reported.
        io::stdout().flush().ok();
        code
    }))
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_class::<client::Client>()?;
    module.add_class::<stream::Stream>()?;
    module.add_class::<arrow::Table>()?;
    module.add_class::<mirror::Mirror>()?;
    module.add_class::<demo::Demo>()?;
    generated::records::add(module)?;
    generated::calls::add(module)
}
