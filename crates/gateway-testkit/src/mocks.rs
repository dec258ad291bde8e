//! The operations of the gateway as `wiremock` mocks, for tests of code that uses a client.
//!
//! Each operation has one type, generated from the spec. A mock describes the calls that it matches, in the types of
//! the model, and the response. It matches a call with any value of a parameter that the mock does not mention.
//!
//! ```
//! use gateway_model::{Candidate, ListCandidates, Operation as _};
//! use gateway_testkit::mocks::MockListCandidates;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let gateway = wiremock::MockServer::start().await;
//! let ada = Candidate::new("4711");
//! MockListCandidates::new().vacancy_id(52).answers(&[ada]).mount(&gateway).await;
//! // … let the code under test call `gateway.uri()`.
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! `wiremock` answers a call that no mock matches with 404.

#![allow(dead_code, reason = "a spec may have no lists, no objects or no optional parameters")]

use gateway_model::service;
use serde::Serialize;
use wiremock::matchers::{header, method, path, query_param, query_param_is_missing};
use wiremock::{Mock, ResponseTemplate};

pub use crate::generated::mocks::*;

/// The calls that a mock matches.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    select: &'static str,
    given: Vec<(&'static str, Option<String>)>,
    token: Option<String>,
}

impl Call {
    pub(crate) const fn new(select: &'static str) -> Self {
        Self { select, given: Vec::new(), token: None }
    }

    /// Matches calls with this value of a parameter.
    pub(crate) fn with(mut self, name: &'static str, value: String) -> Self {
        self.given.push((name, Some(value)));
        self
    }

    /// Matches calls without this parameter.
    pub(crate) fn without(mut self, name: &'static str) -> Self {
        self.given.push((name, None));
        self
    }

    /// Matches calls with this bearer token.
    pub(crate) fn token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Answers with a list, between these two texts.
    pub(crate) fn list<T: Serialize>(self, (open, close): (&str, &str), records: &[T]) -> Mock {
        let records: Result<Vec<_>, _> = records.iter().map(serde_json::to_string).collect();
        self.body(records.map(|records| format!("{open}{}{close}", records.join(","))))
    }

    /// Answers with one object.
    pub(crate) fn object<T: Serialize>(self, record: &T) -> Mock {
        self.body(serde_json::to_string(record))
    }

    /// Answers with exactly these bytes.
    pub(crate) fn exactly(self, body: &str) -> Mock {
        self.responds(200, body, service::ACCEPT)
    }

    /// Answers with this error status and a problem document (RFC 9457).
    pub(crate) fn fails(self, status: u16) -> Mock {
        let body = format!(r#"{{"type":"about:blank","status":{status}}}"#);
        self.responds(status, &body, "application/problem+json")
    }

    fn body(self, body: Result<String, serde_json::Error>) -> Mock {
        match body {
            Ok(body) => self.exactly(&body),
            // A record of the model always serializes; a foreign type may not.
            Err(error) => self.responds(500, &error.to_string(), "text/plain"),
        }
    }

    fn responds(self, status: u16, body: &str, media_type: &str) -> Mock {
        let response = ResponseTemplate::new(status).set_body_raw(body, media_type);
        self.builder().respond_with(response)
    }

    fn builder(self) -> wiremock::MockBuilder {
        let call = Mock::given(method("GET"))
            .and(path(service::PATH))
            .and(query_param(service::SELECTOR, self.select));
        let call = self.given.into_iter().fold(call, |call, (name, value)| match value {
            Some(value) => call.and(query_param(name, value)),
            None => call.and(query_param_is_missing(name)),
        });
        match self.token {
            Some(token) => call.and(header("authorization", format!("Bearer {token}"))),
            None => call,
        }
    }
}
