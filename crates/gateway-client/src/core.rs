//! What both clients share: where the service is, who asks, and by which policy.

use std::time::{Duration, Instant};

use gateway_model::Operation;
use gateway_transport::{Deadline, TransportError};
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, Response, Uri};

use crate::base_url::BaseUrl;
use crate::call::{Call, Moment, Next, Policy, Verdict};
use crate::observer::{Attempt, Watch, outline};
use crate::sleep::before;
use crate::token::Tokens;
use crate::trace::{self, AttemptSpan};
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

    /// Returns when to stop receiving a body that turns out to be no list: it is kept with the error.
    pub(crate) fn unfit_body_deadline(&self) -> Instant {
        Deadline::since(Instant::now(), self.policy.attempt_timeout).instant()
    }

    /// Returns the token to use, if the source gives it before the call is over.
    pub(crate) async fn token(&self, call: &Call<'_>) -> Result<AccessToken, Error> {
        in_time(call, self.tokens.current()).await
    }

    /// Puts another token in the place of one that was refused, in the same time. If the source has no other, the
    /// refusal is the answer.
    pub(crate) async fn refresh<B>(
        &self,
        call: &Call<'_>,
        token: &mut AccessToken,
        refusal: Response<B>,
    ) -> Next<B> {
        match in_time(call, self.tokens.other_than(token)).await {
            Ok(Some(other)) => {
                *token = other;
                Next::Wait(Duration::ZERO)
            }
            Ok(None) => Next::Done(Ok(refusal)),
            Err(error) => Next::Done(Err(error)),
        }
    }

    /// Judges an outcome. The attempt is over with it, but what follows is not known yet.
    pub(crate) fn judge<'a, B>(
        &'a self,
        call: &mut Call<'_>,
        operation: &'a str,
        begun: Instant,
        span: AttemptSpan,
        outcome: Result<Response<B>, TransportError>,
    ) -> (Verdict<B>, Attempt<'a>) {
        let now = Instant::now();
        let (status, failure) = outline(&outcome);
        let verdict = call.judge(outcome, || Moment::at(now));
        let (server_address, server_port) = self.base_url.server();
        let attempt = Attempt {
            operation,
            server_address,
            server_port,
            number: call.attempts(),
            elapsed: now.saturating_duration_since(begun),
            status,
            failure,
            retry_in: None,
        };
        span.end(&attempt);
        (verdict, attempt)
    }

    /// Tells those who watch about an attempt and what follows it.
    pub(crate) fn tell<B>(&self, mut attempt: Attempt<'_>, next: &Next<B>) {
        if let Next::Wait(delay) = next {
            attempt.retry_in = Some(*delay);
            trace::another_follows(*delay);
        }
        self.watch.tell(&attempt);
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
    /// The head; the body is read by whoever asked. The beginning of the body of an error is received all the same.
    Head,
}

/// Waits for a token no longer than the call may take.
async fn in_time<T>(
    call: &Call<'_>,
    token: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let result = before(call.token_deadline(), token).await.unwrap_or_else(|| {
        Err(Error::new(ErrorKind::Timeout, "the token source gave no token while the call lasted"))
    });
    result.map_err(|error| error.after_attempts(call.attempts()))
}
