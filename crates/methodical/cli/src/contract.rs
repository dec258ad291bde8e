//! The contract of a service, for the command `check`.

use std::fmt;
use std::time::Duration;

use methodical_client::transport::BlockingTransport;
use serde::Serialize;

use crate::failure::Failure;

/// The contract of a service: checks of its responses, which the command `check` runs.
///
/// # Examples
///
/// ```
/// use methodical_cli::{CheckReport, CheckResult, CheckTarget, Contract, Failure, Program};
///
/// fn check(target: &CheckTarget<'_>) -> Result<CheckReport, Failure> {
///     // Send requests through `target.transport`, and judge the responses.
/// #   let _transport = target.transport;
///     let result = CheckResult {
///         check: "list.array".to_owned(),
///         verdict: "pass".to_owned(),
///         title: "a list is an array".to_owned(),
///         source: "contract, section 2".to_owned(),
///         seen: String::new(),
///     };
///     Ok(CheckReport {
///         results: vec![result],
///         failed: 0,
///         summary: "1 check passed".to_owned(),
///         junit: "<testsuites tests=\"1\"/>\n".to_owned(),
///     })
/// }
///
/// let program = Program::new("photos", "1.0.0").contract(Contract::new(check, 1, "photos-server"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Contract {
    pub(crate) run: fn(&CheckTarget<'_>) -> Result<CheckReport, Failure>,
    pub(crate) requests: u32,
    pub(crate) reference: &'static str,
}

impl Contract {
    /// Creates a contract from the function that runs its checks, and the approximate number of requests that they send.
    ///
    /// `reference` is the name of the service that `--strict` compares with where the contract leaves a point open.
    #[must_use]
    pub const fn new(
        run: fn(&CheckTarget<'_>) -> Result<CheckReport, Failure>,
        requests: u32,
        reference: &'static str,
    ) -> Self {
        Self { run, requests, reference }
    }
}

/// The service to check, and how to reach it.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct CheckTarget<'a> {
    /// The base URL.
    pub base_url: &'a str,
    /// The access token.
    pub token: &'a str,
    /// The transport of the program. It logs with `-v`.
    pub transport: &'a dyn BlockingTransport,
    /// The time limit of each request, if `--timeout` or the profile sets one.
    pub time_limit: Option<Duration>,
    /// Whether the service must also do what the reference does where the contract leaves a point open.
    pub strict: bool,
}

impl fmt::Debug for CheckTarget<'_> {
    /// Leaves out the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { base_url, time_limit, strict, .. } = self;
        f.debug_struct("CheckTarget")
            .field("base_url", base_url)
            .field("time_limit", time_limit)
            .field("strict", strict)
            .finish_non_exhaustive()
    }
}

/// The results of all checks.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The results, in the order of the output.
    pub results: Vec<CheckResult>,
    /// The number of checks that failed. If it is not 0, the program ends with exit code 5.
    pub failed: usize,
    /// The counts in one line.
    pub summary: String,
    /// The report for `--report junit`.
    pub junit: String,
}

/// The result of a check.
#[derive(Clone, Debug, Serialize)]
pub struct CheckResult {
    /// The name of the check, such as `list.envelope`.
    pub check: String,
    /// The verdict in one word, such as `pass`.
    pub verdict: String,
    /// The rule that the check tests.
    pub title: String,
    /// The section of the contract or of an RFC that has the rule.
    pub source: String,
    /// The reason of the verdict; empty if there is none.
    pub seen: String,
}
