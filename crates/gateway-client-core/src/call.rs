//! One call as a state machine: what to send, when to retry, what to return. It does no I/O and reads no clock.

use std::time::{Duration, SystemTime};

use gateway_model_core::ErrorClass;
use gateway_transport::{Deadline, Instant, Request, TransportError};
use http::Response;

use crate::clock::date;
use crate::head::retry_after;
use crate::policy::Policy;
use crate::request::Draft;
use crate::status::{Reaction, meaning, meaning_of};
use crate::{AccessToken, Error};

#[cfg(test)]
mod tests;

/// A call in progress.
///
/// The driver sends the request of each [`attempt`](Self::attempt) and passes the outcome to [`judge`](Self::judge),
/// until that says that the call is over.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    policy: &'a Policy,
    draft: Draft<'a>,
    /// The deadline of the response or, for a stream, of its head.
    deadline: Instant,
    /// The deadline of the last byte of a stream.
    stream_end: Option<Instant>,
    attempts: u32,
    failures: u32,
    refreshed: bool,
}

/// The meaning of an outcome.
#[derive(Debug)]
pub(crate) enum Verdict<B> {
    /// The service refused the token. Retry with another token, or return this response if the source has no other.
    Refused(Response<B>),
    /// The next step is known.
    Next(Next<B>),
}

/// The next step of the driver.
#[derive(Debug)]
pub(crate) enum Next<B> {
    /// Wait this long, then make another attempt.
    Wait(Duration),
    /// The call is over.
    Done(Result<Response<B>, Error>),
}

/// The class of a failure that the body of a response reports. It is an extension of the response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported(pub(crate) ErrorClass);

/// The time and the randomness of a decision, which the driver provides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) now: Instant,
    pub(crate) date: SystemTime,
    /// Between 0 and 1.
    pub(crate) random: f64,
}

impl Moment {
    /// Returns the actual time and a random number.
    pub(crate) fn now() -> Self {
        Self { now: Instant::now(), date: date(), random: fastrand::f64() }
    }
}

impl<'a> Call<'a> {
    /// Starts a call whose whole response is received. Its timeout starts now.
    pub(crate) fn new(policy: &'a Policy, draft: Draft<'a>, now: Instant) -> Self {
        let deadline = Deadline::since(now, policy.call_timeout).instant();
        Self {
            policy,
            draft,
            deadline,
            stream_end: None,
            attempts: 0,
            failures: 0,
            refreshed: false,
        }
    }

    /// Starts a call whose response is a stream: the call timeout applies to its head, the stream timeout to all of it.
    pub(crate) fn streaming(policy: &'a Policy, draft: Draft<'a>, now: Instant) -> Self {
        let end = Deadline::since(now, policy.stream_timeout).instant();
        let call = Self::new(policy, draft, now);
        Self { deadline: call.deadline.min(end), stream_end: Some(end), ..call }
    }

    /// Returns the deadline for getting a token.
    pub(crate) fn token_deadline(&self) -> Instant {
        self.deadline
    }

    /// Returns the request of the first attempt, without its deadline.
    pub(crate) fn dry_run(self, token: &AccessToken) -> Result<Request, Error> {
        self.draft.request(token)
    }

    /// Starts the next attempt and returns its request.
    pub(crate) fn attempt(&mut self, token: &AccessToken, now: Instant) -> Result<Request, Error> {
        let mut request = self.draft.clone().request(token)?;
        self.attempts += 1;
        let limit = Deadline::since(now, self.policy.attempt_timeout).instant().min(self.deadline);
        request.extensions_mut().insert(match self.stream_end {
            Some(end) => Deadline::at(end).head_by(limit),
            None => Deadline::at(limit),
        });
        Ok(request)
    }

    /// Returns how many requests were handed to the transport.
    pub(crate) fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Decides what follows an attempt: another attempt, or the end of the call with this outcome.
    ///
    /// `moment` is called only if a retry is possible.
    pub(crate) fn judge<B>(
        &mut self,
        outcome: Result<Response<B>, TransportError>,
        moment: impl FnOnce() -> Moment,
    ) -> Verdict<B> {
        let reaction = match &outcome {
            Ok(response) => meaning(response.status())
                .or_else(|| Some(meaning_of(response.extensions().get::<Reported>()?.0)))
                .map(|meaning| meaning.reaction),
            Err(error) if error.is_transient() => Some(Reaction::Retry),
            Err(_) => Some(Reaction::Fail),
        };
        if reaction == Some(Reaction::Retry) {
            let moment = moment();
            let headers = outcome.as_ref().map(Response::headers).ok();
            let asked = headers.and_then(|headers| retry_after(headers, moment.date));
            if let Some(delay) = self.delay(asked, moment) {
                return Verdict::Next(Next::Wait(delay));
            }
        }
        let result = match outcome {
            Ok(response) if reaction == Some(Reaction::RefreshToken) && !self.refreshed => {
                self.refreshed = true;
                return Verdict::Refused(response);
            }
            Ok(response) => {
                if reaction != Some(Reaction::Retry) {
                    self.policy.budget.deposit();
                }
                Ok(response)
            }
            Err(error) => Err(Error::from(error).after_attempts(self.attempts)),
        };
        Verdict::Next(Next::Done(result))
    }

    fn delay(&mut self, asked: Option<Duration>, moment: Moment) -> Option<Duration> {
        self.failures += 1;
        let left =
            self.deadline.saturating_duration_since(moment.now).checked_sub(MIN_TIME_LEFT)?;
        let delay = self.policy.retry.delay(asked, self.failures, left, moment.random)?;
        self.policy.budget.withdraw().then_some(delay)
    }
}

/// Minimum time that must be left of a call for another attempt.
///
/// A transport with a coarse clock gives up slightly before the deadline of the call; the time that is then left is too
/// short for another attempt.
pub(crate) const MIN_TIME_LEFT: Duration = Duration::from_millis(10);
