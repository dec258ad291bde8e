//! Sample services, which run for one command in the process of the program.

use std::any::Any;
use std::fmt;

use gateway_client_core::AccessToken;

use crate::failure::Failure;
use crate::interrupt::{self, Undo, Unfinished};

/// A sample service for `--demo`: it starts when a command calls it, and stops when the command ends.
///
/// # Examples
///
/// ```
/// use gateway_cli_core::client::AccessToken;
/// use gateway_cli_core::{Demo, Failure, Program, SampleService};
///
/// # struct Service;
/// # impl Service {
/// #     fn start() -> std::io::Result<Self> { Ok(Self) }
/// #     fn url(&self) -> String { "http://127.0.0.1:8080".to_owned() }
/// # }
/// fn start() -> Result<SampleService, Failure> {
///     let service = Service::start().map_err(|error| {
///         Failure::usage("cannot start the sample service").because(error.to_string())
///     })?;
///     Ok(SampleService::new(service.url(), AccessToken::new("sample")?, service))
/// }
///
/// let program = Program::new("photos", "1.0.0")
///     .demo(Demo::new(start).examples(&["albums list"], &["albums list", "albums list -o csv"]));
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Demo {
    start: fn() -> Result<SampleService, Failure>,
    /// Arguments after `--demo`, as examples in the short help.
    pub(crate) examples: &'static [&'static str],
    /// The same for the long help.
    pub(crate) more_examples: &'static [&'static str],
}

impl Demo {
    /// Creates a demo from the function that starts the service.
    ///
    /// The function runs while signals wait, so it should return soon. It should listen on the loopback interface only.
    pub const fn new(start: fn() -> Result<SampleService, Failure>) -> Self {
        Self { start, examples: &[], more_examples: &[] }
    }

    /// Sets the examples in the short and in the long help: the arguments after `--demo`.
    pub const fn examples(
        mut self,
        short: &'static [&'static str],
        long: &'static [&'static str],
    ) -> Self {
        (self.examples, self.more_examples) = (short, long);
        self
    }

    /// Starts the service. Returns its base URL, its token, and a guard that stops it when dropped.
    pub(crate) fn start(self) -> Result<(String, AccessToken, Unfinished), Failure> {
        let ((base_url, token), running) = interrupt::begin(|| {
            let SampleService { base_url, token, guard } = (self.start)()?;
            Ok::<_, Failure>(((base_url, token), Undo::new(move || drop(guard)).slow()))
        })?;
        Ok((base_url, token, running))
    }
}

/// A running sample service. See [`Demo`] for an example.
pub struct SampleService {
    base_url: String,
    token: AccessToken,
    guard: Box<dyn Any + Send>,
}

impl SampleService {
    /// Describes a running service: its base URL, a token that it accepts, and a value that stops it when dropped.
    pub fn new(
        base_url: impl Into<String>,
        token: AccessToken,
        guard: impl Send + 'static,
    ) -> Self {
        Self { base_url: base_url.into(), token, guard: Box::new(guard) }
    }
}

impl fmt::Debug for SampleService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SampleService").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}
