//! A span for each request, exported over OTLP to a collector, by the SDK of OpenTelemetry and its variables `OTEL_…`.
//! Only with the feature `opentelemetry`, and only if an endpoint is set.
//!
//! A span follows the semantic conventions for HTTP servers. It never contains a token, a query or the data of a record;
//! a path other than that of the service is left out too, because a client may put anything there.

use std::borrow::Cow;
use std::env;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::{
    Span as _, SpanBuilder, SpanKind, Status, Tracer as _, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{HeaderExtractor, HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig as _};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::resource::{EnvResourceDetector, Resource};
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tokio::runtime::{Builder, Runtime};
use tokio_rustls::rustls::crypto::ring;

use crate::config::Config;
use crate::error::{Error, ErrorKind, with_causes};
use crate::front::Front;
use crate::front::recorder::{End, EndedResponse, version};
use crate::generated::operation::Operation;

/// The spans of a server. By default none are exported.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traces(Option<Arc<Export>>);

#[derive(Debug)]
struct Export {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
    /// Path of the service.
    path: String,
    scheme: &'static str,
}

impl Traces {
    /// Prepares the export that the environment sets up. Starts a thread that exports, if an endpoint is set.
    ///
    /// # Errors
    ///
    /// Fails if the endpoint or the roots of the system cannot be used.
    pub(crate) fn from_environment(config: &Config) -> Result<Self, Error> {
        // The SDK does not read these, and exports to a default endpoint.
        let is_off = variable("OTEL_SDK_DISABLED").is_some_and(|value| value == "true")
            || variable("OTEL_TRACES_EXPORTER").is_some_and(|value| value == "none");
        if is_off || ENDPOINTS.iter().all(|name| variable(name).is_none()) {
            return Ok(Self::default());
        }
        // The causes of the SDK repeat the value, which may contain a password.
        let unusable = |_| {
            let names = ENDPOINTS.join(" or ");
            let next = "set it to a URL such as http://127.0.0.1:4318";
            let text = format!("cannot export spans: {names} cannot be used; {next}");
            Error::new(ErrorKind::Config, text)
        };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Client::new()?)
            .build()
            .map_err(unusable)?;
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource())
            .build();
        let tracer = provider.tracer(env!("CARGO_PKG_NAME"));
        let scheme = if config.tls.is_some() { "https" } else { "http" };
        let path = Front::path_below(&config.prefix);
        Ok(Self(Some(Arc::new(Export { provider, tracer, path, scheme }))))
    }

    /// Starts to record a request that has just arrived.
    pub(crate) fn begin(&self, request: &Parts) -> RequestTrace {
        RequestTrace(self.0.as_ref().map(|export| {
            let headers = HeaderExtractor(&request.headers);
            Box::new(Recorded {
                export: Arc::clone(export),
                is_service_path: request.uri.path() == export.path,
                parent: TraceContextPropagator::new()
                    .extract_with_context(&Context::new(), &headers),
            })
        }))
    }

    /// Exports the spans that wait, within a limited time. Later spans are not exported.
    pub(crate) fn stop(&self) {
        if let Some(export) = &self.0 {
            // A failure was logged by the client.
            drop(export.provider.shutdown_with_timeout(STOP_TIMEOUT));
        }
    }
}

/// Returns the value of a variable. An empty one counts as unset.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Returns what describes this process: the environment, and defaults for what it leaves out.
fn resource() -> Resource {
    let name = KeyValue::new("service.name", env!("CARGO_PKG_NAME"));
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder_empty()
        .with_attributes([name, version])
        .with_detector(Box::new(EnvResourceDetector::new()));
    match variable("OTEL_SERVICE_NAME") {
        Some(name) => resource.with_service_name(name).build(),
        None => resource.build(),
    }
}

/// The parts of a request that its span needs, until the response has ended.
#[derive(Debug)]
pub(crate) struct RequestTrace(Option<Box<Recorded>>);

#[derive(Debug)]
struct Recorded {
    export: Arc<Export>,
    is_service_path: bool,
    parent: Context,
}

impl RequestTrace {
    /// Builds the span, when everything is known, and hands it to the thread that exports. Adds the id of a new trace to
    /// the response, for the log.
    pub(crate) fn ended(&self, response: &mut EndedResponse) {
        let Some(recorded) = &self.0 else { return };
        let end = SystemTime::now();
        let builder = SpanBuilder::from_name(name(response))
            .with_kind(SpanKind::Server)
            .with_start_time(end.checked_sub(response.took).unwrap_or(end));
        let mut span = recorded.export.tracer.build_with_context(builder, &recorded.parent);
        if !span.is_recording() {
            return;
        }
        response.trace_id.get_or_insert_with(|| span.span_context().trace_id().to_string());
        span.set_attributes(recorded.attributes(response));
        if error(response).is_some() {
            span.set_status(Status::error(""));
        }
        span.end_with_timestamp(end);
    }
}

impl Recorded {
    fn attributes(&self, response: &EndedResponse) -> Vec<KeyValue> {
        let method = if response.method == "other" { "_OTHER" } else { response.method };
        let bytes = i64::try_from(response.bytes).unwrap_or(i64::MAX);
        let request_id = response.request_id.to_str().unwrap_or_default().to_owned();
        let always = [
            KeyValue::new("http.request.method", method),
            KeyValue::new("url.scheme", self.export.scheme),
            KeyValue::new("network.protocol.version", version(response.version)),
            KeyValue::new("client.address", response.client.to_string()),
            KeyValue::new("http.response.body.size", bytes),
            KeyValue::new("gateway.request.id", request_id),
            KeyValue::new("gateway.response.end", response.end.name()),
        ];
        let status = response.status.map(|status| i64::from(status.as_u16()));
        let operation = response.operation.map(Operation::method);
        let sometimes = [
            self.is_service_path.then(|| KeyValue::new("url.path", self.export.path.clone())),
            status.map(|status| KeyValue::new("http.response.status_code", status)),
            error(response).map(|error| KeyValue::new("error.type", error)),
            operation.map(|operation| KeyValue::new("gateway.operation", operation)),
            response.account.map(|account| KeyValue::new("gateway.account.id", account)),
            response.problem.map(|problem| KeyValue::new("gateway.problem", problem)),
        ];
        always.into_iter().chain(sometimes.into_iter().flatten()).collect()
    }
}

/// Returns the name of the span, such as `GET candidates/list`. There are few different names.
fn name(response: &EndedResponse) -> Cow<'static, str> {
    let method = if response.method == "other" { "HTTP" } else { response.method };
    match response.operation {
        Some(operation) => format!("{method} {}", operation.method()).into(),
        None => method.into(),
    }
}

/// Returns the attribute `error.type`. Only failures of the server and cut responses are errors.
fn error(response: &EndedResponse) -> Option<Cow<'static, str>> {
    match response.end {
        End::Failed | End::Cut(_) => Some(response.end.name().into()),
        End::Complete | End::ClientGone => {
            let status = response.status.filter(StatusCode::is_server_error)?;
            let problem = response.problem.map(Cow::Borrowed);
            Some(problem.unwrap_or_else(|| status.as_str().to_owned().into()))
        }
    }
}

/// The HTTP client of the SDK, on a runtime: the thread that exports has none. Logs when the export starts to fail, which
/// the SDK would report without the cause, and when it works again.
#[derive(Debug)]
struct Client {
    runtime: Runtime,
    http: HyperClient<HttpsConnector<HttpConnector>>,
    is_failing: AtomicBool,
}

impl Client {
    /// Creates a client that trusts the roots of the system, as the clients of this workspace do.
    fn new() -> Result<Self, Error> {
        let failed = |error| {
            Error::caused(
                ErrorKind::Config,
                "cannot read the root certificates of the system",
                error,
            )
        };
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_platform_verifier(ring::default_provider())
            .map_err(failed)?
            .https_or_http()
            .enable_http1()
            .build();
        // The SDK limits an export with its retries, and leaves the limit of one attempt to its client.
        let timeout = ["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"]
            .iter()
            .find_map(|name| env::var(name).ok()?.parse().ok())
            .map_or(TIMEOUT, Duration::from_millis);
        Ok(Self {
            runtime: Builder::new_multi_thread().worker_threads(1).enable_all().build()?,
            http: HyperClient::new(connector, timeout, None),
            is_failing: AtomicBool::new(false),
        })
    }
}

impl HttpClient for Client {
    /// Written without `async_trait`, whose only use it would be.
    fn send_bytes<'a, 'b>(
        &'a self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move {
            let result = self.runtime.block_on(self.http.send_bytes(request));
            let failure = match &result {
                Ok(response) if response.status().is_success() => None,
                Ok(response) => Some(response.status().to_string()),
                Err(error) => Some(with_causes(&**error)),
            };
            match (&failure, self.is_failing.swap(failure.is_some(), Ordering::Relaxed)) {
                (Some(cause), false) => tracing::warn!(name: "span_export_failed", cause),
                (None, true) => {
                    tracing::info!(name: "span_export_recovered", message = "it works again");
                }
                (Some(_), true) | (None, false) => {}
            }
            result
        })
    }
}

/// The variables of which one has to be set.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// Timeout of an attempt to export. The default of the standard.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout for the export of the remaining spans when the server stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
