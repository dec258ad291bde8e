//! `api`: calls any method, and prints the response unchanged, or what `--jq` selects.

use clap::Args as Flags;
use methodical_client::Error;
use methodical_client::model::RawQuery;
use methodical_client::model::tables::Mirrored;

use crate::failure::Failure;
use crate::operations::{OperationCommands, PostMethod};
use crate::output::destination::Raw;
use crate::output::format::Format;
use crate::output::printer::{Printer, Schema};
use crate::session::Session;

/// The flags of `api`.
#[derive(Debug, Flags)]
#[command(after_help = "\
Examples:
  {program} api {method}
  {program} api {method} --jq .")]
pub(crate) struct ApiFlags {
    /// Name of the method, such as `{method}`.
    ///
    /// A method that is documented as a POST is called by POST, with the parameters in its body: in a form, or as texts in
    /// JSON.
    #[arg(value_name = "METHOD")]
    method: String,
    /// Parameter of the method; may be repeated.
    #[arg(short = 'f', long = "field", value_name = "NAME=VALUE", value_parser = pair)]
    parameters: Vec<(String, String)>,
}

pub(crate) fn run<C: OperationCommands>(
    session: &Session<C::Service>,
    flags: ApiFlags,
) -> Result<(), Failure> {
    let query = query::<C::Service>(C::POSTS, flags.method, flags.parameters);
    if session.print_dry_run(&query)? {
        return Ok(());
    }
    let output = &session.invocation.output;
    let format = output.format()?.unwrap_or(Format::RAW);
    let is_other = ![Format::RAW, Format::JSON].contains(&format);
    let selection = output.fields.as_ref().map(|_| "--fields").or_else(|| output.choice());
    let refused =
        if is_other { Some(format!("-o {}", format.name)) } else { selection.map(str::to_owned) };
    if let Some(flag) = refused {
        let text = format!("cannot use {flag}: `api` prints the response as it is");
        return Err(Failure::usage(text).hint("--jq FILTER selects parts of it"));
    }
    if output.jq.is_some() { filtered(session, &query) } else { pass_on(session, &query) }
}

/// Returns the query of a method, as the service documents its call.
fn query<S: Mirrored>(
    posts: &[PostMethod],
    method: String,
    parameters: Vec<(String, String)>,
) -> RawQuery<S> {
    let post = posts.iter().find(|post| post.method == method);
    let mut query = RawQuery::new(method);
    if let Some(post) = post {
        query = query.post(post.format);
        if post.is_idempotent {
            query = query.idempotent();
        }
    }
    parameters.into_iter().fold(query, |query, (name, value)| query.pair(name, value))
}

/// Prints the response unchanged, while it arrives.
fn pass_on<S: Mirrored>(session: &Session<S>, query: &RawQuery<S>) -> Result<(), Failure> {
    let response = session.stream_raw(query)?;
    let mut response = response.error_for_status().or_else(|error| refused(session, &error))?;
    let mut out = Raw::open(&session.invocation)?;
    session.pass_on(&mut response, &mut out)?;
    if session.invocation.output.output != Some(Format::RAW) {
        out.end_line()?;
    }
    Ok(out.finish()?)
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

#[cfg(test)]
mod tests {
    use methodical_client::model::Operation as _;

    use super::query;
    use crate::operations::PostMethod;
    use crate::tests::Photos;

    /// Returns the query, the body, and whether a client may repeat the call.
    fn sent(method: &str) -> (String, String, bool) {
        let posts = [PostMethod::form("photos/add"), PostMethod::json("photos/find").idempotent()];
        let parameters = vec![("n".to_owned(), "7".to_owned())];
        let query = query::<Photos>(&posts, method.to_owned(), parameters).query().unwrap();
        (query.as_str().to_owned(), query.body().to_owned(), query.is_idempotent())
    }

    #[test]
    fn a_method_is_called_as_it_is_documented() {
        let texts = |query: &str, body: &str, is| (query.to_owned(), body.to_owned(), is);
        assert_eq!(sent("photos/list"), texts("method=photos/list&n=7", "", true));
        assert_eq!(sent("photos/add"), texts("method=photos/add", "n=7", false));
        assert_eq!(sent("photos/find"), texts("method=photos/find", r#"{"n":"7"}"#, true));
    }
}
