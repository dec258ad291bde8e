//! The example of `docs/writing-a-transport.md` against the whole kit, and what it cannot do.

#![expect(clippy::unnecessary_wraps, reason = "the kit takes a function that may fail")]

#[path = "../../examples/own_transport/adapter.rs"]
mod adapter;

use gateway_testkit::conformance::{Setup, Subject};
use gateway_transport::TransportError;

use crate::adapter::AttohttpcTransport;

fn subject(setup: &Setup) -> Result<Subject, TransportError> {
    let Setup { connect_timeout, idle_timeout, .. } = *setup;
    let transport = AttohttpcTransport { connect_timeout, idle_timeout };
    Ok(Subject::blocking(transport).without_tls("the example is built without TLS"))
}

// What the client does in place of what it should; an adapter cannot help it, or only by doing the client's work.
gateway_testkit::conformance_tests!(subject, skip = [
    "request.odd_target_is_verbatim_or_refused": "the client parses the address again and encodes an apostrophe",
    "request.given_host_is_not_doubled": "the client puts the address in place of a given host",
    "request.head_is_sent_as_head": "the client waits for the body that the answer of a HEAD announces",
    "response.some_answers_have_no_body": "the client waits for the body that a 304 or the answer of a HEAD announces",
    "response.chunks_are_joined": "the client does not know trailers",
    "response.interim_answers_are_skipped": "the client takes an interim answer for the answer",
    "response.oversized_heads_are_too_large": "the client does not tell a head that is too large from a malformed one",
    "response.space_around_values_is_removed": "the client keeps tabs around a value",
    "response.folded_lines_do_no_harm": "the client takes the second line of a folded header for a header",
    "body.shorter_than_its_length": "the client takes a body that was cut for a whole one",
    "body.failure_is_of_the_body": "the client takes a body that was cut for a whole one",
    "memory.endless_line_is_refused": "the client calls a line that is too long a cut",
    "memory.endless_chunk_extension_is_refused": "the client calls a line that is too long a cut",
    "errors.unknown_version": "the client takes any version",
    "errors.name_that_does_not_exist": "the client does not tell a name that does not exist from other failures",
    "time.deadline_of_sending": "the client calls a request that it could not send in time a broken connection",
    "time.early_deadline_of_a_dripping_head": "the client has one time limit for the head and the body",
    "time.limit_of_connecting": "the client does not tell in which phase its time ran out",
    "connections.connection_is_reused": "the client opens a connection for each request",
    "connections.connection_is_reused_after_chunks": "the client opens a connection for each request",
    "secrecy.errors_in_the_answer_tell_nothing": "the client takes a header without a colon, and a body that was cut",
]);

#[test]
fn the_guide_shows_the_example_as_it_is() {
    let guide = include_str!("../../../../docs/writing-a-transport.md");
    let adapter = include_str!("../../examples/own_transport/adapter.rs");
    assert!(guide.contains(adapter.trim()), "copy the example into docs/writing-a-transport.md");
    let code = adapter.lines().map(str::trim);
    let code = code.filter(|line| !line.is_empty() && !line.starts_with("//")).count();
    assert!(code < 60, "an adapter is to be short: {code} lines");
}
