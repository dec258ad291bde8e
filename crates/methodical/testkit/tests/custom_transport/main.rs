//! The example of `docs/writing-a-transport.md` against the whole kit.

#![expect(clippy::unnecessary_wraps, reason = "the kit expects a function that can fail")]

#[path = "../../examples/custom_transport/adapter.rs"]
mod adapter;

use gateway_transport::TransportError;
use methodical_testkit::conformance::{Setup, Subject};

use crate::adapter::AttohttpcTransport;

fn subject(setup: &Setup) -> Result<Subject, TransportError> {
    let Setup { connect_timeout, idle_timeout, .. } = *setup;
    let transport = AttohttpcTransport { connect_timeout, idle_timeout };
    Ok(Subject::blocking(transport).without_tls("the example is built without TLS"))
}

// Faults of the client itself. An adapter could not fix them without doing the work of the client.
methodical_testkit::conformance_tests!(
    subject,
    skips = &[
        ("request.odd_target_is_verbatim_or_refused", "the client encodes an apostrophe"),
        ("request.given_host_is_not_doubled", "the client replaces a given host"),
        ("request.head_is_sent_as_head", DECLARED),
        ("request.every_method_with_and_without_a_body", "the client adds a media type"),
        ("response.some_responses_have_no_body", DECLARED),
        ("response.chunks_are_joined", "the client does not support trailers"),
        ("response.interim_responses_are_skipped", INTERIM),
        ("response.oversized_heads_are_too_large", "a head that is too large is malformed to it"),
        ("response.space_around_values_is_removed", "the client keeps tabs around a value"),
        ("response.folded_lines_do_no_harm", "the client returns the second line as a header"),
        ("body.shorter_than_its_length", "the client treats a truncated body as complete"),
        ("memory.endless_line_is_refused", LINE),
        ("memory.endless_chunk_extension_is_refused", LINE),
        ("errors.sent_and_phase_of_each_failure", LINE),
        ("errors.unknown_version", "the client accepts any version"),
        ("errors.name_that_does_not_exist", "an unknown host is a general failure to the client"),
        ("time.deadline_of_sending", "the client reports a broken connection"),
        ("time.early_deadline_of_a_dripping_head", "the client has a single time limit"),
        ("time.connect_timeout", "the client does not report in which phase it timed out"),
        ("connections.connection_is_reused", EACH),
        ("connections.connection_is_reused_after_chunks", EACH),
        ("connections.reused_connection_that_dies", INTERIM),
        ("secrecy.errors_in_the_response_reveal_nothing", "the client accepts malformed responses"),
    ]
);

const DECLARED: &str = "the client waits for a body that is only declared";
const EACH: &str = "the client opens a connection for each request";
const INTERIM: &str = "the client returns an interim response as the final one";
const LINE: &str = "the client reports a line that is too long as a truncated response";

#[test]
fn the_guide_quotes_the_example() {
    let guide = include_str!("../../../../../docs/writing-a-transport.md");
    let adapter = include_str!("../../examples/custom_transport/adapter.rs");
    assert!(
        guide.contains(adapter.trim()),
        "copy examples/custom_transport/adapter.rs into docs/writing-a-transport.md"
    );
    let code = adapter.lines().map(str::trim);
    let code = code.filter(|line| !line.is_empty() && !line.starts_with("//")).count();
    assert!(code < 60, "an adapter should have fewer than 60 lines of code, not {code}");
}
