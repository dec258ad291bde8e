//! Exports a span for each request to a collector, over OTLP, with the OpenTelemetry SDK and its `OTEL_…` variables.
//! This needs the feature `opentelemetry` and an endpoint.
//!
//! A span follows the semantic conventions for HTTP servers. It never contains a token, a path, a query or the data of
//! a record.

use std::borrow::Cow;
use std::env;
use std::pin::Pin;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{Request, Response};
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::{Span as _, SpanBuilder, SpanKind, Status, Tracer as _};
use opentelemetry::{Context, KeyValue, global};
use opentelemetry_http::{HeaderExtractor, HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig as _};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::resource::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use reqwest::redirect::Policy;
use tokio_rustls::rustls::crypto::ring;

use crate::error::{Error, ErrorKind, with_causes};
use crate::front::recorder::{End, EndedResponse};

/// The export of this process's spans.
pub(crate) struct Export(SdkTracerProvider);

impl Export {
    /// Starts the export that the environment configures. Returns `None` if the environment sets no endpoint. Must not
    /// be called within a runtime, because the client blocks.
    ///
    /// # Errors
    ///
    /// Fails if the endpoint or the system's root certificates cannot be used.
    pub(crate) fn from_environment() -> Result<Option<Self>, Error> {
        let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
        if !ENDPOINTS.iter().any(is_set) {
            return Ok(None);
        }
        // The client uses the provider of the process. Fails if the process already has another.
        drop(ring::default_provider().install_default());
        // The causes from the SDK quote the value, which may contain a password.
        let builder = SpanExporter::builder().with_http().with_http_client(Client::new()?);
        let exporter = builder.build().map_err(|_error| {
            let names = ENDPOINTS.join(" or ");
            let next = "set it to a URL such as http://127.0.0.1:4318";
            let text = format!("cannot export spans: {names} is invalid; {next}");
            Error::new(ErrorKind::Config, text)
        })?;
        let name = env::var("OTEL_SERVICE_NAME").ok().filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| NAME.to_owned());
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(Resource::builder().with_service_name(name).build())
            .build();
        global::set_tracer_provider(provider.clone());
        Ok(Some(Self(provider)))
    }

    /// Exports the waiting spans, within a time limit. Later spans are not exported.
    pub(crate) fn stop(&self) {
        // The SDK logs failures.
        drop(self.0.shutdown_with_timeout(STOP_TIMEOUT));
    }
}

/// The HTTP client that sends spans. Its headers may contain a key, so it follows no redirect and uses no proxy.
#[derive(Debug)]
struct Client(reqwest::blocking::Client);

impl Client {
    fn new() -> Result<Self, Error> {
        let read = |name| env::var(name).ok()?.parse().ok();
        let timeout = TIMEOUTS.into_iter().find_map(read).map_or(TIMEOUT, Duration::from_millis);
        let builder = reqwest::blocking::Client::builder();
        let client = builder.timeout(timeout).redirect(Policy::none()).no_proxy().build();
        let client = client.map_err(|error| {
            Error::caused(ErrorKind::Config, "cannot export spans: cannot use TLS", error)
        })?;
        Ok(Self(client))
    }
}

impl HttpClient for Client {
    /// Logs the cause of a failure, which the SDK omits.
    fn send_bytes<'s, 'f>(
        &'s self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'f>>
    where
        's: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            let sent = self.0.send_bytes(request).await;
            sent.map_err(|error| match error.downcast::<reqwest::Error>() {
                Ok(error) => {
                    // The URL may contain a password.
                    let error = error.without_url();
                    tracing::warn!(event = "export_failed", cause = with_causes(&error));
                    error.into()
                }
                Err(other) => other,
            })
        })
    }
}

/// Passes the span of a response that has ended to the exporting thread.
pub(crate) fn export(response: &EndedResponse) {
    let end = SystemTime::now();
    let headers = HeaderExtractor(&response.trace_context);
    let parent = TraceContextPropagator::new().extract_with_context(&Context::new(), &headers);
    let builder = SpanBuilder::from_name(name(response))
        .with_kind(SpanKind::Server)
        .with_start_time(end.checked_sub(response.took).unwrap_or(end))
        .with_attributes(attributes(response));
    let mut span = global::tracer(NAME).build_with_context(builder, &parent);
    if error(response).is_some() {
        span.set_status(Status::error(""));
    }
    span.end_with_timestamp(end);
}

fn attributes(response: &EndedResponse) -> impl Iterator<Item = KeyValue> {
    let method = if response.method == "other" { "_OTHER" } else { response.method };
    let request_id = response.request_id.to_str().unwrap_or_default().to_owned();
    let status = response.status.map(|status| i64::from(status.as_u16()));
    [
        Some(KeyValue::new("http.request.method", method)),
        Some(KeyValue::new("gateway.request.id", request_id)),
        Some(KeyValue::new("gateway.response.end", response.end.name())),
        status.map(|status| KeyValue::new("http.response.status_code", status)),
        error(response).map(|error| KeyValue::new("error.type", error)),
        response.operation.map(|operation| KeyValue::new("gateway.operation", operation)),
        response.account.map(|account| KeyValue::new("gateway.account.id", account)),
        response.problem.map(|problem| KeyValue::new("gateway.problem", problem)),
    ]
    .into_iter()
    .flatten()
}

/// Returns the name of the span, such as `GET candidates/list`. The number of different names is small.
fn name(response: &EndedResponse) -> Cow<'static, str> {
    let method = if response.method == "other" { "HTTP" } else { response.method };
    match response.operation {
        Some(operation) => format!("{method} {operation}").into(),
        None => method.into(),
    }
}

/// Returns the attribute `error.type`. Only failures of the server and truncated responses are errors.
fn error(response: &EndedResponse) -> Option<&'static str> {
    match response.end {
        End::Failed | End::Cut(_) => Some(response.end.name()),
        End::Complete | End::ClientGone => {
            response.problem.filter(|_| response.status.is_some_and(|one| one.is_server_error()))
        }
    }
}

const NAME: &str = env!("CARGO_PKG_NAME");

/// The variables that set the endpoint. Spans are exported only if one of them is set.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// The variables that set the timeout of an export, in milliseconds. The first one that contains a number applies.
const TIMEOUTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"];

/// The default timeout of an export.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout for the export of the remaining spans when the server stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
