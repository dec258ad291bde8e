//! Transports that change the response, or the way it is returned.

use std::sync::Mutex;

use bytes::Bytes;
use gateway_testkit_core::conformance::{Setup, Subject};
use gateway_transport::{BlockingBody, BlockingTransport as _, ErrorKind, TransportError};
use http::Response;

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
    impl std::io::Read for Lenient {
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
    impl std::io::Read for Bound {
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
    impl std::io::Read for Kept {
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
