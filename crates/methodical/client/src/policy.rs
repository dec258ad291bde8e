//! The limits and the retries of a call, and their defaults.

use std::time::Duration;

use crate::retry::{RetryBudget, RetryPolicy};
use crate::{Error, ErrorKind};

/// The settings that every call of a client follows.
#[derive(Clone, Debug)]
pub(crate) struct Policy {
    pub(crate) call_timeout: Duration,
    pub(crate) attempt_timeout: Duration,
    pub(crate) stream_timeout: Duration,
    pub(crate) body_limit: u64,
    pub(crate) retry: RetryPolicy,
    pub(crate) budget: RetryBudget,
    pub(crate) requests_per_second: Option<u32>,
    pub(crate) calls_in_flight: Option<usize>,
    /// Whether a rejected record is an error.
    pub(crate) is_strict: bool,
}

impl Policy {
    /// Refuses limits with which every call would fail.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let limits = [
            ("call_timeout", self.call_timeout.is_zero()),
            ("attempt_timeout", self.attempt_timeout.is_zero()),
            ("stream_timeout", self.stream_timeout.is_zero()),
            ("body_limit", self.body_limit == 0),
            ("requests_per_second", self.requests_per_second == Some(0)),
            ("calls_in_flight", self.calls_in_flight == Some(0)),
        ];
        match limits.iter().find(|(_, is_zero)| *is_zero) {
            None => Ok(()),
            Some((name, _)) => {
                let text =
                    format!("`{name}` is zero, so every call would fail; set a higher limit");
                Err(Error::new(ErrorKind::Config, text))
            }
        }
    }
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
            requests_per_second: None,
            calls_in_flight: None,
            is_strict: false,
        }
    }
}

/// Default timeout of a call, retries and waiting included.
pub(crate) const CALL_TIMEOUT: Duration = Duration::from_secs(60);

/// Default timeout of one attempt.
pub(crate) const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(30);

/// Default timeout of a stream, from the first attempt to the last byte.
pub(crate) const STREAM_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// Default maximum size of the body of a successful response, in bytes.
pub(crate) const BODY_LIMIT: u64 = 64 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use methodical_model::StreamDecoder;

    use super::{ATTEMPT_TIMEOUT, BODY_LIMIT, CALL_TIMEOUT, Policy, STREAM_TIMEOUT};
    use crate::error::ERROR_BODY_LIMIT;
    use crate::pager::MAX_PAGES;
    use crate::retry::{
        BASE_DELAY, BURST, CALLS_PER_RETRY, MAX_ATTEMPTS, MAX_DELAY, MAX_RETRY_AFTER,
    };
    use crate::tests::Photo;
    use crate::time::MIN_TIME_LEFT;
    use crate::token::text::MAX_LENGTH as TOKEN_LIMIT;

    #[test]
    fn a_limit_of_zero_is_refused() {
        type Set = fn(&mut Policy);
        let zeros: [(&str, Set); 6] = [
            ("call_timeout", |policy| policy.call_timeout = Duration::ZERO),
            ("attempt_timeout", |policy| policy.attempt_timeout = Duration::ZERO),
            ("stream_timeout", |policy| policy.stream_timeout = Duration::ZERO),
            ("body_limit", |policy| policy.body_limit = 0),
            ("requests_per_second", |policy| policy.requests_per_second = Some(0)),
            ("calls_in_flight", |policy| policy.calls_in_flight = Some(0)),
        ];
        for (name, set) in zeros {
            let mut policy = Policy::default();
            assert!(policy.check().is_ok());
            set(&mut policy);
            let text = format!("`{name}` is zero, so every call would fail; set a higher limit");
            assert_eq!(policy.check().unwrap_err().to_string(), text);
        }
    }

    #[test]
    fn the_table_in_the_docs_has_every_default() {
        let rows = [
            (
                "timeout of a call, retries and waiting included",
                seconds(CALL_TIMEOUT),
                "ClientBuilder::call_timeout",
            ),
            ("timeout of one attempt", seconds(ATTEMPT_TIMEOUT), "ClientBuilder::attempt_timeout"),
            (
                "timeout of a stream; the two timeouts above apply until its head has arrived",
                seconds(STREAM_TIMEOUT),
                "ClientBuilder::stream_timeout",
            ),
            (
                "attempts, the first one included",
                MAX_ATTEMPTS.to_string(),
                "RetryPolicy::max_attempts",
            ),
            (
                "minimum time left for another attempt",
                format!("{} ms", MIN_TIME_LEFT.as_millis()),
                "",
            ),
            (
                "maximum wait before the second attempt, doubled before each further one",
                format!("{} ms", BASE_DELAY.as_millis()),
                "RetryPolicy::base_delay",
            ),
            ("maximum of the doubled wait", seconds(MAX_DELAY), "RetryPolicy::max_delay"),
            (
                "longest `Retry-After` that the client waits for",
                seconds(MAX_RETRY_AFTER),
                "RetryPolicy::max_retry_after",
            ),
            (
                "retries in one burst, of a client and its clones",
                BURST.to_string(),
                "RetryBudget::burst",
            ),
            (
                "answered calls that earn another retry",
                CALLS_PER_RETRY.to_string(),
                "RetryBudget::calls_per_retry",
            ),
            (
                "requests per second, of a client and its clones",
                "none".to_owned(),
                "ClientBuilder::requests_per_second",
            ),
            (
                "calls in flight, of a client and its clones",
                "none".to_owned(),
                "ClientBuilder::calls_in_flight",
            ),
            ("body of a successful response", mebibytes(BODY_LIMIT), "ClientBuilder::body_limit"),
            (
                "record of a stream",
                mebibytes(StreamDecoder::<Photo>::RECORD_LIMIT as u64),
                "Records::record_limit",
            ),
            ("body kept with an error", format!("{} KiB", ERROR_BODY_LIMIT / 1024), ""),
            ("pages of one list", MAX_PAGES.to_string(), "Pages::max_pages"),
            ("token from a file or a command", format!("{} KiB", TOKEN_LIMIT / 1024), ""),
        ];
        let expected = rows.map(|(what, default, setter)| match setter {
            "" => format!("//! | {what} | {default} | |"),
            _ => format!("//! | {what} | {default} | [`{setter}`] |"),
        });
        let docs = include_str!("lib.rs").lines();
        let table = docs.skip_while(|line| *line != "//! | limit | default | set with |").skip(2);
        let documented: Vec<&str> = table.take_while(|line| line.starts_with("//! |")).collect();
        assert_eq!(documented, expected);
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
}
