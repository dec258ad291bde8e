//! `check`: checks the service against its contract.

use std::io::Write as _;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::config::settings::Settings;
use crate::contract::CheckTarget;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::operation_commands::OperationCommands;
use crate::output::destination::Destination;
use crate::output::format::Format;
use crate::output::printer::Printer;
use crate::output::schema::Schema;
use crate::secrets::remember;
use crate::session::Session;
use crate::trace::token_of;

mod summary;

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
    #[value(help = "JUnit XML, which build servers read")]
    Junit,
}

/// The output of the results, opened before the first request.
enum Findings {
    Report(ReportFormat, Destination),
    Records(Box<Printer>),
    Summary(Destination),
}

/// Sends the requests and judges the responses.
pub(crate) fn run<C: OperationCommands>(
    session: &Session<C::Service>,
    flags: &CheckFlags,
) -> Result<(), Failure> {
    let Invocation { program, screen, .. } = &session.invocation;
    let Some(contract) = program.contract else { return Ok(()) };
    let probe = C::probe();
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
    let request = session.client.request(&probe).map_err(|error| session.explain(&error))?;
    // The checks send it through a transport of their own.
    remember(&request);
    let Settings { base_url, timeout, .. } = &session.settings;
    let report = (contract.run)(&CheckTarget {
        base_url: base_url.as_ref().map_or("", |url| url.value.as_str()),
        token: token_of(request.headers()).unwrap_or_default(),
        transport: &session.transport()?,
        time_limit: timeout.as_ref().map(|limit| Duration::from_secs(limit.value)),
        strict: flags.strict,
    })?;
    match findings {
        Findings::Report(form, mut out) => {
            let text = match form {
                ReportFormat::Junit => &report.junit,
            };
            out.write_all(text.as_bytes())?;
            out.finish()?;
        }
        Findings::Records(mut printer) => {
            for result in &report.results {
                printer.print(result)?;
            }
            printer.finish()?;
        }
        Findings::Summary(mut out) => {
            let color = out.view(*screen).color;
            summary::write(&mut out, &report.results, color)?;
            out.finish()?;
        }
    }
    screen.note(&report.summary);
    let checks = match report.failed {
        0 => return Ok(()),
        1 => "1 check",
        failed => &format!("{failed} checks"),
    };
    Err(Failure::new(Exit::Contract, format!("the service violates the contract: {checks} failed")))
}

/// Opens the output.
fn open<S>(session: &Session<S>, report: Option<ReportFormat>) -> Result<Findings, Failure> {
    let Invocation { program, call, output, screen, .. } = &session.invocation;
    let Some(form) = report else {
        let format = output.format()?;
        let is_table = format == Some(Format::TABLE)
            || (format.is_none() && output.file().is_none() && screen.output.is_terminal());
        if is_table && call.verbose == 0 && output.selection().is_none() {
            return Ok(Findings::Summary(Destination::open(output.file(), program)?));
        }
        let schema = Schema { columns: COLUMNS, ..Schema::of_program(FIELDS, false) };
        return Ok(Findings::Records(Box::new(Printer::open(&session.invocation, &schema)?)));
    };
    output.refuse_selection("a report contains every check")?;
    if output.output.is_some() || output.csv_raw || output.separator.is_some() {
        return Err(Failure::usage(
            "cannot combine --report with -o or a CSV flag: --report sets the format",
        )
        .hint("remove --report, or remove -o and the CSV flags"));
    }
    Ok(Findings::Report(form, Destination::open(output.file(), program)?))
}

const COLUMNS: &[&str] = &["check", "verdict", "source", "seen"];
const FIELDS: &[&str] = &["check", "verdict", "title", "source", "seen"];
