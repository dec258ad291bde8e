//! The bearer token of a request (RFC 6750).

use http::HeaderMap;
use http::header::AUTHORIZATION;

use crate::front::problem::{Kind, Problem};
use crate::query::Pairs;
use crate::token::{TokenDigest, is_b64token};

/// Returns the hash of the token. The token itself is not passed on.
pub(crate) fn token(headers: &HeaderMap, query: &str) -> Result<TokenDigest, Problem> {
    if names_a_token(query) {
        return Err(Problem::new(Kind::TokenInQuery));
    }
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Err(Problem::new(Kind::TokenMissing)) };
    if values.next().is_some() {
        return Err(Problem::new(Kind::TokenMalformed));
    }
    let text = value.to_str().map_err(|_error| Problem::new(Kind::TokenMalformed))?;
    let (scheme, rest) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        // Another scheme counts as a missing token: the challenge names the scheme to use (RFC 6750 section 3.1).
        return Err(Problem::new(Kind::TokenMissing));
    }
    let token = rest.trim_matches(' ');
    if !is_b64token(token) {
        return Err(Problem::new(Kind::TokenMalformed));
    }
    Ok(TokenDigest::of(token))
}

/// Returns whether the query has an `access_token`, in any encoding (RFC 6750 section 2.3 is not supported).
fn names_a_token(query: &str) -> bool {
    query.split('&').any(|piece| {
        let name = piece.split_once('=').map_or(piece, |(name, _)| name);
        let is_encoded = || Pairs::parse(name).is_ok_and(|pairs| pairs.contains(PARAMETER));
        name == PARAMETER || (name.contains('%') && is_encoded())
    })
}

const PARAMETER: &str = "access_token";

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check(values: &[&'static str], query: &str, expected: Result<&str, Kind>) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_static(value));
        }
        let found = token(&headers, query).map_err(|problem| problem.kind());
        assert_eq!(found, expected.map(TokenDigest::of), "{values:?} {query}");
    }

    #[test]
    fn a_token_is_found_or_refused_with_its_reason() {
        check(&["Bearer abc"], "", Ok("abc"));
        check(&["bEARER abc"], "", Ok("abc"));
        check(&["Bearer   abc"], "", Ok("abc"));
        check(&[], "", Err(Kind::TokenMissing));
        check(&["Basic abc"], "", Err(Kind::TokenMissing));
        check(&["Bearer"], "", Err(Kind::TokenMalformed));
        check(&["Bearer "], "", Err(Kind::TokenMalformed));
        check(&["Bearer a b"], "", Err(Kind::TokenMalformed));
        check(&["Bearer a,b"], "", Err(Kind::TokenMalformed));
        check(&["Bearer a", "Bearer a"], "", Err(Kind::TokenMalformed));
        check(&["Bearer a"], "method=x&access_token=y", Err(Kind::TokenInQuery));
        check(&[], "%61ccess_token=y", Err(Kind::TokenInQuery));
        check(&[], "access_token", Err(Kind::TokenInQuery));
    }
}
