//! The line format of a cassette.
use std::fmt;

use bytes::Bytes;
use http::header::LOCATION;
use http::response::Parts;
use serde::{Deserialize, Serialize};

use crate::{ErrorKind, Redacted, Request, TransportError};

/// One recorded exchange.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    method: String,
    target: String,
    /// The body of the request, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<String>,
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    /// The body, if it is UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// The body in hexadecimal, if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body_hex: Option<String>,
}

impl Line {
    /// Creates the line of an exchange.
    pub(super) fn new(asked: Asked, head: &Parts, body: &Bytes) -> Self {
        let Asked { method, target, body: request, has_secrets } = asked;
        let headers = head.headers.iter().filter(|(name, _)| {
            KEPT_HEADERS.contains(&name.as_str()) && !(has_secrets && *name == LOCATION)
        });
        let (body, body_hex) = match std::str::from_utf8(body) {
            Ok(text) => (Some(text.to_owned()), None),
            Err(_) => (None, Some(to_hex(body))),
        };
        Self {
            method,
            target,
            request,
            status: head.status.as_u16(),
            headers: headers
                .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.into())))
                .collect(),
            body,
            body_hex,
        }
    }

    /// Returns whether this is the response to a request. A line without the body of a request fits any body.
    pub(super) fn answers(&self, asked: &Asked) -> bool {
        self.method == asked.method
            && self.target == asked.target
            && (self.request.is_none() || self.request == asked.body)
    }

    /// Returns the recorded response.
    pub(super) fn into_response(self) -> Result<http::Response<Bytes>, TransportError> {
        let mut response = http::Response::builder().status(self.status);
        for (name, value) in self.headers {
            response = response.header(name, value);
        }
        let body = match (self.body, self.body_hex) {
            (Some(text), None) => Bytes::from(text),
            (None, Some(hex)) => {
                from_hex(&hex).ok_or_else(|| invalid("`body_hex` is not hexadecimal"))?.into()
            }
            (None, None) => Bytes::new(),
            (Some(_), Some(_)) => return Err(invalid("both `body` and `body_hex` are present")),
        };
        let invalid_head = |error| invalid("`status` or `headers` are invalid").with_source(error);
        response.body(body).map_err(invalid_head)
    }
}

/// The identity of a request, without scheme, host and secrets.
pub(super) struct Asked {
    method: String,
    target: String,
    body: Option<String>,
    /// Whether the URL of the request may have secrets, which a `location` may repeat.
    has_secrets: bool,
}

impl Asked {
    pub(super) fn of(request: &Request) -> Self {
        let uri = Redacted::target(request);
        let target = match uri.query() {
            Some(query) => format!("{}?{}", uri.path(), without_secrets(query)),
            None => uri.path().to_owned(),
        };
        let body = std::str::from_utf8(Redacted::body(request)).ok();
        let body = body.filter(|body| !body.is_empty()).map(without_secrets);
        let has_secrets = Redacted::is_needed(request);
        Self { method: request.method().to_string(), target, body, has_secrets }
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.target)?;
        self.body.iter().try_for_each(|body| write!(f, " {body}"))
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.target)?;
        self.request.iter().try_for_each(|body| write!(f, " {body}"))
    }
}

/// Returns a query or a form without the values of secrets.
fn without_secrets(pairs: &str) -> String {
    let pairs = pairs.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if is_secret(name) => format!("{name}=-"),
        _ => pair.to_owned(),
    });
    pairs.collect::<Vec<_>>().join("&")
}

fn is_secret(name: &str) -> bool {
    SECRETS.iter().any(|secret| name.eq_ignore_ascii_case(secret))
}

fn invalid(reason: &'static str) -> TransportError {
    TransportError::new(ErrorKind::Other, format!("invalid cassette line: {reason}"))
}

fn to_hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    digits?
        .chunks(2)
        .map(|pair| match *pair {
            [high, low] => u8::try_from(high << 4 | low).ok(),
            _ => None,
        })
        .collect()
}

/// Response headers that a client acts on. `date` would change with every recording; `set-cookie` is a credential.
const KEPT_HEADERS: [&str; 8] = [
    "allow",
    "content-encoding",
    "content-type",
    "etag",
    "last-modified",
    "location",
    "retry-after",
    "www-authenticate",
];

/// Parameters that carry credentials (RFC 6750, section 2.3; RFC 6749, section 2.3.1; RFC 7521, section 4; RFC 7636,
/// section 4.5; common practice).
const SECRETS: [&str; 11] = [
    "access_token",
    "api_key",
    "apikey",
    "assertion",
    "client_assertion",
    "client_secret",
    "code_verifier",
    "password",
    "refresh_token",
    "signature",
    "token",
];
