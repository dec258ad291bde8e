//! The form of error responses, and paths that do not exist.

use serde_json::Value;

use crate::contract::checks::Group;
use crate::contract::checks::Source::{Decision, Rfc};
use crate::contract::description::Contract;
use crate::contract::evidence::{Ask, Evidence, UNKNOWN_METHOD};
use crate::contract::exchange::Exchange;
use crate::contract::record::found;
use crate::outcome::{Outcome, ensure};

pub(super) fn group(contract: &'static Contract) -> Group {
    let mut group = Group::new("errors");
    let decision = Decision("D-errors");
    // A service that reports failures in bodies has its own form of errors.
    let has_problems = !contract.probe().is_some_and(|one| one.reports_failures);
    if has_problems {
        group.add("problem", "an error is a problem document (RFC 9457)", decision, |seen| {
            is_problem(&seen.unknown_method())
        });
        group.add("problem_of_401", "a 401 is also a problem document", decision, |seen| {
            is_problem(&seen.no_token())
        });
    }
    let title = "the `status` of a problem document is the status of the response";
    group.add("problem_status", title, Rfc("9457, 3.1.2"), problem_status);
    if has_problems {
        let title = "a problem document has a `type` and a `title`";
        group.add("problem_type", title, decision, problem_type);
    }
    group.add("no_echo", "an error does not repeat the request", decision, no_echo);
    let title = "another version in the path is answered with 404";
    group.add("other_version", title, Decision("D-versions"), |seen| {
        seen.ask(Ask::suffix(format!("0?{}", seen.probe_query()))).has_status(404)
    });
    let title = "the path with a trailing slash is answered with 404";
    group.add("trailing_slash", title, Decision("D-path"), |seen| {
        seen.ask(Ask::suffix(format!("/?{}", seen.probe_query()))).has_status(404)
    });
    group
}

fn problem_status(seen: &Evidence<'_>) -> Outcome {
    for exchange in [seen.unknown_method(), seen.no_method(), seen.no_token()] {
        let response = exchange.response()?;
        if response.media_type() != PROBLEM {
            continue;
        }
        let given = response.json.as_ref().and_then(|json| json.get("status")?.as_u64());
        let is_true = given.is_none_or(|given| given == u64::from(response.status));
        let given = given.unwrap_or_default();
        ensure!(is_true, "`status` is {given} in a response with status {}", response.status);
    }
    Ok(())
}

fn problem_type(seen: &Evidence<'_>) -> Outcome {
    let exchange = seen.unknown_method();
    let json = exchange.response()?.json()?;
    for name in ["type", "title"] {
        let is_text = json.get(name).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
        ensure!(is_text, "`{name}` is {}, expected a non-empty string", found(json.get(name)));
    }
    Ok(())
}

fn no_echo(seen: &Evidence<'_>) -> Outcome {
    let exchange = seen.unknown_method();
    let body = &exchange.response()?.body;
    let repeats = String::from_utf8_lossy(body).contains(UNKNOWN_METHOD);
    ensure!(!repeats, "the response repeats the unknown method");
    Ok(())
}

fn is_problem(exchange: &Exchange) -> Outcome {
    let response = exchange.response()?;
    let (status, media_type) = (response.status, response.quoted_type());
    ensure!(
        response.media_type() == PROBLEM,
        "the media type of a {status} is {media_type}, expected `{PROBLEM}`"
    );
    response.json().map(drop)
}

const PROBLEM: &str = "application/problem+json";
