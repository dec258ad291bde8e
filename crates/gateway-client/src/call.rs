//! One call as a state machine: what to send, when to send it again, what to deliver. No I/O and no clock of its own.

use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use gateway_transport::{Deadline, Request, TransportError};
use http::Response;

use crate::Error;
use crate::answer::Answer;
use crate::retry::{RetryBudget, RetryPolicy, is_transient_status, retry_after};

/// The limits and the retries of a call.
#[derive(Clone, Debug)]
pub(crate) struct Policy {
    pub(crate) call_timeout: Duration,
    pub(crate) attempt_timeout: Duration,
    pub(crate) body_limit: u64,
    pub(crate) retry: RetryPolicy,
    pub(crate) budget: RetryBudget,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            call_timeout: CALL_TIMEOUT,
            attempt_timeout: ATTEMPT_TIMEOUT,
            body_limit: BODY_LIMIT,
            retry: RetryPolicy::default(),
            budget: RetryBudget::default(),
        }
    }
}

/// A call that is under way. A driver asks for an [`attempt`](Self::attempt), sends it, and has the outcome
/// [`judge`](Self::judge)d, until it is told to stop.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    policy: &'a Policy,
    request: Request,
    deadline: Instant,
    attempts: u32,
}

/// What the driver does next.
#[derive(Debug)]
pub(crate) enum Next {
    /// Wait this long, then make another attempt.
    Wait(Duration),
    /// The call is over.
    Done(Result<Answer, Error>),
}

/// What a driver reads from the world and a test makes up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) now: Instant,
    pub(crate) date: SystemTime,
    /// Between 0 and 1.
    pub(crate) random: f64,
}

impl Moment {
    /// This moment.
    pub(crate) fn now() -> Self {
        Self { now: Instant::now(), date: SystemTime::now(), random: fastrand::f64() }
    }
}

impl<'a> Call<'a> {
    /// Begins a call. Its deadline counts from here.
    pub(crate) fn new(policy: &'a Policy, request: Request, now: Instant) -> Self {
        let deadline = now.checked_add(policy.call_timeout).unwrap_or(now);
        Self { policy, request, deadline, attempts: 0 }
    }

    /// Returns the request of the next attempt, with the deadline of that attempt.
    pub(crate) fn attempt(&mut self, now: Instant) -> Request {
        self.attempts += 1;
        let mut request = self.request.clone();
        let limit = now.checked_add(self.policy.attempt_timeout).unwrap_or(self.deadline);
        request.extensions_mut().insert(Deadline::at(limit.min(self.deadline)));
        request
    }

    /// Decides what an outcome means: every answer is delivered, once waiting will not make it a better one.
    pub(crate) fn judge(
        &self,
        outcome: Result<Response<Bytes>, TransportError>,
        moment: Moment,
    ) -> Next {
        let (transient, asked) = match &outcome {
            Ok(response) => (
                is_transient_status(response.status()),
                retry_after(response.headers(), moment.date),
            ),
            Err(error) => (error.is_transient(), None),
        };
        let left = self.deadline.saturating_duration_since(moment.now);
        let delay = transient
            .then(|| self.policy.retry.delay(asked, self.attempts, left, moment.random))
            .flatten();
        match delay {
            Some(delay) if self.policy.budget.withdraw() => return Next::Wait(delay),
            _ => {}
        }
        if !transient && outcome.is_ok() {
            self.policy.budget.deposit();
        }
        Next::Done(match outcome {
            Ok(response) => Ok(Answer::new(response, self.attempts, asked)),
            Err(error) => Err(Error::from(error).after_attempts(self.attempts)),
        })
    }
}

const CALL_TIMEOUT: Duration = Duration::from_secs(60);
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(30);
const BODY_LIMIT: u64 = 64 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant, SystemTime};

    use bytes::Bytes;
    use gateway_transport::{Deadline, ErrorKind, Request, TransportError};
    use http::Response;
    use proptest::prelude::*;

    use super::{Call, Moment, Next, Policy};

    /// A clock that moves when it is told to.
    struct Clock(Instant);

    impl Clock {
        fn moment(&self, random: f64) -> Moment {
            Moment { now: self.0, date: SystemTime::UNIX_EPOCH, random }
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "an outcome, beside `failure`")]
    fn status(code: u16) -> Result<Response<Bytes>, TransportError> {
        Ok(Response::builder().status(code).body(Bytes::new()).unwrap())
    }

    fn failure(kind: ErrorKind) -> Result<Response<Bytes>, TransportError> {
        Err(TransportError::new(kind, "scripted"))
    }

    /// Plays the outcomes and says how the call ended, after how many attempts.
    fn play(outcomes: Vec<Result<Response<Bytes>, TransportError>>) -> (String, u32) {
        let mut clock = Clock(Instant::now());
        let policy = Policy::default();
        let mut call = Call::new(&policy, Request::new(Bytes::new()), clock.0);
        for outcome in outcomes {
            let _request = call.attempt(clock.0);
            match call.judge(outcome, clock.moment(0.5)) {
                Next::Wait(delay) => clock.0 += delay,
                Next::Done(Ok(answer)) => return (answer.status().to_string(), answer.attempts()),
                Next::Done(Err(error)) => return (format!("{:?}", error.kind()), error.attempts()),
            }
        }
        ("waits".to_owned(), 0)
    }

    #[test]
    fn sends_again_what_may_help() {
        let unavailable = || status(503);
        let cut = || failure(ErrorKind::Interrupted);
        assert_eq!(play(vec![status(200)]), ("200 OK".to_owned(), 1));
        assert_eq!(play(vec![unavailable(), status(200)]), ("200 OK".to_owned(), 2));
        assert_eq!(play(vec![cut(), unavailable(), status(200)]), ("200 OK".to_owned(), 3));
        assert_eq!(play(vec![cut(), cut(), cut()]), ("Interrupted".to_owned(), 3));
        assert_eq!(
            play(vec![unavailable(), unavailable(), unavailable()]),
            ("503 Service Unavailable".to_owned(), 3)
        );
    }

    #[test]
    fn delivers_at_once_what_will_not_change() {
        for code in [301, 400, 401, 403, 404, 501] {
            assert_eq!(play(vec![status(code)]).1, 1, "{code}");
        }
        for kind in
            [ErrorKind::InvalidRequest, ErrorKind::Tls, ErrorKind::Protocol, ErrorKind::TooLarge]
        {
            assert_eq!(play(vec![failure(kind)]).1, 1, "{kind:?}");
        }
    }

    #[test]
    fn an_attempt_never_outlives_the_call() {
        let start = Instant::now();
        let policy = Policy::default();
        let mut call = Call::new(&policy, Request::new(Bytes::new()), start);
        let limit = |request: &Request| Deadline::of(request).unwrap().instant() - start;
        assert_eq!(limit(&call.attempt(start)), Duration::from_secs(30));
        assert_eq!(limit(&call.attempt(start + Duration::from_secs(40))), Duration::from_secs(60));
    }

    proptest! {
        #[test]
        fn a_call_ends_before_its_deadline(
            durations in proptest::collection::vec(0_u64..40_000, 20),
            randoms in proptest::collection::vec(0.0..1.0, 20),
            attempts in 1_u32..20,
        ) {
            let start = Instant::now();
            let mut clock = Clock(start);
            let mut policy = Policy::default();
            policy.retry = policy.retry.max_attempts(attempts);
            let mut call = Call::new(&policy, Request::new(Bytes::new()), start);
            for (duration, random) in durations.into_iter().zip(randoms) {
                let request = call.attempt(clock.0);
                let deadline = Deadline::of(&request).unwrap().instant();
                clock.0 = (clock.0 + Duration::from_millis(duration)).min(deadline);
                match call.judge(status(503), clock.moment(random)) {
                    Next::Wait(delay) => clock.0 += delay,
                    Next::Done(_) => break,
                }
            }
            prop_assert!(clock.0 <= start + policy.call_timeout);
            prop_assert!(call.attempts <= attempts);
        }
    }
}
