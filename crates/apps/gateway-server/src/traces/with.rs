//! From a request to its span. The span is built when the response has ended, because only then everything is known.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::HeaderMap;
use opentelemetry::trace::{
    Span as _, SpanBuilder, SpanContext, SpanId, SpanKind, TraceContextExt as _, TraceFlags,
    TraceId, TraceState, Tracer as _, TracerProvider as _,
};
use opentelemetry::{Context, InstrumentationScope, KeyValue};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};

use crate::error::Error;
use crate::front::metrics::Exposition;
use crate::front::recorder::EndedResponse;
use crate::front::request::TraceParent;
use crate::traces::attributes::{self, Service};
use crate::traces::environment::Settings;
use crate::traces::exporter::Exporter;
use crate::traces::outcomes::Outcomes;
use crate::traces::processor::Bounded;

/// The spans of a server. By default none are exported.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traces {
    export: Option<Arc<Export>>,
    service: Arc<Service>,
}

#[derive(Debug)]
struct Export {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
    outcomes: Arc<Outcomes>,
    settings: Settings,
}

impl Traces {
    /// Prepares the export that the environment sets up. Starts a thread that exports, if an endpoint is set.
    ///
    /// # Errors
    ///
    /// Fails if a variable has a value that cannot be used.
    pub(crate) fn from_environment() -> Result<Self, Error> {
        let Some(settings) = Settings::read(|name| std::env::var_os(name))? else {
            return Ok(Self::default());
        };
        let outcomes = Arc::new(Outcomes::new(settings.queue));
        let exporter = Exporter::new(&settings, Arc::clone(&outcomes))?;
        let provider = SdkTracerProvider::builder()
            .with_span_processor(Bounded::new(exporter, settings.queue, Arc::clone(&outcomes)))
            .with_resource(resource())
            .build();
        let scope = InstrumentationScope::builder(env!("CARGO_PKG_NAME"))
            .with_version(env!("CARGO_PKG_VERSION"))
            .build();
        let tracer = provider.tracer_with_scope(scope);
        let export = Some(Arc::new(Export { provider, tracer, outcomes, settings }));
        Ok(Self { export, service: Arc::default() })
    }

    /// Sets the path of the service, and whether the server itself speaks HTTPS.
    pub(crate) fn of_service(mut self, path: &str, is_https: bool) -> Self {
        self.service = Arc::new(Service::new(path, is_https));
        self
    }

    /// Logs where spans go.
    pub(crate) fn log_start(&self) {
        if let Some(export) = &self.export {
            tracing::info!(name: "spans_exported", endpoint = export.settings.endpoint_shown());
        }
    }

    /// Starts to record a request that has just arrived.
    pub(crate) fn begin(&self) -> RequestTrace {
        RequestTrace(self.export.as_ref().map(|export| {
            Box::new(Recorded {
                export: Arc::clone(export),
                service: Arc::clone(&self.service),
                is_service_path: false,
                parent: Context::new(),
            })
        }))
    }

    /// Writes the metric.
    pub(crate) fn write(&self, out: &mut Exposition) {
        if let Some(export) = &self.export {
            export.outcomes.write(out);
        }
    }

    /// Exports the spans that wait, within a limited time. Later spans are not exported.
    pub(crate) fn stop(&self) {
        if let Some(export) = &self.export {
            // The counters have the spans that could not be exported.
            drop(export.provider.shutdown_with_timeout(STOP_TIMEOUT));
            export.outcomes.log_lost();
        }
    }
}

/// The parts of a request that its span needs, until the response has ended.
#[derive(Debug)]
pub(crate) struct RequestTrace(Option<Box<Recorded>>);

#[derive(Debug)]
struct Recorded {
    export: Arc<Export>,
    service: Arc<Service>,
    is_service_path: bool,
    parent: Context,
}

impl RequestTrace {
    /// Records the path and the headers of the request.
    pub(crate) fn arrived(&mut self, path: &str, headers: &HeaderMap) {
        let Some(recorded) = &mut self.0 else { return };
        recorded.is_service_path = recorded.service.is_at(path);
        if let Some(parent) = parent(headers) {
            recorded.parent = Context::new().with_remote_span_context(parent);
        }
    }

    /// Builds the span and hands it to the thread that exports. Adds the id of a new trace to the response, for the log.
    pub(crate) fn ended(&self, response: &mut EndedResponse) {
        let Some(recorded) = &self.0 else { return };
        let end = SystemTime::now();
        let builder = SpanBuilder::from_name(attributes::name(response))
            .with_kind(SpanKind::Server)
            .with_start_time(end.checked_sub(response.took).unwrap_or(end));
        let tracer = &recorded.export.tracer;
        let mut span = tracer.build_with_context(builder, &recorded.parent);
        if !span.is_recording() {
            return;
        }
        response.trace_id.get_or_insert_with(|| span.span_context().trace_id().to_string());
        let Recorded { service, is_service_path, .. } = &**recorded;
        span.set_attributes(attributes::of(response, service, *is_service_path));
        if let Some(status) = attributes::status(response) {
            span.set_status(status);
        }
        span.end_with_timestamp(end);
    }
}

/// Returns the span of the client, from the headers `traceparent` and `tracestate`.
fn parent(headers: &HeaderMap) -> Option<SpanContext> {
    let parent = TraceParent::read(headers)?;
    let trace = TraceId::from_hex(parent.trace_id).ok()?;
    let span = SpanId::from_hex(parent.parent_id).ok()?;
    let flags = TraceFlags::NOT_SAMPLED.with_sampled(parent.is_sampled());
    Some(SpanContext::new(trace, span, flags, true, state(headers)))
}

/// Returns the value of the headers `tracestate`. Like a malformed one, a long one is left out: the standard allows it.
fn state(headers: &HeaderMap) -> TraceState {
    let mut values = headers.get_all("tracestate").iter().map(|value| value.to_str());
    let joined = values.try_fold(String::new(), |mut all, value| {
        if !all.is_empty() {
            all.push(',');
        }
        all.push_str(value?);
        Ok::<_, http::header::ToStrError>(all)
    });
    let state = joined.ok().filter(|text| !text.is_empty() && text.len() <= MAX_TRACE_STATE);
    state.and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Returns what describes this process: the environment, and defaults for what it leaves out.
fn resource() -> Resource {
    let found = Resource::builder().build();
    let name = found.get(&"service.name".into()).map(|name| name.to_string());
    let mut builder = Resource::builder();
    if name.is_none_or(|name| name.starts_with("unknown_service")) {
        builder = builder.with_service_name(env!("CARGO_PKG_NAME"));
    }
    if found.get(&"service.version".into()).is_none() {
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        builder = builder.with_attribute(version);
    }
    builder.build()
}

/// Timeout for the export of the remaining spans when the server stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum length of `tracestate`, in bytes: what the standard asks every participant to keep.
const MAX_TRACE_STATE: usize = 512;
