//! What `/metrics` reports: the counters, and what is looked up for each scrape.

use std::sync::Arc;
use std::time::Duration;

use methodical_serve::{Acceptor, Phase};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::cleanup::Cleanup;
use crate::clock::UnixTime;
use crate::error::ErrorKind;
use crate::exposition::{Exposition, Type};
use crate::front::metrics::Metrics;
use crate::front::work::Work;
use crate::ops::process;
use crate::traces::Traces;

/// The sources of all metrics.
#[derive(Debug)]
pub(crate) struct Sources {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) traces: Traces,
    pub(crate) work: Work,
    pub(crate) cleanup: Arc<Cleanup>,
    pub(crate) tls: Option<Arc<Acceptor>>,
    /// Maximum number of open connections.
    pub(crate) connections: usize,
    pub(crate) phase: watch::Receiver<Phase>,
}

/// Whether the server can answer requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readiness {
    Ready,
    Stopping,
    /// A read has found damage.
    Damaged,
    NoDatabase,
}

impl Sources {
    /// Returns whether the server can answer requests now, and when the newest data was imported.
    pub(super) async fn readiness(&self) -> (Readiness, Option<UnixTime>) {
        if *self.phase.borrow() > Phase::Serving {
            return (Readiness::Stopping, None);
        }
        let look = self.work.run(|store| {
            store.health()?;
            store.newest_revision()
        });
        // A probe has its own timeout and would take silence for a dead process.
        match timeout(READY_WITHIN, look).await {
            Ok(Ok(newest)) => (Readiness::Ready, newest),
            Ok(Err(error)) if error.kind() == ErrorKind::StorageCorrupt => {
                (Readiness::Damaged, None)
            }
            Ok(Err(_)) | Err(_) => (Readiness::NoDatabase, None),
        }
    }

    /// Renders all metrics.
    pub(super) async fn render(&self) -> String {
        let (readiness, newest) = self.readiness().await;
        let mut out = Exposition::new();
        out.metric("gateway_build_info", Type::Gauge, "The version that runs; always 1.");
        out.sample("gateway_build_info", &[("version", &env!("CARGO_PKG_VERSION"))], 1);
        let help = "Whether the server can answer requests, as /readyz says.";
        out.gauge("gateway_ready", help, u8::from(readiness == Readiness::Ready));
        let help = "Whether a read has found damage in the database since the start.";
        out.gauge("gateway_database_damaged", help, u8::from(readiness == Readiness::Damaged));
        self.metrics.write(&mut out);
        self.traces.write(&mut out);
        out.gauge("gateway_connections_limit", "Maximum of open connections.", self.connections);
        self.work.write(&mut out);
        if let Some(UnixTime(newest)) = newest {
            let help = "When the newest data was imported, in seconds since 1970.";
            out.gauge("gateway_data_revision_timestamp_seconds", help, newest);
        }
        self.cleanup.write(&mut out);
        if let Some(expiry) = self.tls.as_ref().and_then(|tls| tls.expiry()) {
            let help = "When the certificate expires, in seconds since 1970.";
            out.gauge("gateway_certificate_expiry_timestamp_seconds", help, expiry);
        }
        process::write(&mut out);
        out.finish()
    }
}

/// Time within which a ready database responds.
const READY_WITHIN: Duration = Duration::from_secs(2);
