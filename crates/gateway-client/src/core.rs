//! What both clients share: where the service is, who asks, and by which policy.

use std::time::Instant;

use gateway_model::Operation;
use gateway_transport::TransportError;
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, Response, Uri};

use crate::base_url::BaseUrl;
use crate::call::{Call, Moment, Next, Policy};
use crate::observer::{Attempt, Watch, outline, wait_of};
use crate::sleep::before;
use crate::token::Tokens;
use crate::trace::AttemptSpan;
use crate::{AccessToken, Error, ErrorKind};

/// The part of a client that knows no transport.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) base_url: BaseUrl,
    pub(crate) tokens: Tokens,
    pub(crate) policy: Policy,
    pub(crate) watch: Watch,
}

impl Core {
    /// Returns the address of an operation.
    pub(crate) fn target<O: Operation>(&self, operation: &O) -> Result<Uri, Error> {
        self.base_url.with_query(operation.query()?.as_str())
    }

    /// Begins a call whose whole answer is received.
    pub(crate) fn call<O: Operation>(&self, operation: &O) -> Result<Call<'_>, Error> {
        Ok(Call::new(&self.policy, self.target(operation)?, Instant::now()))
    }

    /// Begins a call whose answer is a stream.
    pub(crate) fn streaming_call<O: Operation>(&self, operation: &O) -> Result<Call<'_>, Error> {
        Ok(Call::streaming(&self.policy, self.target(operation)?, Instant::now()))
    }

    /// Returns the token to use, if the source gives it before the call is over.
    pub(crate) async fn token(&self, call: &Call<'_>) -> Result<AccessToken, Error> {
        in_time(call, self.tokens.current()).await
    }

    /// Returns another token than `refused`, in the same time; `None` if the source has no other.
    pub(crate) async fn token_other_than(
        &self,
        refused: &AccessToken,
        call: &Call<'_>,
    ) -> Result<Option<AccessToken>, Error> {
        in_time(call, self.tokens.other_than(refused)).await
    }

    /// Judges an outcome, and tells those who watch.
    pub(crate) fn judge<B>(
        &self,
        call: &mut Call<'_>,
        operation: &str,
        begun: Instant,
        span: AttemptSpan,
        outcome: Result<Response<B>, TransportError>,
    ) -> Next<B> {
        let now = Instant::now();
        let (status, failure) = outline(&outcome);
        let next = call.judge(outcome, || Moment::at(now));
        let (server_address, server_port) = self.base_url.server();
        let attempt = Attempt {
            operation,
            server_address,
            server_port,
            number: call.attempts(),
            elapsed: now.saturating_duration_since(begun),
            status,
            failure,
            retry_in: wait_of(&next),
        };
        span.end(&attempt);
        self.watch.tell(&attempt);
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

/// Waits for a token no longer than the call may take.
async fn in_time<T>(
    call: &Call<'_>,
    token: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let result = before(call.token_deadline(Instant::now()), token).await.unwrap_or_else(|| {
        Err(Error::new(ErrorKind::Timeout, "the token source gave no token while the call lasted"))
    });
    result.map_err(|error| error.after_attempts(call.attempts()))
}
