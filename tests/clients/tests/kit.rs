//! Runs the conformance kit on each client.

use gateway_tests_clients::hyper_util::HyperUtilTransport;
use gateway_tests_clients::isahc::IsahcTransport;
use gateway_tests_clients::object_store::ObjectStoreTransport;
use gateway_tests_clients::opendal::OpendalTransport;
use gateway_tests_clients::report::{Client, compare};
use gateway_tests_clients::reqwest_middleware::MiddlewareTransport;
use gateway_transport::TransportError;
use methodical_testkit::conformance::{Setup, Subject};

const DOCUMENT: &str = include_str!("../../../docs/transports.md");
const LOCK: &str = include_str!("../Cargo.lock");

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

fn object_store_subject(setup: &Setup) -> Result<Subject, TransportError> {
    drop(rustls::crypto::ring::default_provider().install_default());
    let Setup { connect_timeout, idle_timeout, root, .. } = setup;
    let transport = ObjectStoreTransport::new(*connect_timeout, *idle_timeout, root)?;
    Ok(Subject::asynchronous(transport))
}

#[test]
fn the_results_of_object_store_are_documented() -> Result<(), String> {
    compare(
        &Client {
            package: "object_store",
            version: "0.14.2",
            factory: object_store_subject,
            failures: OBJECT_STORE,
        },
        DOCUMENT,
        LOCK,
    )
}

fn opendal_subject(setup: &Setup) -> Result<Subject, TransportError> {
    drop(rustls::crypto::ring::default_provider().install_default());
    let Setup { connect_timeout, idle_timeout, root, .. } = setup;
    let transport = OpendalTransport::new(*connect_timeout, *idle_timeout, root)?;
    Ok(Subject::asynchronous(transport))
}

#[test]
fn the_results_of_opendal_are_documented() -> Result<(), String> {
    compare(
        &Client {
            package: "opendal-http-transport-reqwest",
            version: "0.59.5",
            factory: opendal_subject,
            failures: OPENDAL,
        },
        DOCUMENT,
        LOCK,
    )
}

fn isahc_subject(setup: &Setup) -> Result<Subject, TransportError> {
    let transport = IsahcTransport::new(setup.connect_timeout, setup.idle_timeout)?;
    Ok(Subject::asynchronous(transport).without_tls("the adapter is built without TLS"))
}

#[test]
fn the_results_of_isahc_are_documented() -> Result<(), String> {
    compare(
        &Client { package: "isahc", version: "1.8.3", factory: isahc_subject, failures: ISAHC },
        DOCUMENT,
        LOCK,
    )
}

const OBJECT_STORE: &[(&str, &str)] = &[
    (
        "response.redirects_are_not_followed",
        "the client follows redirects, and no option turns that off",
    ),
    (
        "tls.redirect_to_plain_text_is_not_followed",
        "the client follows redirects from https to http, unless http is forbidden for every request",
    ),
    (
        "secrecy.redirects_get_no_credentials",
        "the client follows redirects to other hosts, and removes only the standard credential headers",
    ),
];

const OPENDAL: &[(&str, &str)] = &[(
    "response.some_responses_have_no_body",
    "the client waits for a body after a 304 that has a `Content-Length`",
)];

const ISAHC: &[(&str, &str)] = &[
    (
        "request.header_bytes_are_preserved",
        "the client panics on a value that is not ASCII, so the adapter refuses it",
    ),
    ("request.every_method_with_and_without_a_body", "libcurl adds a media type to a POST"),
    (
        "response.endless_head_is_refused",
        "libcurl reports a head that is too large as a failure to receive",
    ),
    (
        "body.head_comes_before_the_body",
        "the client returns the head only with the first byte of the body",
    ),
    (
        "body.chunk_size_that_is_not_a_number",
        "libcurl reports a malformed chunk as a failure to receive",
    ),
    (
        "body.huge_chunk_size_is_an_error",
        "libcurl reports a malformed chunk as a failure to receive",
    ),
    (
        "body.chunk_without_an_end_is_an_error",
        "libcurl reports a malformed chunk as a failure to receive",
    ),
    (
        "memory.endless_chunk_extension_is_refused",
        "libcurl reports a malformed chunk as a failure to receive",
    ),
    (
        "memory.small_dropped_body_closes",
        "the client returns the head only with the first byte of the body",
    ),
    ("errors.closed_within_the_head", "libcurl treats a truncated head as complete"),
    ("errors.sent_and_phase_of_each_failure", "libcurl treats a truncated head as complete"),
    (
        "errors.unsolicited_response_is_not_used",
        "libcurl does not check a connection that it used within the last second",
    ),
    (
        "time.body_later_than_the_deadline_of_its_head",
        "the client returns the head only with the first byte of the body",
    ),
    ("connections.reused_connection_that_dies", "libcurl treats a truncated head as complete"),
    ("time.connect_timeout", "the client does not report in which phase it timed out"),
    (
        "cancellation.dropped_while_waiting_closes",
        "the client notices a dropped future only when the peer sends more",
    ),
];
