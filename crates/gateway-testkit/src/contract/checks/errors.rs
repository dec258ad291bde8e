//! The form of error responses, and the paths that do not exist.

use serde_json::Value;

use crate::contract::check::group;
use crate::contract::evidence::Evidence;
use crate::contract::exchange::Exchange;
use crate::outcome::{Outcome, ensure};

group! { "errors":
    problem: "an error is a problem document (RFC 9457)", Decision("D-errors")
        => |seen| is_problem(&seen.method_unknown);
    problem_of_401: "a 401 is a problem document, too", Decision("D-errors")
        => |seen| is_problem(&seen.no_token);
    problem_status: "the `status` of a problem document is the status of the response", Rfc("9457, 3.1.2")
        => problem_status;
    problem_type: "a problem document has a `type` and a `title`", Decision("D-errors")
        => problem_type;
    no_echo: "an error does not repeat the request", Decision("D-errors") => no_echo;
    other_version: "another version in the path is answered with 404", Decision("D-versions")
        => |seen| seen.other_version.has_status(404);
    trailing_slash: "the path with a trailing slash is answered with 404", Decision("D-path")
        => |seen| seen.trailing_slash.has_status(404);
}

fn problem_status(seen: &Evidence) -> Outcome {
    for exchange in [&seen.method_unknown, &seen.no_token, &seen.vacancy_text] {
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

fn problem_type(seen: &Evidence) -> Outcome {
    let json = seen.method_unknown.response()?.json()?;
    for name in ["type", "title"] {
        let is_text = json.get(name).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
        ensure!(is_text, "`{name}` is missing, empty or not text");
    }
    Ok(())
}

fn no_echo(seen: &Evidence) -> Outcome {
    let body = &seen.method_unknown.response()?.body;
    let repeats = String::from_utf8_lossy(body).contains("nothing/here");
    ensure!(!repeats, "the response repeats the unknown method");
    Ok(())
}

fn is_problem(exchange: &Exchange) -> Outcome {
    let response = exchange.response()?;
    let is_problem = response.media_type() == PROBLEM;
    ensure!(is_problem, "the media type of the {} is not {PROBLEM}", response.status);
    response.json().map(drop)
}

const PROBLEM: &str = "application/problem+json";
