//! `check`: checks the service against its contract.

use std::fmt;
use std::time::Duration;

use clap::Args;
use methodical_client::transport::BlockingTransport;
use serde::Serialize;

use crate::connect::transport;
use crate::failure::{Exit, Failure};
use crate::operations::OperationCommands;
use crate::output::printer::{Printer, Schema, counted};
use crate::program::Noun;
use crate::run::Invocation;
use crate::session::Session;
use crate::transport::token_of;

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
///     })
/// }
///
/// let contract = Contract { run: check, reference: "photos-server" };
/// let program = Program::new("photos", "1.0.0").contract(contract);
/// ```
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "programs create it")]
pub struct Contract {
    /// Runs the checks.
    pub run: fn(&CheckTarget<'_>) -> Result<CheckReport, Failure>,
    /// The name of the service that `--strict` compares with where the contract leaves a point open.
    pub reference: &'static str,
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
}

/// The result of one check of a [`Contract`].
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
    /// The reason of the verdict, or empty.
    pub seen: String,
}

/// The flags of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckFlags {
    /// Also require what {reference} does where the contract leaves a point open.
    #[arg(long)]
    strict: bool,
}

pub(crate) fn run<C: OperationCommands>(
    session: &Session<C::Service>,
    flags: &CheckFlags,
) -> Result<(), Failure> {
    let Invocation { program, call, screen, .. } = &session.invocation;
    let Some(contract) = program.contract else { return Ok(()) };
    let probe = C::probe();
    if session.print_dry_run(&probe)? {
        screen.note("this is the first request");
        return Ok(());
    }
    let output = &session.invocation.output;
    // The output is opened before the first request.
    let has_all = !output.is_table(*screen)? || call.verbose > 0 || output.selection().is_some();
    let noun = (!has_all).then_some(Noun::new("failed check", "failed checks"));
    let schema = Schema { columns: COLUMNS, noun, ..Schema::of_program(FIELDS, false) };
    let mut printer = Printer::open(&session.invocation, &schema)?;
    // A service that cannot be reached, or refuses the token, is not checked.
    let first = session.stream_raw(&probe)?;
    if let Err(error) = first.error_for_status() {
        let failure = session.explain(&error);
        if failure.exit() == Exit::NotAuthorized {
            return Err(failure);
        }
    }
    let request = session.client.request(&probe).map_err(|error| session.explain(&error))?;
    let settings = &session.settings;
    let report = (contract.run)(&CheckTarget {
        base_url: settings.base_url().map_or("", |url| url.value.as_str()),
        token: token_of(request.headers()).unwrap_or_default(),
        transport: &transport(&session.invocation, settings, false)?,
        time_limit: settings.timeout().map(Duration::from_secs),
        strict: flags.strict,
    })?;
    let mut shown = report.results.iter().filter(|one| has_all || one.verdict == "fail");
    shown.try_for_each(|result| printer.print(result))?;
    printer.finish()?;
    screen.note(&report.summary);
    if report.failed == 0 {
        return Ok(());
    }
    let failed = counted(u64::try_from(report.failed).unwrap_or(u64::MAX), "check");
    Err(Failure::new(Exit::Contract, format!("the service violates the contract: {failed} failed")))
}

const COLUMNS: &[&str] = &["check", "verdict", "seen", "source"];
const FIELDS: &[&str] = &["check", "verdict", "title", "source", "seen"];
