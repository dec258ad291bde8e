//! Tokens, and the responses to requests without a valid token.

use std::rc::Rc;

use methodical_model::Auth;
use serde_json::Value;

use crate::contract::checks::Group;
use crate::contract::checks::Source::{Contract as Section, Decision, Rfc};
use crate::contract::checks::method::of_probe;
use crate::contract::description::{Contract, Operation};
use crate::contract::evidence::{Ask, Evidence, Token};
use crate::contract::exchange::{Exchange, Response};
use crate::contract::record::quoted;
use crate::outcome::{Outcome, ensure, fail, skip};

pub(super) fn group(contract: &'static Contract) -> Group {
    let mut group = Group::new("authorization");
    // All checks of this group are about bearer tokens.
    if contract.auth != Auth::Bearer {
        return group;
    }
    let (probe, with_401) = of_probe(contract, 401);
    let with_400 = of_probe(contract, 400).1;
    let (section, decision) = (Section(contract.token_source), Decision("D-auth"));
    group.add("needed", "a request without a token is refused", section, move |seen| {
        seen.no_token().is_refused(probe)
    });
    let title = format!("a request without a token is {with_401}");
    group.add("missing_401", title, decision, move |seen| {
        seen.no_token().is_refused_with(401, probe)
    });
    let title = "a 401 has a challenge for a bearer token";
    group.add("challenge", title, Rfc("6750, 3"), |seen| {
        let challenge = challenge_of(&seen.no_token())?;
        let scheme = challenge.split(' ').next().unwrap_or_default();
        let found = quoted(scheme);
        ensure!(scheme.starts_with("bearer"), "the scheme is {found}, expected `bearer`");
        Ok(())
    });
    let title = "the challenge has no error code if no token was sent";
    group.add("no_error_code", title, decision, |seen| {
        let challenge = challenge_of(&seen.no_token())?;
        let (has_code, found) = (challenge.contains("error="), error_code(&challenge));
        ensure!(!has_code, "the error code is {found}, expected none");
        Ok(())
    });
    group.add("unknown_refused", "an unknown token is refused", section, move |seen| {
        unknown_token(seen).is_refused(probe)
    });
    let title = format!("an unknown token is {with_401}");
    group.add("unknown_401", title, decision, move |seen| {
        unknown_token(seen).is_refused_with(401, probe)
    });
    let title = "the error code for an unknown token is `invalid_token`";
    group.add("invalid_token", title, decision, |seen| {
        has_code(&challenge_of(&unknown_token(seen))?, "invalid_token")
    });
    let title = "an authorization scheme other than `Bearer` is refused";
    group.add("other_scheme", title, section, move |seen| other_scheme(seen).is_refused(probe));
    let title = "a malformed token is refused with 400 and `invalid_request`";
    group.add("malformed_400", title, decision, malformed_400);
    let title = format!("a token in the query is {with_400}");
    group.add("in_the_query", title, decision, move |seen| {
        let query = seen.probe_query();
        seen.get(&format!("{query}&access_token=not-a-token")).is_refused_with(400, probe)
    });
    if let Some(probe) = contract.probe() {
        group.add("no_data", "a refusal contains no data", section, move |seen| {
            no_data(seen, probe)
        });
    }
    if contract.probes_by_get() {
        let title = "HEAD without a token is also refused";
        group.add("head", title, Rfc("9110, 9.3.2"), head_is_refused);
    }
    group
}

fn unknown_token(seen: &Evidence<'_>) -> Rc<Exchange> {
    with_authorization(seen, "Bearer no-service-has-issued-this-token")
}

fn other_scheme(seen: &Evidence<'_>) -> Rc<Exchange> {
    with_authorization(seen, "Basic Z2F0ZXdheTpjaGVjaw==")
}

fn with_authorization(seen: &Evidence<'_>, value: &'static str) -> Rc<Exchange> {
    seen.ask(Ask { token: Token::Other(value), ..seen.probe_ask() })
}

fn malformed_400(seen: &Evidence<'_>) -> Outcome {
    let exchange = with_authorization(seen, "Bearer not a token");
    exchange.is_refused_with(400, seen.contract.probe())?;
    let response = exchange.response()?;
    if response.status != 400 {
        return skip("the body reports the failure");
    }
    has_code(&challenge_in(response), "invalid_request")
}

fn has_code(challenge: &str, code: &str) -> Outcome {
    let (has_code, found) = (challenge.contains(code), error_code(challenge));
    ensure!(has_code, "the error code is {found}, expected `{code}`");
    Ok(())
}

/// Quotes the error code of a challenge.
fn error_code(challenge: &str) -> String {
    let after = challenge.split_once("error=").map_or("", |(_, after)| after);
    let code = after.trim_start_matches('"').split(['"', ',']).next();
    quoted(code.unwrap_or_default())
}

fn no_data(seen: &Evidence<'_>, probe: &Operation) -> Outcome {
    for exchange in [seen.no_token(), unknown_token(seen), other_scheme(seen)] {
        if let Some(json) = &exchange.response()?.json
            && has_data(json, probe)
        {
            return fail("a refusal contains data");
        }
    }
    Ok(())
}

/// Returns whether a response has the form of a successful one, or a field that only a record has.
fn has_data(json: &Value, operation: &Operation) -> bool {
    let data = &operation.response;
    if data.is_list {
        return data.elements(json).is_some_and(|list| !list.is_empty());
    }
    let record = data.data(json).unwrap_or(&Value::Null);
    let names = operation.record.fields.iter().map(|field| field.name);
    // A problem document (RFC 9457) also has these fields.
    let of_problems = ["detail", "instance", "status", "title", "type"];
    names.filter(|name| !of_problems.contains(name)).any(|name| record.get(name).is_some())
}

/// Requires that HEAD without a token is refused by its status, because the response has no body.
fn head_is_refused(seen: &Evidence<'_>) -> Outcome {
    let can_report = seen.contract.probe().is_some_and(|one| one.reports_failures);
    if can_report && seen.no_token().response()?.status < 400 {
        return skip("only a body can report the failure");
    }
    seen.ask(Ask { token: Token::Missing, is_head: true, ..seen.probe_ask() }).is_refused(None)
}

/// Returns the challenge of a 401, in lower case.
fn challenge_of(exchange: &Exchange) -> Outcome<String> {
    match exchange.response()? {
        response if response.status == 401 => Ok(challenge_in(response)),
        response => skip(format!("the status is {}, not 401", response.status)),
    }
}

fn challenge_in(response: &Response) -> String {
    response.header("www-authenticate").unwrap_or_default().to_ascii_lowercase()
}
