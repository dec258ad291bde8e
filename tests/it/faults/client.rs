//! The clients that encounter the faults, over two transports.

use std::sync::LazyLock;
use std::time::Duration;

use gateway_client::transport::reqwest::ReqwestTransport;
use gateway_client::transport::ureq::UreqTransport;
use gateway_client::transport::{Options, Proxy};
use gateway_client::{AccessToken, CallOptions, Client, RetryPolicy, blocking};
use methodical_client::ClientBuilder;
use methodical_client::model::Service;

use crate::outputs::Outputs;
use crate::support::Driver;

/// A transport: its name, and which of the two clients uses it.
pub(super) type Over = (&'static str, fn([Driver; 2]) -> Driver);

pub(super) const OVER: [Over; 2] =
    [("Reqwest", |[first, _]| first), ("Ureq", |[_, second]| second)];

/// Both transports.
pub(super) struct Transports(ReqwestTransport, UreqTransport);

/// The transports without a proxy. They are created once, because each creation reads the system's certificates.
pub(super) static DIRECT: LazyLock<Transports> = LazyLock::new(|| Transports::new(Proxy::Never));

impl Transports {
    pub(super) fn new(proxy: Proxy) -> Self {
        let options = Options::default().proxy(proxy);
        Self(ReqwestTransport::new(&options).unwrap(), UreqTransport::new(&options).unwrap())
    }

    /// Returns a client over each transport, with two attempts and no pause between them.
    pub(super) fn clients(
        &self,
        base_url: &str,
        limit: Duration,
        outputs: &Outputs,
    ) -> [Driver; 2] {
        let client = settings(Client::builder(base_url), limit, outputs);
        let client = client.transport(self.0.clone()).build().unwrap();
        let blocking = settings(blocking::Client::builder(base_url), limit, outputs);
        let blocking = blocking.transport(self.1.clone()).build().unwrap();
        [Driver::Async(client.with(tenant())), Driver::Blocking(blocking.with(tenant()))]
    }
}

/// Applies the settings of both clients.
fn settings<S: Service, T>(
    builder: ClientBuilder<S, T>,
    limit: Duration,
    outputs: &Outputs,
) -> ClientBuilder<S, T> {
    builder
        .token(AccessToken::new("gwt_CANARY").unwrap())
        .retry(RetryPolicy::default().max_attempts(2).base_delay(Duration::ZERO))
        .observer(outputs.clone())
        .allow_insecure_http()
        .call_timeout(limit)
        .stream_timeout(limit)
        .body_limit(BODY_LIMIT)
}

fn tenant() -> CallOptions {
    CallOptions::new().header("x-tenant", "CANARY").unwrap()
}

/// Maximum size of a body, in bytes.
const BODY_LIMIT: u64 = 16 << 20;
