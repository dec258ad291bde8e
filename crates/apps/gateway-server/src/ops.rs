//! Serves health and metrics on a separate listener, which should not be public.

use std::fs::{read_dir, read_to_string};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::request::Parts;
use http::{Method, Response, StatusCode};
use methodical_serve::{Acceptor, Connection, Limits, Phase, Refusal, Service};
use rustix::param::page_size;
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::cleanup::Cleanup;
use crate::config::UnixTime;
use crate::error::ErrorKind;
use crate::front::body::ResponseBody;
use crate::front::metrics::{Metrics, Scrape};
use crate::front::work::Work;

/// Answers `/healthz`, `/readyz` and `/metrics`.
#[derive(Debug)]
pub(crate) struct Ops {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) work: Work,
    pub(crate) cleanup: Arc<Cleanup>,
    pub(crate) tls: Option<Arc<Acceptor>>,
    /// Maximum number of open connections.
    pub(crate) connections: usize,
    pub(crate) phase: watch::Receiver<Phase>,
    pub(crate) started: UnixTime,
}

impl Service for Ops {
    type Body = ResponseBody;

    async fn answer(
        &self,
        request: &Parts,
        refusal: Option<Refusal>,
        _connection: &Arc<Connection>,
    ) -> Response<ResponseBody> {
        let mut response = match refusal {
            None => self.respond(&request.method, request.uri.path()).await,
            Some(_) => text(StatusCode::BAD_REQUEST, "invalid request\n".into()),
        };
        // A scraper needs a connection for only one request.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        response
    }
}

/// Returns the limits of the listener.
pub(crate) fn limits() -> Limits {
    Limits {
        connections: CONNECTIONS,
        connections_per_address: CONNECTIONS,
        unlimited: Vec::new(),
        queue: true,
        body: 0,
        head: HEAD_TIMEOUT,
        idle: HEAD_TIMEOUT,
        stall: CONNECTION_TIMEOUT,
        response: CONNECTION_TIMEOUT,
        age: CONNECTION_TIMEOUT,
    }
}

impl Ops {
    async fn respond(&self, method: &Method, path: &str) -> Response<ResponseBody> {
        if method != Method::GET && method != Method::HEAD {
            return text(StatusCode::METHOD_NOT_ALLOWED, "GET and HEAD only\n".into());
        }
        match path {
            // A process that responds is alive.
            "/healthz" => text(StatusCode::OK, "ok\n".into()),
            "/readyz" => match self.readiness().await {
                Ok(_newest) => text(StatusCode::OK, "ready\n".into()),
                Err(why) => text(StatusCode::SERVICE_UNAVAILABLE, why.into()),
            },
            "/metrics" => text(StatusCode::OK, self.render().await),
            _ => {
                text(StatusCode::NOT_FOUND, "not found; use /healthz, /readyz or /metrics\n".into())
            }
        }
    }

    /// Returns when the newest data was imported, or why the server cannot answer requests now.
    async fn readiness(&self) -> Result<Option<UnixTime>, &'static str> {
        if *self.phase.borrow() > Phase::Serving {
            return Err("stopping\n");
        }
        let look = self.work.run(|store| {
            store.health()?;
            store.newest_revision()
        });
        // A probe has a timeout, and would mistake silence for a dead process.
        match timeout(READY_WITHIN, look).await {
            Ok(Ok(newest)) => Ok(newest),
            Ok(Err(error)) if error.kind() == ErrorKind::StorageCorrupt => Err(DAMAGED),
            Ok(Err(error)) if error.kind() == ErrorKind::StorageForeign => Err(REPLACED),
            Ok(Err(_)) | Err(_) => Err("the database does not respond\n"),
        }
    }

    async fn render(&self) -> String {
        let readiness = self.readiness().await;
        let out = Scrape::default();
        let (version, help) =
            (env!("CARGO_PKG_VERSION"), "Always 1; the label `version` is the running version.");
        out.info("gateway_build_info", help, "version", version);
        let help =
            "Whether the server is ready to answer requests: 1 if /readyz responds with 200.";
        out.gauge("gateway_ready", help, u8::from(readiness.is_ok()));
        let help = "Whether a read has found damage in the database since the server started.";
        out.gauge("gateway_database_damaged", help, u8::from(readiness == Err(DAMAGED)));
        let help = "Maximum number of open connections.";
        out.gauge("gateway_connections_limit", help, self.connections);
        self.work.write(&out);
        if let Ok(Some(UnixTime(newest))) = readiness {
            let help = "Time of the newest import, in seconds since 1970.";
            out.gauge("gateway_data_revision_timestamp_seconds", help, newest);
        }
        self.cleanup.write(&out);
        if let Some(expiry) = self.tls.as_ref().and_then(|tls| tls.expiry()) {
            let help = "Expiry time of the certificate, in seconds since 1970.";
            out.gauge("gateway_certificate_expiry_timestamp_seconds", help, expiry);
        }
        let help = "Start time of the process, in seconds since 1970.";
        out.gauge("process_start_time_seconds", help, self.started.0);
        write_process(&out);
        self.metrics.render(&out)
    }
}

fn text(status: StatusCode, body: String) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::full(Bytes::from(body)));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4"));
    response
}

/// Timeout for receiving a request head. With [`CONNECTIONS`], it limits how long silent connections delay a probe.
const HEAD_TIMEOUT: Duration = Duration::from_secs(2);

/// Timeout for a whole response and for a client that stops reading it, and maximum age of a connection.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of open connections.
const CONNECTIONS: usize = 64;

const DAMAGED: &str = "the database is damaged; run gateway-server check\n";

const REPLACED: &str = "the database file was replaced; restart the server\n";

/// Time within which a ready database responds.
const READY_WITHIN: Duration = Duration::from_secs(2);

fn write_process(out: &Scrape) {
    let memory = read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = memory.split(' ').map_while(|pages| pages.parse::<u64>().ok());
    let mut bytes = pages.map(|pages| pages.saturating_mul(page_size() as u64));
    if let (Some(size), Some(resident)) = (bytes.next(), bytes.next()) {
        out.gauge("process_virtual_memory_bytes", "Virtual memory.", size);
        out.gauge("process_resident_memory_bytes", "Resident memory.", resident);
    }
    let used = clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or(Duration::ZERO);
    let help = "Total user and system CPU time.";
    out.seconds("process_cpu_seconds_total", help, used.as_secs_f64());
    if let Ok(open) = read_dir("/proc/self/fd") {
        // One descriptor is open only to read the directory.
        let open = open.count().saturating_sub(1);
        out.gauge("process_open_fds", "Open file descriptors.", open);
    }
    if let Some(limit) = getrlimit(Resource::Nofile).current {
        out.gauge("process_max_fds", "Limit of open file descriptors.", limit);
    }
}
