//! Broken transports. Each breaks one promise.

#![expect(clippy::map_err_ignore, clippy::mem_forget, reason = "broken on purpose")]

mod connections;
mod headers;
mod pooled;
mod requests;
mod responses;
mod support;
mod time;

use gateway_testkit_core::conformance::{Factory, Setup, Subject};
use gateway_transport::{TransportError, blocking_transport_fn, transport_fn};

use self::connections::{
    connects_each_time, follows_redirects, follows_redirects_to_other_hosts, leaks_connections,
    retries, reveals_a_token_in_its_name, sends_one_at_a_time,
};
use self::headers::{
    decodes_deflate, decodes_gzip, lowers_request_values, lowers_response_values,
    lowers_the_content_type_of_a_request, lowers_the_content_type_of_a_response,
    replaces_bytes_that_are_not_ascii, strips_content_length, strips_set_cookie, strips_via,
    strips_www_authenticate, treats_trailers_as_headers,
};
use self::pooled::{
    does_not_survive_a_stale_connection, reuses_after_a_failed_body, reuses_after_a_late_body,
    reuses_after_a_late_head, reuses_after_an_unsolicited_response, reuses_after_connection_close,
    reuses_after_http_1_0,
};
use self::requests::{
    adds_a_header, adds_a_second_host, drops_empty_headers, keeps_cookies,
    keeps_one_header_per_name, refuses_an_empty_path, remembers_the_token, replaces_headers,
    rewrites_the_target, sends_a_referer, sends_expect_continue, sends_the_password_of_a_uri,
    supports_four_methods, truncates_a_port,
};
use self::responses::{
    accepts_any_certificate, buffers_the_body, has_one_kind_of_error, keeps_dropped_bodies_open,
    mixes_up_responses, reads_on_one_thread, reveals_the_request_in_errors,
    treats_a_status_as_an_error, treats_a_truncated_body_as_complete,
};
use self::support::other;
use self::time::{
    applies_the_head_deadline_to_the_body, checks_the_clock_only_while_waiting,
    continues_after_a_drop, gives_up_early, ignores_deadlines, ignores_the_deadline_of_a_body,
    ignores_the_idle_timeout, keeps_the_first_deadline, needs_a_runtime,
    overflows_on_a_far_deadline, panics_in_a_runtime, sends_before_it_is_awaited,
};

/// A broken transport, and the checks that it must fail.
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
    lowers_request_values: ["request.header_values_keep_their_case"],
    lowers_the_content_type_of_a_request: ["request.header_values_keep_their_case"],
    lowers_response_values: ["response.header_values_keep_their_case"],
    lowers_the_content_type_of_a_response: ["response.header_values_keep_their_case"],
    strips_set_cookie: ["response.no_header_is_removed"],
    strips_www_authenticate: ["response.no_header_is_removed"],
    strips_content_length: ["response.no_header_is_removed"],
    strips_via: ["response.no_header_is_removed"],
    replaces_bytes_that_are_not_ascii: [
        "request.header_bytes_are_preserved",
        "response.header_bytes_are_kept",
    ],
    treats_trailers_as_headers: ["response.trailers_are_not_headers"],
    decodes_gzip: ["response.encoded_body_is_not_decoded"],
    decodes_deflate: ["response.encoded_body_is_not_decoded"],
    reuses_after_a_late_head: ["connections.connection_of_a_late_head_is_not_reused"],
    reuses_after_a_late_body: ["connections.connection_of_a_late_body_is_not_reused"],
    reuses_after_a_failed_body: ["connections.failed_connection_is_not_reused"],
    reuses_after_connection_close: ["connections.close_is_respected"],
    reuses_after_http_1_0: ["connections.http_1_0_connection_is_not_reused"],
    reuses_after_an_unsolicited_response: ["errors.unsolicited_response_is_not_used"],
    does_not_survive_a_stale_connection: ["connections.stale_connection_is_survived"],
    sends_expect_continue: ["request.expect_continue_is_not_sent"],
    keeps_cookies: ["request.cookies_are_not_kept"],
    supports_four_methods: ["request.methods_are_kept"],
    drops_empty_headers: ["request.empty_header_is_sent"],
    adds_a_second_host: ["request.given_host_is_not_doubled"],
    truncates_a_port: ["request.invalid_ports_are_refused"],
    refuses_an_empty_path: ["request.empty_path_is_a_slash"],
    reads_on_one_thread: ["runtime.body_can_be_read_elsewhere"],
    replaces_headers: ["request.accept_is_not_replaced", "request.user_agent_is_not_replaced"],
    keeps_one_header_per_name: [
        "request.repeated_headers_keep_their_order",
        "response.repeated_headers_are_kept",
    ],
    rewrites_the_target: [
        "request.target_is_verbatim",
        "request.odd_target_is_verbatim_or_refused",
        "request.empty_query_is_kept",
    ],
    follows_redirects: ["response.redirects_are_not_followed"],
    retries: ["response.nothing_is_retried", "errors.closed_before_the_head"],
    treats_a_status_as_an_error: [
        "response.every_status_is_returned",
        "response.retry_after_is_visible",
    ],
    buffers_the_body: [
        "body.head_comes_before_the_body",
        "body.chunks_arrive_as_they_are_sent",
        "memory.slow_reader_slows_the_peer",
    ],
    treats_a_truncated_body_as_complete: [
        "body.shorter_than_its_length",
        "body.cut_within_a_chunk",
        "body.without_its_last_chunk",
        "body.reset_within",
        "body.failure_is_of_the_body",
        "body.reset_is_not_the_end_of_an_open_body",
        "body.huge_chunk_size_is_an_error",
        "body.chunk_without_an_end_is_an_error",
        "memory.endless_chunk_extension_is_refused",
        "tls.end_without_close_notify_is_an_error",
    ],
    keeps_dropped_bodies_open: [
        "memory.dropped_body_closes",
        "memory.body_dropped_half_read_closes",
    ],
    leaks_connections: ["memory.calls_leave_nothing_behind"],
    has_one_kind_of_error: [
        "errors.lengths_that_contradict",
        "errors.connection_refused",
        "response.oversized_heads_are_too_large",
        "errors.name_that_does_not_exist",
        "errors.unknown_version",
        "memory.endless_line_is_refused",
        "tls.peer_without_tls",
        "tls.silent_handshake_times_out",
        "time.connect_timeout",
    ],
    ignores_deadlines: [
        "time.deadline_of_the_head",
        "time.deadline_of_a_dripping_head",
        "time.early_deadline_of_a_dripping_head",
        "time.deadline_of_a_dripping_body",
        "time.deadline_of_a_silent_body",
        "time.deadline_of_connecting",
        "time.deadline_that_has_passed",
    ],
    ignores_the_deadline_of_a_body: [
        "time.deadline_of_a_dripping_body",
        "time.deadline_of_a_fast_body",
        "time.deadline_of_a_silent_body",
    ],
    checks_the_clock_only_while_waiting: ["time.deadline_of_a_fast_body"],
    applies_the_head_deadline_to_the_body: ["time.body_later_than_the_deadline_of_its_head"],
    keeps_the_first_deadline: ["time.deadline_belongs_to_its_request"],
    gives_up_early: ["time.slow_response_within_its_deadline", "time.slow_body_is_not_idle"],
    ignores_the_idle_timeout: ["time.idle_timeout_of_the_body", "time.idle_timeout_of_the_head"],
    overflows_on_a_far_deadline: ["time.far_deadline_does_no_harm"],
    continues_after_a_drop: ["cancellation.dropped_while_waiting_closes"],
    sends_before_it_is_awaited: ["cancellation.not_awaited_sends_nothing"],
    needs_a_runtime: ["runtime.awaited_without_a_runtime"],
    panics_in_a_runtime: ["runtime.blocking_within_a_runtime"],
    connects_each_time: [
        "connections.connection_is_reused",
        "connections.connection_is_reused_after_chunks",
        "tls.sessions_are_reused",
    ],
    sends_one_at_a_time: ["connections.requests_run_side_by_side"],
    mixes_up_responses: ["connections.responses_are_not_mixed_up", "runtime.shared_by_threads"],
    accepts_any_certificate: [
        "tls.self_signed_is_refused",
        "tls.expired_is_refused",
        "tls.other_host_is_refused",
        "tls.unknown_authority_is_refused",
    ],
    follows_redirects_to_other_hosts: [
        "secrecy.redirects_get_no_credentials",
        "tls.redirect_to_plain_text_is_not_followed",
    ],
    sends_a_referer: ["secrecy.no_referer_is_sent"],
    sends_the_password_of_a_uri: ["secrecy.password_of_an_address_is_not_sent"],
    reveals_the_request_in_errors: [
        "secrecy.errors_before_the_response_reveal_nothing",
        "secrecy.errors_in_the_response_reveal_nothing",
        "secrecy.tls_errors_reveal_nothing",
    ],
    reveals_a_token_in_its_name: ["secrecy.debug_reveals_nothing"],
    remembers_the_token: ["secrecy.token_is_for_one_request"],
}

/// Fails every request.
pub(crate) fn refuses_everything(_setup: &Setup) -> Result<Subject, TransportError> {
    Ok(Subject::blocking(blocking_transport_fn(|_| Err(other("no")))))
}

/// Fails every request, as an async transport.
pub(crate) fn refuses_everything_async(_setup: &Setup) -> Result<Subject, TransportError> {
    Ok(Subject::asynchronous(transport_fn(|_| async { Err(other("no")) })))
}

/// Panics on every request.
pub(crate) fn panics(_setup: &Setup) -> Result<Subject, TransportError> {
    Ok(Subject::blocking(blocking_transport_fn(|_| panic!("broken"))))
}
