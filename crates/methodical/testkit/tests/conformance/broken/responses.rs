//! Transports that change the response, its body or an error: always, for one header, or at one point of a call.

use std::io::{self, Read};
use std::sync::Mutex;
use std::thread;

use bytes::Bytes;
use flate2::read::{GzDecoder, ZlibDecoder};
use gateway_transport::{
    BlockingBody, BlockingResponse, BlockingTransport as _, Phase, Sent, TransportError,
    TransportErrorKind,
};
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method, Response, Version};
use methodical_testkit::conformance::Setup;

use crate::broken::support::{
    Built, all_headers, around, bodies, built, keep, lower, other, response_headers, responses,
    whole,
};

/// The check of what an error says about its request.
const SENT: &str = "errors.sent_and_phase_of_each_failure";

broken! {
    @responses:
    treats_a_status_as_an_error ["response.every_status_is_returned", "response.nothing_is_retried"] =
        |response| if response.status().is_success() { Ok(response) } else { Err(other("a status")) };
    returns_an_error_for_partial_content ["response.every_status_is_returned"] =
        |response| if response.status() == 206 { Err(other("a partial response")) } else { Ok(response) };
    buffers_the_body [
        "body.head_comes_before_the_body",
        "body.chunks_arrive_as_they_are_sent",
        "memory.slow_reader_slows_the_peer",
    ] = |response| {
        let (head, body) = response.into_parts();
        Ok(Response::from_parts(head, body.collect(1 << 30)?.into()))
    };
    collects_the_body_of_a_failure ["body.head_comes_before_the_body", "body.chunks_arrive_as_they_are_sent"] =
        |response| if response.status().is_success() { Ok(response) } else { whole(response) };
    refuses_http_1_0 ["response.http_1_0_is_understood"] =
        |response| if response.version() == Version::HTTP_10 { Err(other("HTTP/1.0")) } else { Ok(response) };
    expects_a_body_to_have_a_length ["response.body_may_end_with_the_connection"] =
        |response| if is_framed(&response) { Ok(response) } else { Ok(response.map(|_| BlockingBody::default())) };
    refuses_an_empty_body ["response.body_may_be_empty"] = |response| {
        let is_empty = response.headers().get(CONTENT_LENGTH).is_some_and(|text| text == "0");
        if is_empty { Err(other("no body")) } else { Ok(response) }
    };
    refuses_a_head_over_16_kib ["response.large_head_is_read"] = |response| {
        let size: usize = response.headers().values().map(HeaderValue::len).sum();
        if size > 16 << 10 { Err(other("a large head")) } else { Ok(response) }
    };
    loses_the_last_byte ["body.limit_is_exact"] = |response| {
        let (head, body) = response.into_parts();
        let body = body.collect(1 << 20)?;
        Ok(Response::from_parts(head, body.slice(..body.len().saturating_sub(1)).into()))
    };
    allocates_the_declared_length ["memory.declared_length_is_not_preallocated"] = |response| {
        let length = response.headers().get(CONTENT_LENGTH).and_then(|text| text.to_str().ok());
        let length = length.and_then(|text| text.parse().ok()).unwrap_or_default();
        Vec::<u8>::new().try_reserve_exact(length).map_err(|_| other("no memory"))?;
        Ok(response)
    };

    @response_headers:
    lowers_response_values ["response.header_values_keep_their_case"] = |headers| lower(headers, |_| true);
    lowers_the_content_type_of_a_response ["response.header_values_keep_their_case"] =
        |headers| lower(headers, |name| name == CONTENT_TYPE);
    adds_a_media_type_to_a_response ["response.headers_are_those_of_the_peer"] = |headers| {
        headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/octet-stream"));
    };
    drops_empty_response_headers ["response.headers_are_those_of_the_peer"] =
        |headers| keep(headers, |value| !value.is_empty());
    treats_trailers_as_headers ["response.trailers_are_not_headers"] = |headers| {
        let name = headers.remove("trailer").map(|name| HeaderName::from_bytes(name.as_bytes()));
        headers.extend(name.and_then(Result::ok).map(|name| (name, HeaderValue::from_static("1"))));
    };

    @strips:
    strips_set_cookie ["response.headers_are_those_of_the_peer"] = "set-cookie";
    strips_www_authenticate ["response.headers_are_those_of_the_peer"] = "www-authenticate";
    strips_content_length ["response.headers_are_those_of_the_peer"] = "content-length";
    strips_via ["response.headers_are_those_of_the_peer"] = "via";
    strips_connection ["response.headers_are_those_of_the_peer"] = "connection";
    strips_proxy_authenticate ["response.headers_are_those_of_the_peer"] = "proxy-authenticate";

    @all_headers:
    replaces_bytes_that_are_not_ascii ["request.header_bytes_are_preserved", "response.header_bytes_are_kept"] =
        |headers| for value in headers.values_mut() {
            let text = String::from_utf8_lossy(value.as_bytes()).replace('\u{fffd}', "?");
            *value = HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("?"));
        };
    keeps_one_header_per_name [
        "request.repeated_headers_keep_their_order",
        "response.repeated_headers_are_kept",
    ] = |headers| {
        let all = std::mem::take(headers);
        headers.extend(all.keys().filter_map(|name| Some((name.clone(), all.get(name)?.clone()))));
    };

    @bodies:
    treats_a_truncated_body_as_complete [
        "body.shorter_than_its_length",
        "body.cut_within_a_chunk",
        "body.without_its_last_chunk",
        "body.reset_is_not_the_end_of_an_open_body",
        "body.huge_chunk_size_is_an_error",
        "body.chunk_without_an_end_is_an_error",
        "memory.endless_chunk_extension_is_refused",
        "tls.end_without_close_notify_is_an_error",
    ] = |mut body| reading(move |buffer| Ok(body.read(buffer).unwrap_or(0)));
    reads_on_one_thread ["runtime.body_can_be_read_elsewhere"] = |mut body| {
        let here = thread::current().id();
        reading(move |buffer| {
            assert_eq!(here, thread::current().id(), "another thread");
            body.read(buffer)
        })
    };
    /// Returns the first 512 KiB of a body.
    truncates_large_bodies ["body.large_body_is_whole", "tls.large_body_is_whole"] =
        |body| body.take(512 << 10);

    @drops:
    keeps_dropped_bodies_open [
        "body.endless_body_ends_at_the_limit",
        "memory.dropped_body_closes",
        "memory.body_dropped_half_read_closes",
    ] = |body, _| std::mem::forget(body);
    keeps_bodies_that_were_begun_open [
        "memory.small_dropped_body_closes",
        "memory.body_dropped_half_read_closes",
    ] = |body, read| if read > 0 { std::mem::forget(body); };
    drains_small_bodies ["memory.small_dropped_body_closes"] = |body, _| drain(body);
    drains_bodies_that_were_begun ["memory.small_dropped_body_closes"] =
        |body, read| if read > 0 { drain(body); };
    drains_bodies_that_nobody_read ["memory.small_dropped_body_closes"] =
        |body, read| if read == 0 { drain(body); };
    drains_bodies_on_a_thread ["memory.small_dropped_body_closes"] =
        |body, _| drop(thread::spawn(|| drain(body)));

    @decodes:
    decodes_gzip ["response.encoded_body_is_not_decoded"] = ("gzip", |body| Box::new(GzDecoder::new(body)));
    decodes_deflate ["response.encoded_body_is_not_decoded"] =
        ("deflate", |body| Box::new(ZlibDecoder::new(body)));

    @reports_as_unsent:
    claims_that_nothing_was_sent ["errors.closed_before_the_head"] = |_, _| true;
    reports_a_late_head_as_unsent [SENT] = |_, error| is_of_head(error, TransportErrorKind::Timeout);
    reports_a_late_post_as_unsent [SENT] =
        |method, error| is_of_head(error, TransportErrorKind::Timeout) && method == Method::POST;
    reports_a_lost_head_as_unsent [
        SENT,
        "errors.closed_before_the_head",
        "connections.reused_connection_that_dies",
    ] = |_, error| is_of_head(error, TransportErrorKind::Interrupted);
    reports_a_lost_post_as_unsent [SENT] =
        |method, error| is_of_head(error, TransportErrorKind::Interrupted) && method == Method::POST;
    reports_a_malformed_head_as_unsent [SENT] = |_, error| is_of_head(error, TransportErrorKind::Protocol);
    reports_a_large_head_as_unsent [SENT] = |_, error| is_of_head(error, TransportErrorKind::TooLarge);
    reports_a_failed_body_as_unsent [SENT] = |_, error| error.phase() == Phase::Body;
    reports_a_late_body_as_unsent [SENT] =
        |_, error| error.kind() == TransportErrorKind::Timeout && error.phase() == Phase::Body;

    @reports_in_phase:
    reports_a_late_body_for_the_head [SENT] =
        (Phase::Head, |error| error.kind() == TransportErrorKind::Timeout);
    reports_a_lost_body_for_the_head [SENT] =
        (Phase::Head, |error| error.kind() == TransportErrorKind::Interrupted);
    reports_a_late_head_for_the_body [SENT] =
        (Phase::Body, |error| error.kind() == TransportErrorKind::Timeout);
    reports_a_lost_head_as_a_failed_connection [SENT] =
        (Phase::Connect, |error| is_of_head(error, TransportErrorKind::Interrupted));

    @around:
    has_one_kind_of_error [
        "errors.lengths_that_contradict",
        "errors.connection_refused",
        "response.oversized_heads_are_too_large",
        "errors.name_that_does_not_exist",
        "errors.unknown_version",
        "memory.endless_line_is_refused",
        "tls.peer_without_tls",
        "tls.silent_handshake_times_out",
        "time.connect_timeout",
    ] = |good, request| {
        good.send(request).and_then(whole).map_err(|_| other("it failed"))
    };
    accepts_any_certificate [
        "tls.self_signed_is_refused",
        "tls.expired_is_refused",
        "tls.other_host_is_refused",
        "tls.unknown_authority_is_refused",
    ] = |good, request| match good.send(request) {
        Err(error) if error.kind() == TransportErrorKind::Tls => Ok(Response::new(Bytes::new().into())),
        outcome => outcome,
    };
    reveals_the_request_in_errors [
        "secrecy.errors_before_the_response_reveal_nothing",
        "secrecy.errors_in_the_response_reveal_nothing",
        "secrecy.tls_errors_reveal_nothing",
    ] = |good, request| {
        let text = format!("{} {:?}", request.uri(), request.headers());
        good.send(request).and_then(whole).map_err(|error| other(text).with_source(error))
    };
    claims_that_everything_was_sent [
        "errors.connection_refused",
        "errors.name_that_does_not_exist",
        "tls.peer_without_tls",
        "tls.silent_handshake_times_out",
        "tls.unknown_authority_is_refused",
    ] = |good, request| good.send(request).map_err(|error| error.with_sent(Sent::Maybe));
    /// Returns the first TLS record of a body.
    truncates_large_bodies_over_tls ["tls.large_body_is_whole"] = |good, request| {
        let is_tls = request.uri().scheme_str() == Some("https");
        let limit = if is_tls { 16 << 10 } else { u64::MAX };
        Ok(good.send(request)?.map(|body| BlockingBody::new(body.take(limit))))
    };
    expects_a_length_over_tls ["tls.end_with_close_notify_is_complete"] = |good, request| {
        let is_tls = request.uri().scheme_str() == Some("https");
        let response = good.send(request)?;
        if !is_tls || is_framed(&response) {
            return Ok(response);
        }
        Ok(response.map(|mut body| BlockingBody::new(reading(move |buffer| match body.read(buffer)? {
            0 if !buffer.is_empty() => Err(io::ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        }))))
    };

    @built:
    mixes_up_responses ["connections.responses_are_not_mixed_up"] = |setup| {
        let last = Mutex::new(BlockingBody::default());
        responses(setup, move |response| {
            let mut last = last.lock().map_err(|_| other("poisoned"))?;
            Ok(whole(response)?.map(|body| std::mem::replace(&mut *last, body)))
        })
    };
}

/// Returns a reader of a function.
fn reading<F: FnMut(&mut [u8]) -> io::Result<usize>>(read: F) -> impl Read + use<F> {
    struct Reading<F>(F);
    impl<F: FnMut(&mut [u8]) -> io::Result<usize>> Read for Reading<F> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            (self.0)(buffer)
        }
    }
    Reading(read)
}

fn is_framed(response: &BlockingResponse) -> bool {
    let headers = response.headers();
    headers.contains_key(CONTENT_LENGTH) || headers.contains_key("transfer-encoding")
}

fn strips(setup: &Setup, name: &'static str) -> Built {
    responses(setup, move |mut response| {
        response.headers_mut().remove(name);
        Ok(response)
    })
}

/// Calls a function with each dropped body and the number of bytes that were read from it.
fn drops(setup: &Setup, end: fn(BlockingBody, usize)) -> Built {
    struct Dropped(BlockingBody, usize, fn(BlockingBody, usize));
    impl Read for Dropped {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.read(buffer)?;
            self.1 += count;
            Ok(count)
        }
    }
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.2(std::mem::take(&mut self.0), self.1);
        }
    }
    bodies(setup, move |body| Dropped(body, 0, end))
}

/// Reads up to 64 KiB.
fn drain(body: BlockingBody) {
    drop(body.collect(64 << 10));
}

type Decoder = fn(BlockingBody) -> Box<dyn Read>;

fn decodes(setup: &Setup, (coding, decoder): (&'static str, Decoder)) -> Built {
    responses(setup, move |response| {
        if response.headers().get(CONTENT_ENCODING).is_none_or(|found| found != coding) {
            return Ok(response);
        }
        let (mut head, body) = response.into_parts();
        let mut whole = Vec::new();
        decoder(body).read_to_end(&mut whole).map_err(|_| other("the body is not encoded"))?;
        head.headers.remove(CONTENT_ENCODING);
        Ok(Response::from_parts(head, whole.into()))
    })
}

/// Changes each error of a head or a body.
fn errors(
    setup: &Setup,
    change: impl Fn(&Method, TransportError) -> TransportError + Clone + Send + Sync + 'static,
) -> Built {
    around(setup, move |good, request| {
        let method = request.method().clone();
        let response = good.send(request).map_err(|error| change(&method, error))?;
        let change = change.clone();
        Ok(response.map(|body| {
            BlockingBody::with_errors(body, move |error| {
                change(&method, TransportError::from_io(error))
            })
        }))
    })
}

fn reports_as_unsent(setup: &Setup, which: fn(&Method, &TransportError) -> bool) -> Built {
    errors(
        setup,
        move |method, error| {
            if which(method, &error) { error.with_sent(Sent::No) } else { error }
        },
    )
}

fn reports_in_phase(setup: &Setup, (phase, which): (Phase, fn(&TransportError) -> bool)) -> Built {
    errors(setup, move |_, error| if which(&error) { error.with_phase(phase) } else { error })
}

fn is_of_head(error: &TransportError, kind: TransportErrorKind) -> bool {
    error.kind() == kind && error.phase() == Phase::Head
}
