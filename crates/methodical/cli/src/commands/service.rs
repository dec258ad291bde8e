//! `api` and `check`, which call the service without a command of its operations.

use std::time::Duration;

use methodical_client::Error;
use methodical_client::model::RawQuery;
use methodical_client::model::tables::Mirrored;
use methodical_testkit::contract::{self, Finding, Profile, Target};
use serde_json::json;

use crate::connect::{token_of, transport};
use crate::failure::{Exit, Failure};
use crate::output::Format;
use crate::output::destination::Raw;
use crate::output::printer::{Printer, Schema, counted};
use crate::program::{Noun, OperationCommands};
use crate::run::Invocation;
use crate::session::Session;

/// Calls any method, and prints the response unchanged, or what `--jq` selects.
pub(crate) fn api<S: Mirrored>(
    session: &Session<S>,
    method: String,
    parameters: Vec<(String, String)>,
) -> Result<(), Failure> {
    let (query, parameters) = (RawQuery::new(method), parameters.into_iter());
    let query = parameters.fold(query, |query, (name, value)| query.pair(name, value));
    session.end_dry_run(&[&query])?;
    let output = &session.invocation.output;
    let format = output.format()?.unwrap_or(Format::RAW);
    let other = Some(format.name).filter(|_| ![Format::RAW, Format::JSON].contains(&format));
    let selection = output.fields.as_ref().map(|_| "--fields").or_else(|| output.choice());
    if let Some(flag) =
        other.map(|name| format!("-o {name}")).or_else(|| selection.map(str::to_owned))
    {
        let text = format!("cannot use {flag}: `api` prints the response unchanged");
        return Err(Failure::usage(text).hint("--jq FILTER selects parts of it"));
    }
    if output.jq.is_some() {
        return filtered(session, &query);
    }
    let response = session.stream_raw(&query)?.error_for_status();
    let response = response.or_else(|error| refused(session, &error))?;
    session.pass_on(response, output.output != Some(Format::RAW))
}

/// Prints the body of an error response, but not into a file: the file is for a successful response.
fn refused<S: Mirrored, T>(session: &Session<S>, error: &Error) -> Result<T, Failure> {
    if session.invocation.output.file().is_none() {
        let mut out = Raw::open(&session.invocation)?;
        out.write(error.body().map_or(&[], |body| body))?;
        out.end_line()?;
        out.finish()?;
    }
    Err(session.explain(error))
}

/// Prints what the filter of `--jq` makes of the response.
fn filtered<S: Mirrored>(session: &Session<S>, query: &RawQuery<S>) -> Result<(), Failure> {
    let mut printer = Printer::open(&session.invocation, &Schema::of_program(&[], true))?;
    let json = session.client.send(query).or_else(|error| match error.status() {
        Some(status) if status != 200 => refused(session, &error),
        _ => Err(session.explain(&error)),
    })?;
    printer.print_line(json.as_str())?;
    printer.finish()
}

/// Parses a parameter.
pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

/// Checks the service against its contract.
pub(crate) fn check<C: OperationCommands>(
    session: &Session<C::Service>,
    strict: bool,
) -> Result<(), Failure> {
    let Invocation { program, service, screen, .. } = &session.invocation;
    let Some((contract, _)) = program.contract else { return Ok(()) };
    let probe = C::probe();
    if service.dry_run {
        screen.note("this is the first request");
    }
    session.end_dry_run(&[&probe])?;
    let output = &session.invocation.output;
    // The output is opened before the first request.
    let has_all = !output.is_table(*screen)? || service.verbose > 0 || output.selection().is_some();
    let noun = (!has_all).then_some(Noun("failed check", "failed checks"));
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
    let base_url = settings.base_url().map_or("", |url| url.value.as_str());
    let token = token_of(request.headers()).unwrap_or_default();
    let mut target = Target::new(base_url, token)
        .map_err(|error| Failure::usage("cannot check the service").because(error))?;
    if let Some(seconds) = settings.timeout() {
        target = target.time_limit(Duration::from_secs(seconds));
    }
    let profile = if strict { Profile::Reference } else { Profile::Any };
    let transport = transport(&session.invocation, settings, false)?;
    let report = contract::run(contract, &target, &transport, profile);
    for Finding { check, verdict, .. } in report.findings() {
        if has_all || verdict.word() == "fail" {
            let (source, word, detail) =
                (check.source.to_string(), verdict.word(), verdict.detail());
            let values =
                [&*check.name, word, &*check.title, &*source, detail].map(|text| json!(text));
            printer.print_members(FIELDS.iter().zip(values))?;
        }
    }
    printer.finish()?;
    screen.note(&report.summary());
    if report.is_kept() {
        return Ok(());
    }
    let failed = counted(report.count("fail"), "check");
    Err(Failure::new(Exit::Contract, format!("the service violates the contract: {failed} failed")))
}

const COLUMNS: &[&str] = &["check", "verdict", "seen", "source"];
const FIELDS: &[&str] = &["check", "verdict", "title", "source", "seen"];
