//! The line format of a cassette.
use bytes::Bytes;
use http::Method;
use http::header::LOCATION;
use http::response::Parts;
use serde::{Deserialize, Serialize};

use crate::{ErrorKind, RedactedTarget, Request, TransportError};

/// One recorded exchange.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    pub(super) method: String,
    pub(super) target: String,
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
    /// Creates the line of an exchange. `has_secrets` says whether the URL of the request has secrets, which a `location`
    /// may repeat.
    pub(super) fn new(
        (method, target, has_secrets): (&Method, String, bool),
        head: &Parts,
        body: &Bytes,
    ) -> Self {
        let headers = head.headers.iter().filter(|(name, _)| {
            KEPT_HEADERS.contains(&name.as_str()) && !(has_secrets && *name == LOCATION)
        });
        let (body, body_hex) = match std::str::from_utf8(body) {
            Ok(text) => (Some(text.to_owned()), None),
            Err(_) => (None, Some(to_hex(body))),
        };
        Self {
            method: method.to_string(),
            target,
            status: head.status.as_u16(),
            headers: headers
                .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.into())))
                .collect(),
            body,
            body_hex,
        }
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

/// Returns the part of the target that identifies a request: no scheme, no host, no secret.
pub(super) fn target(request: &Request) -> String {
    let uri = RedactedTarget::of(request);
    let Some(query) = uri.query() else { return uri.path().to_owned() };
    let pairs: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((name, _)) if is_secret(name) => format!("{name}=-"),
            _ => pair.to_owned(),
        })
        .collect();
    format!("{}?{}", uri.path(), pairs.join("&"))
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

/// Query parameters that carry credentials (RFC 6750, section 2.3; RFC 6749, section 2.3.1; common practice).
const SECRETS: [&str; 8] = [
    "access_token",
    "api_key",
    "apikey",
    "client_secret",
    "password",
    "refresh_token",
    "signature",
    "token",
];
