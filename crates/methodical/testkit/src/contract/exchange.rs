//! One request and its response.

use bytes::Bytes;
use gateway_transport::{BlockingTransport, Request, TransportError, TransportErrorKind};
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use serde_json::{Map, Value};

use crate::contract::description::Operation;
use crate::contract::record;
use crate::outcome::{Outcome, ensure, fail, skip};

/// A response, or the reason why it is missing.
pub(super) struct Exchange(Outcome<Response>);

pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// The body as JSON, if it is JSON.
    pub(super) json: Option<Value>,
}

impl Exchange {
    /// Sends a request and receives a body of at most `limit` bytes.
    pub(super) fn send(
        request: Option<Request>,
        transport: &dyn BlockingTransport,
        limit: u64,
    ) -> Self {
        let Some(request) = request else {
            return Self(fail("no request was sent: its URL or a header is invalid"));
        };
        let send = |request| -> Result<_, TransportError> {
            let (head, body) = transport.send(request)?.into_parts();
            Ok((head, body.collect(limit)?))
        };
        // A service may close a pooled connection just as the client reuses it. That is not a fault.
        let response = match send(request.clone()) {
            Err(error) if error.kind() == TransportErrorKind::Interrupted => send(request),
            response => response,
        };
        Self(match response {
            Ok((head, body)) => Ok(Response {
                status: head.status.as_u16(),
                headers: head.headers,
                json: serde_json::from_slice(&body).ok(),
                body,
            }),
            Err(error) if error.kind() == TransportErrorKind::TooLarge => {
                skip(format!("the body is larger than the limit of {limit} bytes"))
            }
            Err(error) => fail(format!("no response: {error}")),
        })
    }

    /// Returns the response with any status except 429, which skips the check.
    pub(super) fn response(&self) -> Outcome<&Response> {
        let response = self.0.as_ref().map_err(Clone::clone)?;
        if response.status == 429 {
            return skip("the service limits the request rate (429)");
        }
        Ok(response)
    }

    /// Requires that a call succeeds, according to the status and, if the operation's bodies report failures, the body.
    pub(super) fn is_accepted(&self, operation: Option<&Operation>) -> Outcome {
        self.has_status(200)?;
        let operation = operation.filter(|one| one.reports_failures);
        ensure!(!self.reports_failure(operation)?, "the body reports a failure");
        Ok(())
    }

    /// Requires that a call is refused, by the status or in the body.
    pub(super) fn is_refused(&self, operation: Option<&Operation>) -> Outcome {
        let status = self.response()?.status;
        let is_refused = status >= 400 || self.reports_failure(operation)?;
        ensure!(is_refused, "status {status} instead of a refusal");
        Ok(())
    }

    /// Requires that a call is refused with this status or, if the operation's bodies report failures, in the body.
    pub(super) fn is_refused_with(&self, status: u16, operation: Option<&Operation>) -> Outcome {
        let reports_failures = operation.is_some_and(|one| one.reports_failures);
        if reports_failures && self.response()?.status == 200 && self.reports_failure(operation)? {
            return Ok(());
        }
        self.has_status(status)
    }

    /// Returns whether the body reports that the operation failed.
    fn reports_failure(&self, operation: Option<&Operation>) -> Outcome<bool> {
        let json = self.response()?.json.as_ref();
        Ok(operation.zip(json).is_some_and(|(one, json)| one.failure_in(json)))
    }

    pub(super) fn has_status(&self, status: u16) -> Outcome {
        let found = self.response()?.status;
        ensure!(found == status, "status {found} instead of {status}");
        Ok(())
    }

    /// Returns the response if its status is 200. Otherwise skips the check, because another check tests the status.
    pub(super) fn success(&self) -> Outcome<&Response> {
        match self.response()? {
            response if response.status == 200 => Ok(response),
            response => skip(format!("the status is {}, not 200", response.status)),
        }
    }

    pub(super) fn list(&self, operation: &Operation) -> Outcome<&[Value]> {
        let list = operation.response.elements(self.success()?.json()?);
        list.map_or_else(|| skip("the response has no list"), Ok)
    }

    /// Returns the records of the list, or the only record. All must be objects. Skips the check if the list is empty.
    pub(super) fn records(&self, operation: &Operation) -> Outcome<Vec<&Map<String, Value>>> {
        if operation.response.is_list {
            return record::some_objects(self.list(operation)?);
        }
        match operation.response.data(self.success()?.json()?) {
            Some(Value::Object(object)) => Ok(vec![object]),
            data => fail(operation.response.mistake(data)),
        }
    }

    /// Returns a field's strings and numbers in all records of the list, as text for a query. Omits other values.
    pub(super) fn values(&self, operation: &Operation, field: &str) -> Outcome<Vec<String>> {
        let list = self.list(operation)?.iter();
        let values = list.filter_map(|element| match element.get(field)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
        Ok(values.collect())
    }

    /// Returns the identities of the records. Skips the check if the contract names no identity.
    pub(super) fn ids(&self, operation: &Operation) -> Outcome<Vec<String>> {
        match operation.record.identity() {
            Some(identity) => self.values(operation, identity.name),
            None => skip("the records have no id"),
        }
    }
}

impl Response {
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

    /// Describes the media type for a finding, without repeating an unusual one.
    pub(super) fn quoted_type(&self) -> String {
        record::quoted(&self.media_type())
    }
}
