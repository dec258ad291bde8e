//! Broken transports. Each breaks one promise.

#![expect(clippy::map_err_ignore, clippy::mem_forget, reason = "broken on purpose")]

mod careless;
mod classes;
mod connections;
mod headers;
mod pooled;
mod requests;
mod responses;
mod support;
mod time;
mod wire;

use gateway_transport::{TransportError, blocking_transport_fn};
use methodical_testkit::conformance::{Factory, Setup, Subject};

pub(crate) use self::careless::breaks_no_rule;
use self::careless::{
    accepts_a_bare_body, accepts_a_truncated_head, ends_at_an_invalid_chunk_size,
    expects_every_declared_body, guesses_the_status, ignores_an_invalid_length,
    ignores_the_deadline_of_sending, ignores_the_end_of_a_chunk, ignores_the_version,
    keeps_space_around_values, needs_a_reason, prefers_the_length, reads_framing_in_lower_case,
    reads_once, reads_without_a_limit, removes_nul_bytes, reports_a_large_head_as_malformed,
    restarts_the_deadline_at_the_head, restarts_the_deadline_with_each_part, returns_chunk_framing,
    returns_interim_responses, skips_lines_without_a_colon, splits_folded_lines,
    stops_before_the_trailers, uses_the_first_length, waits_longer_after_interim_responses,
    waits_until_the_deadline, wraps_chunk_sizes,
};
pub(crate) use self::classes::{AGAIN, DROPS, ERRORS, HOSTS, REQUESTS, SETTINGS};
use self::connections::{
    connects_each_time, follows_redirects, follows_redirects_to_other_hosts, hides_the_server_name,
    ignores_the_extra_root, leaks_connections, retries, reveals_a_token_in_its_name,
    sends_one_at_a_time, tries_one_address,
};
use self::headers::{
    decodes_deflate, decodes_gzip, lowers_request_values, lowers_response_values,
    lowers_the_content_type_of_a_request, lowers_the_content_type_of_a_response,
    replaces_bytes_that_are_not_ascii, strips_content_length, strips_set_cookie, strips_via,
    strips_www_authenticate, treats_trailers_as_headers,
};
use self::pooled::{
    does_not_survive_a_stale_connection, pools_by_host, reuses_after_a_failed_body,
    reuses_after_a_late_body, reuses_after_a_late_head, reuses_after_an_unsolicited_response,
    reuses_after_connection_close, reuses_after_http_1_0,
};
use self::requests::{
    adds_a_header, adds_a_second_host, completes_relative_addresses, drops_empty_headers,
    keeps_cookies, keeps_one_header_per_name, omits_the_port_of_the_host, refuses_an_empty_path,
    remembers_the_token, replaces_headers, rewrites_the_target, sends_a_length_with_get,
    sends_a_referer, sends_bodies_in_chunks, sends_every_scheme_as_http, sends_expect_continue,
    sends_head_as_get, sends_the_password_of_a_uri, supports_four_methods, truncates_a_port,
    truncates_large_headers,
};
use self::responses::{
    accepts_any_certificate, allocates_the_declared_length, buffers_the_body,
    claims_that_everything_was_sent, claims_that_nothing_was_sent, expects_a_body_to_have_a_length,
    expects_a_length_over_tls, has_one_kind_of_error, keeps_dropped_bodies_open,
    loses_the_last_byte, mixes_up_responses, reads_on_one_thread, refuses_a_head_over_16_kib,
    refuses_an_empty_body, refuses_http_1_0, reveals_the_request_in_errors,
    treats_a_status_as_an_error, treats_a_truncated_body_as_complete, truncates_large_bodies,
    truncates_large_bodies_over_tls,
};
use self::time::{
    applies_the_head_deadline_to_the_body, breaks_after_a_drop,
    checks_the_clock_only_while_waiting, connects_to_the_end, continues_after_a_drop,
    gives_up_early, ignores_deadlines, ignores_the_connect_timeout, ignores_the_deadline_of_a_body,
    ignores_the_idle_timeout, keeps_its_first_runtime, keeps_the_first_deadline, needs_a_runtime,
    overflows_on_a_far_deadline, panics_in_a_runtime, sends_before_it_is_awaited,
};

/// A broken transport, and the checks that it must fail.
pub(crate) struct Broken {
    pub(crate) name: &'static str,
    pub(crate) factory: Factory,
    pub(crate) fails: &'static [&'static str],
}

macro_rules! broken {
    ($(#[$attribute:meta])* $list:ident: $($name:ident: [$($fails:literal),+ $(,)?]),+ $(,)?) => {
        $(#[$attribute])*
        pub(crate) const $list: &[Broken] = &[$(Broken {
            name: stringify!($name),
            factory: $name,
            fails: &[$($fails),+],
        }),+];
    };
}

broken! {
    /// Broken transports around working HTTP clients, and around a small pool.
    BROKEN:
    omits_the_port_of_the_host: ["request.method_and_host"],
    sends_a_length_with_get: ["request.get_has_no_body_framing"],
    truncates_large_headers: ["request.large_header_arrives_whole"],
    sends_bodies_in_chunks: ["request.body_is_sent_with_its_length"],
    sends_head_as_get: ["request.head_is_sent_as_head"],
    sends_every_scheme_as_http: ["request.other_schemes_are_refused"],
    completes_relative_addresses: ["request.relative_addresses_are_refused"],
    refuses_http_1_0: ["response.http_1_0_is_understood"],
    expects_a_body_to_have_a_length: ["response.body_may_end_with_the_connection"],
    refuses_an_empty_body: ["response.body_may_be_empty"],
    refuses_a_head_over_16_kib: ["response.large_head_is_read"],
    truncates_large_bodies: ["body.large_body_is_whole", "tls.large_body_is_whole"],
    truncates_large_bodies_over_tls: ["tls.large_body_is_whole"],
    loses_the_last_byte: ["body.limit_is_exact"],
    allocates_the_declared_length: ["memory.declared_length_is_not_preallocated"],
    claims_that_nothing_was_sent: [
        "errors.closed_before_the_head",
    ],
    claims_that_everything_was_sent: [
        "errors.connection_refused",
        "errors.name_that_does_not_exist",
        "tls.peer_without_tls",
        "tls.silent_handshake_times_out",
        "tls.unknown_authority_is_refused",
    ],
    ignores_the_connect_timeout: ["time.connect_timeout"],
    breaks_after_a_drop: ["cancellation.works_after_a_drop"],
    connects_to_the_end: ["cancellation.dropped_while_connecting"],
    keeps_its_first_runtime: ["runtime.used_from_two_runtimes"],
    tries_one_address: ["connections.every_address_of_a_name_is_tried"],
    ignores_the_extra_root: ["tls.trusted_certificate_is_accepted"],
    hides_the_server_name: ["tls.server_name_is_sent"],
    expects_a_length_over_tls: ["tls.end_with_close_notify_is_complete"],
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
    pools_by_host: ["connections.authorities_do_not_share_connections"],
    sends_expect_continue: ["request.expect_continue_is_not_sent"],
    keeps_cookies: ["request.cookies_are_not_kept"],
    supports_four_methods: ["request.every_method_with_and_without_a_body"],
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
        "body.failure_is_of_the_body",
        "body.reset_is_not_the_end_of_an_open_body",
        "body.huge_chunk_size_is_an_error",
        "body.chunk_without_an_end_is_an_error",
        "memory.endless_chunk_extension_is_refused",
        "tls.end_without_close_notify_is_an_error",
    ],
    keeps_dropped_bodies_open: [
        "body.endless_body_ends_at_the_limit",
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

broken! {
    /// Clients that differ from [`breaks_no_rule`] in one rule.
    CARELESS:
    needs_a_reason: ["response.reason_may_be_missing"],
    ignores_the_version: ["errors.unknown_version"],
    accepts_a_bare_body: ["errors.peer_that_does_not_speak_http"],
    guesses_the_status: ["errors.status_that_is_not_a_number"],
    returns_interim_responses: ["response.interim_responses_are_skipped"],
    waits_longer_after_interim_responses: ["time.deadline_of_interim_responses"],
    accepts_a_truncated_head: ["errors.closed_within_the_head"],
    reads_without_a_limit: [
        "memory.endless_chunk_extension_is_refused",
        "memory.endless_line_is_refused",
        "response.endless_head_is_refused",
    ],
    reports_a_large_head_as_malformed: ["response.oversized_heads_are_too_large"],
    wraps_chunk_sizes: ["body.huge_chunk_size_is_an_error"],
    ignores_the_end_of_a_chunk: ["body.chunk_without_an_end_is_an_error"],
    skips_lines_without_a_colon: ["errors.header_without_a_colon"],
    removes_nul_bytes: ["errors.nul_in_a_header"],
    keeps_space_around_values: ["response.space_around_values_is_removed"],
    splits_folded_lines: ["response.folded_lines_do_no_harm"],
    reads_framing_in_lower_case: ["response.names_match_in_any_case"],
    uses_the_first_length: ["errors.lengths_that_contradict"],
    ignores_an_invalid_length: ["errors.length_that_is_not_a_number"],
    prefers_the_length: ["response.chunks_win_over_a_length"],
    returns_chunk_framing: ["response.chunks_are_joined"],
    ends_at_an_invalid_chunk_size: ["body.chunk_size_that_is_not_a_number"],
    stops_before_the_trailers: ["memory.endless_trailers_end"],
    expects_every_declared_body: ["response.some_responses_have_no_body"],
    reads_once: ["body.single_bytes_make_a_whole"],
    restarts_the_deadline_at_the_head: ["time.deadline_is_not_restarted"],
    restarts_the_deadline_with_each_part: [
        "time.deadline_is_not_restarted",
        "time.deadline_of_a_dripping_head",
    ],
    waits_until_the_deadline: ["time.idle_timeout_beside_a_deadline"],
    ignores_the_deadline_of_sending: ["time.deadline_of_sending"],
}

/// Panics on every request.
pub(crate) fn panics(_setup: &Setup) -> Result<Subject, TransportError> {
    Ok(Subject::blocking(blocking_transport_fn(|_| panic!("broken"))))
}
