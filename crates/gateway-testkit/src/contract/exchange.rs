//! One request and its response.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use gateway_transport::{BlockingTransport, Deadline, ErrorKind, Request, TransportError};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Uri};
use serde_json::{Map, Value};

use crate::contract::record;
use crate::outcome::{Outcome, fail, skip};

/// The service under test: its address, an access token, and the limits of an exchange.
pub struct Target {
    address: String,
    authorization: HeaderValue,
    pub(super) body_limit: u64,
    pub(super) time_limit: Duration,
}

impl Target {
    /// Creates a target from the base URL that clients use and an access token.
    ///
    /// # Errors
    ///
    /// Fails if the base URL is not a URI, or if the token contains a byte that a header value cannot have.
    ///
    /// ```
    /// use gateway_testkit::contract::Target;
    ///
    /// assert!(Target::new("https://gateway.example.com/prefix", "token").is_ok());
    /// assert!(Target::new("https://gateway.example.com", "to\nken").is_err());
    /// ```
    pub fn new(base_url: &str, token: &str) -> Result<Self, http::Error> {
        let address = format!("{}/c/oauth/v1", base_url.trim_end_matches('/'));
        address.parse::<Uri>()?;
        let mut authorization = HeaderValue::from_str(&format!("Bearer {token}"))?;
        authorization.set_sensitive(true);
        let (body_limit, time_limit) = (16 << 20, Duration::from_secs(60));
        Ok(Self { address, authorization, body_limit, time_limit })
    }

    /// Sets the limit of a body, in bytes. Checks of a larger response are skipped. The default is 16 MiB.
    ///
    /// ```
    /// # use gateway_testkit::contract::Target;
    /// let target = Target::new("https://gateway.example.com", "token")?.body_limit(1 << 20);
    /// # Ok::<(), http::Error>(())
    /// ```
    #[must_use]
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Sets the time limit of one exchange. The default is one minute.
    ///
    /// ```
    /// # use gateway_testkit::contract::Target;
    /// # use std::time::Duration;
    /// let target =
    ///     Target::new("https://gateway.example.com", "token")?.time_limit(Duration::from_secs(5));
    /// # Ok::<(), http::Error>(())
    /// ```
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Target")
    }
}

/// A response, or the reason for its absence.
pub(super) enum Exchange {
    Response(Response),
    /// The body is larger than this limit, in bytes.
    TooLarge(u64),
    Failed(String),
}

/// A complete response.
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// The body as JSON, if it is JSON.
    pub(super) json: Option<Value>,
}

impl Exchange {
    /// Sends a request. `suffix` follows the path of the service; `change` edits the request before it is sent.
    pub(super) fn ask(
        target: &Target,
        transport: &dyn BlockingTransport,
        suffix: &str,
        change: impl FnOnce(&mut Request),
    ) -> Self {
        let mut request = Request::default();
        match format!("{}{suffix}", target.address).parse() {
            Ok(uri) => *request.uri_mut() = uri,
            Err(_) => return Self::Failed("cannot build the request".into()),
        }
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(AUTHORIZATION, target.authorization.clone());
        request.extensions_mut().insert(Deadline::after(target.time_limit));
        change(&mut request);
        let send = |request| -> Result<_, TransportError> {
            let (head, body) = transport.send(request)?.into_parts();
            Ok((head, body.collect(target.body_limit)?))
        };
        // The service may close a pooled connection just as it is reused, which is not a fault.
        let response = match send(request.clone()) {
            Err(error) if error.kind() == ErrorKind::Interrupted => send(request),
            response => response,
        };
        match response {
            Ok((head, body)) => Self::Response(Response {
                status: head.status.as_u16(),
                headers: head.headers,
                json: serde_json::from_slice(&body).ok(),
                body,
            }),
            Err(error) if error.kind() == ErrorKind::TooLarge => Self::TooLarge(target.body_limit),
            Err(error) => Self::Failed(error.to_string()),
        }
    }

    /// Returns the response with any status except 429, which skips the check.
    pub(super) fn response(&self) -> Outcome<&Response> {
        match self {
            Self::Response(response) if response.status == 429 => {
                skip("the service limits the request rate (429)")
            }
            Self::Response(response) => Ok(response),
            Self::TooLarge(limit) => {
                skip(format!("the body is larger than the limit of {limit} bytes"))
            }
            Self::Failed(reason) => fail(format!("no response: {reason}")),
        }
    }

    /// Returns the response if its status is this one.
    pub(super) fn with_status(&self, status: u16) -> Outcome<&Response> {
        let response = self.response()?;
        if response.status != status {
            return fail(format!("status {} instead of {status}", response.status));
        }
        Ok(response)
    }

    /// Requires this status.
    pub(super) fn has_status(&self, status: u16) -> Outcome {
        self.with_status(status).map(drop)
    }

    /// Returns the response if its status is 200. Otherwise skips the check: another check judges the status.
    pub(super) fn success(&self) -> Outcome<&Response> {
        match self.response()? {
            response if response.status == 200 => Ok(response),
            response => skip(format!("the status is {}, not 200", response.status)),
        }
    }

    /// Returns the elements of the list: the response itself, or its field `result`.
    pub(super) fn list(&self) -> Outcome<&[Value]> {
        let json = self.success()?.json()?;
        match json.as_array().or_else(|| json.get("result")?.as_array()) {
            Some(list) => Ok(list),
            None => skip("the response has no list"),
        }
    }

    /// Returns the records of the list; skips the check if the list is empty.
    pub(super) fn records(&self) -> Outcome<Vec<&Map<String, Value>>> {
        record::some_objects(self.list()?)
    }

    /// Returns every `id` of the list that is text.
    pub(super) fn ids(&self) -> Outcome<Vec<&str>> {
        let list = self.list()?.iter();
        Ok(list.filter_map(|element| element.get("id")?.as_str()).collect())
    }
}

impl Response {
    /// Returns the body as JSON.
    pub(super) fn json(&self) -> Outcome<&Value> {
        match &self.json {
            Some(json) => Ok(json),
            None => fail("the body is not JSON"),
        }
    }

    /// Returns the value of a header if it is text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the media type without its parameters, in lower case.
    pub(super) fn media_type(&self) -> String {
        let value = self.header(CONTENT_TYPE.as_str()).unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }
}
