//! Sends batches of spans over OTLP/HTTP and reports how that went.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::SpanData;
use reqwest::redirect::Policy;
use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls_platform_verifier::BuilderVerifierExt as _;

use crate::error::{Error, ErrorKind};
use crate::lock::lock;
use crate::traces::environment::Settings;
use crate::traces::outcomes::Outcomes;

/// The exporter of OTLP, with counters.
#[derive(Debug)]
pub(super) struct Exporter {
    otlp: SpanExporter,
    cause: Arc<Mutex<Option<String>>>,
    outcomes: Arc<Outcomes>,
}

impl Exporter {
    /// Creates an exporter. It connects when it has spans to send.
    pub(super) fn new(settings: &Settings, outcomes: Arc<Outcomes>) -> Result<Self, Error> {
        let failed = |error: Box<dyn std::error::Error + Send + Sync>| {
            Error::caused(ErrorKind::Config, "cannot set up the export of spans", error)
        };
        let cause = Arc::default();
        let client = Client::new(settings, Arc::clone(&cause)).map_err(failed)?;
        let otlp = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_endpoint(settings.endpoint.to_string())
            .with_timeout(settings.timeout)
            .build()
            .map_err(|error| failed(error.into()))?;
        Ok(Self { otlp, cause, outcomes })
    }
}

impl opentelemetry_sdk::trace::SpanExporter for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len();
        let result = self.otlp.export(batch).await;
        // The text of the SDK says only that there was a network error.
        let network = lock(&self.cause).take();
        let failure =
            result.as_ref().err().map(|error| network.unwrap_or_else(|| error.to_string()));
        self.outcomes.ended(spans, failure.as_deref());
        result
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.otlp.set_resource(resource);
    }
}

/// An HTTP client that keeps the cause of its last failure.
#[derive(Debug)]
struct Client {
    client: reqwest::blocking::Client,
    cause: Arc<Mutex<Option<String>>>,
}

impl Client {
    /// Creates a client that trusts the roots of the system, as the clients of this workspace do.
    fn new(settings: &Settings, cause: Arc<Mutex<Option<String>>>) -> Result<Self, HttpError> {
        let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?;
        // A system without roots can still use `http`.
        let tls = match tls.clone().with_platform_verifier() {
            Ok(tls) => tls,
            Err(_) if !settings.is_https() => {
                tls.with_root_certificates(rustls::RootCertStore::empty())
            }
            Err(error) => return Err(error.into()),
        };
        let client = reqwest::blocking::Client::builder()
            .tls_backend_preconfigured(tls.with_no_client_auth())
            .timeout(settings.timeout)
            // The headers may contain a key that another address must not get.
            .redirect(Policy::none())
            .build()?;
        Ok(Self { client, cause })
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
            let result = self.client.send_bytes(request).await;
            *lock(&self.cause) = result.as_ref().err().map(|error| root_cause(&**error));
            result
        })
    }
}

/// Returns the text of the innermost cause, such as "Connection refused": the outer ones repeat the address.
fn root_cause(error: &(dyn std::error::Error + Send + Sync + 'static)) -> String {
    if error.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_timeout) {
        return "no response within the timeout".to_owned();
    }
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = cause.to_string();
        source = cause.source();
    }
    text
}
