//! The limits and retries of calls, and their defaults.

use std::time::Duration;

use crate::retry::{RetryBudget, RetryPolicy};
use crate::{Error, ErrorKind};

/// The settings that apply to every call of a client.
#[derive(Debug)]
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
    /// Rejects limits that would make every call fail.
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

/// Default timeout for a call, including retries and waits.
pub(crate) const CALL_TIMEOUT: Duration = Duration::from_secs(60);

/// Default timeout for one attempt.
pub(crate) const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(30);

/// Default timeout for a stream, from the first attempt to the last byte.
pub(crate) const STREAM_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// Default maximum size of a successful response's body, in bytes.
pub(crate) const BODY_LIMIT: u64 = 64 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Policy;

    #[test]
    fn a_limit_of_zero_is_refused() {
        let all = Policy::default;
        assert!(all().check().is_ok());
        for (name, policy) in [
            ("call_timeout", Policy { call_timeout: Duration::ZERO, ..all() }),
            ("attempt_timeout", Policy { attempt_timeout: Duration::ZERO, ..all() }),
            ("stream_timeout", Policy { stream_timeout: Duration::ZERO, ..all() }),
            ("body_limit", Policy { body_limit: 0, ..all() }),
            ("requests_per_second", Policy { requests_per_second: Some(0), ..all() }),
            ("calls_in_flight", Policy { calls_in_flight: Some(0), ..all() }),
        ] {
            let text = format!("`{name}` is zero, so every call would fail; set a higher limit");
            assert_eq!(policy.check().unwrap_err().to_string(), text);
        }
    }
}
