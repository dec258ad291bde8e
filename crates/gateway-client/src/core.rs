//! What both clients share: where the service is, who asks, and by which policy.

use std::time::Instant;

use bytes::Bytes;
use gateway_model::{Operation, service};
use gateway_transport::{Request, TransportError};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Response};

use crate::base_url::BaseUrl;
use crate::call::{Call, Moment, Next, Policy};
use crate::observer::{Attempt, Watch, outline, wait_of};
use crate::token::Tokens;
use crate::{AccessToken, Error};

/// The part of a client that knows no transport.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) base_url: BaseUrl,
    pub(crate) tokens: Tokens,
    pub(crate) policy: Policy,
    pub(crate) watch: Watch,
}

impl Core {
    /// Returns the request of an operation, all but the token.
    pub(crate) fn request<O: Operation>(&self, operation: &O) -> Result<Request, Error> {
        let query = operation.query()?;
        let mut request = Request::new(Bytes::new());
        *request.method_mut() = Method::GET;
        *request.uri_mut() = self.base_url.with_query(query.as_str())?;
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static(service::ACCEPT));
        headers.insert(USER_AGENT, HeaderValue::from_static(NAME_AND_VERSION));
        Ok(request)
    }

    /// Returns the request of an operation, as it goes out with this token.
    pub(crate) fn dry_run<O: Operation>(
        &self,
        operation: &O,
        token: &AccessToken,
    ) -> Result<Request, Error> {
        let mut request = self.request(operation)?;
        request.headers_mut().insert(AUTHORIZATION, token.header()?);
        Ok(request)
    }

    /// Judges an outcome, and tells those who watch.
    pub(crate) fn judge<B>(
        &self,
        call: &mut Call<'_>,
        operation: &str,
        begun: Instant,
        outcome: Result<Response<B>, TransportError>,
    ) -> Next<B> {
        let moment = Moment::now();
        let (status, failure) = outline(&outcome);
        let next = call.judge(outcome, moment);
        self.watch.tell(&Attempt {
            operation,
            server_address: self.base_url.host(),
            number: call.attempts(),
            elapsed: moment.now.saturating_duration_since(begun),
            status,
            failure,
            retry_in: wait_of(&next),
        });
        next
    }
}

/// Refuses a body that says it is larger than the limit, before any of it is received.
pub(crate) fn check_length(headers: &HeaderMap, limit: u64) -> Result<(), TransportError> {
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    match length {
        Some(length) if limit < length => Err(TransportError::body_too_large(limit)),
        _ => Ok(()),
    }
}

/// How much of an answer is received before it is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reading {
    /// All of it, up to a limit in bytes.
    Whole(u64),
    /// The head; the body is read by whoever asked. The body of an error is received all the same.
    Head,
}

const NAME_AND_VERSION: &str = concat!("gateway-client/", env!("CARGO_PKG_VERSION"));
