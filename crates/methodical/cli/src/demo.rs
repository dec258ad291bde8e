//! The sample service of the program.

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
///     let token = AccessToken::new("sample")?;
///     Ok(SampleService { base_url: service.url(), token, history: None, guard: Box::new(service) })
/// }
///
/// let demo = Demo { start, examples: &["albums list", "albums list -o csv"] };
/// let program = Program::new("photos", "1.0.0").demo(demo);
/// ```
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "programs create it")]
pub struct Demo {
    /// Starts the service, which should listen only on the loopback interface.
    pub start: fn() -> Result<SampleService, Failure>,
    /// Arguments after `--demo`, as examples in the help; the short help has only the first.
    pub examples: &'static [&'static str],
}

/// A running sample service. See [`Demo`] for an example.
#[expect(clippy::exhaustive_structs, reason = "programs create it")]
pub struct SampleService {
    /// The base URL.
    pub base_url: String,
    /// A token that the service accepts.
    pub token: AccessToken,
    /// How the data changes from day to day. `--demo dashboard` and `--demo mcp` need it.
    pub history: Option<SampleHistory>,
    /// Stops the service when dropped.
    pub guard: Box<dyn Send>,
}

impl fmt::Debug for SampleService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SampleService").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

/// How the data of a sample service changes from day to day, so that `--demo dashboard` has a history to show.
///
/// The program generates the data of each day, and syncs a mirror with the clock set to that day. The last day is
/// today.
#[expect(clippy::exhaustive_structs, reason = "programs create it")]
pub struct SampleHistory {
    /// The number of days.
    pub days: u32,
    /// Values, such as statuses, that occur in the data and that the contract does not list.
    pub values: &'static [&'static str],
    /// Changes the data to that of a day. Called for 0 to `days` - 1, in order.
    pub set_day: Box<dyn FnMut(u32) -> Result<(), Failure> + Send>,
}

impl fmt::Debug for SampleHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SampleHistory").field("days", &self.days).finish_non_exhaustive()
    }
}
