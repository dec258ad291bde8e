//! Helpers of the broken transports.

use std::borrow::Cow;

use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingResponse, Request, TransportError, TransportErrorKind, blocking_transport_fn,
};
use methodical_testkit::conformance::{Setup, Subject};

/// Wraps a working transport in a function that breaks it.
pub(super) fn around(
    setup: &Setup,
    send: impl Fn(&UreqTransport, Request) -> Result<BlockingResponse, TransportError>
    + Send
    + Sync
    + 'static,
) -> Result<Subject, TransportError> {
    let good = UreqTransport::new(&setup.options())?;
    Ok(Subject::blocking(blocking_transport_fn(move |request| send(&good, request))))
}

pub(super) fn other(text: impl Into<Cow<'static, str>>) -> TransportError {
    TransportError::new(TransportErrorKind::Other, text)
}
