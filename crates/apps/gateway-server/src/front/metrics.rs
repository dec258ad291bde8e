//! Counters of requests and responses. Label values are a small fixed set; none is taken from a request.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::Version;
use methodical_serve::Counts;

use crate::front::problem::Kind;
use crate::front::recorder::{End, EndedResponse, version as version_name};
use crate::generated::operation::Operation;
use crate::lock::lock;

/// The counters of the server.
#[derive(Debug)]
pub(crate) struct Metrics {
    /// One entry for each operation, and one for requests that named none.
    operations: Vec<OperationCounters>,
    ends: Counters<End>,
    versions: Counters<Version>,
    problems: Mutex<BTreeMap<&'static str, u64>>,
    bytes: AtomicU64,
    in_flight: AtomicU64,
    log_lines_dropped: Arc<AtomicU64>,
    connections: Arc<Counts>,
}

impl Metrics {
    /// Creates counters at zero. The listener counts the connections, and the log the lines that it dropped.
    pub(crate) fn new(connections: Arc<Counts>, log_lines_dropped: Arc<AtomicU64>) -> Self {
        let operations = Operation::ALL.into_iter().map(Some).chain([None]);
        Self {
            operations: operations.map(OperationCounters::new).collect(),
            ends: Counters::new(End::ALL),
            versions: Counters::new([Version::HTTP_10, Version::HTTP_11, Version::HTTP_2]),
            problems: Mutex::new(Kind::ALL.map(|kind| (kind.name(), 0)).into()),
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
        self.versions.increment(|one| *one == response.version);
        if let Some(problem) = response.problem {
            *lock(&self.problems).entry(problem).or_default() += 1;
        }
        self.bytes.fetch_add(response.bytes, Ordering::Relaxed);
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
    }

    /// Writes the metrics.
    pub(crate) fn write(&self, out: &mut Exposition) {
        out.metric(REQUESTS, Type::Counter, "Requests answered.");
        for counters in &self.operations {
            counters.write_requests(out);
        }
        let help = "Time from the request head to the end of the response.";
        out.metric(DURATION, Type::Histogram, help);
        for counters in &self.operations {
            counters.write_durations(out);
        }
        let name = "gateway_requests_by_version_total";
        out.metric(name, Type::Counter, "Requests by version of HTTP.");
        for (version, count) in self.versions.read() {
            out.sample(name, &[("http", &version_name(version))], count);
        }
        let name = "gateway_problems_total";
        out.metric(name, Type::Counter, "Responses with a problem, by its type.");
        for (problem, count) in lock(&self.problems).iter() {
            out.sample(name, &[("problem", problem)], count);
        }
        let name = "gateway_response_ends_total";
        out.metric(name, Type::Counter, "Responses by how they ended.");
        for (end, count) in self.ends.read() {
            out.sample(name, &[("end", &end.name())], count);
        }
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        out.counter(
            "gateway_response_bytes_total",
            "Bytes of response bodies handed to connections.",
            read(&self.bytes),
        );
        out.gauge(
            "gateway_requests_in_flight",
            "Requests whose response has not ended.",
            read(&self.in_flight),
        );
        out.gauge("gateway_connections", "Open connections.", read(&self.connections.open));
        out.counter(
            "gateway_connections_refused_total",
            "Connections refused because the limit was reached.",
            read(&self.connections.refused),
        );
        out.counter(
            "gateway_connections_refused_by_address_total",
            "Connections refused because their address had too many.",
            read(&self.connections.refused_by_address),
        );
        out.counter(
            "gateway_log_lines_dropped_total",
            "Log lines dropped because they could not be written in time.",
            read(&self.log_lines_dropped),
        );
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

    fn write_requests(&self, out: &mut Exposition) {
        for (status, count) in self.statuses.read() {
            let status = format_args!("{status}xx");
            out.sample(REQUESTS, &[("operation", &self.label()), ("status", &status)], count);
        }
    }

    fn write_durations(&self, out: &mut Exposition) {
        let operation = self.label();
        let bucket = format!("{DURATION}_bucket");
        let mut below = 0;
        for (bound, count) in self.durations.read() {
            below += count;
            let bound = bound.as_secs_f64();
            out.sample(&bucket, &[("operation", &operation), ("le", &bound)], below);
        }
        let count: u64 = self.statuses.read().map(|(_, count)| count).sum();
        let sum = Duration::from_micros(self.micros.load(Ordering::Relaxed)).as_secs_f64();
        out.sample(&bucket, &[("operation", &operation), ("le", &"+Inf")], count);
        out.sample(&format!("{DURATION}_sum"), &[("operation", &operation)], sum);
        out.sample(&format!("{DURATION}_count"), &[("operation", &operation)], count);
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

const REQUESTS: &str = "gateway_requests_total";

const DURATION: &str = "gateway_request_duration_seconds";

/// Upper bounds of the histogram, in milliseconds, ascending.
const BOUNDS_MS: [u64; 8] = [1, 5, 25, 100, 500, 2_500, 10_000, 60_000];

/// Metrics that are being rendered.
#[derive(Debug)]
pub(crate) struct Exposition(String);

/// The type of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Counter,
    Gauge,
    Histogram,
}

impl Exposition {
    pub(crate) fn new() -> Self {
        Self(String::with_capacity(16 * 1024))
    }

    /// Starts a metric. Its samples follow.
    pub(crate) fn metric(&mut self, name: &str, ty: Type, help: &str) {
        let ty = match ty {
            Type::Counter => "counter",
            Type::Gauge => "gauge",
            Type::Histogram => "histogram",
        };
        self.write(format_args!("# HELP {name} {help}\n# TYPE {name} {ty}\n"));
    }

    /// Writes a sample. A label has a name and a value, which needs no escape.
    pub(crate) fn sample(
        &mut self,
        name: &str,
        labels: &[(&str, &dyn Display)],
        value: impl Display,
    ) {
        self.write(format_args!("{name}"));
        let mut before = '{';
        for (label, value) in labels {
            self.write(format_args!("{before}{label}=\"{value}\""));
            before = ',';
        }
        let after = if labels.is_empty() { "" } else { "}" };
        self.write(format_args!("{after} {value}\n"));
    }

    /// Writes a counter that has one sample.
    pub(crate) fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.metric(name, Type::Counter, help);
        self.sample(name, &[], value);
    }

    /// Writes a gauge that has one sample.
    pub(crate) fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.metric(name, Type::Gauge, help);
        self.sample(name, &[], value);
    }

    /// Returns the text.
    pub(crate) fn finish(self) -> String {
        self.0
    }

    fn write(&mut self, text: fmt::Arguments<'_>) {
        let written = self.0.write_fmt(text);
        debug_assert!(written.is_ok(), "writing to a string does not fail");
    }
}
