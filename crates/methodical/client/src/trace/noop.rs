//! Empty placeholders for the spans, in builds without the feature `tracing`.

#![expect(clippy::unused_self, reason = "the real spans have the same methods")]

use std::time::Duration;

use http::{Method, Uri};
use methodical_model::Rejected;

use crate::{Attempt, Error};

/// Placeholder for the span of a call.
#[derive(Clone, Debug)]
pub(crate) struct CallSpan;

impl CallSpan {
    pub(crate) fn begin(_operation: &str) -> Self {
        Self
    }

    pub(crate) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        work()
    }

    pub(crate) fn around<F: Future>(&self, future: F) -> F {
        future
    }

    pub(crate) fn attempts(&self, _attempts: u32) {}

    pub(crate) fn outcome<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        result
    }

    pub(crate) fn failed(&self, _error: &Error) {}

    pub(crate) fn rejected(&self, _rejected: &RejectedPaths) {}

    pub(crate) fn end_after(&mut self, _records: u64) {}
}

/// Placeholder for the paths of rejected records.
#[derive(Debug, Default)]
pub(crate) struct RejectedPaths(());

impl RejectedPaths {
    pub(crate) fn add(&mut self, _rejected: &Rejected) {}
}

/// Placeholder for the span of an attempt.
#[derive(Debug)]
pub(crate) struct AttemptSpan;

impl AttemptSpan {
    pub(crate) fn begin(
        _operation: &str,
        _asked: (&Method, &Uri),
        _selectors: &[&str],
        _server: (&str, u16),
        _number: u32,
    ) -> Self {
        Self
    }

    pub(crate) fn around<F: Future>(&self, future: F) -> F {
        future
    }

    pub(crate) fn end(self, _attempt: &Attempt<'_>) {}
}

pub(crate) fn retrying(_delay: Duration) {}
