//! The limits in time and number, just below, at and just above their defaults, and the table of them in the docs.
//!
//! Those in size are tested from outside, with bodies of those sizes.

use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use gateway_model::{StreamDecoder, Vacancy};
use gateway_transport::{Deadline, TransportError};
use http::{Response, Uri};

use crate::answer::ERROR_BODY_LIMIT;
use crate::call::{
    ATTEMPT_TIMEOUT, BODY_LIMIT, CALL_TIMEOUT, Call, LEAST_TIME, Moment, Next, Policy,
    STREAM_TIMEOUT, Verdict,
};
use crate::retry::{
    AT_ONCE, BASE_DELAY, CALLS_PER_RETRY, MAX_ATTEMPTS, MAX_DELAY, MAX_RETRY_AFTER,
};
use crate::token::TOKEN_LIMIT;
use crate::{AccessToken, RetryPolicy};

#[test]
fn the_table_in_the_docs_has_every_default() {
    let rows = [
        (
            "the whole call, with retries and waiting",
            seconds(CALL_TIMEOUT),
            "Builder::call_timeout",
        ),
        ("one attempt", seconds(ATTEMPT_TIMEOUT), "Builder::attempt_timeout"),
        (
            "a stream, from the first attempt to its end; until its head, the limits above hold",
            seconds(STREAM_TIMEOUT),
            "Builder::stream_timeout",
        ),
        ("attempts, the first one included", MAX_ATTEMPTS.to_string(), "RetryPolicy::max_attempts"),
        (
            "what must be left of the call for another attempt",
            format!("{} ms", LEAST_TIME.as_millis()),
            "",
        ),
        (
            "longest wait before the second attempt, doubled before each further one",
            format!("{} ms", BASE_DELAY.as_millis()),
            "RetryPolicy::base_delay",
        ),
        ("where the doubling ends", seconds(MAX_DELAY), "RetryPolicy::max_delay"),
        (
            "longest `Retry-After` that is waited for",
            seconds(MAX_RETRY_AFTER),
            "RetryPolicy::max_retry_after",
        ),
        (
            "retries at once, of a client and its clones",
            AT_ONCE.to_string(),
            "RetryBudget::at_once",
        ),
        (
            "answered calls that earn another retry",
            CALLS_PER_RETRY.to_string(),
            "RetryBudget::calls_per_retry",
        ),
        ("body of a successful answer", mebibytes(BODY_LIMIT), "Builder::body_limit"),
        (
            "record of a stream",
            mebibytes(StreamDecoder::<Vacancy>::RECORD_LIMIT as u64),
            "Records::record_limit",
        ),
        ("body kept with an error", format!("{} KiB", ERROR_BODY_LIMIT / 1024), ""),
        ("token of a file or a program", format!("{} KiB", TOKEN_LIMIT / 1024), ""),
    ];
    let expected = rows.map(|(what, default, setter)| match setter {
        "" => format!("//! | {what} | {default} | |"),
        _ => format!("//! | {what} | {default} | [`{setter}`] |"),
    });
    let docs = include_str!("lib.rs").lines();
    let table = docs.skip_while(|line| *line != "//! | what | default | set with |").skip(2);
    let documented: Vec<&str> = table.take_while(|line| line.starts_with("//! |")).collect();
    assert_eq!(documented, expected);
}

#[test]
fn a_call_ends_with_its_limit() {
    for past in AROUND {
        let start = Instant::now();
        let policy = at_once();
        // Just enough is left for another attempt, or not.
        let last = around(start + CALL_TIMEOUT.saturating_sub(LEAST_TIME), past);
        for mut call in [
            Call::new(&policy, Uri::default(), start),
            Call::streaming(&policy, Uri::default(), start),
        ] {
            assert_eq!(is_sent_again(&mut call, last), past < 0, "{past}");
        }
    }
}

#[test]
fn an_attempt_ends_with_its_limit_or_with_the_call() {
    let policy = Policy::default();
    for past in AROUND {
        let start = Instant::now();
        let end = start + CALL_TIMEOUT;
        let mut call = Call::new(&policy, Uri::default(), start);
        let begun = around(end.checked_sub(ATTEMPT_TIMEOUT).unwrap(), past);
        let limit = end.min(begun + ATTEMPT_TIMEOUT);
        assert_eq!(limit < end, past < 0, "{past}");
        assert_eq!(deadline(&mut call, begun), Deadline::at(limit), "{past}");

        // A list is read for as long as it takes, once its head is there.
        let mut stream = Call::streaming(&policy, Uri::default(), start);
        let expected = Deadline::at(start + STREAM_TIMEOUT).head_by(limit);
        assert_eq!(deadline(&mut stream, begun), expected, "{past}");
    }
}

#[test]
fn a_token_is_waited_for_as_long_as_the_call_may_take() {
    let policy = Policy::default();
    let start = Instant::now();
    let calls = [
        Call::new(&policy, Uri::default(), start),
        Call::streaming(&policy, Uri::default(), start),
    ];
    assert_eq!(calls.map(|call| call.token_deadline()), [start + CALL_TIMEOUT; 2]);
}

#[test]
fn a_stream_ends_with_its_limit() {
    let start = Instant::now();
    for stream_timeout in
        [CALL_TIMEOUT.saturating_sub(NANOSECOND), CALL_TIMEOUT, CALL_TIMEOUT + NANOSECOND]
    {
        let policy = Policy { stream_timeout, ..Policy::default() };
        let mut stream = Call::streaming(&policy, Uri::default(), start);
        let end = Deadline::at(start + stream_timeout).head_by(start + CALL_TIMEOUT);
        assert_eq!(deadline(&mut stream, start + CALL_TIMEOUT), end);
    }
}

#[test]
fn a_request_is_sent_no_more_often_than_its_limit() {
    let start = Instant::now();
    let policy = at_once();
    for failures in [MAX_ATTEMPTS - 1, MAX_ATTEMPTS, MAX_ATTEMPTS + 1] {
        let mut call = Call::new(&policy, Uri::default(), start);
        let retries: u32 = (0..failures).map(|_| u32::from(is_sent_again(&mut call, start))).sum();
        assert_eq!(retries, failures.min(MAX_ATTEMPTS - 1), "{failures} failures");
    }
}

#[test]
fn the_doubling_ends_at_its_limit() {
    let second = Duration::from_secs(1);
    for base in [MAX_DELAY.saturating_sub(NANOSECOND), MAX_DELAY, MAX_DELAY + NANOSECOND] {
        let policy = RetryPolicy::default().base_delay(base);
        let delay = policy.delay(None, 1, MAX_DELAY + second, 1.0);
        assert_eq!(delay, Some(base.min(MAX_DELAY)));
    }
}

/// Retries without a pause, so that only the limit in question ends a call.
fn at_once() -> Policy {
    Policy { retry: RetryPolicy::default().base_delay(Duration::ZERO), ..Policy::default() }
}

/// Whether a call goes on after it has failed at `now`.
fn is_sent_again(call: &mut Call<'_>, now: Instant) -> bool {
    let busy: Result<_, TransportError> =
        Ok(Response::builder().status(503).body(Bytes::new()).unwrap());
    let moment = || Moment { now, date: SystemTime::UNIX_EPOCH, random: 1.0 };
    matches!(call.judge(busy, moment), Verdict::Next(Next::Wait(Duration::ZERO)))
}

/// When an attempt is over that begins at `now`.
fn deadline(call: &mut Call<'_>, now: Instant) -> Deadline {
    let request = call.attempt(&AccessToken::new("gwt_6yqW").unwrap(), now).unwrap();
    Deadline::of(&request).unwrap()
}

/// A nanosecond before, at or after `instant`.
fn around(instant: Instant, past: i32) -> Instant {
    match past {
        -1 => instant.checked_sub(NANOSECOND).unwrap(),
        0 => instant,
        _ => instant + NANOSECOND,
    }
}

fn seconds(limit: Duration) -> String {
    match limit.as_secs() {
        3600 => "1 h".to_owned(),
        seconds => format!("{seconds} s"),
    }
}

fn mebibytes(limit: u64) -> String {
    assert_eq!(limit % (1024 * 1024), 0);
    format!("{} MiB", limit / (1024 * 1024))
}

const AROUND: [i32; 3] = [-1, 0, 1];
const NANOSECOND: Duration = Duration::from_nanos(1);
