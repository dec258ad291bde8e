//! What a refusal looks like, and which addresses there are.

use serde_json::Value;

use crate::contract::check::{Outcome, ensure, group};
use crate::contract::evidence::Evidence;
use crate::contract::exchange::Exchange;

group! { "errors":
    problem: "a refusal is a problem of RFC 9457", Decision("D-errors");
    problem_of_401: "a refusal for want of a token is one, too", Decision("D-errors");
    problem_status: "a problem that tells its status tells the true one", Rfc("9457, 3.1.2");
    problem_type: "a problem has a type and a title", Decision("D-errors");
    no_echo: "a refusal does not repeat what was sent", Decision("D-errors");
    other_version: "another version is not there", Decision("D-versions");
    trailing_slash: "the address with a slash behind it is not there", Decision("D-path");
}

fn problem(evidence: &Evidence) -> Outcome {
    is_problem(&evidence.method_unknown)
}

fn problem_of_401(evidence: &Evidence) -> Outcome {
    is_problem(&evidence.no_token)
}

fn problem_status(evidence: &Evidence) -> Outcome {
    for exchange in [&evidence.method_unknown, &evidence.no_token, &evidence.vacancy_text] {
        let answer = exchange.answer()?;
        if answer.media_type() != PROBLEM {
            continue;
        }
        let told = answer.json.as_ref().and_then(|json| json.get("status")?.as_u64());
        let is_true = told.is_none_or(|told| told == u64::from(answer.status));
        ensure!(is_true, "it tells {} at {}", told.unwrap_or_default(), answer.status);
    }
    Ok(())
}

fn problem_type(evidence: &Evidence) -> Outcome {
    let json = evidence.method_unknown.answer()?.json()?;
    for name in ["type", "title"] {
        let is_text = json.get(name).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
        ensure!(is_text, "it has no {name}");
    }
    Ok(())
}

fn no_echo(evidence: &Evidence) -> Outcome {
    let body = &evidence.method_unknown.answer()?.body;
    ensure!(!String::from_utf8_lossy(body).contains("nothing/here"), "it repeats the method");
    Ok(())
}

fn other_version(evidence: &Evidence) -> Outcome {
    evidence.other_version.with_status(404).map(drop)
}

fn trailing_slash(evidence: &Evidence) -> Outcome {
    evidence.trailing_slash.with_status(404).map(drop)
}

fn is_problem(exchange: &Exchange) -> Outcome {
    let answer = exchange.answer()?;
    ensure!(answer.media_type() == PROBLEM, "the media type is another at {}", answer.status);
    answer.json().map(drop)
}

const PROBLEM: &str = "application/problem+json";
