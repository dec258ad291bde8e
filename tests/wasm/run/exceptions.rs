//! The checks of the conformance kit that the adapter on `fetch` does not pass in Node.

/// A check that fails, with the reason.
pub(crate) struct Exception {
    pub(crate) check: &'static str,
    pub(crate) reason: &'static str,
    /// Whether the check fails in every run.
    pub(crate) is_constant: bool,
}

const fn always(check: &'static str, reason: &'static str) -> Exception {
    Exception { check, reason, is_constant: true }
}

const fn sometimes(check: &'static str, reason: &'static str) -> Exception {
    Exception { check, reason, is_constant: false }
}

/// The exceptions, in the order of the checks.
pub(crate) const EXCEPTIONS: &[Exception] = &[
    always("request.empty_query_is_kept", "Node drops an empty query; a browser keeps it"),
    always("request.header_bytes_are_preserved", "reqwest refuses header values beyond ASCII"),
    always("request.nothing_is_added", "`fetch` adds other headers, such as `accept-language`"),
    always(
        "request.every_method_with_and_without_a_body",
        "`fetch` adds other headers, such as `accept-language`",
    ),
    always("response.every_status_is_returned", "`fetch` reports the status 407 as a failure"),
    always(
        "response.redirects_are_not_followed",
        "`fetch` follows redirects; the adapter then returns an error",
    ),
    always(
        "response.nothing_is_retried",
        "`fetch` sends a request once more after the status 421, as its standard requires",
    ),
    always("response.repeated_headers_are_kept", "`fetch` joins repeated headers with commas"),
    always(
        "response.encoded_body_is_not_decoded",
        "`fetch` decodes bodies; the adapter then removes `content-encoding` and `content-length`",
    ),
    always(
        "response.interim_responses_are_skipped",
        "Node closes the connection after a status 100 that it did not ask for",
    ),
    always(
        "response.large_head_is_read",
        "Node refuses a head of more than 16 KiB; a browser accepts more",
    ),
    always("response.endless_head_is_refused", NO_CAUSE),
    always("response.oversized_heads_are_too_large", NO_CAUSE),
    always("response.space_around_values_is_removed", "Node keeps a tab at the end of a value"),
    always("response.chunks_win_over_a_length", NO_CAUSE),
    always("body.chunk_size_that_is_not_a_number", NO_CAUSE),
    always(
        "body.reset_is_not_the_end_of_an_open_body",
        "Node treats a reset as the end of a body without a length",
    ),
    always("body.huge_chunk_size_is_an_error", NO_CAUSE),
    always("body.chunk_without_an_end_is_an_error", NO_CAUSE),
    sometimes(
        "memory.declared_length_is_not_preallocated",
        "the stream of `fetch` drops bytes that were not read before a failure",
    ),
    always("memory.endless_line_is_refused", NO_CAUSE),
    always("memory.endless_chunk_extension_is_refused", NO_CAUSE),
    sometimes("memory.endless_trailers_end", NO_CAUSE),
    always("errors.lengths_that_contradict", NO_CAUSE),
    always("errors.length_that_is_not_a_number", NO_CAUSE),
    always("errors.peer_that_does_not_speak_http", NO_CAUSE),
    always("errors.status_that_is_not_a_number", NO_CAUSE),
    always("errors.header_without_a_colon", NO_CAUSE),
    always("errors.nul_in_a_header", NO_CAUSE),
    always("errors.connection_refused", NO_CAUSE),
    always("errors.name_that_does_not_exist", NO_CAUSE),
    always("errors.unknown_version", NO_CAUSE),
    always("errors.sent_and_phase_of_each_failure", NO_CAUSE),
    always("time.connect_timeout", "`fetch` has no phases; the phase of the error is `Head`"),
    always(
        "secrecy.redirects_get_no_credentials",
        "the check sends a cookie, which the adapter refuses",
    ),
];

const NO_CAUSE: &str = "`fetch` hides the cause of a failure; the kind is `Interrupted`";

#[cfg(test)]
mod tests {
    use methodical_testkit::conformance::CHECKS;

    use super::EXCEPTIONS;

    #[test]
    fn each_exception_is_a_check() {
        for exception in EXCEPTIONS {
            assert!(
                CHECKS.iter().any(|check| check.name == exception.check),
                "{}",
                exception.check
            );
        }
    }
}
