//! The checks: the name of each, its promise, and the function that runs it.

use gateway_transport::TransportErrorKind::{Connect, Interrupted, Protocol, Resolve, TooLarge};

use crate::certificates::{Authority, Identity};
use crate::conformance::connections::{echoes_to_threads, late_response_reaches_nobody, opens};
use crate::conformance::kit::Kit;
use crate::conformance::peer::{
    SHORT, begun, closed_port, dripping, endless_body, friendly, get, ok, playing, secure, server,
    stalling, within,
};
use crate::conformance::requests::{headers_arrive, refused, targets_arrive};
use crate::conformance::responses::{arrives, cut, dropped, endless, fails, statuses, unsent};
use crate::conformance::secrecy::certificate_is_refused;
use crate::conformance::time::{Limit, body_ends, idle, in_time};
use crate::conformance::{connections, requests, responses, secrecy, time};
use crate::outcome::Outcome;
use crate::raw_server::Next::{Close, KeepAlive, Reset};

/// One check of the conformance kit: a promise, and the function that tests it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ConformanceCheck {
    /// The name of the check with its group, such as `body.limit_is_exact`.
    pub name: &'static str,
    /// The requirement, the reason for it, and the standard or promise of `gateway_transport` that it comes from.
    pub promise: &'static str,
    pub(super) run: Run,
}

pub(super) type Run = fn(&Kit) -> Outcome;

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

macro_rules! table {
    (() $($group:ident { $($(#[doc = $promise:literal])+ $name:ident: $run:expr;)+ })+) => {
        /// All checks of the conformance kit, ordered by group.
        pub const CHECKS: &[ConformanceCheck] = &[$($(ConformanceCheck {
            name: concat!(stringify!($group), ".", stringify!($name)),
            promise: concat!($($promise),+).trim_ascii_start(),
            run: $run,
        }),+),+];
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_checks { ([$($callback:tt)+] $arguments:tt) => { $($callback)+! { $arguments
    request {
        /// The target arrives unchanged, including percent-encoding, empty parameters and unusual characters. A client
        /// that re-encodes the target changes the request. RFC 9112 section 3.2, RFC 3986 section 6.2.2.
        target_is_verbatim: |kit| {
            let target = "/c/v1?method=a/b&status=a%20b+c%2Fd&x=%E2%82%ac&t=%7E%2da%41&e=&&y=1,2;3:4@!$*()~-._";
            let long = format!("/c/v1?ids={}", "1,".repeat(3000));
            targets_arrive(kit, &[(target, target), (&long, &long)])
        };
        /// A target that many URL libraries rewrite arrives unchanged, or is refused before anything is sent. RFC 9112
        /// section 3.2, and RFC 3986 section 6.2.2.3 for dot segments.
        odd_target_is_verbatim_or_refused: requests::odd_target_is_verbatim_or_refused;
        /// `/a` is sent as `/a`, and `/a?` as `/a?`. They are different resources. RFC 3986 section 3.4.
        empty_query_is_kept: |kit| targets_arrive(kit, &[("/a", "/a"), ("/a?", "/a?")]);
        /// The request line says HTTP/1.1, and `Host` is the authority with its port. RFC 9112 sections 3 and 3.2.
        method_and_host: requests::method_and_host;
        /// Header values arrive byte for byte, including inner whitespace and non-ASCII bytes, however long or many
        /// they are, even if they are marked as sensitive. Signed tokens can have 8 KiB, and a value may contain
        /// `obs-text`: RFC 9110 sections 5.4 and 5.5.
        header_bytes_are_preserved: requests::header_bytes_are_preserved;
        /// Header values keep their case, and the client does not replace any, such as `Accept` or `User-Agent`. Most
        /// values are case-sensitive: tokens, entity tags, boundaries, trace states. RFC 9110 section 5.5.
        header_values_keep_their_case: requests::header_values_keep_their_case;
        /// Two headers of the same name arrive in order, as two lines or as one list. RFC 9110 section 5.3.
        repeated_headers_keep_their_order: |kit| headers_arrive(kit, &[("x-multi", b"1"), ("x-multi", b"2")]);
        /// No header is added except `Host`, `Connection` and `User-Agent`: no `Accept-Encoding`, no `Referer`, and no
        /// framing of a body that a GET does not have. An added header may be logged by the service, and may change the
        /// response. RFC 9110 sections 9.3.1 and 12.5.3.
        nothing_is_added: requests::nothing_is_added;
        /// A body, such as a token request's, is sent complete, with its length and media type. RFC 9112 section 6.2.
        body_is_sent_with_its_length: requests::body_is_sent_with_its_length;
        /// HEAD is sent as HEAD, and no body is expected even after a declared length. RFC 9110 section 9.3.2.
        head_is_sent_as_head: requests::head_is_sent_as_head;
        /// A URI whose scheme is not `http` or `https` is refused as an invalid request. A configuration error must not
        /// look like a network failure, which is retried. RFC 9110 section 4.2.
        other_schemes_are_refused: |kit| refused(kit, "ftp://127.0.0.1/");
        /// A URI without an authority is refused as an invalid request. RFC 9112 section 3.2.1.
        relative_addresses_are_refused: |kit| refused(kit, "/c/v1");
        /// A port that is not a number, or is out of range, is refused before anything is sent. A client that uses
        /// another port instead sends the credentials to the wrong server. RFC 3986 section 3.2.3.
        invalid_ports_are_refused: requests::invalid_ports_are_refused;
        /// A URI without a path is sent with the path `/`, with or without a query. A request line without a path is
        /// malformed. RFC 9112 section 3.2.1.
        empty_path_is_a_slash: |kit| targets_arrive(kit, &[("", "/"), ("?a=1", "/?a=1")]);
        /// A `Host` header from the caller replaces the client's own, or the request is refused. Servers must reject
        /// two `Host` headers with 400, and proxies may disagree about which one counts. RFC 9112 section 3.2.
        given_host_is_not_doubled: |kit| requests::arrives_or_is_refused(kit, "host", "gateway.example");
        /// A header with an empty value is sent, not left out. A field value may be empty: RFC 9110 section 5.5.
        empty_header_is_sent: |kit| headers_arrive(kit, &[("x-empty", b"")]);
        /// A request with a body does not carry `Expect: 100-continue`. A client that sends it waits about a second for
        /// each peer that ignores it. RFC 9110 section 10.1.1.
        expect_continue_is_not_sent: requests::expect_continue_is_not_sent;
        /// The same request is sent each time, and without anything from an earlier exchange: no cookie, no validator,
        /// no `Referer`, and no response from a cache. A transport that keeps them mixes up the sessions of two
        /// callers, reveals the previous URI, whose query may contain personal data, or returns a list that has
        /// changed. Keeping them is up to the user agent: RFC 6265 section 5.4, RFC 9110 section 17.9, RFC 9111 section
        /// 2.
        nothing_of_a_response_is_kept: requests::nothing_of_a_response_is_kept;
        /// A header that controls a connection arrives unchanged, or the request is refused before anything is sent. A
        /// client that silently drops it sends a different request. Promise 1 of a transport, RFC 9110 section 7.6.1.
        connection_headers_arrive_or_are_refused: requests::connection_headers_arrive_or_are_refused;
        /// Every method, even an unregistered one, is sent with and without a body, byte for byte and without
        /// additions. A request with a body may instead be refused before anything is sent. Clients treat methods
        /// differently: some drop the body of a DELETE, or add a media type to a POST. RFC 9110 sections 9.1 and 9.3,
        /// RFC 9112 section 6.
        every_method_with_and_without_a_body: requests::every_method_with_and_without_a_body;
    }
    response {
        /// Every status is returned as a response with its headers and body, not as an error. The caller decides what a
        /// 401 or a 429 means. RFC 9110 section 15.
        every_status_is_returned: |kit| {
            let has_body = |code: &u16| ![204, 205, 304].contains(code);
            statuses(kit, (200..600).filter(has_body), ("x-h", "v"))
        };
        /// A redirect is returned to the caller, not followed. Following it could send the token to another party. RFC
        /// 9110 section 15.4.
        redirects_are_not_followed: |kit| statuses(kit, (300..=308).filter(|code| *code != 304), ("location", "/200"));
        /// A status that invites a retry is returned, and the request is not sent again, whatever its method. Retries
        /// are up to the caller's policy, which counts attempts. RFC 9110 sections 15.5.9 and 15.6.4.
        nothing_is_retried: |kit| statuses(kit, [408, 421, 425, 429, 503], ("retry-after", "0"));
        /// A status line without a reason phrase is accepted. RFC 9112 section 4.
        reason_may_be_missing: |kit| {
            arrives(kit, "HTTP/1.1 200 \r\ncontent-length: 2\r\n\r\n{}", KeepAlive, &[], "{}")
        };
        /// The body of an HTTP/1.0 response without a length ends when the connection closes. Old proxies still use
        /// HTTP/1.0. RFC 9112 section 6.3.
        http_1_0_is_understood: |kit| arrives(kit, "HTTP/1.0 200 OK\r\n\r\nold", Close, &[], "old");
        /// Two headers with the same name, in any case, are both returned, in order. RFC 9110 sections 5.1 and 5.3.
        repeated_headers_are_kept: |kit| {
            let sent = "HTTP/1.1 200 OK\r\nx-multi: a=1\r\nX-Multi: b=2\r\ncontent-length: 0\r\n\r\n";
            arrives(kit, sent, KeepAlive, &[("x-multi", "a=1 | b=2")], "")
        };
        /// A header value that is not UTF-8 is returned unchanged. RFC 9110 section 5.5.
        header_bytes_are_kept: |kit| {
            let sent = b"HTTP/1.1 200 OK\r\nx-latin: caf\xe9\r\ncontent-length: 0\r\n\r\n";
            arrives(kit, sent, KeepAlive, &[("x-latin", "caf\\xe9")], "")
        };
        /// Header values keep their case. Most values are case-sensitive: entity tags, cookies, boundaries, realms. RFC
        /// 9110 section 5.5.
        header_values_keep_their_case: responses::header_values_keep_their_case;
        /// No header is removed, whether for framing, cookies, authentication, caching or the connection. None is
        /// added, such as a default media type. A wrapper of the transport may need any of them, or act on one that is
        /// missing. RFC 9110 section 5.
        headers_are_those_of_the_peer: responses::headers_are_those_of_the_peer;
        /// A trailer does not become a header of the response. It arrives after the caller has decided what the headers
        /// mean. Transports discard trailers. RFC 9110 section 6.5.1.
        trailers_are_not_headers: responses::trailers_are_not_headers;
        /// A compressed body is returned as it was sent, with its `Content-Encoding`. Decompressing it without being
        /// asked defeats every size limit. RFC 9110 section 8.4.
        encoded_body_is_not_decoded: responses::encoded_body_is_not_decoded;
        /// Chunk sizes, chunk extensions and trailers are not part of the body. RFC 9112 section 7.1.
        chunks_are_joined: |kit| {
            let sent = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\
                        3\r\nabc\r\n4;ext=1\r\ndefg\r\n0\r\nx-trailer: 1\r\n\r\n";
            arrives(kit, sent, KeepAlive, &[], "abcdefg")
        };
        /// A body without a length ends when the connection closes. RFC 9112 section 6.3.
        body_may_end_with_the_connection: |kit| {
            arrives(kit, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello", Close, &[], "hello")
        };
        /// A 204, a 304 and the response to HEAD have no body even if they declare a length. RFC 9112 section 6.3.
        some_responses_have_no_body: responses::some_responses_have_no_body;
        /// A body of length 0 is returned as an empty body. RFC 9110 section 8.6.
        body_may_be_empty: |kit| {
            arrives(kit, "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", KeepAlive, &[], "")
        };
        /// Interim responses (1xx) are skipped, and the final response is returned. RFC 9110 section 15.2.
        interim_responses_are_skipped: |kit| {
            let sent = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n\
                        HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
            arrives(kit, sent, KeepAlive, &[], "{}")
        };
        /// All 90 headers of a 54 KB head are returned. RFC 9110 section 5.4 sets no limit; proxies allow about 64 KB.
        large_head_is_read: responses::large_head_is_read;
        /// An endless head is refused before it fills the memory. RFC 9112 section 2.3, RFC 9110 section 17.5.
        endless_head_is_refused: |kit| {
            endless(kit, "HTTP/1.1 200 OK\r\n", &format!("x-a: {}\r\n", "v".repeat(1000)), 8 << 20)
        };
        /// A head with too many headers, or with a header that is too large, is an error of kind `TooLarge`. It is
        /// valid HTTP, not malformed, and a higher limit would help. RFC 9110 section 5.4.
        oversized_heads_are_too_large: |kit| {
            for headers in ["x-a: v\r\n".repeat(20_000), format!("x-a: {}\r\n", "v".repeat(1 << 20))] {
                let sent = format!("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n{headers}\r\n{{}}");
                fails(kit, sent, Close, TooLarge)?;
            }
            Ok(())
        };
        /// Whitespace around a header value is removed; whitespace inside it is kept. RFC 9112 section 5.1.
        space_around_values_is_removed: |kit| {
            let sent = "HTTP/1.1 200 OK\r\nx-space: \t a  b \t\r\nx-none:c\r\ncontent-length:  2 \r\n\r\n{}";
            arrives(kit, sent, KeepAlive, &[("x-space", "a  b"), ("x-none", "c")], "{}")
        };
        /// Header names are case-insensitive, for the caller and for the framing. RFC 9110 section 5.1.
        names_match_in_any_case: |kit| {
            let sent = "HTTP/1.1 200 OK\r\nX-FrOm: a\r\nCONTENT-LENGTH: 2\r\n\r\n{}";
            arrives(kit, sent, KeepAlive, &[("x-from", "a")], "{}")
        };
        /// If a response is chunked and also declares a length, the chunks take precedence, or the response is refused.
        /// A client that uses the length disagrees with a proxy about where the next response starts. RFC 9112 section
        /// 6.3, rule 3.
        chunks_win_over_a_length: responses::chunks_win_over_a_length;
        /// A folded header line is joined with whitespace, or the response is refused. Its second line is not a
        /// separate header. RFC 9112 section 5.2.
        folded_lines_do_no_harm: responses::folded_lines_do_no_harm;
    }
    body {
        /// A one-megabyte body arrives complete and unchanged. RFC 9112 section 6.2.
        large_body_is_whole: |kit| responses::large_body_is_whole(kit, &server(responses::large)?);
        /// `Body::collect` accepts a body of exactly the limit, and refuses one that is a byte larger. The contract of
        /// `Body::collect`.
        limit_is_exact: responses::limit_is_exact;
        /// An endless body is abandoned at the limit, and its connection is closed. The contract of `Body::collect`;
        /// RFC 9110 section 17.5.
        endless_body_ends_at_the_limit: responses::endless_body_ends_at_the_limit;
        /// The head is returned before the body has been sent. A caller must not have to wait for the end of a list
        /// that takes hours. Promise 3 of a transport.
        head_comes_before_the_body: |kit| responses::comes_in_parts(kit, "");
        /// The first bytes of a body are returned before the server has sent the last. Records are processed as they
        /// arrive. Promise 3 of a transport.
        chunks_arrive_as_they_are_sent: |kit| responses::comes_in_parts(kit, "abc");
        /// A body shorter than its length is an error, returned after the bytes that arrived. RFC 9112 section 8.
        shorter_than_its_length: |kit| cut(kit, "content-length: 10\r\n\r\nabc", "abc");
        /// A body that ends within a chunk is an error. RFC 9112 section 8.
        cut_within_a_chunk: |kit| cut(kit, "transfer-encoding: chunked\r\n\r\n5\r\nab", "ab");
        /// A body that ends without its last chunk is an error, although every byte arrived. RFC 9112 section 8.
        without_its_last_chunk: |kit| cut(kit, "transfer-encoding: chunked\r\n\r\n5\r\nabcde\r\n", "abcde");
        /// A chunk whose size is not a number is a protocol error. RFC 9112 section 7.1.
        chunk_size_that_is_not_a_number: |kit| {
            let chunks = "zz\r\nabcde\r\n0\r\n\r\n";
            fails(kit, format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{chunks}"), Close, Protocol)
        };
        /// A response that arrives byte by byte is the same as one that arrives in one piece. The network may split a
        /// line end or a chunk size anywhere. RFC 9112 section 6.
        single_bytes_make_a_whole: responses::single_bytes_make_a_whole;
        /// A reset within a body that ends when the connection closes is an error, not the end of the body. Nothing
        /// else shows that such a body was truncated. RFC 9112 section 8.
        reset_is_not_the_end_of_an_open_body: |kit| fails(kit, "HTTP/1.1 200 OK\r\n\r\nabc", Reset, Interrupted);
        /// A chunk size that overflows every integer type is an error, not a small number. RFC 9112 section 7.1:
        /// recipients must anticipate overflow.
        huge_chunk_size_is_an_error: |kit| {
            let chunks = "10000000000000005\r\nabcde\r\n0\r\n\r\n";
            fails(kit, format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{chunks}"), Close, Protocol)
        };
        /// A chunk that is longer than its size is an error. RFC 9112 section 7.1.
        chunk_without_an_end_is_an_error: |kit| {
            let chunks = "5\r\nabcdefgh\r\n0\r\n\r\n";
            fails(kit, format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{chunks}"), Close, Protocol)
        };
    }
    memory {
        /// A reader that pauses slows the peer down: at most 24 MiB of an unread body are received. The operating
        /// systems on both sides buffer a few megabytes. Promise 3 of a transport.
        slow_reader_slows_the_peer: responses::slow_reader_slows_the_peer;
        /// Dropping a body closes its connection; the rest is not read. Promise 6 of a transport.
        dropped_body_closes: |kit| dropped(kit, &endless_body()?, 0);
        /// Dropping a body that was read in part closes its connection. Promise 6 of a transport.
        body_dropped_half_read_closes: |kit| dropped(kit, &endless_body()?, 100_000);
        /// After 200 consecutive calls, at most four connections are open. A transport must not leak connections.
        calls_leave_nothing_behind: connections::calls_leave_nothing_behind;
        /// Memory is not allocated for a declared length before the bytes arrive. A client that allocates it up front
        /// is killed by a peer that lies. Promise 3 of a transport.
        declared_length_is_not_preallocated: responses::declared_length_is_not_preallocated;
        /// An endless header line is refused. RFC 9112 section 2.3.
        endless_line_is_refused: |kit| endless(kit, "HTTP/1.1 200 OK\r\nx-a: ", &"v".repeat(1000), 24 << 20);
        /// An endless chunk extension is refused. Extensions are discarded, so a client that does not count their bytes
        /// can be kept busy forever. RFC 9112 section 7.1.1.
        endless_chunk_extension_is_refused: |kit| {
            let start = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;a=";
            endless(kit, start, &"v".repeat(1000), 24 << 20)
        };
        /// A response with endless trailers fails, no later than at the deadline, and its connection is closed.
        /// Trailers follow the body, where a limit is easily forgotten. RFC 9112 section 7.1.2.
        endless_trailers_end: responses::endless_trailers_end;
        /// Dropping a body closes its connection, however little of the body is missing, and does not wait for the
        /// rest. Some clients read the rest of a small body on drop, to reuse the connection. The caller then has to
        /// wait, or the peer keeps working for a caller that has left. Promise 6 of a transport.
        small_dropped_body_closes: responses::small_dropped_body_closes;
    }
    errors {
        /// Two different lengths are a protocol error. Accepting one enables response smuggling. RFC 9112 section 6.3.
        lengths_that_contradict: |kit| {
            fails(kit, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 5\r\n\r\nabcde", Close, Protocol)
        };
        /// A response whose length is not a number is a protocol error. RFC 9112 section 6.3.
        length_that_is_not_a_number: |kit| {
            fails(kit, "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nabcde", Close, Protocol)
        };
        /// A response that is not HTTP is a protocol error. RFC 9112 section 4.
        peer_that_does_not_speak_http: |kit| fails(kit, "SSH-2.0-OpenSSH_9.7\r\n\r\n", Close, Protocol);
        /// A response whose status is not a number is a protocol error. RFC 9112 section 4.
        status_that_is_not_a_number: |kit| {
            fails(kit, "HTTP/1.1 OK OK\r\ncontent-length: 0\r\n\r\n", Close, Protocol)
        };
        /// A response with a header line without a colon is a protocol error. RFC 9112 section 5.
        header_without_a_colon: |kit| {
            fails(kit, "HTTP/1.1 200 OK\r\nno colon here\r\ncontent-length: 0\r\n\r\n", Close, Protocol)
        };
        /// A response with a NUL byte in a header value is a protocol error. RFC 9110 section 5.5.
        nul_in_a_header: |kit| {
            fails(kit, "HTTP/1.1 200 OK\r\nx-a: a\0b\r\ncontent-length: 0\r\n\r\n", Close, Protocol)
        };
        /// A connection that closes before the head is an error of kind `Interrupted`, and the request is not resent.
        /// RFC 9112 section 9.3.1 lets a client retry. A transport leaves that to the caller's retry policy.
        closed_before_the_head: responses::closed_before_the_head;
        /// A truncated head is an error of kind `Interrupted`. RFC 9112 section 8.
        closed_within_the_head: |kit| fails(kit, "HTTP/1.1 200 OK\r\ncontent-le", Close, Interrupted);
        /// A refused connection is a transient error of kind `Connect`. Nothing was sent. Promise 7 of a transport.
        connection_refused: |kit| {
            unsent(kit, &format!("http://{}/", closed_port()?), Connect)
        };
        /// A host name that does not exist is an error of kind `Resolve`. The caller can distinguish it from a host
        /// that does not answer. `.invalid` never exists: RFC 6761 section 6.4.
        name_that_does_not_exist: |kit| unsent(kit, "http://no-such-host.invalid/", Resolve);
        /// An unsolicited response is not used as the response to the next request. It may arrive together with the
        /// response, or later, when the connection is idle. RFC 9112 section 9.2.
        unsolicited_response_is_not_used: connections::unsolicited_response_is_not_used;
        /// A response in an unknown version of HTTP is a protocol error. RFC 9110 section 2.5.
        unknown_version: |kit| fails(kit, "HTTP/7.3 200 OK\r\ncontent-length: 2\r\n\r\n{}", Close, Protocol);
        /// Every failure after the request was sent says so and names its phase: never the body or connecting for an
        /// error of `send`, and always the body for an error of the body. A caller that sees "nothing was sent" repeats
        /// even a POST. Promise 7 of a transport.
        sent_and_phase_of_each_failure: responses::sent_and_phase_of_each_failure;
    }
    time {
        /// The deadline ends the wait for a head. Promise 4 of a transport.
        deadline_of_the_head: |kit| in_time(kit, within(SHORT, get(&stalling("")?, "/")?));
        /// The deadline ends the wait for a head that arrives byte by byte: it limits the whole head, not each pause.
        /// Promise 4 of a transport.
        deadline_of_a_dripping_head: |kit| in_time(kit, within(SHORT * 3, get(&dripping("")?, "/")?));
        /// The deadline of the head ends the wait for a head that arrives byte by byte, although the body may take
        /// longer. A list may take an hour to read, but it must begin soon. Promise 4 of a transport.
        early_deadline_of_a_dripping_head: |kit| in_time(kit, begun(SHORT * 3, get(&dripping("")?, "/")?));
        /// The deadline of the head does not end the body, which would truncate good lists. Promise 4 of a transport.
        body_later_than_the_deadline_of_its_head: time::body_later_than_the_deadline_of_its_head;
        /// The deadline ends a body that arrives byte by byte, even if the caller pauses between two reads. Most widely
        /// used clients limit only each pause. Promise 4 of a transport.
        deadline_of_a_dripping_body: |kit| {
            body_ends(kit, &dripping(time::HEAD)?, Limit::Deadline)?;
            time::deadline_while_the_caller_pauses(kit)
        };
        /// A call whose deadline has passed fails before anything is sent. Promise 4 of a transport.
        deadline_that_has_passed: time::deadline_that_has_passed;
        /// A slow response that arrives before the deadline is returned: a deadline must not fire early.
        slow_response_within_its_deadline: time::slow_response_within_its_deadline;
        /// The deadline of one request does not apply to the next request on the same connection.
        deadline_belongs_to_its_request: time::deadline_belongs_to_its_request;
        /// The connect timeout ends an attempt to connect to a silent host, and the error says that nothing was sent. A
        /// firewall that drops packets never answers, and the system waits for minutes. RFC 9293 section 3.10.1.
        connect_timeout: time::connect_timeout;
        /// The idle timeout ends a body whose peer stops sending. A peer that has vanished never closes the connection.
        /// `Setup::idle_timeout`.
        idle_timeout_of_the_body: |kit| body_ends(kit, &stalling(time::HEAD)?, Limit::Idle);
        /// The deadline ends a body whose peer stops sending. Promise 4 of a transport.
        deadline_of_a_silent_body: |kit| body_ends(kit, &stalling(time::HEAD)?, Limit::Deadline);
        /// The deadline ends a body that arrives faster than it is read. A client that checks the clock only while it
        /// waits for data never checks it. Promise 4 of a transport.
        deadline_of_a_fast_body: |kit| body_ends(kit, &endless_body()?, Limit::Deadline);
        /// The deadline ends a call whose peer does not read the request. Promise 4 of a transport.
        deadline_of_sending: time::deadline_of_sending;
        /// The deadline ends an attempt to connect, although the connect timeout is longer. Promise 4 of a transport.
        deadline_of_connecting: time::deadline_of_connecting;
        /// The deadline ends a call whose peer sends endless interim responses. Each response looks like progress. RFC
        /// 9110 section 15.2.
        deadline_of_interim_responses: time::deadline_of_interim_responses;
        /// A deadline that is far in the future does not fail the call. Adding it to the clock overflows in some
        /// clients. Promise 4 of a transport.
        far_deadline_does_no_harm: time::far_deadline_does_no_harm;
        /// The idle timeout ends the wait for a head from a silent peer. `Setup::idle_timeout`.
        idle_timeout_of_the_head: |kit| in_time(&idle(kit, SHORT)?, get(&stalling("")?, "/")?);
        /// The idle timeout does not end a body that arrives slowly but steadily, nor one whose caller pauses for
        /// longer than that: it limits the silence of the peer. `Setup::idle_timeout`.
        slow_body_is_not_idle: time::slow_body_is_not_idle;
        /// The deadline counts from the call. It does not start again when a part of the response arrives. A deadline
        /// that restarts at the head lets a call take twice its time. Promise 4 of a transport.
        deadline_is_not_restarted: time::deadline_is_not_restarted;
        /// The idle timeout ends the wait for a silent peer, although the deadline is later. Each limit applies
        /// independently, and the earliest ends the call. `Setup::idle_timeout`.
        idle_timeout_beside_a_deadline: time::idle_timeout_beside_a_deadline;
    }
    cancellation {
        /// A future that is dropped while it waits for the head closes its connection. Promise 6 of a transport.
        dropped_while_waiting_closes: time::dropped_while_waiting_closes;
        /// A transport still works after a call was dropped. It must not reuse the connection of that call.
        works_after_a_drop: time::works_after_a_drop;
        /// A future that is dropped while it connects ends immediately. Promise 6 of a transport.
        dropped_while_connecting: time::dropped_while_connecting;
        /// A future that is never polled sends nothing. A Rust future does nothing until it is polled.
        not_awaited_sends_nothing: time::not_awaited_sends_nothing;
    }
    runtime {
        /// A blocking transport that is called on a thread of an async runtime returns a response and does not panic.
        /// Partly async programs do this. At least one widely used client panics there.
        blocking_within_a_runtime: connections::blocking_within_a_runtime;
        /// An async transport that was used in one runtime works in another, even after the first has ended. Tests and
        /// command-line programs create a runtime for each call. A pooled connection belongs to its runtime.
        used_from_two_runtimes: connections::used_from_two_runtimes;
        /// An async transport that is awaited outside of a runtime returns a response or a typed error, and does not
        /// panic. A program on an executor other than tokio must not crash.
        awaited_without_a_runtime: connections::awaited_without_a_runtime;
        /// A body can be read on a thread other than the one that made the call. A body is `Send`, and records are
        /// often processed on another thread.
        body_can_be_read_elsewhere: connections::body_can_be_read_elsewhere;
    }
    connections {
        /// Consecutive requests use one connection, because opening one costs round trips. RFC 9112 section 9.3.
        connection_is_reused: |kit| opens(kit, 1, &friendly()?);
        /// A connection is also reused after a chunked response. RFC 9112 section 9.3.
        connection_is_reused_after_chunks: |kit| {
            let sent = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
            opens(kit, 1, &playing(sent, KeepAlive)?)
        };
        /// A connection is not reused after a response with `Connection: close`. RFC 9112 section 9.6.
        close_is_respected: |kit| {
            let sent = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}";
            opens(kit, 5, &playing(sent, KeepAlive)?)
        };
        /// A pooled connection that the peer has closed does not make the next request fail. Servers close idle
        /// connections all the time. RFC 9112 section 9.5.
        stale_connection_is_survived: connections::stale_connection_is_survived;
        /// A connection is not reused after a failed response. The rest of that response would be read as the next
        /// response. RFC 9112 section 9.2.
        failed_connection_is_not_reused: connections::failed_connection_is_not_reused;
        /// A connection is not reused after a call whose head did not arrive by its deadline. The late response would
        /// reach the next caller, who may be another person. RFC 9112 section 9.2.
        connection_of_a_late_head_is_not_reused: |kit| {
            late_response_reaches_nobody(kit, "", "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nlate")
        };
        /// A connection is not reused after a call whose body did not arrive by its deadline. The rest of the body
        /// would be read as the head of the next response. RFC 9112 section 9.2.
        connection_of_a_late_body_is_not_reused: |kit| {
            late_response_reaches_nobody(kit, "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc", "defghij")
        };
        /// Concurrent requests do not wait for each other: a slow list delays no call. `Transport::send` takes `&self`.
        requests_run_side_by_side: connections::requests_run_side_by_side;
        /// Each response reaches the caller that sent the request, in any order of arrival. A mix-up could show the
        /// data of one account to another. A transport is `Send + Sync`.
        responses_are_not_mixed_up: |kit| echoes_to_threads(kit, 16);
        /// An HTTP/1.0 connection is not reused unless the peer allows it. RFC 9112 section 9.3.
        http_1_0_connection_is_not_reused: |kit| {
            opens(kit, 5, &playing("HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n{}", KeepAlive)?)
        };
        /// If the first address of a host refuses the connection, the next one is tried. `localhost` often resolves to
        /// `::1` and then to 127.0.0.1, and the server listens only on the second. Where it resolves only to 127.0.0.1,
        /// the check passes without a second attempt. RFC 8305 section 5.
        every_address_of_a_name_is_tried: connections::every_address_of_a_name_is_tried;
        /// Two services on one host each get their own requests, in any order, and `Host` names the requested one. A
        /// pool keyed by the host without the port sends credentials to the other service. RFC 9110 section 4.3.3.
        authorities_do_not_share_connections: connections::authorities_do_not_share_connections;
        /// A request on a reused connection that breaks is not sent again, wherever the connection breaks. A
        /// request that has arrived may have taken effect. Sending it again is up to the caller's retry policy, which
        /// knows whether that is safe. Promise 2 of a transport, RFC 9112 section 9.3.1.
        reused_connection_that_dies: connections::reused_connection_that_dies;
    }
    tls {
        /// A certificate from the trusted authority is accepted, for a host name and for an IP address. RFC 9110
        /// section 4.3.4, RFC 6125.
        trusted_certificate_is_accepted: secrecy::trusted_certificate_is_accepted;
        /// The host name is sent in the handshake, so that a server with several host names can choose the right
        /// certificate. RFC 6066 section 3.
        server_name_is_sent: secrecy::server_name_is_sent;
        /// A self-signed certificate is refused. RFC 9110 section 4.3.4.
        self_signed_is_refused: |kit| certificate_is_refused(kit, |_| Identity::self_signed());
        /// An expired certificate is refused. RFC 5280 section 4.1.2.5.
        expired_is_refused: |kit| certificate_is_refused(kit, Authority::expired);
        /// A certificate of another host is refused. RFC 6125 section 6.
        other_host_is_refused: |kit| certificate_is_refused(kit, Authority::other_host);
        /// A peer that does not use TLS is an error of kind `Tls`, and nothing is sent. The address is wrong, so a
        /// retry is pointless. RFC 8446 section 5.
        peer_without_tls: secrecy::peer_without_tls;
        /// A body that ends with the connection counts as truncated if TLS sends no `close_notify`. Otherwise an
        /// attacker who can close the connection could shorten a list. RFC 9112 section 9.8, RFC 8446 section 6.1.
        end_without_close_notify_is_an_error: secrecy::end_without_close_notify_is_an_error;
        /// A body that ends with the connection is complete if TLS sends `close_notify`. RFC 9112 section 9.8.
        end_with_close_notify_is_complete: secrecy::end_with_close_notify_is_complete;
        /// A one-megabyte body arrives in full over TLS. TLS splits it into many records. RFC 8446 section 5.
        large_body_is_whole: |kit| responses::large_body_is_whole(kit, &secure(kit, responses::large)?);
        /// Consecutive calls use one TLS session. RFC 9112 section 9.3.
        sessions_are_reused: |kit| opens(kit, 1, &secure(kit, ok)?);
        /// A certificate of an unknown authority is refused, and nothing is sent. RFC 5280 section 6.
        unknown_authority_is_refused: |kit| certificate_is_refused(kit, |_| Authority::new()?.identity());
        /// The connect timeout also ends a TLS handshake that the peer never answers. `Setup::connect_timeout`.
        silent_handshake_times_out: secrecy::silent_handshake_times_out;
        /// A redirect from TLS to plain text is returned to the caller, not followed. RFC 9110 section 15.4.
        redirect_to_plain_text_is_not_followed: secrecy::redirect_to_plain_text_is_not_followed;
    }
    secrecy {
        /// An error before the response contains neither the query nor a header. Errors end up in logs, which are read
        /// by more people than may see a token. RFC 6750 section 5.3.
        errors_before_the_response_reveal_nothing: secrecy::errors_before_the_response_reveal_nothing;
        /// An error in the response contains no query, no header and no part of the response. A body names people.
        errors_in_the_response_reveal_nothing: secrecy::errors_in_the_response_reveal_nothing;
        /// A TLS error contains neither the query nor a header. RFC 6750 section 5.3.
        tls_errors_reveal_nothing: secrecy::tls_errors_reveal_nothing;
        /// A token is sent only with the request that carries it. One service must not see the token of another.
        token_is_for_one_request: secrecy::token_is_for_one_request;
        /// A user name and password in a URI are not sent, or the URI is refused without quoting them. The caller did
        /// not give them as a header. RFC 9110 section 4.2.4.
        password_of_an_address_is_not_sent: secrecy::password_of_an_address_is_not_sent;
        /// The target of a redirect does not receive the credentials of the request. RFC 9110 section 15.4.
        redirects_get_no_credentials: secrecy::redirects_get_no_credentials;
    }
}}}

__conformance_checks!([table]());
