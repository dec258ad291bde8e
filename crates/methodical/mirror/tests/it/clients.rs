//! A client that makes each call once.

use methodical_mirror::client::transport::Options;
use methodical_mirror::client::transport::ureq::UreqTransport;
use methodical_mirror::client::{AccessToken, RetryPolicy, blocking};
use methodical_mirror::model::Service;

pub(crate) fn blocking_client<S: Service>(base_url: String) -> blocking::Client<S> {
    blocking::Client::builder(base_url)
        .token(AccessToken::new("gwt_6yqW").unwrap())
        .transport(UreqTransport::new(&Options::default()).unwrap())
        .retry(RetryPolicy::never())
        .build()
        .unwrap()
}
