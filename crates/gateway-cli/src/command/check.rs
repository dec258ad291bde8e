//! `check`: checks the service against its contract.

use std::io::Write as _;

use clap::{Args, ValueEnum};
use gateway_client::model::Operation;
use gateway_testkit::contract::{Finding, Profile, Report, Target};
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::operation::CliOperation;
use crate::operation_commands::OperationCommands;
use crate::output::destination::Destination;
use crate::output::printer::Printer;
use crate::output::schema::{RecordSource, Schema};
use crate::session::Session;
use crate::trace::token_of;

/// The flags of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckFlags {
    /// Also require what {reference} does where the contract leaves a point open.
    #[arg(long)]
    strict: bool,

    /// Print a report for tools that collect test results, instead of records.
    #[arg(long, value_name = "FORMAT")]
    report: Option<ReportFormat>,
}

/// A format of a report.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ReportFormat {
    /// Test Anything Protocol, version 14.
    Tap,
    #[value(help = "JUnit XML, which build servers read")]
    Junit,
}

/// The result of a check, as a record of the output.
#[derive(Debug, Serialize)]
struct Row<'a> {
    check: &'a str,
    verdict: &'a str,
    title: &'a str,
    source: String,
    seen: &'a str,
}

/// The output of the results, opened before the first request.
enum Findings {
    Report(ReportFormat, Destination),
    Records(Box<Printer>),
}

/// Sends the requests and judges the responses.
pub(crate) fn run<C: OperationCommands>(
    session: &Session,
    flags: &CheckFlags,
) -> Result<(), Failure> {
    let Invocation { program, screen, .. } = &session.invocation;
    let Some(contract) = program.contract else { return Ok(()) };
    let probe = CliOperation::<C::Probe>::new(C::probe());
    if session.print_dry_run(&probe)? {
        screen.note(&format!("this is the first of about {} requests", contract.requests));
        return Ok(());
    }
    let findings = open(session, flags.report)?;
    // A service that cannot be reached, or refuses the token, is not checked.
    let first = session.client.send_raw(&probe).map_err(|error| session.explain(&error))?;
    if let Err(error) = first.error_for_status() {
        let failure = session.explain(&error);
        if failure.exit() == Exit::NotAuthorised {
            return Err(failure);
        }
    }
    let profile = if flags.strict { Profile::Reference } else { Profile::Any };
    let report = (contract.run)(&target(session, &probe)?, &session.transport()?, profile);
    match findings {
        Findings::Report(form, mut out) => {
            let text = match form {
                ReportFormat::Tap => report.to_tap(),
                ReportFormat::Junit => report.to_junit(),
            };
            out.write_all(text.as_bytes())?;
            out.finish()?;
        }
        Findings::Records(printer) => print(*printer, &report)?,
    }
    screen.note(&report.summary());
    if report.is_kept() {
        return Ok(());
    }
    let fail = report.count("fail");
    let checks = if fail == 1 { "1 check" } else { &format!("{fail} checks") };
    Err(Failure::new(Exit::Contract, format!("the service violates the contract: {checks} failed")))
}

/// Returns the service and token that every other command uses.
fn target<O: Operation>(session: &Session, probe: &CliOperation<O>) -> Result<Target, Failure> {
    let request = session.client.request(probe).map_err(|error| session.explain(&error))?;
    let token = token_of(request.headers()).unwrap_or_default();
    let base_url = session.settings.base_url.as_ref().map_or("", |url| url.value.as_str());
    let target = Target::new(base_url, token)
        .map_err(|error| Failure::usage("cannot check the service").because(error.to_string()))?;
    Ok(match &session.settings.timeout {
        Some(limit) => target.time_limit(std::time::Duration::from_secs(limit.value)),
        None => target,
    })
}

/// Opens the output.
fn open(session: &Session, report: Option<ReportFormat>) -> Result<Findings, Failure> {
    let output = &session.invocation.output;
    let Some(form) = report else {
        let source = RecordSource::Program;
        let schema = Schema { columns: COLUMNS, fields: FIELDS, single: false, source };
        return Ok(Findings::Records(Box::new(Printer::open(&session.invocation, &schema)?)));
    };
    output.refuse_selection("a report contains every check")?;
    if output.output.is_some() || output.excel || output.csv_raw || output.separator.is_some() {
        return Err(Failure::usage(
            "cannot combine --report with -o or a CSV flag: --report sets the format",
        )
        .hint("remove --report, or remove -o and the CSV flags"));
    }
    Ok(Findings::Report(form, Destination::open(output.file(), session.invocation.program.name)?))
}

fn print(mut printer: Printer, report: &Report) -> Result<(), Failure> {
    for Finding { check, verdict, .. } in report.findings() {
        printer.print(&Row {
            check: check.name,
            verdict: verdict.word(),
            title: check.title,
            source: check.source.to_string(),
            seen: verdict.detail(),
        })?;
    }
    Ok(printer.finish()?)
}

const COLUMNS: &[&str] = &["check", "verdict", "source", "seen"];
const FIELDS: &[&str] = &["check", "verdict", "title", "source", "seen"];
