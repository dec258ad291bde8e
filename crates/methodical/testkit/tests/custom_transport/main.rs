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
        (
            "request.odd_target_is_verbatim_or_refused",
            "the client parses the URI again and encodes an apostrophe"
        ),
        (
            "request.given_host_is_not_doubled",
            "the client replaces a given host with that of the URI"
        ),
        (
            "request.head_is_sent_as_head",
            "the client waits for the body that the response to HEAD declares"
        ),
        ("request.every_method_with_and_without_a_body", "the client adds a media type to a body"),
        (
            "response.some_responses_have_no_body",
            "the client waits for the body that a 304 or the response to HEAD declares"
        ),
        ("response.chunks_are_joined", "the client does not support trailers"),
        (
            "response.interim_responses_are_skipped",
            "the client returns an interim response as the final one"
        ),
        (
            "response.oversized_heads_are_too_large",
            "the client reports a head that is too large as malformed"
        ),
        ("response.space_around_values_is_removed", "the client keeps tabs around a value"),
        (
            "response.folded_lines_do_no_harm",
            "the client returns the second line of a folded header as a separate header"
        ),
        ("body.shorter_than_its_length", "the client treats a truncated body as complete"),
        (
            "memory.endless_line_is_refused",
            "the client reports a line that is too long as a truncated response"
        ),
        (
            "memory.endless_chunk_extension_is_refused",
            "the client reports a line that is too long as a truncated response"
        ),
        (
            "errors.sent_and_phase_of_each_failure",
            "the client reports a line that is too long as a truncated response"
        ),
        ("errors.unknown_version", "the client accepts any version"),
        (
            "errors.name_that_does_not_exist",
            "the client reports an unknown host name as a general failure"
        ),
        (
            "time.deadline_of_sending",
            "the client reports a request that it could not send in time as a broken connection"
        ),
        (
            "time.early_deadline_of_a_dripping_head",
            "the client has a single time limit for the head and the body"
        ),
        ("time.connect_timeout", "the client does not report in which phase it timed out"),
        ("connections.connection_is_reused", "the client opens a connection for each request"),
        (
            "connections.connection_is_reused_after_chunks",
            "the client opens a connection for each request"
        ),
        (
            "connections.reused_connection_that_dies",
            "the client returns an interim response as the final one"
        ),
        (
            "secrecy.errors_in_the_response_reveal_nothing",
            "the client accepts a header without a colon, and a truncated body"
        ),
    ]
);

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
