//! The class `Client`, its token, and its calls.

use std::future::ready;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{mem, process};

use gateway_client::model::service::RecruitmentGateway;
use gateway_client::model::{ListOperation, Operation};
use gateway_client::transport::{BoxError, BoxFuture};
use gateway_client::{AccessToken, Error, RetryPolicy, TokenSource, blocking};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::error::{of_call, usage};
use crate::feed::{lock, on_thread};
use crate::stream::{Listed, Stream};

/// A client for one account of the service; `gateway.Client` adds its operations.
#[pyclass(frozen, subclass, module = "gateway._native")]
pub(crate) struct Client {
    /// The base URL of the service.
    #[pyo3(get)]
    pub(crate) base_url: String,
    build: Box<dyn Fn() -> Result<blocking::Client, Error> + Send + Sync>,
    /// The client, and the id of the process that owns its connections and threads.
    built: Mutex<(u32, blocking::Client)>,
}

#[pymethods]
impl Client {
    #[new]
    #[pyo3(signature = (base_url, token, *, timeout = None, retry = true, allow_insecure_http = false))]
    fn new(
        py: Python<'_>,
        base_url: String,
        token: &Bound<'_, PyAny>,
        timeout: Option<f64>,
        retry: bool,
        allow_insecure_http: bool,
    ) -> PyResult<Self> {
        let timeout = timeout.map(Duration::try_from_secs_f64).transpose();
        let timeout = timeout
            .map_err(|_negative| usage(py, "the timeout must be a number of seconds, 0 or more"))?;
        let (url, token) = (base_url.clone(), source(py, token)?);
        let build = Box::new(move || {
            let mut builder = blocking::Client::builder(&*url).token(Arc::clone(&token));
            if let Some(timeout) = timeout {
                builder = builder.call_timeout(timeout);
            }
            if !retry {
                builder = builder.retry(RetryPolicy::never());
            }
            if allow_insecure_http {
                builder = builder.allow_insecure_http();
            }
            builder.build()
        });
        let client = build().map_err(|error| of_call(py, &error))?;
        Ok(Self { base_url, build, built: Mutex::new((process::id(), client)) })
    }

    fn __repr__(&self) -> String {
        format!("Client({:?})", self.base_url)
    }
}

impl Client {
    /// Returns the client of this process. After a fork, creates a new client and leaves the parent's connections
    /// alone.
    pub(crate) fn client(&self, py: Python<'_>) -> PyResult<blocking::Client> {
        // Only a thread that holds Python's global lock takes this lock, so the lock is free after a fork.
        let mut built = lock(&self.built);
        if built.0 != process::id() {
            let client = (self.build)().map_err(|error| of_call(py, &error))?;
            #[expect(clippy::mem_forget, reason = "its threads exist only in the parent process")]
            mem::forget(mem::replace(&mut *built, (process::id(), client)));
        }
        Ok(built.1.clone())
    }

    /// Calls an operation that returns one record.
    pub(crate) fn send<O>(&self, py: Python<'_>, query: O) -> PyResult<O::Output>
    where
        O: Operation<Service = RecruitmentGateway> + Send + 'static,
        O::Output: Send,
    {
        let client = self.client(py)?;
        on_thread(py, move || client.send(&query))?.map_err(|error| of_call(py, &error))
    }

    /// Returns the records of a list. Nothing is sent until they are read.
    pub(crate) fn stream<O>(&self, py: Python<'_>, query: O) -> PyResult<Stream>
    where
        O: ListOperation<Service = RecruitmentGateway> + Send + 'static,
        O::Item: Listed,
    {
        Ok(Stream::new(self.client(py)?, query))
    }
}

/// Returns the token source for a string, or for a callable that returns a string.
fn source(py: Python<'_>, token: &Bound<'_, PyAny>) -> PyResult<Arc<dyn TokenSource>> {
    if token.is_callable() {
        return Ok(Arc::new(Callable(token.clone().unbind())));
    }
    let text: String = token
        .extract()
        .map_err(|_other| PyTypeError::new_err("the token must be a string or a callable"))?;
    Ok(Arc::new(AccessToken::new(text).map_err(|error| of_call(py, &error))?))
}

/// A callable without arguments. It is called before the first request, and again if the service refuses the token.
struct Callable(Py<PyAny>);

impl TokenSource for Callable {
    fn token<'a>(
        &'a self,
        _refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        let token = Python::try_attach(|py| {
            let text: String = self.0.call0(py)?.extract(py).map_err(|_other| {
                PyTypeError::new_err("the token callable did not return a string")
            })?;
            Ok::<_, BoxError>(AccessToken::new(text)?)
        });
        Box::pin(ready(token.unwrap_or_else(|| Err("Python is shutting down".into()))))
    }
}
