//! Runs the conformance kit on each client.

use gateway_testkit_core::conformance::{Setup, Subject};
use gateway_tests_clients::hyper_util::HyperUtilTransport;
use gateway_tests_clients::report::{Client, compare};
use gateway_tests_clients::reqwest_middleware::MiddlewareTransport;
use gateway_transport::TransportError;

const DOCUMENT: &str = include_str!("../../../docs/transports.md");
const LOCK: &str = include_str!("../../../Cargo.lock");

#[expect(clippy::unnecessary_wraps, reason = "the kit expects a function that can fail")]
fn hyper_util_subject(setup: &Setup) -> Result<Subject, TransportError> {
    let transport = HyperUtilTransport::new(setup.connect_timeout, setup.idle_timeout);
    Ok(Subject::asynchronous(transport).without_tls("the adapter is built without TLS"))
}

#[test]
fn the_results_of_hyper_util_are_documented() -> Result<(), String> {
    compare(
        &Client {
            package: "hyper-util",
            version: "0.1.21",
            factory: hyper_util_subject,
            failures: &[],
        },
        DOCUMENT,
        LOCK,
    )
}

fn reqwest_middleware_subject(setup: &Setup) -> Result<Subject, TransportError> {
    drop(rustls::crypto::ring::default_provider().install_default());
    let Setup { connect_timeout, idle_timeout, root, .. } = setup;
    let transport = MiddlewareTransport::new(*connect_timeout, *idle_timeout, root)?;
    Ok(Subject::asynchronous(transport))
}

#[test]
fn the_results_of_reqwest_middleware_are_documented() -> Result<(), String> {
    compare(
        &Client {
            package: "reqwest-middleware",
            version: "0.5.2",
            factory: reqwest_middleware_subject,
            failures: &[],
        },
        DOCUMENT,
        LOCK,
    )
}
