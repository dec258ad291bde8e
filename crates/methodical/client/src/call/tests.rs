//! Which outcomes are retried, and each time limit just below, at and just above its default.

use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use gateway_transport::{Deadline, Phase, TransportError, TransportErrorKind};
use http::Response;
use http::header::RETRY_AFTER;
use methodical_model::{Auth, BodyFormat, Operation as _, RawQuery, Service as _};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{Call, Moment, Next};
use crate::base_url::BaseUrl;
use crate::policy::{ATTEMPT_TIMEOUT, CALL_TIMEOUT, Policy, STREAM_TIMEOUT};
use crate::request::{Draft, Headers};
use crate::retry::{BASE_DELAY, CALLS_PER_RETRY, MAX_DELAY, RetryBudget};
use crate::tests::{Photos, any_json};
use crate::time::MIN_TIME_LEFT;
use crate::token::Tokens;
use crate::{AccessToken, CallOptions, RetryPolicy};

/// A clock that a test moves.
struct Clock(Instant);

impl Clock {
    fn moment(&self, random: f64) -> Moment {
        Moment { now: self.0, date: SystemTime::UNIX_EPOCH, random }
    }
}

fn status(code: u16) -> Response<Bytes> {
    Response::builder().status(code).body(Bytes::new()).unwrap()
}

fn draft(options: Option<&CallOptions>) -> Draft<'_> {
    draft_of(&any_json(), options)
}

fn draft_of<'a>(query: &RawQuery<Photos>, options: Option<&'a CallOptions>) -> Draft<'a> {
    static HEADERS: Headers = Headers::new("application/json", "tests/1");
    static BASE_URL: LazyLock<BaseUrl> =
        LazyLock::new(|| BaseUrl::parse("https://h", Photos::PATH, false).unwrap());
    Draft::new(&HEADERS, &BASE_URL, Auth::Bearer, options, query.query().unwrap()).unwrap()
}

fn token() -> Tokens {
    vec![AccessToken::new("gwt_x").unwrap()]
}

/// The outcome of an attempt: a status, or a failure of the transport.
type Outcome = Result<u16, TransportErrorKind>;

const CUT: Outcome = Err(TransportErrorKind::Interrupted);
const UNSENT: Outcome = Err(TransportErrorKind::Connect);

/// Checks how a call with these outcomes ends, and after how many attempts.
#[track_caller]
fn check(query: &RawQuery<Photos>, outcomes: &[Outcome], end: &str, attempts: u32) {
    let mut clock = Clock(Instant::now());
    let policy = Policy::default();
    let mut call = Call::new(&policy, draft_of(query, None), clock.0);
    for outcome in outcomes {
        let _request = call.attempt(&token(), clock.0).unwrap();
        let outcome = outcome.map(status);
        let outcome = outcome.map_err(|kind| TransportError::new(kind, "scripted").into());
        match call.judge(outcome, || clock.moment(0.5)) {
            Next::Refused(_) => {}
            Next::Wait(delay) => clock.0 += delay,
            Next::Done(ended) => {
                let ended = ended.map_or_else(
                    |error| (format!("{:?}", error.kind()), error.attempts()),
                    |response| (response.status().as_str().to_owned(), call.attempts),
                );
                return assert_eq!(ended, (end.to_owned(), attempts), "{outcomes:?}");
            }
        }
    }
    panic!("the call is not over");
}

#[test]
fn a_call_that_is_not_idempotent_is_repeated_only_if_it_was_not_sent() {
    let post = RawQuery::new("photos/add").post(BodyFormat::Form);
    for code in [408, 429, 500, 503] {
        check(&post, &[Ok(code), Ok(200)], &code.to_string(), 1);
    }
    check(&post, &[CUT, Ok(200)], "Interrupted", 1);
    // The service refused the call before it had an effect.
    check(&post, &[Ok(401), Ok(200)], "200", 2);
    check(&post, &[UNSENT, UNSENT, Ok(200)], "200", 3);
    check(&post, &[UNSENT, CUT, Ok(200)], "Interrupted", 2);
    check(&post.idempotent(), &[CUT, Ok(200)], "200", 2);
}

#[test]
fn a_refused_token_is_replaced_once_and_is_not_a_retry() {
    let query = any_json();
    check(&query, &[Ok(401), Ok(200)], "200", 2);
    check(&query, &[Ok(401), Ok(401)], "401", 2);
    check(&query, &[Ok(503), Ok(401), Ok(503), Ok(200)], "200", 4);
    check(&query, &[Ok(403)], "403", 1);
}

#[test]
fn a_failure_that_would_occur_again_is_not_retried() {
    use TransportErrorKind::{InvalidRequest, Other, Protocol, Tls};

    for (kind, end) in
        [(InvalidRequest, "Config"), (Other, "Transport"), (Protocol, "Protocol"), (Tls, "Tls")]
    {
        check(&any_json(), &[Err(kind), Ok(200)], end, 1);
    }
}

proptest! {
    /// Consecutive calls of one client, with attempts of random duration and outcome.
    #[test]
    fn schedules_stay_within_every_limit(
        calls in vec((1_u32..20, vec(attempt(), 20)), 1..20),
        burst in 0_u32..20,
    ) {
        let budget = RetryBudget::of_burst(burst);
        let mut policy = Policy { budget, ..Policy::default() };
        let mut clock = Clock(Instant::now());
        let (mut retries, mut answered) = (0, 0);
        for (attempts, schedule) in calls {
            policy.retry = RetryPolicy::default().max_attempts(attempts);
            let start = clock.0;
            let mut call = Call::new(&policy, draft(None), start);
            for (duration, code, asked, random) in schedule {
                let request = call.attempt(&token(), clock.0).unwrap();
                let deadline = Deadline::of(&request).unwrap().instant();
                clock.0 = (clock.0 + duration).min(deadline);
                let moment = clock.moment(random);
                match call.judge(Ok(response(code, asked)), || moment) {
                    Next::Wait(delay) => {
                        retries += 1;
                        clock.0 += delay;
                        prop_assert!(asked.is_none_or(|floor| delay >= floor));
                        let jitter = if asked.is_some() { BASE_DELAY } else { MAX_DELAY };
                        prop_assert!(delay <= asked.unwrap_or_default() + jitter);
                    }
                    Next::Refused(_) => {}
                    Next::Done(_) => {
                        answered += u32::from(code == 200 || code == 401);
                        break;
                    }
                }
            }
            prop_assert!(clock.0 <= start + policy.call_timeout);
            // One more attempt than the policy allows: the one with another token.
            prop_assert!(call.attempts <= attempts + 1);
            prop_assert!(retries <= burst + answered / CALLS_PER_RETRY);
        }
    }
}

/// An attempt: its duration, its status, the requested wait, and the random number for its delay.
fn attempt() -> impl Strategy<Value = (Duration, u16, Option<Duration>, f64)> {
    let duration = (0_u64..40_000).prop_map(Duration::from_millis);
    let code = prop_oneof![Just(200), Just(401), Just(429), Just(500), Just(503)];
    let asked = proptest::option::of((0_u64..40).prop_map(Duration::from_secs));
    (duration, code, asked, 0.0..1.0)
}

fn response(code: u16, asked: Option<Duration>) -> Response<Bytes> {
    let mut response = status(code);
    response.headers_mut().extend(asked.map(|asked| (RETRY_AFTER, asked.as_secs().into())));
    response
}

#[test]
fn a_call_is_not_retried_after_its_timeout() {
    for past in AROUND {
        let start = Instant::now();
        let policy = without_delay();
        // The time left is just enough for another attempt, or just too short.
        let last = around(start + CALL_TIMEOUT.saturating_sub(MIN_TIME_LEFT), past);
        for mut call in
            [Call::new(&policy, draft(None), start), Call::streaming(&policy, draft(None), start)]
        {
            assert_eq!(is_retried(&mut call, last), past < 0, "{past}");
        }
    }
}

#[test]
fn an_attempt_ends_with_its_timeout_or_with_its_call() {
    let policy = Policy::default();
    for past in AROUND {
        let start = Instant::now();
        let end = start + CALL_TIMEOUT;
        let mut call = Call::new(&policy, draft(None), start);
        let begun = around(end.checked_sub(ATTEMPT_TIMEOUT).unwrap(), past);
        let limit = end.min(begun + ATTEMPT_TIMEOUT);
        assert_eq!(limit < end, past < 0, "{past}");
        assert_eq!(deadline(&mut call, begun), Deadline::at(limit), "{past}");

        // The attempt timeout applies to the head of a stream, the stream timeout to the rest.
        let mut stream = Call::streaming(&policy, draft(None), start);
        let expected = Deadline::at(start + STREAM_TIMEOUT).head_by(limit);
        assert_eq!(deadline(&mut stream, begun), expected, "{past}");
    }
}

#[test]
fn a_stream_ends_with_its_timeout() {
    let start = Instant::now();
    for past in AROUND {
        let stream_timeout = around(start + CALL_TIMEOUT, past) - start;
        let policy = Policy { stream_timeout, ..Policy::default() };
        let mut stream = Call::streaming(&policy, draft(None), start);
        let end = Deadline::at(start + stream_timeout).head_by(start + CALL_TIMEOUT);
        assert_eq!(deadline(&mut stream, start + CALL_TIMEOUT), end);
    }
    // Also if it is shorter than the timeout of a call.
    let policy = Policy { stream_timeout: CALL_TIMEOUT / 2, ..without_delay() };
    let mut stream = Call::streaming(&policy, draft(None), start);
    assert!(!is_retried(&mut stream, start + CALL_TIMEOUT / 2));
}

/// Returns the error text of a call whose only attempt times out after `elapsed`.
fn timed_out(policy: &Policy, options: Option<&CallOptions>, elapsed: Duration) -> String {
    let start = Instant::now();
    let mut call = Call::new(policy, draft(options), start);
    call.attempt(&token(), start).unwrap();
    let outcome: Result<Response<()>, _> = Err(TransportError::timeout(Phase::Head).into());
    match call.judge(outcome, || Clock(start + elapsed).moment(0.5)) {
        Next::Done(Err(error)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_timeout_names_the_limit_that_was_reached_its_value_and_its_setting() {
    let second = Duration::from_secs(1);
    let retry = RetryPolicy::never();
    let policy = Policy { call_timeout: 2 * second, retry, ..Policy::default() };
    let text = "no complete response within the call timeout of 2s; set a longer one with `ClientBuilder::call_timeout`";
    assert_eq!(timed_out(&policy, None, 2 * second), text);
    // A transport may give up slightly earlier.
    assert_eq!(
        timed_out(&policy, None, (2 * second).saturating_sub(MIN_TIME_LEFT) + NANOSECOND),
        text
    );

    let policy = Policy { attempt_timeout: second, ..policy };
    assert_eq!(
        timed_out(&policy, None, second),
        "no complete response within the attempt timeout of 1s; set a longer one with `ClientBuilder::attempt_timeout`"
    );
    assert_eq!(
        timed_out(&policy, None, second / 2),
        "no complete response within a timeout of the transport; set a longer one in its `Options`"
    );

    let options = CallOptions::new().timeout(3 * second);
    assert_eq!(
        timed_out(&policy, Some(&options), 3 * second),
        "no complete response within the timeout of 3s; set a longer one with `CallOptions::timeout`"
    );
}

#[test]
fn the_timeout_of_a_call_replaces_those_of_the_client() {
    let policy = Policy::default();
    let start = Instant::now();
    for timeout in [NANOSECOND, CALL_TIMEOUT, STREAM_TIMEOUT + Duration::from_secs(1)] {
        let options = CallOptions::new().timeout(timeout);
        let end = Deadline::at(start + timeout);
        let draft = || draft(Some(&options));
        assert_eq!(deadline(&mut Call::new(&policy, draft(), start), start), end);
        assert_eq!(deadline(&mut Call::streaming(&policy, draft(), start), start), end);
    }
}

/// A policy without delays, so that only the tested limit can end a call.
fn without_delay() -> Policy {
    Policy { retry: RetryPolicy::default().base_delay(Duration::ZERO), ..Policy::default() }
}

/// Returns whether a call is retried after it failed at `now`.
fn is_retried(call: &mut Call<'_>, now: Instant) -> bool {
    matches!(call.judge(Ok(status(503)), || Clock(now).moment(1.0)), Next::Wait(Duration::ZERO))
}

/// Returns the deadline of an attempt that starts at `now`.
fn deadline(call: &mut Call<'_>, now: Instant) -> Deadline {
    let request = call.attempt(&token(), now).unwrap();
    Deadline::of(&request).unwrap()
}

/// Returns `instant` if `past` is 0, or the instant a nanosecond before (-1) or after it (1).
fn around(instant: Instant, past: i32) -> Instant {
    match past {
        -1 => instant.checked_sub(NANOSECOND).unwrap(),
        0 => instant,
        _ => instant + NANOSECOND,
    }
}

const AROUND: [i32; 3] = [-1, 0, 1];
const NANOSECOND: Duration = Duration::from_nanos(1);
