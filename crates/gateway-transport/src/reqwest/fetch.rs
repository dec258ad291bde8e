//! [`ReqwestTransport`] on `fetch`, the HTTP client of a browser.
use std::fmt;
use std::time::Duration;

use ::reqwest::{Client, Url};
use futures_core::Stream as _;
use http::Method;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::platform::{sleep_until, timeout_at};
use crate::{
    Body, Deadline, Options, Phase, Request, Response, Transport, TransportError,
    TransportErrorKind, mark_sensitive, target,
};

/// Sends requests with reqwest, which uses `fetch` in a browser, without cookies, cache or referrer.
///
/// A browser keeps [the promises of a transport](crate#seven-promises) only in part: it follows redirects, decodes
/// content codings, and hides why an exchange failed. This adapter returns an error after a redirect, and removes
/// `Content-Encoding` and `Content-Length` from a decoded response. `docs/transports.md` in the repository lists all
/// differences. Only the idle timeout and the total timeout in the [`Options`] have an effect.
#[derive(Clone)]
pub struct ReqwestTransport {
    client: Client,
    idle_timeout: Duration,
    total_timeout: Duration,
}

impl ReqwestTransport {
    /// Creates a transport with the given options.
    ///
    /// # Errors
    ///
    /// Fails if reqwest cannot create a client, and with [`TransportErrorKind::InvalidRequest`] if a setting is
    /// invalid, such as a timeout of zero.
    pub fn new(options: &Options) -> Result<Self, TransportError> {
        let options = options.checked()?;
        let client =
            Client::builder().build().map_err(|_error| failed(TransportErrorKind::Other))?;
        let Options { idle_timeout, total_timeout, .. } = options;
        Ok(Self { client, idle_timeout, total_timeout })
    }
}

impl Transport for ReqwestTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        Deadline::remaining(&request)?;
        let deadline =
            Deadline::of(&request).unwrap_or_else(|| Deadline::after(self.total_timeout));
        let (head, body) = request.into_parts();
        let url = target::unchanged(&head.uri)?;
        check_method(&head.method)?;
        check_headers(&head.headers)?;
        let request = self
            .client
            .request(head.method, url.clone())
            .headers(head.headers)
            .body(body)
            .fetch_credentials_omit()
            .fetch_cache_no_store()
            .fetch_referrer_policy("no-referrer");
        // The idle timeout also limits the wait for the head, whose own deadline may be earlier.
        let idle = Deadline::after(self.idle_timeout).instant();
        let response = timeout_at(deadline.head().min(idle), request.send())
            .await
            .ok_or_else(|| TransportError::timeout(Phase::Head))?
            .map_err(|error| classify(&error))?;
        if !is_same(response.url(), &url) {
            let text = "the browser followed a redirect, which cannot be prevented";
            return Err(
                TransportError::new(TransportErrorKind::Other, text).with_phase(Phase::Head)
            );
        }
        let mut parts = http::Response::new(());
        *parts.status_mut() = response.status();
        *parts.headers_mut() = as_received(response.headers());
        remove_decoded(parts.headers_mut());
        mark_sensitive(parts.headers_mut());
        let mut chunks = Box::pin(response.bytes_stream());
        let cut = |_error| failed(TransportErrorKind::Interrupted).with_phase(Phase::Body);
        let body = Body::from_poll(move |cx| chunks.as_mut().poll_next(cx).map_err(cut));
        Ok(parts.map(|()| body.with_limits(Some(deadline), self.idle_timeout, sleep_until)))
    }
}

impl fmt::Debug for ReqwestTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReqwestTransport")
    }
}

/// Refuses a method that `fetch` would write in upper case.
fn check_method(method: &Method) -> Result<(), TransportError> {
    let normalized = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"];
    let method = method.as_str();
    if normalized.iter().any(|name| method.eq_ignore_ascii_case(name) && method != *name) {
        return Err(target::refused("a browser would convert the method to upper case"));
    }
    Ok(())
}

/// Refuses headers that a browser drops without an error (section "forbidden request-header" of the Fetch standard).
fn check_headers(headers: &HeaderMap) -> Result<(), TransportError> {
    let is_dropped = |name: &HeaderName| {
        FORBIDDEN.contains(name)
            || ["proxy-", "sec-"].iter().any(|start| name.as_str().starts_with(start))
    };
    if headers.keys().any(is_dropped) {
        return Err(target::refused(
            "a browser would drop one of the headers, such as `cookie`, `host` or `sec-…`; remove it",
        ));
    }
    Ok(())
}

/// The headers that a browser sets itself.
const FORBIDDEN: [HeaderName; 22] = [
    header::ACCEPT_CHARSET,
    header::ACCEPT_ENCODING,
    header::ACCESS_CONTROL_REQUEST_HEADERS,
    header::ACCESS_CONTROL_REQUEST_METHOD,
    HeaderName::from_static("access-control-request-private-network"),
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::COOKIE,
    HeaderName::from_static("cookie2"),
    header::DATE,
    header::DNT,
    header::EXPECT,
    header::HOST,
    HeaderName::from_static("keep-alive"),
    header::ORIGIN,
    header::REFERER,
    header::SET_COOKIE,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::VIA,
];

/// Returns whether the response comes from the requested URL, regardless of the fragment.
fn is_same(response: &Url, request: &Url) -> bool {
    response[..::url::Position::AfterQuery] == request[..::url::Position::AfterQuery]
}

/// Converts header values back to the bytes that were received: `fetch` returns each byte as one character, which
/// reqwest writes in UTF-8.
fn as_received(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    for value in headers.values_mut() {
        let text = str::from_utf8(value.as_bytes()).ok().filter(|text| !text.is_ascii());
        let bytes = text.map(|text| text.chars().map_while(|char| u8::try_from(char).ok()));
        let received = bytes.map(|bytes| HeaderValue::from_bytes(&bytes.collect::<Vec<_>>()));
        if let Some(Ok(received)) = received {
            *value = received;
        }
    }
    headers
}

/// Removes the headers that describe the body as it was before the browser decoded it.
fn remove_decoded(headers: &mut HeaderMap) {
    let coding = headers.get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok());
    let is_known =
        |coding: &str| DECODED.iter().any(|known| coding.trim().eq_ignore_ascii_case(known));
    if coding.is_some_and(|codings| codings.split(',').all(is_known)) {
        headers.remove(header::CONTENT_ENCODING);
        headers.remove(header::CONTENT_LENGTH);
    }
}

/// The content codings that browsers decode.
const DECODED: [&str; 5] = ["br", "deflate", "gzip", "x-gzip", "zstd"];

/// Classifies a failure before the body.
///
/// A browser does not say whether it could not connect, refused a certificate, or lost the connection, so that scripts
/// learn nothing about the network. The error's text is dropped, because it may contain data.
fn classify(error: &::reqwest::Error) -> TransportError {
    if error.is_builder() {
        return failed(TransportErrorKind::InvalidRequest);
    }
    failed(TransportErrorKind::Interrupted).with_phase(Phase::Head)
}

fn failed(kind: TransportErrorKind) -> TransportError {
    TransportError::of_kind(kind)
}
