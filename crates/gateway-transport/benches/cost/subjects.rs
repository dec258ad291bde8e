//! The bare clients and our adapters over them, with the same settings.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gateway_transport::reqwest::ReqwestTransport;
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingTransport as _, Deadline, Options, Proxy, Request, Transport as _,
};
use http::HeaderValue;
use http::header::{ACCEPT, AUTHORIZATION};

use crate::measure::{Pair, Subject, asynchronous, blocking};
use crate::server::BODY;

/// Returns the clients to measure. Each request has a timeout, as in real programs.
pub(crate) fn pairs(target: &str) -> Vec<Pair> {
    let target: Arc<str> = target.into();
    vec![
        Pair {
            client: "reqwest",
            bare: bare_reqwest(Arc::clone(&target)),
            ours: our_reqwest(Arc::clone(&target)),
        },
        Pair { client: "ureq", bare: bare_ureq(Arc::clone(&target)), ours: our_ureq(target) },
    ]
}

fn bare_reqwest(target: Arc<str>) -> Subject {
    let options = options();
    let tls = rustls::ClientConfig::builder_with_provider(Arc::new(
        rustls::crypto::ring::default_provider(),
    ))
    .with_safe_default_protocol_versions()
    .expect("the provider supports the default versions")
    .with_root_certificates(rustls::RootCertStore::empty())
    .with_no_client_auth();
    let client = reqwest::Client::builder()
        .connect_timeout(options.connect_timeout)
        .read_timeout(options.idle_timeout)
        .timeout(options.total_timeout)
        .pool_idle_timeout(options.pool_idle_timeout)
        .pool_max_idle_per_host(options.pool_max_idle)
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .retry(reqwest::retry::never())
        .http1_only()
        .no_proxy()
        .tls_backend_preconfigured(tls)
        .build()
        .expect("a client");
    asynchronous(BODY, async move || {
        let request = client
            .get(&*target)
            .header(AUTHORIZATION, TOKEN)
            .header(ACCEPT, JSON)
            .timeout(TIME_LIMIT);
        request.send().await.unwrap().bytes().await.unwrap().len()
    })
}

fn our_reqwest(target: Arc<str>) -> Subject {
    let transport = ReqwestTransport::new(&options()).expect("a transport");
    asynchronous(BODY, async move || {
        let response = transport.send(request(&target)).await.unwrap();
        response.into_body().collect(LIMIT).await.unwrap().len()
    })
}

/// With a timeout, ureq starts a lookup thread for each request, even on a pooled connection and for an IP address. It
/// detaches that thread while it ends, where glibc 2.36 has crashed about once in a million requests.
fn bare_ureq(target: Arc<str>) -> Subject {
    let options = options();
    let agent = ureq::Agent::config_builder()
        .timeout_connect(Some(options.connect_timeout))
        .timeout_per_read(Some(options.idle_timeout))
        .timeout_per_write(Some(options.idle_timeout))
        .max_idle_age(options.pool_idle_timeout)
        .max_idle_connections_per_host(options.pool_max_idle)
        .max_idle_connections(options.pool_max_idle)
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .build()
        .new_agent();
    blocking(BODY, move || {
        let request = agent
            .get(&*target)
            .header(AUTHORIZATION, TOKEN)
            .header(ACCEPT, JSON)
            .config()
            .timeout_global(Some(TIME_LIMIT))
            .build();
        let mut response = request.call().unwrap();
        response.body_mut().with_config().limit(LIMIT).read_to_vec().unwrap().len()
    })
}

fn our_ureq(target: Arc<str>) -> Subject {
    let transport = UreqTransport::new(&options()).expect("a transport");
    blocking(BODY, move || {
        let response = transport.send(request(&target)).unwrap();
        response.into_body().collect(LIMIT).unwrap().len()
    })
}

fn request(target: &str) -> Request {
    http::Request::get(target)
        .header(AUTHORIZATION, TOKEN)
        .header(ACCEPT, JSON)
        .extension(Deadline::after(TIME_LIMIT))
        .body(Bytes::new())
        .unwrap()
}

fn options() -> Options {
    // Every connection is kept, so that none is opened during the measurement.
    Options::default().proxy(Proxy::Never).pool_max_idle(64)
}

const TOKEN: HeaderValue = HeaderValue::from_static("Bearer 0123456789abcdef0123456789abcdef");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TIME_LIMIT: Duration = Duration::from_secs(30);
const LIMIT: u64 = 64 << 20;
