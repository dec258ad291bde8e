//! Metrics in the text format of Prometheus, version 0.0.4.
//!
//! The crate `prometheus-client` renders another format, `OpenMetrics`, which `promtool check metrics` and older scrapers do
//! not read.

use std::fmt::{self, Display, Write as _};

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
