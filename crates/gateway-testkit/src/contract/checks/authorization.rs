//! Who may ask.

use crate::contract::check::{Outcome, ensure, group, not_shown};
use crate::contract::evidence::Evidence;
use crate::contract::exchange::{Answer, Exchange};

group! { "authorization":
    needed: "without a token there is no success", Text("5");
    missing_401: "without a token the status is 401", Decision("D-auth");
    challenge: "a 401 says that a bearer token is needed", Rfc("6750, 3");
    no_error_code: "without a token there is no error code", Decision("D-auth");
    unknown_refused: "an unknown token is no success", Text("5");
    unknown_401: "an unknown token is refused with 401", Decision("D-auth");
    invalid_token: "an unknown token is an invalid_token", Decision("D-auth");
    other_scheme: "another scheme is no success", Text("5");
    lower_case: "the scheme may be written in lower case", Rfc("9110, 11.1");
    malformed_400: "a malformed token is refused with 400 as invalid_request", Decision("D-auth");
    in_the_query: "a token in the query is refused with 400", Decision("D-auth");
    no_data: "a refusal has no data in it", Text("5");
    head: "HEAD needs a token, too", Rfc("9110, 9.3.2");
}

fn needed(evidence: &Evidence) -> Outcome {
    refused(&evidence.no_token)
}

fn missing_401(evidence: &Evidence) -> Outcome {
    evidence.no_token.with_status(401).map(drop)
}

fn challenge(evidence: &Evidence) -> Outcome {
    let challenge = challenge_of(&evidence.no_token)?;
    ensure!(challenge.starts_with("bearer"), "the challenge is of another scheme, or missing");
    Ok(())
}

fn no_error_code(evidence: &Evidence) -> Outcome {
    let challenge = challenge_of(&evidence.no_token)?;
    ensure!(!challenge.contains("error="), "the challenge has an error code");
    Ok(())
}

fn unknown_refused(evidence: &Evidence) -> Outcome {
    refused(&evidence.unknown_token)
}

fn unknown_401(evidence: &Evidence) -> Outcome {
    evidence.unknown_token.with_status(401).map(drop)
}

fn invalid_token(evidence: &Evidence) -> Outcome {
    let challenge = challenge_of(&evidence.unknown_token)?;
    ensure!(challenge.contains("invalid_token"), "the challenge has another error code, or none");
    Ok(())
}

fn other_scheme(evidence: &Evidence) -> Outcome {
    refused(&evidence.other_scheme)
}

fn lower_case(evidence: &Evidence) -> Outcome {
    evidence.credits.success()?;
    evidence.lower_scheme.with_status(200).map(drop)
}

fn malformed_400(evidence: &Evidence) -> Outcome {
    let answer = evidence.malformed_token.with_status(400)?;
    ensure!(challenge_in(answer).contains("invalid_request"), "the error code is another");
    Ok(())
}

fn in_the_query(evidence: &Evidence) -> Outcome {
    evidence.token_in_query.with_status(400).map(drop)
}

fn no_data(evidence: &Evidence) -> Outcome {
    for exchange in [&evidence.no_token, &evidence.unknown_token, &evidence.other_scheme] {
        let json = exchange.answer()?.json.as_ref();
        let has = |name: &str| json.is_some_and(|json| json.get(name).is_some());
        ensure!(!has("credits_number") && !has("currency"), "the balance is in a refusal");
    }
    Ok(())
}

fn head(evidence: &Evidence) -> Outcome {
    refused(&evidence.no_token_head)
}

fn refused(exchange: &Exchange) -> Outcome {
    let status = exchange.answer()?.status;
    ensure!(status >= 400, "it is answered with {status}");
    Ok(())
}

/// The challenge of a 401, in lower case.
fn challenge_of(exchange: &Exchange) -> Outcome<String> {
    match exchange.answer()? {
        answer if answer.status == 401 => Ok(challenge_in(answer)),
        answer => not_shown(format!("the status is {}", answer.status)),
    }
}

fn challenge_in(answer: &Answer) -> String {
    answer.header("www-authenticate").unwrap_or_default().to_ascii_lowercase()
}
