//! The clients that meet the faults, over four transports.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use gateway_client::transport::gzip::Gzip;
use gateway_client::transport::reqwest::ReqwestTransport;
use gateway_client::transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_client::transport::ureq::UreqTransport;
use gateway_client::transport::{BlockingTransport, Options, Proxy, SharedTransport};
use gateway_client::{AccessToken, CallOptions, Client, RetryPolicy, blocking};
use methodical_client::ClientBuilder;
use methodical_client::model::Service;

use super::case::Limits;
use super::outputs::Outputs;
use super::peer::AUTHORITY;
use crate::support::Driver;

/// The transport of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    Reqwest,
    ReqwestBlocking,
    Ureq,
}

impl Over {
    pub(super) const ALL: [Self; 3] = [Self::Reqwest, Self::ReqwestBlocking, Self::Ureq];

    /// Returns the element of this transport.
    pub(super) fn of(self, carriers: &[Carrier; 3]) -> &Carrier {
        let [reqwest, reqwest_blocking, ureq] = carriers;
        match self {
            Self::Reqwest => reqwest,
            Self::ReqwestBlocking => reqwest_blocking,
            Self::Ureq => ureq,
        }
    }
}

/// A transport, async or blocking.
pub(super) enum Carrier {
    Async(SharedTransport),
    Blocking(Arc<dyn BlockingTransport>),
}

/// The transports, without a proxy and with one more trusted authority. They are created once, because each creation
/// reads the certificates of the system.
pub(super) static DIRECT: LazyLock<[Carrier; 3]> = LazyLock::new(|| {
    let options = Options::default().proxy(Proxy::Never);
    let options = options.extra_root(AUTHORITY.certificate());
    Over::ALL.map(|over| Carrier::new(over, &options))
});

/// The same transports, requesting gzip.
pub(super) static GZIP: LazyLock<[Carrier; 3]> =
    LazyLock::new(|| DIRECT.each_ref().map(Carrier::with_gzip));

impl Carrier {
    pub(super) fn new(over: Over, options: &Options) -> Self {
        match over {
            Over::Reqwest => {
                Self::Async(SharedTransport::new(ReqwestTransport::new(options).unwrap()))
            }
            Over::ReqwestBlocking => {
                Self::Blocking(Arc::new(ReqwestBlockingTransport::new(options).unwrap()))
            }
            Over::Ureq => Self::Blocking(Arc::new(UreqTransport::new(options).unwrap())),
        }
    }

    fn with_gzip(&self) -> Self {
        match self {
            Self::Async(transport) => {
                Self::Async(SharedTransport::new(Gzip::new(transport.clone())))
            }
            Self::Blocking(transport) => Self::Blocking(Arc::new(Gzip::new(Arc::clone(transport)))),
        }
    }

    /// Returns a client with two attempts and no pause between them.
    pub(super) fn client(&self, base_url: &str, limits: Limits, outputs: &Outputs) -> Driver {
        match self {
            Self::Async(transport) => {
                let client = settings(Client::builder(base_url), limits, outputs);
                let client = client.transport(transport.clone()).build().unwrap();
                Driver::Async(client.with(tenant()))
            }
            Self::Blocking(transport) => {
                let client = settings(blocking::Client::builder(base_url), limits, outputs);
                let client = client.transport(Arc::clone(transport)).build().unwrap();
                Driver::Blocking(client.with(tenant()))
            }
        }
    }
}

/// Applies the settings of both clients.
fn settings<S: Service, T>(
    builder: ClientBuilder<S, T>,
    limits: Limits,
    outputs: &Outputs,
) -> ClientBuilder<S, T> {
    builder
        .token(AccessToken::new("gwt_CANARY").unwrap())
        .retry(RetryPolicy::default().max_attempts(2).base_delay(Duration::ZERO))
        .observer(outputs.clone())
        .allow_insecure_http()
        .call_timeout(limits.time)
        .stream_timeout(limits.time)
        .body_limit(limits.body)
}

fn tenant() -> CallOptions {
    CallOptions::new().header("x-tenant", "CANARY").unwrap()
}
