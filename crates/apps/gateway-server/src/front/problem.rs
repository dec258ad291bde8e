//! Error responses: RFC 9457 problem details, with RFC 6750 challenges.

use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::{Response, StatusCode};
use methodical_serve::Refusal;

use crate::error::{Error, ErrorKind};
use crate::front::body::ResponseBody;
use crate::generated::operation::Operation;
use crate::json;
use crate::parameter::{self, Fault};

/// The kinds of problem. The name is the stable part of the field `type`; titles may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    RequestMalformed,
    HostInvalid,
    UriTooLong,
    HeadTooLarge,
    HttpsRequired,
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
    /// All kinds, for the metrics.
    pub(crate) const ALL: [Self; 27] = [
        Self::RequestMalformed,
        Self::HostInvalid,
        Self::UriTooLong,
        Self::HeadTooLarge,
        Self::HttpsRequired,
        Self::BodyNotAllowed,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::TokenMissing,
        Self::TokenMalformed,
        Self::TokenInQuery,
        Self::TokenInvalid,
        Self::TooManyRequests,
        Self::TooManyWrongTokens,
        Self::TooManyResponses,
        Self::TooManyConnections,
        Self::NotAcceptable,
        Self::QueryMalformed,
        Self::MethodMissing,
        Self::MethodUnknown,
        Self::ParameterRepeated,
        Self::ParameterEmpty,
        Self::ParameterInvalid,
        Self::ParameterMissing,
        Self::Overloaded,
        Self::StorageUnavailable,
        Self::StorageCorrupt,
    ];

    const fn describe(self) -> (u16, &'static str, &'static str) {
        match self {
            Self::RequestMalformed => {
                (400, "request-malformed", "The request target is not a path or a URI of HTTP")
            }
            Self::HostInvalid => {
                (400, "host-invalid", "The request needs exactly one valid Host header")
            }
            Self::UriTooLong => (414, "uri-too-long", "The request target is too long"),
            Self::HeadTooLarge => (431, "head-too-large", "The request head is too large"),
            Self::HttpsRequired => (
                400,
                "https-required",
                "This port needs HTTPS: use a URL that starts with https://",
            ),
            Self::BodyNotAllowed => (400, "body-not-allowed", "Requests must not have a body"),
            Self::NotFound => (404, "not-found", "No resource at this path"),
            Self::MethodNotAllowed => (405, "method-not-allowed", "Only GET and HEAD are allowed"),
            Self::TokenMissing => (401, "token-missing", "The request needs a bearer token"),
            Self::TokenMalformed => {
                (400, "token-malformed", "The Authorization header is malformed")
            }
            Self::TokenInQuery => (400, "token-in-query", "A token in the query is not accepted"),
            Self::TokenInvalid => (401, "token-invalid", "The token is not valid"),
            Self::TooManyRequests => {
                (429, "too-many-requests", "Too many requests with this token")
            }
            Self::TooManyWrongTokens => {
                (429, "too-many-wrong-tokens", "Too many wrong tokens from this address")
            }
            Self::TooManyResponses => {
                (429, "too-many-responses", "Too many lists are being sent to this token")
            }
            Self::TooManyConnections => {
                (503, "too-many-connections", "Too many connections from this address")
            }
            Self::NotAcceptable => (406, "not-acceptable", "Only application/json is available"),
            Self::QueryMalformed => (400, "query-malformed", "The query is not form-encoded UTF-8"),
            Self::MethodMissing => (400, "method-missing", "The parameter method is missing"),
            Self::MethodUnknown => {
                (400, "method-unknown", "The parameter method does not name an operation")
            }
            Self::ParameterRepeated => {
                (400, "parameter-repeated", "A parameter has two different values")
            }
            Self::ParameterEmpty => (400, "parameter-empty", "A parameter is empty"),
            Self::ParameterInvalid => {
                (400, "parameter-invalid", "A parameter has an invalid value")
            }
            Self::ParameterMissing => (400, "parameter-missing", "A required parameter is missing"),
            Self::Overloaded => (503, "overloaded", "The server is busy"),
            Self::StorageUnavailable => {
                (503, "storage-unavailable", "The data is temporarily unavailable")
            }
            Self::StorageCorrupt => (503, "storage-corrupt", "The data is damaged"),
        }
    }

    /// Returns the stable name.
    pub(crate) const fn name(self) -> &'static str {
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

/// A problem to be reported. The response repeats nothing of the request except the name of a parameter.
#[derive(Debug)]
pub(crate) struct Problem {
    kind: Kind,
    parameter: Option<&'static str>,
    retry_after: Option<Duration>,
    cause: Option<Error>,
}

impl Problem {
    pub(crate) fn new(kind: Kind) -> Self {
        Self { kind, parameter: None, retry_after: None, cause: None }
    }

    /// Creates the problem of a request that was refused before its path was looked at.
    pub(crate) fn refused(refusal: Refusal) -> Self {
        Self::new(match refusal {
            Refusal::Target => Kind::RequestMalformed,
            Refusal::Host => Kind::HostInvalid,
            Refusal::UriTooLong => Kind::UriTooLong,
            Refusal::HeadTooLarge => Kind::HeadTooLarge,
            Refusal::Body => Kind::BodyNotAllowed,
            Refusal::NotEncrypted => Kind::HttpsRequired,
            Refusal::Overloaded => return Self::new(Kind::Overloaded).retry_after(ONE_SECOND),
            Refusal::AddressLimit => return Self::limited(Kind::TooManyConnections),
        })
    }

    /// Creates the problem of a client that has too much open. It may try again when something has ended.
    pub(crate) fn limited(kind: Kind) -> Self {
        Self::new(kind).retry_after(ONE_SECOND)
    }

    pub(crate) fn repeated(parameter: &'static str) -> Self {
        Self { parameter: Some(parameter), ..Self::new(Kind::ParameterRepeated) }
    }

    pub(crate) fn retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }

    /// Returns the kind of the problem.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the error behind the problem: for the operator, never for the client.
    pub(crate) fn cause(&self) -> Option<&Error> {
        self.cause.as_ref()
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
        let mut out = Vec::with_capacity(160);
        out.extend_from_slice(b"{\"type\":");
        json::text(&mut out, &format!("{TYPE_PREFIX}{name}"));
        out.extend_from_slice(b",\"title\":");
        json::text(&mut out, title);
        out.extend_from_slice(format!(",\"status\":{status}").as_bytes());
        if let Some(parameter) = self.parameter {
            out.extend_from_slice(b",\"parameter\":");
            json::text(&mut out, parameter);
        }
        if matches!(self.kind, Kind::MethodMissing | Kind::MethodUnknown) {
            out.extend_from_slice(b",\"methods\":[");
            for (index, operation) in Operation::ALL.into_iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                json::text(&mut out, operation.method());
            }
            out.push(b']');
        }
        out.push(b'}');
        out
    }
}

impl From<parameter::Problem> for Problem {
    fn from(problem: parameter::Problem) -> Self {
        let kind = match problem.fault {
            Fault::Repeated => Kind::ParameterRepeated,
            Fault::Empty => Kind::ParameterEmpty,
            Fault::NotAnInteger
            | Fault::NotANumber
            | Fault::TooLong
            | Fault::OutOfRange
            | Fault::NotListed => Kind::ParameterInvalid,
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
        Self { cause: Some(error), ..Self::new(kind).retry_after(ONE_SECOND) }
    }
}

// `StorageCorrupt` is the last kind.
const _: () = assert!(Kind::ALL.len() == Kind::StorageCorrupt as usize + 1);

const TYPE_PREFIX: &str = "urn:gateway:problem:";

const ONE_SECOND: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_documented() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/server/problems.md");
        let page = std::fs::read_to_string(path).unwrap();
        for kind in Kind::ALL {
            let (status, name, _) = kind.describe();
            assert!(page.contains(&format!("| `{name}` | {status} |")), "{name}");
        }
        let rows = page.lines().filter(|line| line.starts_with("| `")).count();
        assert_eq!(rows, Kind::ALL.len());
    }
}
