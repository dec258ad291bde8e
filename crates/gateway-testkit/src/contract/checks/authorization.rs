//! Tokens, and the responses to requests without a valid one.

use crate::contract::check::group;
use crate::contract::evidence::Evidence;
use crate::contract::exchange::{Exchange, Response};
use crate::outcome::{Outcome, ensure, skip};

group! { "authorization":
    needed: "a request without a token is refused", Contract("5") => |seen| refused(&seen.no_token);
    missing_401: "a request without a token is refused with 401", Decision("D-auth")
        => |seen| seen.no_token.has_status(401);
    challenge: "a 401 has a challenge for a bearer token", Rfc("6750, 3") => challenge;
    no_error_code: "the challenge has no error code if no token was sent", Decision("D-auth")
        => no_error_code;
    unknown_refused: "an unknown token is refused", Contract("5") => |seen| refused(&seen.unknown_token);
    unknown_401: "an unknown token is refused with 401", Decision("D-auth")
        => |seen| seen.unknown_token.has_status(401);
    invalid_token: "the error code for an unknown token is `invalid_token`", Decision("D-auth")
        => invalid_token;
    other_scheme: "an authorization scheme other than `Bearer` is refused", Contract("5")
        => |seen| refused(&seen.other_scheme);
    lower_case: "the scheme may be written in lower case", Rfc("9110, 11.1") => lower_case;
    malformed_400: "a malformed token is refused with 400 and `invalid_request`", Decision("D-auth")
        => malformed_400;
    in_the_query: "a token in the query is refused with 400", Decision("D-auth")
        => |seen| seen.token_in_query.has_status(400);
    no_data: "a refusal contains no data", Contract("5") => no_data;
    head: "HEAD without a token is refused, too", Rfc("9110, 9.3.2")
        => |seen| refused(&seen.no_token_head);
}

fn challenge(seen: &Evidence) -> Outcome {
    let challenge = challenge_of(&seen.no_token)?;
    let is_bearer = challenge.starts_with("bearer");
    ensure!(is_bearer, "`WWW-Authenticate` is missing, or has another scheme than Bearer");
    Ok(())
}

fn no_error_code(seen: &Evidence) -> Outcome {
    let challenge = challenge_of(&seen.no_token)?;
    ensure!(!challenge.contains("error="), "the challenge has an error code");
    Ok(())
}

fn invalid_token(seen: &Evidence) -> Outcome {
    let challenge = challenge_of(&seen.unknown_token)?;
    let is_invalid_token = challenge.contains("invalid_token");
    ensure!(is_invalid_token, "the error code of the challenge is missing or different");
    Ok(())
}

fn lower_case(seen: &Evidence) -> Outcome {
    seen.credits.success()?;
    seen.lower_scheme.has_status(200)
}

fn malformed_400(seen: &Evidence) -> Outcome {
    let challenge = challenge_in(seen.malformed_token.with_status(400)?);
    let is_invalid_request = challenge.contains("invalid_request");
    ensure!(is_invalid_request, "the error code of the challenge is missing or different");
    Ok(())
}

fn no_data(seen: &Evidence) -> Outcome {
    for exchange in [&seen.no_token, &seen.unknown_token, &seen.other_scheme] {
        let json = exchange.response()?.json.as_ref();
        let has = |name: &str| json.is_some_and(|json| json.get(name).is_some());
        ensure!(!has("credits_number") && !has("currency"), "a refusal contains the balance");
    }
    Ok(())
}

fn refused(exchange: &Exchange) -> Outcome {
    let status = exchange.response()?.status;
    ensure!(status >= 400, "the request is answered with {status}");
    Ok(())
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
