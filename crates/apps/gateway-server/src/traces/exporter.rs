//! Sends batches of spans over OTLP/HTTP and reports how that went.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::uri::Authority;
use http::{HeaderValue, Request, Response, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::SpanData;
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

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

/// An HTTP client that keeps the cause of its last failure. It opens a connection for each batch.
#[derive(Debug)]
struct Client {
    runtime: Runtime,
    tls: Arc<ClientConfig>,
    timeout: Duration,
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
            Err(_) if !settings.is_https() => tls.with_root_certificates(RootCertStore::empty()),
            Err(error) => return Err(error.into()),
        };
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let tls = Arc::new(tls.with_no_client_auth());
        Ok(Self { runtime, tls, timeout: settings.timeout, cause })
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let is_https = request.uri().scheme_str() == Some("https");
        let host = request.uri().host().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = request.uri().port_u16().unwrap_or(if is_https { 443 } else { 80 });
        let socket = TcpStream::connect((host.as_str(), port)).await?;
        if !is_https {
            return exchange(socket, request).await;
        }
        let connector = TlsConnector::from(Arc::clone(&self.tls));
        exchange(connector.connect(ServerName::try_from(host)?, socket).await?, request).await
    }
}

/// Sends a request on a new connection and reads the response.
async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    mut request: Request<Bytes>,
) -> Result<Response<Bytes>, HttpError> {
    let authority = request.uri().authority().map(Authority::as_str);
    let host = HeaderValue::from_str(authority.unwrap_or_default())?;
    request.headers_mut().insert(header::HOST, host);
    if let Some(path) = request.uri().path_and_query().cloned() {
        *request.uri_mut() = path.into();
    }
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(async move { drop(connection.await) });
    let (head, body) = sender.send_request(request.map(Full::new)).await?.into_parts();
    let body = Limited::new(body, MAX_RESPONSE).collect().await?.to_bytes();
    Ok(Response::from_parts(head, body))
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
            let sent = async { tokio::time::timeout(self.timeout, self.send(request)).await };
            let result = match self.runtime.block_on(sent) {
                Ok(result) => result,
                Err(_elapsed) => Err("no response within the timeout".into()),
            };
            *lock(&self.cause) = result.as_ref().err().map(ToString::to_string);
            result
        })
    }
}

/// Maximum length of a response, in bytes.
const MAX_RESPONSE: usize = 64 * 1024;
