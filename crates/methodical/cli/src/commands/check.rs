//! `check`: checks the service against its contract.

use std::time::Duration;

use methodical_testkit::contract::{self, Finding, Profile, Target};
use serde_json::json;

use crate::connect::{token_of, transport};
use crate::failure::{Exit, Failure};
use crate::output::printer::{Printer, Schema, counted};
use crate::program::{Noun, OperationCommands};
use crate::run::Invocation;
use crate::session::Session;

pub(crate) fn run<C: OperationCommands>(
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
