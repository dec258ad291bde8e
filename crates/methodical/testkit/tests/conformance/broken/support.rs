//! Helpers of the broken transports.

use std::borrow::Cow;
use std::io::Read;

use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingBody, BlockingResponse, BlockingTransport as _, Request, TransportError,
    TransportErrorKind, blocking_transport_fn,
};
use http::{HeaderMap, HeaderName, HeaderValue, Response};
use methodical_testkit::conformance::{Factory, Setup, Subject};

/// The transport that a factory returns.
pub(super) type Built = Result<Subject, TransportError>;

/// Creates a transport with a function.
pub(super) fn built(setup: &Setup, create: Factory) -> Built {
    create(setup)
}

/// Wraps a working transport in a function that breaks it.
pub(super) fn around(
    setup: &Setup,
    send: impl Fn(&UreqTransport, Request) -> Result<BlockingResponse, TransportError>
    + Send
    + Sync
    + 'static,
) -> Built {
    let good = UreqTransport::new(&setup.options())?;
    Ok(Subject::blocking(blocking_transport_fn(move |request| send(&good, request))))
}

/// Changes each request.
pub(super) fn requests(
    setup: &Setup,
    change: impl Fn(&mut Request) -> Result<(), TransportError> + Send + Sync + 'static,
) -> Built {
    around(setup, move |good, mut request| {
        change(&mut request)?;
        good.send(request)
    })
}

/// Changes each request, which cannot fail.
pub(super) fn edits(setup: &Setup, change: fn(&mut Request)) -> Built {
    requests(setup, move |request| {
        change(request);
        Ok(())
    })
}

/// Changes each response.
pub(super) fn responses(
    setup: &Setup,
    change: impl Fn(BlockingResponse) -> Result<BlockingResponse, TransportError>
    + Send
    + Sync
    + 'static,
) -> Built {
    around(setup, move |good, request| change(good.send(request)?))
}

/// Replaces each body.
pub(super) fn bodies<R: Read + Send + 'static>(
    setup: &Setup,
    replace: impl Fn(BlockingBody) -> R + Send + Sync + 'static,
) -> Built {
    responses(setup, move |response| Ok(response.map(|body| BlockingBody::new(replace(body)))))
}

/// Changes the headers of each response.
pub(super) fn response_headers(setup: &Setup, change: fn(&mut HeaderMap)) -> Built {
    responses(setup, move |mut response| {
        change(response.headers_mut());
        Ok(response)
    })
}

/// Changes the headers of each request and of each response.
pub(super) fn all_headers(setup: &Setup, change: fn(&mut HeaderMap)) -> Built {
    around(setup, move |good, mut request| {
        change(request.headers_mut());
        let mut response = good.send(request)?;
        change(response.headers_mut());
        Ok(response)
    })
}

/// Changes the URI of each request, as text.
pub(super) fn uris(setup: &Setup, change: fn(String) -> String) -> Built {
    requests(setup, move |request| address(request, &change(request.uri().to_string())))
}

/// Sets the URI of a request.
pub(super) fn address(request: &mut Request, uri: &str) -> Result<(), TransportError> {
    *request.uri_mut() = uri.parse().map_err(|_| other("no address"))?;
    Ok(())
}

/// Sets a header of a request.
pub(super) fn set(
    request: &mut Request,
    name: &'static str,
    value: &str,
) -> Result<(), TransportError> {
    let value = HeaderValue::from_str(value).map_err(|_| other("no value"))?;
    request.headers_mut().insert(HeaderName::from_static(name), value);
    Ok(())
}

/// Removes the headers with other values.
pub(super) fn keep(headers: &mut HeaderMap, is_kept: impl Fn(&HeaderValue) -> bool) {
    let all = std::mem::take(headers);
    let kept = all.iter().filter(|(_, value)| is_kept(value));
    headers.extend(kept.map(|(name, value)| (name.clone(), value.clone())));
}

/// Writes header values in lower case.
pub(super) fn lower(headers: &mut HeaderMap, which: impl Fn(&HeaderName) -> bool) {
    for (name, value) in headers.iter_mut() {
        let lower = HeaderValue::from_bytes(&value.as_bytes().to_ascii_lowercase());
        if let (true, Ok(lower)) = (which(name), lower) {
            *value = lower;
        }
    }
}

/// Reads the whole body of a response before it is returned.
pub(super) fn whole(response: BlockingResponse) -> Result<BlockingResponse, TransportError> {
    let (head, body) = response.into_parts();
    Ok(Response::from_parts(head, body.collect(1 << 20)?.into()))
}

pub(super) fn other(text: impl Into<Cow<'static, str>>) -> TransportError {
    TransportError::new(TransportErrorKind::Other, text)
}
