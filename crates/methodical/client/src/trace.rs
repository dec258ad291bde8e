//! Spans for a call and for each of its attempts, with the field names of OpenTelemetry's conventions for HTTP clients.
//!
//! If no subscriber is interested, a span costs one comparison. Spans and events never contain a header, a body or a
//! query value other than a selector's.

use std::fmt;
use std::time::Duration;

use gateway_transport::TransportErrorKind;
use http::{Method, StatusCode, Uri};
use methodical_model::Rejected;
use tracing::field::Empty;
use tracing::instrument::{Instrument as _, Instrumented};
use tracing::{Span, debug, debug_span, warn};

use crate::{Attempt, Error};

/// The span of a call, until its response is decoded or its stream ends.
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
            gateway.rejected = Empty,
            "error.type" = Empty,
            otel.status_code = Empty,
        ))
    }

    pub(crate) fn around<F: Future>(&self, future: F) -> Instrumented<F> {
        future.instrument(self.0.clone())
    }

    pub(crate) fn attempts(&self, attempts: u32) {
        self.0.record("gateway.attempts", attempts);
    }

    /// Records the failure of the call, if it failed.
    pub(crate) fn outcome<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        result.inspect_err(|error| self.failed(error))
    }

    pub(crate) fn failed(&self, error: &Error) {
        failed(&self.0, error.kind().as_str());
    }

    /// If records were rejected, records their number and emits an event with the first paths.
    pub(crate) fn rejected(&self, rejected: &RejectedPaths) {
        let RejectedPaths { count, paths } = rejected;
        if *count > 0 {
            self.0.record("gateway.rejected", count);
            warn!(
                target: TARGET,
                parent: &self.0,
                { gateway.rejected = count, gateway.paths = paths },
                "records were rejected"
            );
        }
    }

    /// Ends the span of a stream that decoded this many records.
    pub(crate) fn end_after(&mut self, records: u64) {
        self.0.record("gateway.records", records);
        self.0 = Span::none();
    }
}

/// The number of a list's rejected records, and the paths at which the first of them failed.
#[derive(Debug, Default)]
pub(crate) struct RejectedPaths {
    count: u64,
    paths: String,
}

impl RejectedPaths {
    pub(crate) fn add(&mut self, rejected: &Rejected) {
        self.count += 1;
        if self.count <= SHOWN_PATHS {
            let separator = if self.count > 1 { ", " } else { "" };
            self.paths.push_str(separator);
            self.paths.push_str(rejected.error().path());
        }
    }
}

/// The span of an attempt, until the whole response is received or, for a stream, its head.
#[derive(Debug)]
pub(crate) struct AttemptSpan(Span);

impl AttemptSpan {
    /// Starts the span of the attempt with this number, counted from 1.
    ///
    /// `selectors` are the names of the query parameters whose values are shown.
    pub(crate) fn begin(
        operation: &str,
        (method, uri): (&Method, &Uri),
        selectors: &[&str],
        server: (&str, u16),
        number: u32,
    ) -> Self {
        let (address, port) = server;
        Self(debug_span!(
            target: TARGET,
            "attempt",
            otel.name = method.as_str(),
            otel.kind = "client",
            gateway.operation = named(operation),
            http.request.method = method.as_str(),
            http.request.resend_count = (number > 1).then(|| number - 1),
            server.address = address,
            server.port = port,
            url.full = %Redacted { uri, selectors },
            http.response.status_code = Empty,
            "error.type" = Empty,
            otel.status_code = Empty,
        ))
    }

    pub(crate) fn around<F: Future>(&self, future: F) -> Instrumented<F> {
        future.instrument(self.0.clone())
    }

    /// Records the outcome of the attempt and ends the span.
    pub(crate) fn end(self, attempt: &Attempt<'_>) {
        if let Some(status) = attempt.status {
            self.0.record("http.response.status_code", status.as_u16());
        }
        let refusal = attempt.status.as_ref().filter(|status| status.as_u16() >= 400);
        let why = refusal.map(StatusCode::as_str);
        if let Some(why) = why.or_else(|| attempt.failure.map(TransportErrorKind::as_str)) {
            failed(&self.0, why);
        }
        let elapsed_ms = milliseconds(attempt.elapsed);
        debug!(target: TARGET, parent: &self.0, { gateway.elapsed_ms = elapsed_ms }, "attempt finished");
    }
}

/// Emits the event for a retry in the current span, which is the call's.
pub(crate) fn retrying(delay: Duration) {
    let delay_ms = milliseconds(delay);
    debug!(target: TARGET, { gateway.delay_ms = delay_ms }, "retrying");
}

fn failed(span: &Span, why: &str) {
    span.record("error.type", why);
    span.record("otel.status_code", "error");
}

/// Returns the operation, or `None` for a raw query.
fn named(operation: &str) -> Option<&str> {
    (!operation.is_empty()).then_some(operation)
}

fn milliseconds(duration: Duration) -> u64 {
    duration.as_millis().try_into().unwrap_or(u64::MAX)
}

/// A URL with every query value redacted, except the values of the selectors: any other value may be personal data.
struct Redacted<'a> {
    uri: &'a Uri,
    selectors: &'a [&'a str],
}

impl fmt::Display for Redacted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { uri, selectors } = self;
        let scheme = uri.scheme_str().unwrap_or_default();
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        write!(f, "{scheme}://{authority}{}", uri.path())?;
        for (index, pair) in uri.query().into_iter().flat_map(|query| query.split('&')).enumerate()
        {
            f.write_str(if index == 0 { "?" } else { "&" })?;
            match pair.split_once('=') {
                Some((name, _)) if selectors.get(index).is_some_and(|one| *one == name) => {
                    f.write_str(pair)?;
                }
                Some((name, _)) => write!(f, "{name}=REDACTED")?,
                None => f.write_str("REDACTED")?,
            }
        }
        Ok(())
    }
}

/// Maximum number of rejected records whose paths an event contains.
const SHOWN_PATHS: u64 = 10;

/// The target of all spans and events: module names are not part of the interface.
const TARGET: &str = "gateway_client";

#[cfg(test)]
mod tests {
    use super::Redacted;

    #[track_caller]
    fn check(url: &str, expected: &str) {
        let redacted = Redacted { uri: &url.parse().unwrap(), selectors: &["method", "action"] };
        assert_eq!(redacted.to_string(), expected);
    }

    #[test]
    fn query_values_are_redacted_but_names_are_kept() {
        check("https://h/eu/c", "https://h/eu/c");
        check("https://h:8443/c?method=users/get", "https://h:8443/c?method=users/get");
        check(
            "https://h/c?method=photos/list&album_id=7&title=On%20hold&x=",
            "https://h/c?method=photos/list&album_id=REDACTED&title=REDACTED&x=REDACTED",
        );
        check("https://h/c?method=a&action=b&c=1", "https://h/c?method=a&action=b&c=REDACTED");
        check("https://h/c?a=1&method=b&c", "https://h/c?a=REDACTED&method=REDACTED&REDACTED");
    }
}
