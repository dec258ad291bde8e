//! Transports that break a promise each.

#![expect(clippy::map_err_ignore, clippy::mem_forget, reason = "broken on purpose")]

mod answers;
mod connections;
mod requests;
mod time;

use gateway_testkit::conformance::{Factory, Setup, Subject};
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingResponse, ErrorKind, Request, TransportError, blocking_transport_fn, transport_fn,
};

use self::answers::{
    has_one_kind_of_error, keeps_what_was_dropped, mixes_up_answers, reads_on_one_thread,
    receives_everything_first, takes_a_cut_body_for_a_whole_one, takes_a_status_for_an_error,
    talks_to_anybody, tells_the_request,
};
use self::connections::{
    connects_each_time, follows_anywhere, follows_redirects, leaks_connections,
    sends_one_at_a_time, tells_its_name, tries_again,
};
use self::requests::{
    adds_a_header, adds_a_host, asks_for_permission, keeps_cookies, keeps_one_header_of_a_name,
    knows_four_methods, leaves_out_what_is_empty, refuses_an_empty_path, remembers_the_token,
    replaces_headers, rewrites_the_target, sends_the_password_of_an_address,
    takes_a_part_of_a_port, tells_where_it_was,
};
use self::time::{
    counts_in_milliseconds, goes_on_after_a_drop, is_impatient, keeps_the_first_deadline,
    knows_no_deadline, knows_no_silence, knows_one_deadline, needs_a_runtime, panics_in_a_runtime,
    sends_before_it_is_awaited,
};

/// A transport that breaks a promise, and the checks that must notice.
pub(crate) struct Broken {
    pub(crate) name: &'static str,
    pub(crate) factory: Factory,
    pub(crate) fails: &'static [&'static str],
}

macro_rules! broken {
    ($($name:ident: [$($fails:literal),+ $(,)?]),+ $(,)?) => {
        pub(crate) const BROKEN: &[Broken] = &[$(Broken {
            name: stringify!($name),
            factory: $name,
            fails: &[$($fails),+],
        }),+];
    };
}

broken! {
    adds_a_header: ["request.nothing_is_added"],
    asks_for_permission: ["request.no_permission_is_asked_for_a_body"],
    keeps_cookies: ["request.cookies_are_not_kept"],
    knows_four_methods: ["request.methods_are_kept"],
    leaves_out_what_is_empty: ["request.empty_header_is_sent"],
    adds_a_host: ["request.given_host_is_not_doubled"],
    takes_a_part_of_a_port: ["request.ports_that_are_none_are_refused"],
    refuses_an_empty_path: ["request.empty_path_is_a_slash"],
    reads_on_one_thread: ["runtime.body_can_be_read_elsewhere"],
    replaces_headers: ["request.accept_is_not_replaced", "request.user_agent_is_not_replaced"],
    keeps_one_header_of_a_name: [
        "request.repeated_headers_keep_their_order",
        "response.repeated_headers_are_kept",
    ],
    rewrites_the_target: [
        "request.target_is_verbatim",
        "request.odd_target_is_verbatim_or_refused",
        "request.empty_query_is_kept",
    ],
    follows_redirects: ["response.redirects_are_not_followed"],
    tries_again: ["response.nothing_is_tried_again", "errors.closed_before_the_head"],
    takes_a_status_for_an_error: [
        "response.every_status_is_an_answer",
        "response.retry_after_is_visible",
    ],
    receives_everything_first: [
        "body.head_comes_before_the_body",
        "body.pieces_come_as_they_are_sent",
        "memory.slow_reader_slows_the_peer",
    ],
    takes_a_cut_body_for_a_whole_one: [
        "body.shorter_than_its_length",
        "body.cut_within_a_chunk",
        "body.without_its_last_chunk",
        "body.reset_within",
        "body.failure_is_of_the_body",
        "body.reset_is_not_the_end_of_an_open_body",
        "body.huge_chunk_size_is_an_error",
        "body.chunk_without_an_end_is_an_error",
        "memory.endless_chunk_extension_is_refused",
        "tls.end_without_goodbye_is_an_interruption",
    ],
    keeps_what_was_dropped: [
        "memory.dropped_body_closes",
        "memory.body_dropped_half_read_closes",
    ],
    leaks_connections: ["memory.calls_leave_nothing_behind"],
    has_one_kind_of_error: [
        "errors.lengths_that_contradict",
        "errors.nobody_listens",
        "response.oversized_heads_are_too_large",
        "errors.name_that_does_not_exist",
        "errors.unknown_version",
        "memory.endless_line_is_refused",
        "tls.peer_without_tls",
        "tls.silent_handshake_has_a_limit",
        "time.limit_of_connecting",
    ],
    knows_no_deadline: [
        "time.deadline_of_the_head",
        "time.deadline_of_a_dripping_head",
        "time.early_deadline_of_a_dripping_head",
        "time.deadline_of_a_dripping_body",
        "time.deadline_of_a_silent_body",
        "time.deadline_of_connecting",
        "time.deadline_that_has_passed",
    ],
    knows_one_deadline: ["time.body_later_than_the_deadline_of_its_head"],
    keeps_the_first_deadline: ["time.deadline_belongs_to_its_request"],
    is_impatient: ["time.slow_answer_within_its_deadline", "time.slow_body_is_not_silent"],
    knows_no_silence: ["time.limit_of_silence", "time.limit_of_silence_before_the_head"],
    counts_in_milliseconds: ["time.far_deadline_does_no_harm"],
    goes_on_after_a_drop: ["cancellation.dropped_while_waiting_closes"],
    sends_before_it_is_awaited: ["cancellation.not_awaited_sends_nothing"],
    needs_a_runtime: ["runtime.awaited_without_a_runtime"],
    panics_in_a_runtime: ["runtime.blocking_within_a_runtime"],
    connects_each_time: [
        "connections.connection_is_reused",
        "connections.connection_is_reused_after_chunks",
        "tls.sessions_are_reused",
    ],
    sends_one_at_a_time: ["connections.requests_run_side_by_side"],
    mixes_up_answers: ["connections.answers_are_not_mixed_up", "runtime.shared_by_threads"],
    talks_to_anybody: [
        "tls.self_signed_is_refused",
        "tls.expired_is_refused",
        "tls.other_host_is_refused",
        "tls.unknown_authority_is_refused",
    ],
    follows_anywhere: [
        "secrecy.redirects_get_no_credentials",
        "tls.redirect_to_plain_text_is_not_followed",
    ],
    tells_where_it_was: ["secrecy.no_referer_is_sent"],
    sends_the_password_of_an_address: ["secrecy.password_of_an_address_is_not_sent"],
    tells_the_request: [
        "secrecy.errors_before_the_answer_tell_nothing",
        "secrecy.errors_in_the_answer_tell_nothing",
        "secrecy.errors_of_tls_tell_nothing",
    ],
    tells_its_name: ["secrecy.debug_tells_nothing"],
    remembers_the_token: ["secrecy.token_is_for_one_request"],
}

/// Makes a subject that does something to a good transport.
fn around(
    setup: &Setup,
    send: impl Fn(&UreqTransport, Request) -> Result<BlockingResponse, TransportError>
    + Send
    + Sync
    + 'static,
) -> Result<Subject, TransportError> {
    let good = UreqTransport::new(&setup.options())?;
    Ok(Subject::blocking(blocking_transport_fn(move |request| send(&good, request))))
}

/// Refuses to send anything.
pub(crate) fn refuses_everything(_setup: &Setup) -> Result<Subject, TransportError> {
    Ok(Subject::blocking(blocking_transport_fn(|_| Err(other("no")))))
}

/// The same, as a future.
pub(crate) fn refuses_everything_async(_setup: &Setup) -> Result<Subject, TransportError> {
    Ok(Subject::asynchronous(transport_fn(|_| async { Err(other("no")) })))
}

/// Brings the caller down.
pub(crate) fn panics(_setup: &Setup) -> Result<Subject, TransportError> {
    Ok(Subject::blocking(blocking_transport_fn(|_| panic!("broken"))))
}

fn other(text: impl Into<std::borrow::Cow<'static, str>>) -> TransportError {
    TransportError::new(ErrorKind::Other, text)
}
