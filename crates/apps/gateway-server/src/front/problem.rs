//! Error responses: RFC 9457 problem details, with RFC 6750 challenges.

use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::{Response, StatusCode};
use methodical_serve::Refusal;
use serde::Serialize;

use crate::error::{Error, ErrorKind};
use crate::front::body::ResponseBody;
use crate::generated::operations::METHODS;
use crate::parameter::{self, Fault};

/// The kinds of problem. The name is the stable part of the field `type`; titles may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    RequestMalformed,
    HostInvalid,
    UriTooLong,
    HeadTooLarge,
    BodyNotAllowed,
    NotFound,
    MethodNotAllowed,
    TokenMissing,
    TokenMalformed,
    TokenInQuery,
    TokenInvalid,
    TooManyRequests,
    TooManyWrongTokens,
    TooManyResponses,
    TooManyConnections,
    NotAcceptable,
    QueryMalformed,
    MethodMissing,
    MethodUnknown,
    ParameterRepeated,
    ParameterEmpty,
    ParameterInvalid,
    ParameterMissing,
    Overloaded,
    StorageUnavailable,
    StorageCorrupt,
}

impl Kind {
    /// Returns all kinds, for the metrics.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|(kind, ..)| *kind)
    }

    fn describe(self) -> (u16, &'static str, &'static str) {
        // Every kind has a row: a test compares them with the page.
        let row = TABLE.iter().find(|(kind, ..)| *kind == self);
        row.map_or((500, "unknown", "Unknown error"), |(_, status, name, title)| {
            (*status, name, title)
        })
    }

    /// Returns the stable name.
    pub(crate) fn name(self) -> &'static str {
        self.describe().1
    }

    fn challenge(self) -> Option<&'static str> {
        match self {
            Self::TokenMissing => Some("Bearer realm=\"gateway\""),
            Self::TokenInvalid => Some("Bearer realm=\"gateway\", error=\"invalid_token\""),
            Self::TokenMalformed | Self::TokenInQuery => {
                Some("Bearer realm=\"gateway\", error=\"invalid_request\"")
            }
            _ => None,
        }
    }
}

/// A problem to report. The response repeats no part of the request except the name of a parameter.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) kind: Kind,
    parameter: Option<&'static str>,
    retry_after: Option<Duration>,
    /// The cause, for the operator, never for the client.
    pub(crate) cause: Option<Error>,
}

impl Problem {
    pub(crate) fn new(kind: Kind) -> Self {
        Self { kind, parameter: None, retry_after: None, cause: None }
    }

    /// Creates the problem for a request that was refused before its path was examined.
    pub(crate) fn refused(refusal: Refusal) -> Self {
        Self::new(match refusal {
            Refusal::Target => Kind::RequestMalformed,
            Refusal::Host => Kind::HostInvalid,
            Refusal::UriTooLong => Kind::UriTooLong,
            Refusal::HeadTooLarge => Kind::HeadTooLarge,
            Refusal::Body => Kind::BodyNotAllowed,
            Refusal::Overloaded => return Self::limited(Kind::Overloaded),
            Refusal::AddressLimit => return Self::limited(Kind::TooManyConnections),
        })
    }

    /// Creates the problem for a client with too many open connections or lists, which may retry when one ends.
    pub(crate) fn limited(kind: Kind) -> Self {
        Self::new(kind).retry_after(Duration::from_secs(1))
    }

    pub(crate) fn retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }

    pub(crate) fn into_response(self) -> Response<ResponseBody> {
        let (status, _, _) = self.kind.describe();
        let mut response = Response::new(ResponseBody::full(Bytes::from(self.json())));
        *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(challenge) = self.kind.challenge() {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        if self.kind == Kind::MethodNotAllowed {
            headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        }
        if let Some(wait) = self.retry_after {
            // Rounded up, so that a client that waits this long is admitted.
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
        }
        response
    }

    fn json(&self) -> Vec<u8> {
        let (status, name, title) = self.kind.describe();
        let names_methods = matches!(self.kind, Kind::MethodMissing | Kind::MethodUnknown);
        let details = Details {
            r#type: format!("urn:gateway:problem:{name}"),
            title,
            status,
            parameter: self.parameter,
            methods: names_methods.then_some(METHODS),
        };
        serde_json::to_vec(&details).unwrap_or_default()
    }
}

/// The body of a response.
#[derive(Debug, Serialize)]
struct Details {
    r#type: String,
    title: &'static str,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    methods: Option<[&'static str; METHODS.len()]>,
}

impl From<parameter::Problem> for Problem {
    fn from(problem: parameter::Problem) -> Self {
        let kind = match problem.fault {
            Fault::Repeated => Kind::ParameterRepeated,
            Fault::Empty => Kind::ParameterEmpty,
            Fault::Invalid => Kind::ParameterInvalid,
            Fault::Missing => Kind::ParameterMissing,
        };
        Self { parameter: Some(problem.parameter), ..Self::new(kind) }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::StorageCorrupt => Kind::StorageCorrupt,
            ErrorKind::Overloaded => Kind::Overloaded,
            _ => Kind::StorageUnavailable,
        };
        Self { cause: Some(error), ..Self::limited(kind) }
    }
}

/// Each kind with its status, its stable name and its title.
static TABLE: [(Kind, u16, &str, &str); 26] = [
    (
        Kind::RequestMalformed,
        400,
        "request-malformed",
        "The request target is neither a path nor an HTTP URI",
    ),
    (Kind::HostInvalid, 400, "host-invalid", "The request needs exactly one valid Host header"),
    (Kind::UriTooLong, 414, "uri-too-long", "The request target is too long"),
    (Kind::HeadTooLarge, 431, "head-too-large", "The request head is too large"),
    (Kind::BodyNotAllowed, 400, "body-not-allowed", "Requests must not have a body"),
    (Kind::NotFound, 404, "not-found", "No resource at this path"),
    (Kind::MethodNotAllowed, 405, "method-not-allowed", "Only GET and HEAD are allowed"),
    (Kind::TokenMissing, 401, "token-missing", "The request needs a bearer token"),
    (Kind::TokenMalformed, 400, "token-malformed", "The Authorization header is malformed"),
    (Kind::TokenInQuery, 400, "token-in-query", "A token in the query is not accepted"),
    (Kind::TokenInvalid, 401, "token-invalid", "The token is not valid"),
    (Kind::TooManyRequests, 429, "too-many-requests", "Too many requests with this token"),
    (
        Kind::TooManyWrongTokens,
        429,
        "too-many-wrong-tokens",
        "Too many wrong tokens from this address",
    ),
    (
        Kind::TooManyResponses,
        429,
        "too-many-responses",
        "Too many list responses are in progress for this token",
    ),
    (
        Kind::TooManyConnections,
        503,
        "too-many-connections",
        "Too many connections from this address",
    ),
    (Kind::NotAcceptable, 406, "not-acceptable", "Only application/json is available"),
    (Kind::QueryMalformed, 400, "query-malformed", "The query is not form-encoded UTF-8"),
    (Kind::MethodMissing, 400, "method-missing", "The parameter method is missing"),
    (Kind::MethodUnknown, 400, "method-unknown", "The parameter method does not name an operation"),
    (Kind::ParameterRepeated, 400, "parameter-repeated", "A parameter has two different values"),
    (Kind::ParameterEmpty, 400, "parameter-empty", "A parameter is empty"),
    (Kind::ParameterInvalid, 400, "parameter-invalid", "A parameter has an invalid value"),
    (Kind::ParameterMissing, 400, "parameter-missing", "A required parameter is missing"),
    (Kind::Overloaded, 503, "overloaded", "The server is busy"),
    (Kind::StorageUnavailable, 503, "storage-unavailable", "The data is temporarily unavailable"),
    (Kind::StorageCorrupt, 503, "storage-corrupt", "The data is damaged"),
];

// `StorageCorrupt` is the last kind, and every kind has its row.
const _: () = assert!(TABLE.len() == Kind::StorageCorrupt as usize + 1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_documented() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/server/problems.md");
        let page = std::fs::read_to_string(path).unwrap();
        for (row, (kind, status, name, _)) in TABLE.iter().enumerate() {
            assert_eq!(*kind as usize, row, "{name}");
            assert!(page.contains(&format!("| `{name}` | {status} |")), "{name}");
        }
        let rows = page.lines().filter(|line| line.starts_with("| `")).count();
        assert_eq!(rows, TABLE.len());
    }
}
