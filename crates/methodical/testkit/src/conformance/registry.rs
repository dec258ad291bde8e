//! The list of checks, for the runner and for `conformance_tests!`.

use crate::conformance::checks;
use crate::conformance::kit::Kit;
use crate::outcome::Outcome;

/// A check of a transport.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ConformanceCheck {
    /// The name of the check, with its group: `body.limit_is_exact`.
    pub name: &'static str,
    pub(super) function: Function,
}

impl ConformanceCheck {
    /// Returns the group: `body` for `body.limit_is_exact`.
    ///
    /// ```
    /// use methodical_testkit::conformance::CHECKS;
    ///
    /// assert!(CHECKS.iter().any(|check| check.group() == "tls"));
    /// ```
    pub fn group(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(group, _)| group)
    }
}

pub(super) type Function = fn(&Kit) -> Outcome;

macro_rules! registry {
    (() $($group:ident [$($check:ident)*])*) => {
        /// All checks, ordered by group.
        pub const CHECKS: &[ConformanceCheck] = &[$($(ConformanceCheck {
            name: concat!(stringify!($group), ".", stringify!($check)),
            function: checks::$group::$check,
        }),*),*];
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_checks {
    ([$($callback:tt)+] $arguments:tt) => {
        $($callback)+! {
            $arguments
            request [
                target_is_verbatim
                odd_target_is_verbatim_or_refused
                empty_query_is_kept
                method_and_host
                header_bytes_are_preserved
                header_values_keep_their_case
                repeated_headers_keep_their_order
                nothing_is_added
                accept_is_not_replaced
                user_agent_is_not_replaced
                get_has_no_body_framing
                large_header_arrives_whole
                body_is_sent_with_its_length
                head_is_sent_as_head
                other_schemes_are_refused
                relative_addresses_are_refused
                invalid_ports_are_refused
                empty_path_is_a_slash
                methods_are_kept
                given_host_is_not_doubled
                empty_header_is_sent
                expect_continue_is_not_sent
                cookies_are_not_kept
                every_method_with_and_without_a_body
            ]
            response [
                every_status_is_returned
                redirects_are_not_followed
                nothing_is_retried
                reason_may_be_missing
                http_1_0_is_understood
                repeated_headers_are_kept
                header_bytes_are_kept
                header_values_keep_their_case
                no_header_is_removed
                trailers_are_not_headers
                retry_after_is_visible
                encoded_body_is_not_decoded
                chunks_are_joined
                body_may_end_with_the_connection
                some_responses_have_no_body
                body_may_be_empty
                interim_responses_are_skipped
                large_head_is_read
                endless_head_is_refused
                oversized_heads_are_too_large
                space_around_values_is_removed
                names_match_in_any_case
                chunks_win_over_a_length
                folded_lines_do_no_harm
            ]
            body [
                large_body_is_whole
                limit_is_exact
                endless_body_ends_at_the_limit
                head_comes_before_the_body
                chunks_arrive_as_they_are_sent
                shorter_than_its_length
                cut_within_a_chunk
                without_its_last_chunk
                chunk_size_that_is_not_a_number
                reset_within
                failure_is_of_the_body
                single_bytes_make_a_whole
                reset_is_not_the_end_of_an_open_body
                huge_chunk_size_is_an_error
                chunk_without_an_end_is_an_error
            ]
            memory [
                slow_reader_slows_the_peer
                dropped_body_closes
                body_dropped_half_read_closes
                calls_leave_nothing_behind
                declared_length_is_not_preallocated
                endless_line_is_refused
                endless_chunk_extension_is_refused
                endless_trailers_end
                small_dropped_body_closes
            ]
            errors [
                lengths_that_contradict
                length_that_is_not_a_number
                peer_that_does_not_speak_http
                status_that_is_not_a_number
                header_without_a_colon
                nul_in_a_header
                closed_before_the_head
                reset_before_the_head
                closed_within_the_head
                connection_refused
                name_that_does_not_exist
                unsolicited_response_is_not_used
                unknown_version
                sent_and_phase_of_each_failure
            ]
            time [
                deadline_of_the_head
                deadline_of_a_dripping_head
                early_deadline_of_a_dripping_head
                body_later_than_the_deadline_of_its_head
                deadline_of_a_dripping_body
                deadline_that_has_passed
                slow_response_within_its_deadline
                deadline_belongs_to_its_request
                connect_timeout
                idle_timeout_of_the_body
                deadline_of_a_silent_body
                deadline_of_a_fast_body
                deadline_of_sending
                deadline_of_connecting
                deadline_of_interim_responses
                far_deadline_does_no_harm
                idle_timeout_of_the_head
                slow_body_is_not_idle
                deadline_is_not_restarted
                idle_timeout_beside_a_deadline
            ]
            cancellation [
                dropped_while_waiting_closes
                works_after_a_drop
                dropped_while_connecting
                not_awaited_sends_nothing
            ]
            runtime [
                blocking_within_a_runtime
                used_from_two_runtimes
                awaited_without_a_runtime
                shared_by_threads
                body_can_be_read_elsewhere
            ]
            connections [
                connection_is_reused
                connection_is_reused_after_chunks
                close_is_respected
                stale_connection_is_survived
                failed_connection_is_not_reused
                connection_of_a_late_head_is_not_reused
                connection_of_a_late_body_is_not_reused
                requests_run_side_by_side
                responses_are_not_mixed_up
                http_1_0_connection_is_not_reused
                every_address_of_a_name_is_tried
                authorities_do_not_share_connections
                reused_connection_that_dies
            ]
            tls [
                trusted_certificate_is_accepted
                server_name_is_sent
                self_signed_is_refused
                expired_is_refused
                other_host_is_refused
                peer_without_tls
                end_without_close_notify_is_an_error
                end_with_close_notify_is_complete
                large_body_is_whole
                sessions_are_reused
                unknown_authority_is_refused
                silent_handshake_times_out
                redirect_to_plain_text_is_not_followed
            ]
            secrecy [
                errors_before_the_response_reveal_nothing
                errors_in_the_response_reveal_nothing
                tls_errors_reveal_nothing
                debug_reveals_nothing
                token_is_for_one_request
                password_of_an_address_is_not_sent
                redirects_get_no_credentials
                no_referer_is_sent
            ]
        }
    };
}

__conformance_checks!([registry]());
