//! `api`: calls any method, and prints the response unchanged, or what `--jq` selects.

use clap::Args as Flags;
use methodical_client::Error;
use methodical_client::model::RawQuery;
use methodical_client::model::tables::Mirrored;

use crate::failure::Failure;
use crate::output::Format;
use crate::output::destination::Raw;
use crate::output::printer::{Printer, Schema};
use crate::session::Session;

/// The flags of `api`.
#[derive(Debug, Flags)]
#[command(after_help = "\
Examples:
  {program} api {method}
  {program} api {method} --jq .")]
pub(crate) struct ApiFlags {
    /// Name of the method, such as `{method}`. It is called by GET.
    #[arg(value_name = "METHOD")]
    method: String,
    /// Parameter of the method; may be repeated.
    #[arg(short = 'f', long = "field", value_name = "NAME=VALUE", value_parser = pair)]
    parameters: Vec<(String, String)>,
}

pub(crate) fn run<S: Mirrored>(session: &Session<S>, flags: ApiFlags) -> Result<(), Failure> {
    let query = RawQuery::new(flags.method);
    let parameters = flags.parameters.into_iter();
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

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}
