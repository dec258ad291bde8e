//! `api`: calls any method, and prints the response unchanged or as records.

use std::collections::HashSet;

use clap::Args as Flags;
use methodical_client::Error;
use methodical_client::model::RawQuery;
use methodical_client::model::tables::Mirrored;
use serde_json::value::RawValue;

use crate::failure::Failure;
use crate::operations::{Around, Envelope, OperationCommands, PostMethod};
use crate::output::destination::Raw;
use crate::output::format::Format;
use crate::output::printer::{Printer, RecordSource, Schema};
use crate::output::record::{Object, one_line};
use crate::program::Noun;
use crate::session::{RAW, Session};

/// The flags of `api`.
#[derive(Debug, Flags)]
#[command(after_help = "\
Examples:
{api-examples}")]
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
    let format = session.invocation.output.format()?;
    if format == Some(Format::RAW) {
        session.invocation.output.refuse_selection(RAW)?;
    }
    let is_json = format.is_none_or(|format| format == Format::JSON);
    let is_whole = is_json && session.invocation.output.selection().is_none();
    if is_whole || format == Some(Format::RAW) {
        return pass_on(session, &query);
    }
    records(session, &query, C::ENVELOPES)
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

/// Prints the response as records: the elements of an array, or one object.
fn records<S: Mirrored>(
    session: &Session<S>,
    query: &RawQuery<S>,
    envelopes: &[Envelope],
) -> Result<(), Failure> {
    let response = session.client.send_raw(query).map_err(|error| session.explain(&error))?;
    let response = response.error_for_status().or_else(|error| refused(session, &error))?;
    let json = RawQuery::<S>::decode(response.body())
        .map_err(|error| session.explain(&Error::from(error)))?;
    let array = array(json.as_str(), envelopes);
    let single = array.is_none();
    let values: Vec<&str> = match &array {
        Some(values) => values.iter().map(|value| value.get()).collect(),
        None => vec![json.as_str()],
    };
    let names = names(&values);
    let columns: Vec<&str> = names.iter().map(String::as_str).collect();
    let schema = Schema {
        columns: &columns,
        fields: &[],
        noun: (!single).then_some(Noun::RECORD),
        single,
        types: &[],
        has_total: false,
        source: RecordSource::Response,
    };
    let mut printer = Printer::open(&session.invocation, &schema)?;
    for value in values {
        printer.print_line(&one_line(value))?;
    }
    printer.finish()
}

/// Returns the records of a response that is an array, or has one in an envelope of the service.
fn array<'a>(json: &'a str, envelopes: &[Envelope]) -> Option<Vec<&'a RawValue>> {
    let list = |envelope: &Envelope| match envelope.0 {
        Around::Marked { marker, success, list } => {
            let object = Object::parse(json);
            let found = serde_json::from_str::<&str>(object.get(marker)?).ok()?;
            object.get(list).filter(|_| found == success)
        }
        Around::Path(keys) => keys
            .iter()
            .try_fold(json, |json, key| Object::parse(json).get(key))
            .filter(|found| found.starts_with('[')),
    };
    serde_json::from_str(envelopes.iter().find_map(list).unwrap_or(json)).ok()
}

/// Returns the names of all fields of all records, in the order of their first appearance.
fn names(records: &[&str]) -> Vec<String> {
    let (mut names, mut known) = (Vec::new(), HashSet::new());
    for record in records {
        for name in Object::of_record(record).names() {
            if !known.contains(name) {
                known.insert(name.to_owned());
                names.push(name.to_owned());
            }
        }
    }
    names
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

    use super::{array, query};
    use crate::operations::{Envelope, PostMethod};
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

    #[track_caller]
    fn check(json: &str, expected: Option<&[&str]>) {
        let envelopes = [
            Envelope::new("state", "ok", "photos"),
            Envelope::path(&["in", "list"]),
            Envelope::new("done", "yes", "of"),
        ];
        let found = array(json, &envelopes);
        let found = found.map(|found| found.iter().map(|one| one.get()).collect::<Vec<_>>());
        assert_eq!(found.as_deref(), expected, "{json}");
    }

    #[test]
    fn records_are_found_in_an_array_and_in_the_envelopes_of_the_service() {
        check("[1, 2]", Some(&["1", "2"]));
        check(r#"{"state":"ok","photos":[{"id":1}]}"#, Some(&[r#"{"id":1}"#]));
        check(r#"{"of":[],"done":"yes"}"#, Some(&[]));
        check(r#"{"total":1,"in":{"next":2,"list":[{"id":1}, 2]}}"#, Some(&[r#"{"id":1}"#, "2"]));
        for other in [
            r#"{"state":"failed","photos":[1]}"#,
            r#"{"state":"ok","of":[1]}"#,
            r#"{"state":1,"photos":[1]}"#,
            r#"{"state":"ok","photos":{}}"#,
            r#"{"in":{"list":{}}}"#,
            r#"{"in":[{"list":[1]}]}"#,
            r#"{"list":[1]}"#,
            "7",
        ] {
            check(other, None);
        }
    }
}
