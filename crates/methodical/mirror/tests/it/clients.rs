//! Clients of both kinds that make each call once.

use methodical_mirror::client::transport::Options;
use methodical_mirror::client::transport::bridge::OffThread;
use methodical_mirror::client::transport::ureq::UreqTransport;
use methodical_mirror::client::{AccessToken, Client, RetryPolicy, blocking};
use methodical_mirror::model::Service;
use tokio::runtime::Runtime;

pub(crate) fn blocking_client<S: Service>(base_url: String) -> blocking::Client<S> {
    blocking::Client::builder(base_url)
        .token(AccessToken::new("gwt_6yqW").unwrap())
        .transport(transport())
        .retry(RetryPolicy::never())
        .build()
        .unwrap()
}

pub(crate) fn async_client<S: Service>(base_url: String) -> Client<S> {
    Client::builder(base_url)
        .token(AccessToken::new("gwt_6yqW").unwrap())
        .transport(OffThread::new(transport()))
        .retry(RetryPolicy::never())
        .build()
        .unwrap()
}

/// The bridge of the transport needs it, not the mirror.
pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

fn transport() -> UreqTransport {
    UreqTransport::new(&Options::default()).unwrap()
}
