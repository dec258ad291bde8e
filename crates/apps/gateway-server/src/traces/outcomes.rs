//! Counts exported, failed and dropped spans, and logs when the export starts to fail and when it works again.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::front::metrics::{Exposition, Type};

/// Counts spans. Those of unsampled traces are not counted.
#[derive(Debug)]
pub(super) struct Outcomes {
    /// Spans that were not exported yet.
    waiting: AtomicUsize,
    limit: usize,
    exported: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
    is_failing: AtomicBool,
}

impl Outcomes {
    /// Creates counters at zero. At most `limit` spans wait.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            waiting: AtomicUsize::new(0),
            limit,
            exported: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            is_failing: AtomicBool::new(false),
        }
    }

    /// Counts a span that waits from now on. Returns false for one that has to be dropped.
    pub(super) fn admit(&self) -> bool {
        let more = |waiting| (waiting < self.limit).then_some(waiting + 1);
        let admitted = self.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        if admitted.is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        admitted.is_ok()
    }

    /// Counts a batch that was exported, or that failed for a cause.
    pub(super) fn ended(&self, spans: usize, failure: Option<&str>) {
        self.waiting.fetch_sub(spans, Ordering::Relaxed);
        let counter = if failure.is_some() { &self.failed } else { &self.exported };
        counter.fetch_add(spans as u64, Ordering::Relaxed);
        match (failure, self.is_failing.swap(failure.is_some(), Ordering::Relaxed)) {
            (Some(cause), false) => tracing::warn!(name: "span_export_failed", cause),
            (None, true) => tracing::info!(name: "span_export_recovered", lost = self.lost()),
            (Some(_), true) | (None, false) => {}
        }
    }

    /// Logs the number of spans that were not exported before the server stopped.
    pub(super) fn log_lost(&self) {
        let spans = self.waiting.load(Ordering::Relaxed);
        if spans > 0 {
            tracing::warn!(name: "spans_lost", spans);
        }
    }

    fn lost(&self) -> u64 {
        self.failed.load(Ordering::Relaxed) + self.dropped.load(Ordering::Relaxed)
    }

    /// Writes the metric.
    pub(super) fn write(&self, out: &mut Exposition) {
        let name = "gateway_spans_total";
        out.metric(name, Type::Counter, "Spans of sampled requests, by what became of them.");
        for (outcome, counter) in
            [("exported", &self.exported), ("failed", &self.failed), ("dropped", &self.dropped)]
        {
            out.sample(name, &[("outcome", &outcome)], counter.load(Ordering::Relaxed));
        }
    }
}
