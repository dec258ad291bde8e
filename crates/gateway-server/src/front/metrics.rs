//! Counters, rendered as text for Prometheus. Label values are a small fixed set; none is taken from a request.

use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::front::ended::{End, EndedResponse};
use crate::generated::operation::Operation;
use crate::listen::connections::Connections;

/// The counters of the server.
#[derive(Debug)]
pub(crate) struct Metrics {
    /// One entry for each operation, and one for requests that named none.
    operations: Vec<OperationCounters>,
    ends: Counters<End>,
    bytes: AtomicU64,
    in_flight: AtomicU64,
    log_lines_dropped: Arc<AtomicU64>,
    connections: Arc<Connections>,
}

impl Metrics {
    /// Creates counters at zero. The listener counts the connections, and the log the lines that it dropped.
    pub(crate) fn new(connections: Arc<Connections>, log_lines_dropped: Arc<AtomicU64>) -> Self {
        let operations = Operation::ALL.into_iter().map(Some).chain([None]);
        Self {
            operations: operations.map(OperationCounters::new).collect(),
            ends: Counters::new(End::ALL),
            bytes: AtomicU64::new(0),
            in_flight: AtomicU64::new(0),
            log_lines_dropped,
            connections,
        }
    }

    /// Counts a request that has arrived.
    pub(crate) fn began(&self) {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a response that has ended.
    pub(crate) fn ended(&self, response: &EndedResponse) {
        let mut operations = self.operations.iter();
        if let Some(counters) = operations.find(|one| one.operation == response.operation) {
            counters.ended(response);
        }
        self.ends.increment(|end| *end == response.end);
        self.bytes.fetch_add(response.bytes, Ordering::Relaxed);
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
    }

    /// Returns all counters in the text format of Prometheus.
    pub(crate) fn render(&self) -> String {
        let mut out = String::with_capacity(4096);
        let written = self.write(&mut out);
        debug_assert!(written.is_ok(), "writing to a string does not fail");
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        head(out, "gateway_requests_total", "counter", "Requests answered.")?;
        for counters in &self.operations {
            counters.write_requests(out)?;
        }
        let help = "Time from the request head to the end of the response.";
        head(out, DURATION, "histogram", help)?;
        for counters in &self.operations {
            counters.write_durations(out)?;
        }
        head(out, "gateway_response_ends_total", "counter", "Responses by how they ended.")?;
        for (end, count) in self.ends.read() {
            writeln!(out, "gateway_response_ends_total{{end=\"{}\"}} {count}", end.name())?;
        }
        for (name, kind, help, value) in [
            (
                "gateway_response_bytes_total",
                "counter",
                "Bytes of response bodies handed to connections.",
                self.bytes.load(Ordering::Relaxed),
            ),
            (
                "gateway_requests_in_flight",
                "gauge",
                "Requests whose response has not ended.",
                self.in_flight.load(Ordering::Relaxed),
            ),
            (
                "gateway_connections",
                "gauge",
                "Open connections.",
                self.connections.open.load(Ordering::Relaxed),
            ),
            (
                "gateway_connections_refused_total",
                "counter",
                "Connections refused because the limit was reached.",
                self.connections.refused.load(Ordering::Relaxed),
            ),
            (
                "gateway_connections_refused_by_address_total",
                "counter",
                "Connections refused because their address had too many.",
                self.connections.refused_by_address.load(Ordering::Relaxed),
            ),
            (
                "gateway_connections_evicted_total",
                "counter",
                "Connections closed while they waited for a request, to make room for others.",
                self.connections.evicted.load(Ordering::Relaxed),
            ),
            (
                "gateway_log_lines_dropped_total",
                "counter",
                "Log lines dropped because they could not be written in time.",
                self.log_lines_dropped.load(Ordering::Relaxed),
            ),
        ] {
            head(out, name, kind, help)?;
            writeln!(out, "{name} {value}")?;
        }
        Ok(())
    }
}

/// The counters of one operation.
#[derive(Debug)]
struct OperationCounters {
    /// Unset for requests that named no operation.
    operation: Option<Operation>,
    /// By the first digit of the status.
    statuses: Counters<u16>,
    /// By the upper bound of the time that the response took.
    durations: Counters<Duration>,
    micros: AtomicU64,
}

impl OperationCounters {
    fn new(operation: Option<Operation>) -> Self {
        Self {
            operation,
            statuses: Counters::new([2, 3, 4, 5]),
            durations: Counters::new(BOUNDS_MS.map(Duration::from_millis)),
            micros: AtomicU64::new(0),
        }
    }

    fn ended(&self, response: &EndedResponse) {
        // A request without a status was not answered.
        let Some(status) = response.status else { return };
        let micros = u64::try_from(response.took.as_micros()).unwrap_or(u64::MAX);
        self.statuses.increment(|first_digit| *first_digit == status.as_u16() / 100);
        self.durations.increment(|bound| response.took <= *bound);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    fn label(&self) -> &'static str {
        self.operation.map_or("none", Operation::method)
    }

    fn write_requests(&self, out: &mut String) -> fmt::Result {
        let operation = self.label();
        for (status, count) in self.statuses.read() {
            let labels = format_args!("operation=\"{operation}\",status=\"{status}xx\"");
            writeln!(out, "gateway_requests_total{{{labels}}} {count}")?;
        }
        Ok(())
    }

    fn write_durations(&self, out: &mut String) -> fmt::Result {
        let operation = format_args!("operation=\"{}\"", self.label());
        let mut below = 0;
        for (bound, count) in self.durations.read() {
            below += count;
            let bound = bound.as_secs_f64();
            writeln!(out, "{DURATION}_bucket{{{operation},le=\"{bound}\"}} {below}")?;
        }
        let count: u64 = self.statuses.read().map(|(_, count)| count).sum();
        let sum = Duration::from_micros(self.micros.load(Ordering::Relaxed)).as_secs_f64();
        writeln!(out, "{DURATION}_bucket{{{operation},le=\"+Inf\"}} {count}")?;
        writeln!(out, "{DURATION}_sum{{{operation}}} {sum}")?;
        writeln!(out, "{DURATION}_count{{{operation}}} {count}")
    }
}

/// Counters that are found by a key, in the order in which they are rendered.
#[derive(Debug)]
struct Counters<K>(Vec<(K, AtomicU64)>);

impl<K: Copy> Counters<K> {
    fn new(keys: impl IntoIterator<Item = K>) -> Self {
        Self(keys.into_iter().map(|key| (key, AtomicU64::new(0))).collect())
    }

    /// Increments the first counter whose key matches.
    fn increment(&self, matches: impl Fn(&K) -> bool) {
        if let Some((_, count)) = self.0.iter().find(|(key, _)| matches(key)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn read(&self) -> impl Iterator<Item = (K, u64)> {
        self.0.iter().map(|(key, count)| (*key, count.load(Ordering::Relaxed)))
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) -> fmt::Result {
    writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}")
}

const DURATION: &str = "gateway_request_duration_seconds";

/// Upper bounds of the histogram, in milliseconds, ascending.
const BOUNDS_MS: [u64; 8] = [1, 5, 25, 100, 500, 2_500, 10_000, 60_000];
