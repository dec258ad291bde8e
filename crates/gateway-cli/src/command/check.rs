//! `gateway check`: is the service what its contract says?

use clap::{Args, ValueEnum};
use gateway_client::transport::Options;
use gateway_client::transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_testkit::contract::{Finding, Profile, Report, Target, run as judge};
use serde::Serialize;

use crate::command::print;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::generated::commands::CheapestQuestion;
use crate::output::Shape;
use crate::output::printer::Printer;
use crate::session::{Asked, Session};

/// How strictly to check, and how to report.
#[derive(Debug, Args)]
pub(crate) struct CheckFlags {
    /// Also hold the service to what gateway-server does where the service text is silent.
    #[arg(long)]
    strict: bool,

    /// Print a report for programs that collect test results, in place of records.
    #[arg(long, value_name = "FORM")]
    report: Option<ReportForm>,
}

/// The forms of a report.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ReportForm {
    /// Test Anything Protocol, version 14.
    Tap,
    /// XML as test collectors of build servers read it.
    Junit,
}

/// A finding as a record of the output.
#[derive(Debug, Serialize)]
struct Row<'a> {
    check: &'a str,
    verdict: &'a str,
    title: &'a str,
    source: String,
    seen: &'a str,
}

/// Asks the service some forty questions, and judges the answers.
pub(crate) fn run(session: &Session, flags: &CheckFlags) -> Result<(), Failure> {
    let question = Asked::<CheapestQuestion>::new(Vec::new());
    if session.is_only_shown(&question)? {
        return Ok(());
    }
    // Whoever is not there, or lets us in no further, is not checked.
    let first = session.client.send_raw(&question).map_err(|error| session.explain(error))?;
    if matches!(first.status().as_u16(), 401 | 403) {
        return match session.client.send(&question) {
            Err(error) => Err(session.explain(error)),
            Ok(_) => Err(Failure::new(Exit::Contract, "the service takes its token now and then")),
        };
    }
    let profile = if flags.strict { Profile::Reference } else { Profile::Any };
    let transport = ReqwestBlockingTransport::new(&Options::default())
        .map_err(|error| Failure::new(Exit::Network, error.to_string()))?;
    let report = judge(&target(session, &question)?, &transport, profile);
    match flags.report {
        Some(ReportForm::Tap) => print(&session.output, report.to_tap().as_bytes())?,
        Some(ReportForm::Junit) => print(&session.output, report.to_junit().as_bytes())?,
        None => rows(session, &report)?,
    }
    let [pass, fail, open] = ["pass", "fail", "not-shown"].map(|word| report.count(word));
    session.screen.note(&format!(
        "{pass} checks passed, {fail} failed, {open} not shown, by {} requests",
        report.requests()
    ));
    if fail == 0 {
        return Ok(());
    }
    let checks = if fail == 1 { "1 check" } else { &format!("{fail} checks") };
    Err(Failure::new(
        Exit::Contract,
        format!("the service does not keep its contract: {checks} failed"),
    ))
}

/// The same service and token that every other command uses.
fn target(session: &Session, question: &Asked<CheapestQuestion>) -> Result<Target, Failure> {
    let request = session.client.request(question).map_err(|error| session.explain(error))?;
    let token = request.headers().get("authorization").and_then(|value| value.to_str().ok());
    let token = token.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    let base_url = session.settings.base_url.as_ref().map_or("", |url| url.value.as_str());
    let target = Target::new(base_url, token).map_err(|error| {
        Failure::usage("the service cannot be checked").because(error.to_string())
    })?;
    Ok(match &session.settings.timeout {
        Some(limit) => target.time_limit(std::time::Duration::from_secs(limit.value)),
        None => target,
    })
}

fn rows(session: &Session, report: &Report) -> Result<(), Failure> {
    let shape = Shape { columns: COLUMNS, fields: FIELDS, single: false };
    let mut printer = Printer::open(&session.output, session.screen, &shape)?;
    for Finding { check, verdict, .. } in report.findings() {
        printer.record(&Row {
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
