//! One call as a state machine: what to send, when to retry, what to return. It does no I/O and reads no clock.

use std::time::{Duration, SystemTime};

use gateway_transport::{Deadline, Instant, Request, Sent, TransportError, TransportErrorKind};
use http::Response;
use http::response::Parts;
use methodical_model::ErrorClass;

use crate::Error;
use crate::head::{Reaction, meaning, meaning_of, retry_after};
use crate::policy::Policy;
use crate::request::Draft;
use crate::time::{Limit, MIN_TIME_LEFT, OF_ATTEMPT, OF_CALL, OF_STREAM, date, now};
use crate::token::Tokens;

#[cfg(test)]
mod tests;

/// A call in progress.
///
/// The driver sends the request of each [`attempt`](Self::attempt) and passes the outcome to [`judge`](Self::judge),
/// which decides whether the call is over.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    policy: &'a Policy,
    pub(crate) draft: Draft<'a>,
    /// The time limit of the response or, for a stream, of its head.
    pub(crate) limit: Limit,
    /// The time limit of the attempt in progress, never later than the call's.
    attempt_limit: Limit,
    /// The time limit of the whole stream.
    stream_limit: Option<Limit>,
    /// Number of requests that were handed to the transport.
    pub(crate) attempts: u32,
    failures: u32,
    refreshed: bool,
}

/// A failed exchange, with the response head if it had arrived.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: TransportError,
    pub(crate) head: Option<Box<Parts>>,
}

impl From<TransportError> for Failure {
    fn from(error: TransportError) -> Self {
        Self { error, head: None }
    }
}

/// The driver's next step.
#[derive(Debug)]
pub(crate) enum Next<B> {
    /// Wait this long, then make another attempt.
    Wait(Duration),
    /// Make another attempt with another token. If the source has no other token, the call ends with this response.
    Refused(Response<B>),
    /// The call is over.
    Done(Result<Response<B>, Error>),
}

/// The class of a failure that a response reports in its body. It is stored in the response's extensions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported(pub(crate) ErrorClass);

/// The time and the random number that a decision needs. The driver provides them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) now: Instant,
    pub(crate) date: SystemTime,
    /// Between 0 and 1.
    pub(crate) random: f64,
}

impl Moment {
    /// Returns the current time and a random number.
    pub(crate) fn now() -> Self {
        Self { now: now(), date: date(), random: fastrand::f64() }
    }
}

impl<'a> Call<'a> {
    /// Starts a call that receives its whole response. The call timeout starts now.
    pub(crate) fn new(policy: &'a Policy, draft: Draft<'a>, now: Instant) -> Self {
        let limit = draft.limit(now, policy.call_timeout, OF_CALL);
        Self {
            policy,
            draft,
            limit,
            attempt_limit: limit,
            stream_limit: None,
            attempts: 0,
            failures: 0,
            refreshed: false,
        }
    }

    /// Starts a call whose response is a stream. The call timeout applies to the response head, and the stream timeout
    /// to the whole stream. Both start now.
    pub(crate) fn streaming(policy: &'a Policy, draft: Draft<'a>, now: Instant) -> Self {
        let call = Self::new(policy, draft, now);
        let end = call.draft.limit(now, policy.stream_timeout, OF_STREAM);
        Self { limit: call.limit.or_earlier(end), stream_limit: Some(end), ..call }
    }

    /// Returns the time limit of the whole response.
    pub(crate) fn end(&self) -> Limit {
        self.stream_limit.unwrap_or(self.limit)
    }

    /// Starts the next attempt and returns its request, with the deadline set.
    pub(crate) fn attempt(&mut self, tokens: &Tokens, now: Instant) -> Result<Request, Error> {
        let mut request = self.draft.request(tokens)?;
        self.attempts += 1;
        let timeout = self.draft.limit(now, self.policy.attempt_timeout, OF_ATTEMPT);
        self.attempt_limit = self.limit.or_earlier(timeout);
        let limit = self.attempt_limit.at;
        request.extensions_mut().insert(match self.stream_limit {
            Some(end) => Deadline::at(end.at).head_by(limit),
            None => Deadline::at(limit),
        });
        Ok(request)
    }

    /// Decides what follows an attempt: another attempt, or the end of the call with this outcome.
    ///
    /// `moment` is called only if a retry is possible.
    pub(crate) fn judge<B>(
        &mut self,
        outcome: Result<Response<B>, Failure>,
        moment: impl FnOnce() -> Moment,
    ) -> Next<B> {
        let is_repeatable = self.draft.query.is_idempotent();
        let reaction = match &outcome {
            Ok(response) => meaning(response.status())
                .or_else(|| Some(meaning_of(response.extensions().get::<Reported>()?.0)))
                .map(|meaning| meaning.reaction),
            Err(failure) if failure.error.is_transient() => Some(Reaction::Retry),
            Err(_) => Some(Reaction::Fail),
        };
        let is_unsent = outcome.as_ref().is_err_and(|failure| failure.error.sent() == Sent::No);
        let moment = (reaction == Some(Reaction::Retry)).then(moment);
        if let Some(moment) = moment.filter(|_| is_repeatable || is_unsent) {
            let headers = outcome.as_ref().map(Response::headers).ok();
            let asked = headers.and_then(|headers| retry_after(headers, moment.date));
            if let Some(delay) = self.delay(asked, moment) {
                return Next::Wait(delay);
            }
        }
        Next::Done(match outcome {
            Ok(response) if reaction == Some(Reaction::RefreshToken) && !self.refreshed => {
                self.refreshed = true;
                return Next::Refused(response);
            }
            Ok(response) => {
                if reaction != Some(Reaction::Retry) {
                    self.policy.budget.deposit();
                }
                Ok(response)
            }
            Err(failure) => Err(self.error(failure, moment)),
        })
    }

    /// Returns the error for a failed exchange. If one of the client's limits ended it, the error names that limit.
    fn error(&self, failure: Failure, moment: Option<Moment>) -> Error {
        let Failure { error, head } = failure;
        let error = match (error.kind(), moment) {
            // The client reads bodies only up to its own limit.
            (TransportErrorKind::TooLarge, _) if head.is_some() => {
                Error::body_too_large(self.policy.body_limit)
            }
            (_, Some(moment)) => self.attempt_limit.error(error, moment.now),
            (_, None) => error.into(),
        };
        let error = error.after_attempts(self.attempts);
        match head {
            Some(head) => error.with_head(*head),
            None => error,
        }
    }

    fn delay(&mut self, asked: Option<Duration>, moment: Moment) -> Option<Duration> {
        self.failures += 1;
        let left =
            self.limit.at.saturating_duration_since(moment.now).checked_sub(MIN_TIME_LEFT)?;
        let delay = self.policy.retry.delay(asked, self.failures, left, moment.random)?;
        self.policy.budget.withdraw().then_some(delay)
    }
}
