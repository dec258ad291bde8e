//! Counters of requests and responses, in a registry of the crate `prometheus`. Label values come from a small fixed
//! set, never from a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use methodical_serve::Connections;
use prometheus::core::Collector;
use prometheus::{
    Counter, Gauge, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts,
    Registry, TextEncoder, register_histogram_vec_with_registry as register_histograms,
    register_int_counter_vec_with_registry as register_counters,
    register_int_counter_with_registry as register_counter,
    register_int_gauge_with_registry as register_gauge,
};

use crate::front::problem::Kind;
use crate::front::recorder::{End, EndedResponse, version};
use crate::generated::operations::METHODS;

#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    durations: HistogramVec,
    versions: IntCounterVec,
    problems: IntCounterVec,
    ends: IntCounterVec,
    bytes: IntCounter,
    in_flight: IntGauge,
    log_lines_dropped: Arc<AtomicU64>,
    connections: Arc<Connections>,
}

impl Metrics {
    /// Creates counters at zero. The listener counts connections, and the log counts dropped lines.
    pub(crate) fn new(
        connections: Arc<Connections>,
        log_lines_dropped: Arc<AtomicU64>,
    ) -> prometheus::Result<Self> {
        let registry = Registry::new();
        let counters =
            |name, help, label: &[&str]| register_counters!(Opts::new(name, help), label, registry);
        let took = "Time from the request head to the end of the response.";
        let durations = HistogramOpts::new("gateway_request_duration_seconds", took);
        let durations = durations.buckets(BOUNDS.into());
        let requests = "Requests answered.";
        let versions = "Requests by HTTP version.";
        let problems = "Responses with a problem, by its type.";
        let ends = "Responses by how they ended.";
        let bytes = "Bytes of response bodies handed to connections.";
        let in_flight = "Requests whose response has not ended.";
        let by_status = ["operation", "status"];
        let metrics = Self {
            requests: counters("gateway_requests_total", requests, &by_status)?,
            durations: register_histograms!(durations, &["operation"], registry)?,
            versions: counters("gateway_requests_by_version_total", versions, &["http"])?,
            problems: counters("gateway_problems_total", problems, &["problem"])?,
            ends: counters("gateway_response_ends_total", ends, &["end"])?,
            bytes: register_counter!("gateway_response_bytes_total", bytes, registry)?,
            in_flight: register_gauge!("gateway_requests_in_flight", in_flight, registry)?,
            registry,
            log_lines_dropped,
            connections,
        };
        metrics.begin_series();
        Ok(metrics)
    }

    /// Starts every series at zero, so that a rate includes its first increment.
    fn begin_series(&self) {
        for operation in METHODS.into_iter().chain([NO_OPERATION]) {
            self.durations.with_label_values(&[operation]);
            for status in ["2xx", "3xx", "4xx", "5xx"] {
                self.requests.with_label_values(&[operation, status]);
            }
        }
        for version in ["1.0", "1.1", "2"] {
            self.versions.with_label_values(&[version]);
        }
        for kind in Kind::all() {
            self.problems.with_label_values(&[kind.name()]);
        }
        for end in End::ALL {
            self.ends.with_label_values(&[end.name()]);
        }
    }

    pub(crate) fn began(&self) {
        self.in_flight.inc();
    }

    pub(crate) fn ended(&self, response: &EndedResponse) {
        // A request without a status was not answered.
        if let Some(status) = response.status {
            let operation = response.operation.unwrap_or(NO_OPERATION);
            let class = format!("{}xx", status.as_u16() / 100);
            self.requests.with_label_values(&[operation, &class]).inc();
            let took = response.took.as_secs_f64();
            self.durations.with_label_values(&[operation]).observe(took);
        }
        self.versions.with_label_values(&[version(response.version)]).inc();
        if let Some(problem) = response.problem {
            self.problems.with_label_values(&[problem]).inc();
        }
        self.ends.with_label_values(&[response.end.name()]).inc();
        self.bytes.inc_by(response.bytes);
        self.in_flight.dec();
    }

    /// Returns these metrics, and the ones read for this scrape, as text.
    pub(crate) fn render(&self, read: &Scrape) -> String {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        read.gauge("gateway_connections", "Open connections.", self.connections.open());
        let help = "Connections refused because the limit was reached.";
        read.counter("gateway_connections_refused_total", help, load(&self.connections.refused));
        let refused = load(&self.connections.refused_by_address);
        let help = "Connections refused because there were too many from the same address.";
        read.counter("gateway_connections_refused_by_address_total", help, refused);
        let help = "Log lines dropped because they could not be written in time.";
        read.counter("gateway_log_lines_dropped_total", help, load(&self.log_lines_dropped));
        let families = [self.registry.gather(), read.0.gather()].concat();
        TextEncoder::new().encode_to_string(&families).unwrap_or_default()
    }
}

/// Metrics whose values are read for one scrape.
#[derive(Debug, Default)]
pub(crate) struct Scrape(Registry);

impl Scrape {
    /// Adds a gauge. A larger value is shown as the maximum.
    pub(crate) fn gauge(&self, name: &str, help: &str, value: impl TryInto<i64>) {
        let gauge = IntGauge::new(name, help);
        self.add(gauge.inspect(|gauge| gauge.set(value.try_into().unwrap_or(i64::MAX))));
    }

    pub(crate) fn counter(&self, name: &str, help: &str, value: u64) {
        self.add(IntCounter::new(name, help).inspect(|counter| counter.inc_by(value)));
    }

    pub(crate) fn seconds(&self, name: &str, help: &str, value: f64) {
        self.add(Counter::new(name, help).inspect(|counter| counter.inc_by(value)));
    }

    /// Adds a gauge that is always 1, with a label.
    pub(crate) fn info(&self, name: &str, help: &str, label: &str, value: &str) {
        let gauge = Gauge::with_opts(Opts::new(name, help).const_label(label, value));
        self.add(gauge.inspect(|gauge| gauge.set(1.0)));
    }

    fn add(&self, metric: prometheus::Result<impl Collector + 'static>) {
        let added = metric.and_then(|metric| self.0.register(Box::new(metric)));
        debug_assert!(added.is_ok(), "each name is valid, and added once");
    }
}

/// The label of requests that named no operation.
const NO_OPERATION: &str = "none";

/// Upper bounds of the histogram, in seconds.
const BOUNDS: [f64; 8] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0];
