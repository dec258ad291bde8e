//! One call as a state machine: what to send, when to send it again, what to deliver. No I/O and no clock of its own.

use std::time::{Duration, Instant, SystemTime};

use gateway_transport::{Deadline, Request, TransportError};
use http::{Response, StatusCode, Uri};

use crate::request::request;
use crate::retry::{RetryBudget, RetryPolicy, is_transient_status, retry_after};
use crate::{AccessToken, Error};

/// The limits and the retries of a call.
#[derive(Clone, Debug)]
pub(crate) struct Policy {
    pub(crate) call_timeout: Duration,
    pub(crate) attempt_timeout: Duration,
    pub(crate) stream_timeout: Duration,
    pub(crate) body_limit: u64,
    pub(crate) retry: RetryPolicy,
    pub(crate) budget: RetryBudget,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            call_timeout: CALL_TIMEOUT,
            attempt_timeout: ATTEMPT_TIMEOUT,
            stream_timeout: STREAM_TIMEOUT,
            body_limit: BODY_LIMIT,
            retry: RetryPolicy::default(),
            budget: RetryBudget::default(),
        }
    }
}

/// A call that is under way. A driver makes an [`attempt`](Self::attempt), sends it, and has the outcome
/// [`judge`](Self::judge)d, until it is told to stop.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    policy: &'a Policy,
    target: Uri,
    /// When its answer must be there or, if that is a stream, have begun.
    deadline: Instant,
    /// When a stream must be over.
    stream_end: Option<Instant>,
    attempts: u32,
    failures: u32,
    refreshed: bool,
}

/// What an outcome means.
#[derive(Debug)]
pub(crate) enum Verdict<B> {
    /// The service refused the token: make another attempt with another one; if there is none, this is the answer.
    Refused(Response<B>),
    /// It is clear what comes next.
    Next(Next<B>),
}

/// What the driver does next.
#[derive(Debug)]
pub(crate) enum Next<B> {
    /// Wait this long, then make another attempt.
    Wait(Duration),
    /// The call is over.
    Done(Result<Response<B>, Error>),
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
    /// This moment, which is `now`.
    pub(crate) fn at(now: Instant) -> Self {
        Self { now, date: SystemTime::now(), random: fastrand::f64() }
    }
}

impl<'a> Call<'a> {
    /// Begins a call whose whole answer is received. Its deadline counts from here.
    pub(crate) fn new(policy: &'a Policy, target: Uri, now: Instant) -> Self {
        let deadline = Deadline::since(now, policy.call_timeout).instant();
        Self {
            policy,
            target,
            deadline,
            stream_end: None,
            attempts: 0,
            failures: 0,
            refreshed: false,
        }
    }

    /// Begins a call whose answer is a stream: its head comes within the time of any call, and then it is read for as long
    /// as a stream may take.
    pub(crate) fn streaming(policy: &'a Policy, target: Uri, now: Instant) -> Self {
        let end = Deadline::since(now, policy.stream_timeout).instant();
        let call = Self::new(policy, target, now);
        Self { deadline: call.deadline.min(end), stream_end: Some(end), ..call }
    }

    /// Returns how long to wait for a token.
    pub(crate) fn token_deadline(&self) -> Instant {
        self.deadline
    }

    /// Returns the request that the first attempt would send, without its deadline.
    pub(crate) fn dry_run(self, token: &AccessToken) -> Result<Request, Error> {
        request(self.target, token)
    }

    /// Begins the next attempt and returns its request.
    pub(crate) fn attempt(&mut self, token: &AccessToken, now: Instant) -> Result<Request, Error> {
        let mut request = request(self.target.clone(), token)?;
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

    /// Decides what an outcome means: every answer is delivered, once waiting will not make it a better one.
    ///
    /// `moment` is only asked when there is something to wait for.
    pub(crate) fn judge<B>(
        &mut self,
        outcome: Result<Response<B>, TransportError>,
        moment: impl FnOnce() -> Moment,
    ) -> Verdict<B> {
        let transient = match &outcome {
            Ok(response) => is_transient_status(response.status()),
            Err(error) => error.is_transient(),
        };
        if transient {
            let moment = moment();
            let headers = outcome.as_ref().map(Response::headers).ok();
            let asked = headers.and_then(|headers| retry_after(headers, moment.date));
            if let Some(delay) = self.delay(asked, moment) {
                return Verdict::Next(Next::Wait(delay));
            }
        }
        let result = match outcome {
            Ok(response) if response.status() == StatusCode::UNAUTHORIZED && !self.refreshed => {
                self.refreshed = true;
                return Verdict::Refused(response);
            }
            Ok(response) => {
                if !transient {
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
        let left = self.deadline.saturating_duration_since(moment.now).checked_sub(LEAST_TIME)?;
        let delay = self.policy.retry.delay(asked, self.failures, left, moment.random)?;
        self.policy.budget.withdraw().then_some(delay)
    }
}

pub(crate) const CALL_TIMEOUT: Duration = Duration::from_secs(60);
pub(crate) const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(30);
pub(crate) const STREAM_TIMEOUT: Duration = Duration::from_secs(60 * 60);
pub(crate) const BODY_LIMIT: u64 = 64 * 1024 * 1024;

/// What must be left for another attempt. A transport whose clock is coarse gives up a little before the deadline of the
/// call, and what is left then is enough for nothing.
pub(crate) const LEAST_TIME: Duration = Duration::from_millis(10);

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant, SystemTime};

    use bytes::Bytes;
    use gateway_transport::{Deadline, ErrorKind, Request, TransportError};
    use http::header::RETRY_AFTER;
    use http::{Response, Uri};
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::{Call, Moment, Next, Policy, Verdict};
    use crate::retry::{BASE_DELAY, MAX_DELAY};
    use crate::{AccessToken, RetryBudget, RetryPolicy};

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

    fn token() -> AccessToken {
        AccessToken::new("gwt_x").unwrap()
    }

    fn failure(kind: ErrorKind) -> Result<Response<Bytes>, TransportError> {
        Err(TransportError::new(kind, "scripted"))
    }

    /// Plays the outcomes and says how the call ended, after how many attempts.
    fn play(outcomes: Vec<Result<Response<Bytes>, TransportError>>) -> (String, u32) {
        let mut clock = Clock(Instant::now());
        let policy = Policy::default();
        let mut call = Call::new(&policy, Uri::default(), clock.0);
        for outcome in outcomes {
            let _request = call.attempt(&token(), clock.0).unwrap();
            let next = match call.judge(outcome, || clock.moment(0.5)) {
                Verdict::Refused(_) => continue,
                Verdict::Next(next) => next,
            };
            match next {
                Next::Wait(delay) => clock.0 += delay,
                Next::Done(Ok(answer)) => return (answer.status().to_string(), call.attempts()),
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
        for code in [301, 400, 403, 404, 501] {
            assert_eq!(play(vec![status(code)]).1, 1, "{code}");
        }
        for kind in
            [ErrorKind::InvalidRequest, ErrorKind::Tls, ErrorKind::Protocol, ErrorKind::TooLarge]
        {
            assert_eq!(play(vec![failure(kind)]).1, 1, "{kind:?}");
        }
    }

    #[test]
    fn a_refused_token_is_replaced_once_and_counts_for_nothing() {
        let refused = || status(401);
        assert_eq!(play(vec![refused(), status(200)]), ("200 OK".to_owned(), 2));
        assert_eq!(play(vec![refused(), refused()]), ("401 Unauthorized".to_owned(), 2));
        let unavailable = || status(503);
        assert_eq!(
            play(vec![unavailable(), refused(), unavailable(), status(200)]),
            ("200 OK".to_owned(), 4)
        );
        assert_eq!(play(vec![status(403)]), ("403 Forbidden".to_owned(), 1));
    }

    #[test]
    fn an_attempt_never_outlives_the_call() {
        let start = Instant::now();
        let policy = Policy::default();
        let mut call = Call::new(&policy, Uri::default(), start);
        let limit = |request: &Request| Deadline::of(request).unwrap().instant() - start;
        assert_eq!(limit(&call.attempt(&token(), start).unwrap()), Duration::from_secs(30));
        assert_eq!(
            limit(&call.attempt(&token(), start + Duration::from_secs(40)).unwrap()),
            Duration::from_secs(60)
        );
    }

    proptest! {
        /// Calls of one client, one after the other, each attempt as long and as lucky as chance wants it.
        #[test]
        fn schedules_stay_within_every_limit(
            calls in vec((1_u32..20, vec(attempt(), 20)), 1..20),
            at_once in 0_u32..20,
            calls_per_retry in 1_u32..20,
        ) {
            let budget = RetryBudget::new().at_once(at_once).calls_per_retry(calls_per_retry);
            let mut clock = Clock(Instant::now());
            let (mut retries, mut answers) = (0, 0);
            for (attempts, schedule) in calls {
                let retry = RetryPolicy::default().max_attempts(attempts);
                let policy = Policy { retry, budget: budget.clone(), ..Policy::default() };
                let start = clock.0;
                let mut call = Call::new(&policy, Uri::default(), start);
                for Scripted { duration, code, asked, random } in schedule {
                    let request = call.attempt(&token(), clock.0).unwrap();
                    let deadline = Deadline::of(&request).unwrap().instant();
                    clock.0 = (clock.0 + duration).min(deadline);
                    let moment = clock.moment(random);
                    match call.judge(answer(code, asked), || moment) {
                        Verdict::Next(Next::Wait(delay)) => {
                            retries += 1;
                            clock.0 += delay;
                            prop_assert!(asked.is_none_or(|floor| delay >= floor));
                            let jitter = if asked.is_some() { BASE_DELAY } else { MAX_DELAY };
                            prop_assert!(delay <= asked.unwrap_or_default() + jitter);
                        }
                        Verdict::Refused(_) => {}
                        Verdict::Next(Next::Done(_)) => {
                            answers += u32::from(code == 200 || code == 401);
                            break;
                        }
                    }
                }
                prop_assert!(clock.0 <= start + policy.call_timeout);
                // One more than the policy says: the attempt with another token.
                prop_assert!(call.attempts <= attempts + 1);
                prop_assert!(retries <= at_once + answers / calls_per_retry);
            }
        }
    }

    /// How an attempt goes.
    #[derive(Clone, Copy, Debug)]
    struct Scripted {
        duration: Duration,
        code: u16,
        asked: Option<Duration>,
        random: f64,
    }

    fn attempt() -> impl Strategy<Value = Scripted> {
        let duration = (0_u64..40_000).prop_map(Duration::from_millis);
        let code = prop_oneof![Just(200), Just(401), Just(429), Just(500), Just(503)];
        let asked = proptest::option::of((0_u64..40).prop_map(Duration::from_secs));
        (duration, code, asked, 0.0..1.0).prop_map(|(duration, code, asked, random)| Scripted {
            duration,
            code,
            asked,
            random,
        })
    }

    fn answer(code: u16, asked: Option<Duration>) -> Result<Response<Bytes>, TransportError> {
        let asked = asked.map(|asked| (RETRY_AFTER, asked.as_secs().into()));
        let mut response = status(code)?;
        response.headers_mut().extend(asked);
        Ok(response)
    }
}
