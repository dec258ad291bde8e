//! Sample services, which run for one command in the process of the program.

use std::fmt;

use methodical_client::AccessToken;

use crate::failure::Failure;

/// A sample service for `--demo`: it starts when a command calls it, and stops when the command ends.
///
/// # Examples
///
/// ```
/// use methodical_cli::client::AccessToken;
/// use methodical_cli::{Demo, Failure, Program, SampleService};
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
    pub(crate) start: fn() -> Result<SampleService, Failure>,
    /// Arguments after `--demo`, as examples in the short help.
    pub(crate) examples: &'static [&'static str],
    /// The same for the long help.
    pub(crate) more_examples: &'static [&'static str],
}

/// A value that stops a sample service when it is dropped.
pub(crate) type Guard = Box<dyn Send>;

/// A running sample service. See [`Demo`] for an example.
pub struct SampleService {
    pub(crate) base_url: String,
    pub(crate) token: AccessToken,
    pub(crate) history: Option<SampleHistory>,
    /// Stops the service when dropped.
    pub(crate) running: Guard,
}

impl SampleService {
    /// Describes a running service: its base URL, a token that it accepts, and a value that stops it when dropped.
    pub fn new(
        base_url: impl Into<String>,
        token: AccessToken,
        guard: impl Send + 'static,
    ) -> Self {
        Self { base_url: base_url.into(), token, history: None, running: Box::new(guard) }
    }

    /// Sets how the data changes from day to day. `--demo dashboard` and `--demo mcp` need it.
    #[must_use]
    pub fn history(self, history: SampleHistory) -> Self {
        Self { history: Some(history), ..self }
    }
}

impl fmt::Debug for SampleService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SampleService").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

/// How the data of a sample service changes from day to day, so that `--demo dashboard` has a history to show.
///
/// The program makes the data of each day, and syncs a mirror with it by a clock that shows that day. The last day is today.
#[must_use]
pub struct SampleHistory {
    pub(crate) days: u32,
    pub(crate) values: &'static [&'static str],
    pub(crate) set_day: Box<dyn FnMut(u32) -> Result<(), Failure> + Send>,
}

impl SampleHistory {
    /// Describes a number of days. `set_day` makes the data of a day, from 0 to `days` - 1, in this order.
    pub fn new(
        days: u32,
        set_day: impl FnMut(u32) -> Result<(), Failure> + Send + 'static,
    ) -> Self {
        Self { days, values: &[], set_day: Box::new(set_day) }
    }

    /// Sets the values, such as statuses, that occur in the data and that the contract does not list.
    pub fn values(self, values: &'static [&'static str]) -> Self {
        Self { values, ..self }
    }
}

impl fmt::Debug for SampleHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SampleHistory").field("days", &self.days).finish_non_exhaustive()
    }
}

impl Demo {
    /// Creates a demo from the function that starts the service.
    ///
    /// The service should listen on the loopback interface only.
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
}
