//! Transports that change the response, or the way it is returned.

use std::io::Read;
use std::sync::Mutex;

use bytes::Bytes;
use gateway_transport::{BlockingBody, BlockingTransport as _, ErrorKind, Sent, TransportError};
use http::Response;
use methodical_testkit::conformance::{Setup, Subject};

use crate::broken::support::{around, other};

pub(super) fn treats_a_status_as_an_error(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| match good.send(request)? {
        response if response.status().is_success() => Ok(response),
        response => Err(other(format!("status {}", response.status()))),
    })
}

pub(super) fn buffers_the_body(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| {
        let (head, body) = good.send(request)?.into_parts();
        Ok(Response::from_parts(head, body.collect(1 << 30)?.into()))
    })
}

pub(super) fn treats_a_truncated_body_as_complete(
    setup: &Setup,
) -> Result<Subject, TransportError> {
    struct Lenient(BlockingBody);
    impl Read for Lenient {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            Ok(self.0.read(buffer).unwrap_or(0))
        }
    }
    around(setup, |good, request| {
        Ok(good.send(request)?.map(|body| BlockingBody::new(Lenient(body))))
    })
}

pub(super) fn reads_on_one_thread(setup: &Setup) -> Result<Subject, TransportError> {
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
}

pub(super) fn keeps_dropped_bodies_open(setup: &Setup) -> Result<Subject, TransportError> {
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
}

pub(super) fn has_one_kind_of_error(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| {
        let (head, body) = good.send(request).map_err(|_| other("it failed"))?.into_parts();
        let body = body.collect(1 << 20).map_err(|_| other("it failed"))?;
        Ok(Response::from_parts(head, body.into()))
    })
}

pub(super) fn mixes_up_responses(setup: &Setup) -> Result<Subject, TransportError> {
    let last = Mutex::new(Bytes::new());
    around(setup, move |good, request| {
        let (head, body) = good.send(request)?.into_parts();
        let body = body.collect(1 << 20)?;
        let mut last = last.lock().map_err(|_| other("poisoned"))?;
        Ok(Response::from_parts(head, std::mem::replace(&mut *last, body).into()))
    })
}

pub(super) fn accepts_any_certificate(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| match good.send(request) {
        Err(error) if error.kind() == ErrorKind::Tls => Ok(Response::new(Bytes::new().into())),
        outcome => outcome,
    })
}

pub(super) fn reveals_the_request_in_errors(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| {
        let text = format!("{} {:?}", request.uri(), request.headers());
        let reveal = |error: TransportError| other(text.clone()).with_source(error);
        let (head, body) = good.send(request).map_err(reveal)?.into_parts();
        Ok(Response::from_parts(head, body.collect(1 << 20).map_err(reveal)?.into()))
    })
}

pub(super) fn refuses_http_1_0(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| match good.send(request)? {
        response if response.version() == http::Version::HTTP_10 => {
            Err(TransportError::new(ErrorKind::Protocol, "HTTP/1.0"))
        }
        response => Ok(response),
    })
}

pub(super) fn expects_a_body_to_have_a_length(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| {
        let response = good.send(request)?;
        let is_framed = ["content-length", "transfer-encoding"]
            .iter()
            .any(|name| response.headers().contains_key(*name));
        Ok(if is_framed { response } else { response.map(|_| BlockingBody::default()) })
    })
}

pub(super) fn refuses_an_empty_body(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| match good.send(request)? {
        response if response.headers().get("content-length").is_some_and(|text| text == "0") => {
            Err(TransportError::new(ErrorKind::Protocol, "no body"))
        }
        response => Ok(response),
    })
}

pub(super) fn refuses_a_head_over_16_kib(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| {
        let response = good.send(request)?;
        let size: usize = response.headers().values().map(http::HeaderValue::len).sum();
        if size > 16 << 10 {
            return Err(TransportError::new(ErrorKind::TooLarge, "the head"));
        }
        Ok(response)
    })
}

/// Returns the first 512 KiB of a body.
pub(super) fn truncates_large_bodies(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| {
        Ok(good.send(request)?.map(|body| BlockingBody::new(body.take(512 << 10))))
    })
}

/// Returns the first TLS record of a body.
pub(super) fn truncates_large_bodies_over_tls(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| {
        let is_tls = request.uri().scheme_str() == Some("https");
        let limit = if is_tls { 16 << 10 } else { u64::MAX };
        Ok(good.send(request)?.map(|body| BlockingBody::new(body.take(limit))))
    })
}

pub(super) fn loses_the_last_byte(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| {
        let (head, body) = good.send(request)?.into_parts();
        let body = body.collect(1 << 20)?;
        let body = body.slice(..body.len().saturating_sub(1));
        Ok(Response::from_parts(head, body.into()))
    })
}

pub(super) fn allocates_the_declared_length(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| {
        let response = good.send(request)?;
        let length = response.headers().get("content-length").and_then(|text| text.to_str().ok());
        let length = length.and_then(|text| text.parse().ok()).unwrap_or_default();
        Vec::<u8>::new().try_reserve_exact(length).map_err(|_| other("no memory"))?;
        Ok(response)
    })
}

pub(super) fn claims_that_nothing_was_sent(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| good.send(request).map_err(|error| error.with_sent(Sent::No)))
}

pub(super) fn claims_that_everything_was_sent(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| good.send(request).map_err(|error| error.with_sent(Sent::Maybe)))
}

pub(super) fn expects_a_length_over_tls(setup: &Setup) -> Result<Subject, TransportError> {
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
}
