//! Sample services, which run for one command in the process of the program.

use std::any::Any;
use std::fmt;

use gateway_client::AccessToken;

use crate::failure::Failure;
use crate::interrupt::{self, Undo, Unfinished};

/// A sample service for `--demo`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demo {
    start: fn() -> Result<SampleService, Failure>,
    /// Arguments after `--demo`, as examples in the short help.
    pub(crate) examples: &'static [&'static str],
    /// The same for the long help.
    pub(crate) more_examples: &'static [&'static str],
}

#[cfg_attr(not(feature = "demo"), expect(dead_code, reason = "this build has no sample service"))]
impl Demo {
    /// Creates a demo from the function that starts the service.
    pub(crate) const fn new(start: fn() -> Result<SampleService, Failure>) -> Self {
        Self { start, examples: &[], more_examples: &[] }
    }

    /// Sets the examples in the short and in the long help: the arguments after `--demo`.
    pub(crate) const fn examples(
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

/// A running sample service.
pub(crate) struct SampleService {
    base_url: String,
    token: AccessToken,
    guard: Box<dyn Any + Send>,
}

#[cfg_attr(not(feature = "demo"), expect(dead_code, reason = "this build has no sample service"))]
impl SampleService {
    /// Describes a running service: its base URL, a token that it accepts, and a value that stops it when dropped.
    pub(crate) fn new(
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
