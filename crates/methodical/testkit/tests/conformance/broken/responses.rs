//! Transports that change the response, or the way it is returned.

use std::io::Read;
use std::sync::Mutex;

use bytes::Bytes;
use gateway_transport::{
    BlockingBody, BlockingTransport as _, Sent, TransportError, TransportErrorKind,
};
use http::Response;

use crate::broken::support::{around, other};

broken! { RESPONSES:
    treats_a_status_as_an_error ["response.every_status_is_returned", "response.retry_after_is_visible"] =
        |setup| around(setup, |good, request| match good.send(request)? {
        response if response.status().is_success() => Ok(response),
        response => Err(other(format!("status {}", response.status()))),
    });
    buffers_the_body [
        "body.head_comes_before_the_body",
        "body.chunks_arrive_as_they_are_sent",
        "memory.slow_reader_slows_the_peer",
    ] = |setup| around(setup, |good, request| {
        let (head, body) = good.send(request)?.into_parts();
        Ok(Response::from_parts(head, body.collect(1 << 30)?.into()))
    });
    treats_a_truncated_body_as_complete [
        "body.shorter_than_its_length",
        "body.cut_within_a_chunk",
        "body.without_its_last_chunk",
        "body.failure_is_of_the_body",
        "body.reset_is_not_the_end_of_an_open_body",
        "body.huge_chunk_size_is_an_error",
        "body.chunk_without_an_end_is_an_error",
        "memory.endless_chunk_extension_is_refused",
        "tls.end_without_close_notify_is_an_error",
    ] = |setup| {
        struct Lenient(BlockingBody);
        impl Read for Lenient {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                Ok(self.0.read(buffer).unwrap_or(0))
            }
        }
        around(setup, |good, request| {
            Ok(good.send(request)?.map(|body| BlockingBody::new(Lenient(body))))
        })
    };
    reads_on_one_thread ["runtime.body_can_be_read_elsewhere"] = |setup| {
        struct Bound(BlockingBody, std::thread::ThreadId);
        impl Read for Bound {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                assert_eq!(self.1, std::thread::current().id(), "another thread");
                self.0.read(buffer)
            }
        }
        around(setup, |good, request| {
            let here = std::thread::current().id();
            Ok(good.send(request)?.map(|body| BlockingBody::new(Bound(body, here))))
        })
    };
    keeps_dropped_bodies_open [
        "body.endless_body_ends_at_the_limit",
        "memory.dropped_body_closes",
        "memory.body_dropped_half_read_closes",
    ] = |setup| {
        struct Kept(Option<BlockingBody>);
        impl Read for Kept {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                self.0.as_mut().map_or(Ok(0), |body| body.read(buffer))
            }
        }
        impl Drop for Kept {
            fn drop(&mut self) {
                std::mem::forget(self.0.take());
            }
        }
        around(setup, |good, request| {
            Ok(good.send(request)?.map(|body| BlockingBody::new(Kept(Some(body)))))
        })
    };
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
    ] = |setup| around(setup, |good, request| {
        let (head, body) = good.send(request).map_err(|_| other("it failed"))?.into_parts();
        let body = body.collect(1 << 20).map_err(|_| other("it failed"))?;
        Ok(Response::from_parts(head, body.into()))
    });
    mixes_up_responses ["connections.responses_are_not_mixed_up", "runtime.shared_by_threads"] = |setup| {
        let last = Mutex::new(Bytes::new());
        around(setup, move |good, request| {
            let (head, body) = good.send(request)?.into_parts();
            let body = body.collect(1 << 20)?;
            let mut last = last.lock().map_err(|_| other("poisoned"))?;
            Ok(Response::from_parts(head, std::mem::replace(&mut *last, body).into()))
        })
    };
    accepts_any_certificate [
        "tls.self_signed_is_refused",
        "tls.expired_is_refused",
        "tls.other_host_is_refused",
        "tls.unknown_authority_is_refused",
    ] = |setup| around(setup, |good, request| match good.send(request) {
        Err(error) if error.kind() == TransportErrorKind::Tls => Ok(Response::new(Bytes::new().into())),
        outcome => outcome,
    });
    reveals_the_request_in_errors [
        "secrecy.errors_before_the_response_reveal_nothing",
        "secrecy.errors_in_the_response_reveal_nothing",
        "secrecy.tls_errors_reveal_nothing",
    ] = |setup| around(setup, |good, request| {
        let text = format!("{} {:?}", request.uri(), request.headers());
        let reveal = |error: TransportError| other(text.clone()).with_source(error);
        let (head, body) = good.send(request).map_err(reveal)?.into_parts();
        Ok(Response::from_parts(head, body.collect(1 << 20).map_err(reveal)?.into()))
    });
    refuses_http_1_0 ["response.http_1_0_is_understood"] =
        |setup| around(setup, |good, request| match good.send(request)? {
        response if response.version() == http::Version::HTTP_10 => {
            Err(TransportError::new(TransportErrorKind::Protocol, "HTTP/1.0"))
        }
        response => Ok(response),
    });
    expects_a_body_to_have_a_length ["response.body_may_end_with_the_connection"] =
        |setup| around(setup, |good, request| {
        let response = good.send(request)?;
        let is_framed = ["content-length", "transfer-encoding"]
            .iter()
            .any(|name| response.headers().contains_key(*name));
        Ok(if is_framed { response } else { response.map(|_| BlockingBody::default()) })
    });
    refuses_an_empty_body ["response.body_may_be_empty"] =
        |setup| around(setup, |good, request| match good.send(request)? {
        response if response.headers().get("content-length").is_some_and(|text| text == "0") => {
            Err(TransportError::new(TransportErrorKind::Protocol, "no body"))
        }
        response => Ok(response),
    });
    refuses_a_head_over_16_kib ["response.large_head_is_read"] = |setup| around(setup, |good, request| {
        let response = good.send(request)?;
        let size: usize = response.headers().values().map(http::HeaderValue::len).sum();
        if size > 16 << 10 {
            return Err(TransportError::new(TransportErrorKind::TooLarge, "the head"));
        }
        Ok(response)
    });
    /// Returns the first 512 KiB of a body.
    truncates_large_bodies ["body.large_body_is_whole", "tls.large_body_is_whole"] =
        |setup| around(setup, |good, request| {
        Ok(good.send(request)?.map(|body| BlockingBody::new(body.take(512 << 10))))
    });
    /// Returns the first TLS record of a body.
    truncates_large_bodies_over_tls ["tls.large_body_is_whole"] = |setup| around(setup, |good, request| {
        let is_tls = request.uri().scheme_str() == Some("https");
        let limit = if is_tls { 16 << 10 } else { u64::MAX };
        Ok(good.send(request)?.map(|body| BlockingBody::new(body.take(limit))))
    });
    loses_the_last_byte ["body.limit_is_exact"] = |setup| around(setup, |good, request| {
        let (head, body) = good.send(request)?.into_parts();
        let body = body.collect(1 << 20)?;
        let body = body.slice(..body.len().saturating_sub(1));
        Ok(Response::from_parts(head, body.into()))
    });
    allocates_the_declared_length ["memory.declared_length_is_not_preallocated"] =
        |setup| around(setup, |good, request| {
        let response = good.send(request)?;
        let length = response.headers().get("content-length").and_then(|text| text.to_str().ok());
        let length = length.and_then(|text| text.parse().ok()).unwrap_or_default();
        Vec::<u8>::new().try_reserve_exact(length).map_err(|_| other("no memory"))?;
        Ok(response)
    });
    claims_that_nothing_was_sent ["errors.closed_before_the_head"] =
        |setup| around(setup, |good, request| good.send(request).map_err(|error| error.with_sent(Sent::No)));
    claims_that_everything_was_sent [
        "errors.connection_refused",
        "errors.name_that_does_not_exist",
        "tls.peer_without_tls",
        "tls.silent_handshake_times_out",
        "tls.unknown_authority_is_refused",
    ] =
        |setup| around(setup, |good, request| good.send(request).map_err(|error| error.with_sent(Sent::Maybe)));
    expects_a_length_over_tls ["tls.end_with_close_notify_is_complete"] = |setup| {
        /// A body whose end is an error.
        struct Endless(BlockingBody);
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                match self.0.read(buffer)? {
                    0 if !buffer.is_empty() => Err(std::io::ErrorKind::UnexpectedEof.into()),
                    count => Ok(count),
                }
            }
        }
        around(setup, |good, request| {
            let is_tls = request.uri().scheme_str() == Some("https");
            let response = good.send(request)?;
            if !is_tls || response.headers().contains_key("content-length") {
                return Ok(response);
            }
            Ok(response.map(|body| BlockingBody::new(Endless(body))))
        })
    };
}
