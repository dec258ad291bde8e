//! The queue of spans. The thread of the SDK exports them in batches; a span for which the queue has no room is dropped.
//!
//! The SDK drops such a span too, but does not tell how many there were.

use std::sync::Arc;
use std::time::Duration;

use opentelemetry::Context;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Span, SpanData, SpanProcessor,
};

use crate::traces::exporter::Exporter;
use crate::traces::outcomes::Outcomes;

#[derive(Debug)]
pub(super) struct Bounded {
    batches: BatchSpanProcessor,
    outcomes: Arc<Outcomes>,
}

impl Bounded {
    /// Creates a queue of at most `queue` spans, and starts the thread that exports them.
    pub(super) fn new(exporter: Exporter, queue: usize, outcomes: Arc<Outcomes>) -> Self {
        let config = BatchConfigBuilder::default().with_max_queue_size(queue).build();
        let batches = BatchSpanProcessor::builder(exporter).with_batch_config(config).build();
        Self { batches, outcomes }
    }
}

impl SpanProcessor for Bounded {
    fn on_start(&self, span: &mut Span, context: &Context) {
        self.batches.on_start(span, context);
    }

    fn on_end(&self, span: SpanData) {
        if self.outcomes.admit() {
            self.batches.on_end(span);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.batches.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.batches.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.batches.set_resource(resource);
    }
}
