//! [`Gzip`]: requests gzip and decodes it, on top of any transport.
use std::io::{self, Write as _};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes};
use flate2::write::MultiGzDecoder;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, Entry};
use http::{HeaderMap, HeaderValue};
use http_body::{Body as HttpBody, Frame};

use crate::{
    BlockingResponse, BlockingTransport, Body, Phase, Request, Response, Transport, TransportError,
    TransportErrorKind,
};

/// A transport that adds `accept-encoding: gzip` to each request and decodes gzip responses (RFC 9110, section
/// 8.4.1.3). Use this to save bandwidth.
///
/// A request that already has an `accept-encoding` is sent unchanged, and its response is not decoded. A decoded
/// response has no `content-encoding` and no `content-length`, because they would no longer describe its body.
///
/// The body is decoded as it is read, in chunks of at most 64 KiB. Limits, such as the one in [`Body::collect`], count
/// decoded bytes, so a small response that would expand beyond a limit uses no more memory than the limit.
///
/// A truncated or corrupt stream (one that ends early, cannot be decoded, or has a wrong checksum) is an error of kind
/// [`TransportErrorKind::Interrupted`]. A stream that does not start as gzip or has data after its end is an error of
/// kind [`TransportErrorKind::Protocol`], and so is a content coding that was not requested. If the status is not a
/// success, a response with such a coding is returned unchanged, because its status is more useful.
///
/// # Examples
///
/// ```
/// use gateway_transport::gzip::Gzip;
/// use gateway_transport::{BlockingTransport, MemoryTransport};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let memory = MemoryTransport::new([Ok(http::Response::new("plain".into()))]);
/// let transport = Gzip::new(memory.clone());
/// let response = BlockingTransport::send(&transport, http::Request::get("/").body("".into())?)?;
/// assert_eq!(response.into_body().collect(10)?, "plain");
/// assert_eq!(memory.requests()[0].headers()["accept-encoding"], "gzip");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Gzip<T>(T);

impl<T> Gzip<T> {
    /// Wraps `inner`.
    pub fn new(inner: T) -> Self {
        Self(inner)
    }
}

impl<T: Transport> Transport for Gzip<T> {
    async fn send(&self, mut request: Request) -> Result<Response, TransportError> {
        let requested = request_gzip(request.headers_mut());
        let mut response = self.0.send(request).await?;
        if requested && take_encoding(&mut response)? {
            response = response.map(Decoded::decode);
        }
        Ok(response)
    }
}

impl<T: BlockingTransport> BlockingTransport for Gzip<T> {
    fn send(&self, mut request: Request) -> Result<BlockingResponse, TransportError> {
        let requested = request_gzip(request.headers_mut());
        let mut response = self.0.send(request)?;
        if requested && take_encoding(&mut response)? {
            response = response.map(|body| body.map(Decoded::decode));
        }
        Ok(response)
    }
}

/// Requests gzip and returns `true`, unless the caller has set `accept-encoding`.
fn request_gzip(headers: &mut HeaderMap) -> bool {
    match headers.entry(ACCEPT_ENCODING) {
        Entry::Occupied(_) => false,
        Entry::Vacant(entry) => {
            entry.insert(GZIP);
            true
        }
    }
}

/// Returns whether the response must be decoded. If so, removes the headers that describe the encoded body. Fails if a
/// successful response has a content coding that was not requested.
fn take_encoding<B>(response: &mut http::Response<B>) -> Result<bool, TransportError> {
    let is_success = response.status().is_success();
    let not_requested = || {
        let text = "the response has a content coding that was not requested";
        let error = TransportError::new(TransportErrorKind::Protocol, text);
        if is_success { Err(error.with_phase(Phase::Head)) } else { Ok(false) }
    };
    let headers = response.headers_mut();
    let mut encodings = headers.get_all(CONTENT_ENCODING).iter();
    let encoding = match (encodings.next(), encodings.next()) {
        (None, _) => return Ok(false),
        (Some(one), None) => one.as_bytes().trim_ascii(),
        (Some(_), Some(_)) => return not_requested(),
    };
    if encoding.is_empty() || encoding.eq_ignore_ascii_case(b"identity") {
        return Ok(false);
    }
    // `x-gzip` is an alias (RFC 9110, section 8.4.1.3).
    if !encoding.eq_ignore_ascii_case(b"gzip") && !encoding.eq_ignore_ascii_case(b"x-gzip") {
        return not_requested();
    }
    headers.remove(CONTENT_ENCODING);
    headers.remove(CONTENT_LENGTH);
    Ok(true)
}

/// A gzip body, decoded as it is read.
struct Decoded {
    inner: Body,
    decoder: MultiGzDecoder<Vec<u8>>,
    /// The bytes that were received but not yet decoded.
    encoded: Bytes,
    /// Whether any byte has arrived. A response without a body (HEAD, 204, 304) is not truncated.
    has_started: bool,
    is_finished: bool,
}

impl Decoded {
    fn decode(inner: Body) -> Body {
        let decoder = MultiGzDecoder::new(Vec::new());
        let encoded = Bytes::new();
        Body::new(Self { inner, decoder, encoded, has_started: false, is_finished: false })
    }

    /// Decodes some of the received bytes. Each call adds at most about 96 KiB to the output.
    fn push(&mut self) -> Result<(), TransportError> {
        self.has_started = true;
        // One `write` fills one buffer of the decoder and returns how many bytes it used. `write_all` would decode all
        // of them, regardless of the size of the output.
        let used = self.decoder.write(&self.encoded).map_err(|error| {
            if self.decoder.header().is_some() {
                // The stream starts as gzip, so the peer did send gzip.
                return corrupt(error);
            }
            let text = "the body is declared as gzip but is not gzip";
            failed(TransportErrorKind::Protocol, text, error)
        })?;
        self.encoded.advance(used);
        if self.encoded.is_empty() {
            // Otherwise the decoder holds back its last output until more input arrives, which may take a while.
            self.decoder.flush().map_err(corrupt)?;
        }
        Ok(())
    }
}

impl HttpBody for Decoded {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        let this = &mut *self;
        loop {
            let decoded = std::mem::take(this.decoder.get_mut());
            if !decoded.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(decoded.into()))));
            }
            if this.is_finished {
                return Poll::Ready(None);
            }
            if !this.encoded.is_empty() {
                this.push()?;
                continue;
            }
            match ready!(Pin::new(&mut this.inner).poll_frame(cx)?).map(Frame::into_data) {
                Some(Ok(data)) => this.encoded = data,
                Some(Err(_trailers)) => {}
                None => {
                    this.is_finished = true;
                    if this.has_started {
                        this.decoder.try_finish().map_err(corrupt)?;
                    }
                }
            }
        }
    }
}

const GZIP: HeaderValue = HeaderValue::from_static("gzip");

#[cold]
fn corrupt(error: io::Error) -> TransportError {
    failed(TransportErrorKind::Interrupted, "the gzip stream is truncated or corrupt", error)
}

#[cold]
fn failed(kind: TransportErrorKind, text: &'static str, error: io::Error) -> TransportError {
    TransportError::new(kind, text).with_phase(Phase::Body).with_source(error)
}
