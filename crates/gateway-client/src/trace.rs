//! Spans: one for a call and one for each of its attempts, in the terms of OpenTelemetry's conventions for HTTP clients.
//!
//! Without a subscriber, or with one that is not interested, a span costs one comparison. What is written here has no
//! header, no body and no value of a query in it.

use std::fmt;
use std::time::Duration;

use http::Uri;
use tracing::field::Empty;
use tracing::instrument::{Instrument as _, Instrumented};
use tracing::{Span, debug, debug_span};

use crate::{Attempt, Error};

/// The span of a call: from its beginning until its answer is read, or its stream is over.
#[derive(Clone, Debug)]
pub(crate) struct CallSpan(Span);

impl CallSpan {
    pub(crate) fn begin(operation: &str) -> Self {
        let operation = named(operation);
        Self(debug_span!(
            target: TARGET,
            "call",
            otel.name = operation,
            gateway.operation = operation,
            gateway.attempts = Empty,
            gateway.records = Empty,
            "error.type" = Empty,
            otel.status_code = Empty,
        ))
    }

    /// Does work within the span.
    pub(crate) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.in_scope(work)
    }

    /// Has a future polled within the span.
    pub(crate) fn around<F: Future>(&self, future: F) -> Instrumented<F> {
        future.instrument(self.0.clone())
    }

    /// Notes how often the request was sent.
    pub(crate) fn attempts(&self, attempts: u32) {
        self.0.record("gateway.attempts", attempts);
    }

    /// Notes why the call failed, if it did.
    pub(crate) fn outcome<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        result.inspect_err(|error| self.failed(error))
    }

    /// Notes why the call failed.
    pub(crate) fn failed(&self, error: &Error) {
        failed(&self.0, error.kind().as_str());
    }

    /// Ends the span of a stream of which so many records came.
    pub(crate) fn end_after(&mut self, records: u64) {
        self.0.record("gateway.records", records);
        self.0 = Span::none();
    }
}

/// The span of an attempt: until its whole answer is there or, for a stream, its head.
#[derive(Debug)]
pub(crate) struct AttemptSpan(Span);

impl AttemptSpan {
    /// Begins the attempt with this number, counted from 1.
    pub(crate) fn begin(operation: &str, uri: &Uri, server: (&str, u16), number: u32) -> Self {
        let (address, port) = server;
        Self(debug_span!(
            target: TARGET,
            "attempt",
            otel.name = "GET",
            otel.kind = "client",
            gateway.operation = named(operation),
            http.request.method = "GET",
            http.request.resend_count = (number > 1).then(|| number - 1),
            server.address = address,
            server.port = port,
            url.full = %Redacted(uri),
            http.response.status_code = Empty,
            "error.type" = Empty,
            otel.status_code = Empty,
        ))
    }

    /// Does work within the span.
    pub(crate) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.in_scope(work)
    }

    /// Has a future polled within the span.
    pub(crate) fn around<F: Future>(&self, future: F) -> Instrumented<F> {
        future.instrument(self.0.clone())
    }

    /// Ends the attempt.
    pub(crate) fn end(self, attempt: &Attempt<'_>) {
        if let Some(status) = attempt.status {
            self.0.record("http.response.status_code", status.as_u16());
        }
        if let Some(why) = attempt.error_type() {
            failed(&self.0, why);
        }
        let elapsed_ms = milliseconds(attempt.elapsed);
        debug!(target: TARGET, parent: &self.0, { gateway.elapsed_ms = elapsed_ms }, "the attempt is over");
    }
}

/// Says, in the span of the call, which is the one that waits, that it goes on.
pub(crate) fn another_follows(delay: Duration) {
    let delay_ms = milliseconds(delay);
    debug!(target: TARGET, { gateway.delay_ms = delay_ms }, "another attempt follows");
}

fn failed(span: &Span, why: &str) {
    span.record("error.type", why);
    span.record("otel.status_code", "error");
}

/// The operation, unless the caller wrote the query.
fn named(operation: &str) -> Option<&str> {
    (!operation.is_empty()).then_some(operation)
}

fn milliseconds(duration: Duration) -> u64 {
    duration.as_millis().try_into().unwrap_or(u64::MAX)
}

/// A URL whose query keeps its names, but no value except that of `method`: the others are personal.
struct Redacted<'a>(&'a Uri);

impl fmt::Display for Redacted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uri = self.0;
        let scheme = uri.scheme_str().unwrap_or_default();
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        write!(f, "{scheme}://{authority}{}", uri.path())?;
        for (index, pair) in uri.query().into_iter().flat_map(|query| query.split('&')).enumerate()
        {
            f.write_str(if index == 0 { "?" } else { "&" })?;
            match pair.split_once('=') {
                Some(("method", _)) if index == 0 => f.write_str(pair)?,
                Some((name, _)) => write!(f, "{name}=REDACTED")?,
                None => f.write_str("REDACTED")?,
            }
        }
        Ok(())
    }
}

/// What filters name; our modules are not.
const TARGET: &str = "gateway_client";

#[cfg(test)]
mod tests {
    use super::Redacted;

    #[track_caller]
    fn check(url: &str, expected: &str) {
        assert_eq!(Redacted(&url.parse().unwrap()).to_string(), expected);
    }

    #[test]
    fn a_query_keeps_its_names() {
        check("https://h/eu/c", "https://h/eu/c");
        check("https://h:8443/c?method=credits/get", "https://h:8443/c?method=credits/get");
        check(
            "https://h/c?method=candidates/list&vacancy_id=7&status=On%20hold&x=",
            "https://h/c?method=candidates/list&vacancy_id=REDACTED&status=REDACTED&x=REDACTED",
        );
        check("https://h/c?a=1&method=b&c", "https://h/c?a=REDACTED&method=REDACTED&REDACTED");
    }
}
