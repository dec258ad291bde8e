//! Counters, and their text for Prometheus. Labels have few values, none of them from a request.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use crate::front::log::End;
use crate::generated::operation::Operation;

/// What the server counts.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    answers: [[AtomicU64; CLASSES.len()]; OPERATIONS],
    seconds_us: [AtomicU64; OPERATIONS],
    buckets: [[AtomicU64; BOUNDS_US.len()]; OPERATIONS],
    bytes: AtomicU64,
    ends: [AtomicU64; 3],
    in_flight: AtomicI64,
    pub(crate) connections: AtomicI64,
    connections_refused: AtomicU64,
    log_lines_dropped: AtomicU64,
}

impl Metrics {
    pub(crate) fn began(&self) {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn ended(
        &self,
        operation: Option<Operation>,
        status: u16,
        end: End,
        bytes: u64,
        took: Duration,
    ) {
        let row = operation
            .and_then(|operation| Operation::ALL.iter().position(|other| *other == operation))
            .unwrap_or(Operation::ALL.len());
        let class = usize::from(status / 100).saturating_sub(2).min(CLASSES.len() - 1);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let add = |counter: Option<&AtomicU64>, by: u64| {
            if let Some(counter) = counter {
                counter.fetch_add(by, Ordering::Relaxed);
            }
        };
        add(self.answers.get(row).and_then(|classes| classes.get(class)), 1);
        add(self.seconds_us.get(row), micros);
        let bucket = BOUNDS_US.iter().position(|bound| micros <= *bound);
        if let Some(bucket) = bucket {
            add(self.buckets.get(row).and_then(|buckets| buckets.get(bucket)), 1);
        }
        add(Some(&self.bytes), bytes);
        add(self.ends.get(end as usize), 1);
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn connection_refused(&self) {
        self.connections_refused.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn log_line_dropped(&self) {
        self.log_lines_dropped.fetch_add(1, Ordering::Relaxed);
    }

    /// Renders everything in the text format of Prometheus.
    pub(crate) fn render(&self) -> String {
        let mut out = String::with_capacity(4096);
        self.render_requests(&mut out);
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        head(&mut out, "gateway_answer_ends_total", "counter", "How answers ended.");
        for (end, counter) in ["complete", "client_gone", "failed"].iter().zip(&self.ends) {
            line(
                &mut out,
                format_args!("gateway_answer_ends_total{{end=\"{end}\"}} {}", get(counter)),
            );
        }
        for (name, kind, help, value) in [
            (
                "gateway_answer_bytes_total",
                "counter",
                "Bytes of bodies handed to connections.",
                get(&self.bytes).into(),
            ),
            (
                "gateway_requests_in_flight",
                "gauge",
                "Requests whose answer is not over.",
                self.in_flight.load(Ordering::Relaxed).into(),
            ),
            (
                "gateway_connections",
                "gauge",
                "Open connections.",
                self.connections.load(Ordering::Relaxed).into(),
            ),
            (
                "gateway_connections_refused_total",
                "counter",
                "Connections above the limit.",
                get(&self.connections_refused).into(),
            ),
            (
                "gateway_log_lines_dropped_total",
                "counter",
                "Access log lines that could not be written in time.",
                i128::from(get(&self.log_lines_dropped)),
            ),
        ] {
            let value: i128 = value;
            head(&mut out, name, kind, help);
            line(&mut out, format_args!("{name} {value}"));
        }
        out
    }

    fn render_requests(&self, out: &mut String) {
        let name = "gateway_request_duration_seconds";
        let labels: Vec<&str> =
            Operation::ALL.iter().map(|operation| operation.method()).chain(["none"]).collect();
        head(out, "gateway_requests_total", "counter", "Requests answered.");
        for (operation, classes) in labels.iter().zip(&self.answers) {
            for (class, counter) in CLASSES.iter().zip(classes) {
                let value = counter.load(Ordering::Relaxed);
                line(
                    out,
                    format_args!(
                        "gateway_requests_total{{operation=\"{operation}\",status=\"{class}\"}} {value}"
                    ),
                );
            }
        }
        head(out, name, "histogram", "From the head of the request to the end of the answer.");
        for (row, operation) in labels.iter().enumerate() {
            let mut below = 0;
            for (bound, counter) in
                BOUNDS_US.iter().zip(self.buckets.get(row).into_iter().flatten())
            {
                below += counter.load(Ordering::Relaxed);
                let bound = Duration::from_micros(*bound).as_secs_f64();
                line(
                    out,
                    format_args!(
                        "{name}_bucket{{operation=\"{operation}\",le=\"{bound}\"}} {below}"
                    ),
                );
            }
            let count: u64 = self
                .answers
                .get(row)
                .into_iter()
                .flatten()
                .map(|c| c.load(Ordering::Relaxed))
                .sum();
            let sum = self.seconds_us.get(row).map_or(0, |sum| sum.load(Ordering::Relaxed));
            line(
                out,
                format_args!("{name}_bucket{{operation=\"{operation}\",le=\"+Inf\"}} {count}"),
            );
            line(
                out,
                format_args!(
                    "{name}_sum{{operation=\"{operation}\"}} {}",
                    Duration::from_micros(sum).as_secs_f64()
                ),
            );
            line(out, format_args!("{name}_count{{operation=\"{operation}\"}} {count}"));
        }
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    line(out, format_args!("# HELP {name} {help}\n# TYPE {name} {kind}"));
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    let written = writeln!(out, "{text}");
    debug_assert!(written.is_ok(), "writing to a string does not fail");
}

/// The operations, and one row for requests that named none.
const OPERATIONS: usize = Operation::ALL.len() + 1;

const CLASSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];

const BOUNDS_US: [u64; 8] =
    [1_000, 5_000, 25_000, 100_000, 500_000, 2_500_000, 10_000_000, 60_000_000];
