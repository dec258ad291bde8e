//! [`Gzip`]: requests gzip and decodes it, on top of any transport.
use std::io::{self, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use flate2::write::MultiGzDecoder;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, Entry};
use http::{HeaderMap, HeaderValue};
use http_body::{Body as HttpBody, Frame};

use crate::blocking_body::move_bytes;
use crate::{
    BlockingBody, BlockingResponse, BlockingTransport, Body, ErrorKind, Phase, Request, Response,
    Transport, TransportError,
};

/// A transport that adds `accept-encoding: gzip` to each request and decodes gzip responses (RFC 9110, section 8.4.1.3).
///
/// A request that already has an `accept-encoding` is sent unchanged, and its response is not decoded. A decoded response
/// has no `content-encoding` and no `content-length`, because they would no longer describe its body.
///
/// The body is decoded as it is read, in chunks of at most 64 KiB. Every limit ([`Body::collect`]) counts decoded bytes,
/// so a small response that would expand beyond the limit uses no more memory than the limit.
///
/// A truncated or corrupt stream (it ends early, cannot be decoded, or has a wrong checksum) is
/// [`ErrorKind::Interrupted`]. A stream that does not start as gzip or has data after its end is
/// [`ErrorKind::Protocol`], and so is a content coding that was not requested. If the status is not a success, a response
/// with such a coding is returned unchanged: the status says more.
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
            response = response.map(|body| Body::new(Decoded::new(body)));
        }
        Ok(response)
    }

    fn name(&self) -> &str {
        self.0.name()
    }
}

impl<T: BlockingTransport> BlockingTransport for Gzip<T> {
    fn send(&self, mut request: Request) -> Result<BlockingResponse, TransportError> {
        let requested = request_gzip(request.headers_mut());
        let mut response = self.0.send(request)?;
        if requested && take_encoding(&mut response)? {
            response = response.map(|body| BlockingBody::new(Decoded::new(body)));
        }
        Ok(response)
    }

    fn name(&self) -> &str {
        self.0.name()
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

/// Returns whether the response must be decoded. If so, removes the headers that describe the encoded body.
fn take_encoding<B>(response: &mut http::Response<B>) -> Result<bool, TransportError> {
    let is_success = response.status().is_success();
    let not_requested = || if is_success { Err(not_requested()) } else { Ok(false) };
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

fn not_requested() -> TransportError {
    TransportError::new(
        ErrorKind::Protocol,
        "the response has a content coding that was not requested",
    )
    .with_phase(Phase::Head)
}

/// A gzip body, decoded as it is read.
struct Decoded<B> {
    inner: B,
    inflate: Inflate,
    /// Received, but not yet decoded.
    encoded: Bytes,
    /// Decoded, but not yet read. Only the blocking side uses it.
    ready: Bytes,
    /// Received, and passed on after the last chunk. Only the async side uses them.
    trailers: Option<Frame<Bytes>>,
    is_finished: bool,
}

impl<B> Decoded<B> {
    fn new(inner: B) -> Self {
        let (encoded, ready) = (Bytes::new(), Bytes::new());
        let inflate = Inflate::new();
        Self { inner, inflate, encoded, ready, trailers: None, is_finished: false }
    }

    /// Decodes the next chunk of the received bytes. An empty chunk means that more input is needed.
    fn decode(&mut self) -> Result<Bytes, TransportError> {
        while !self.encoded.is_empty() {
            let decoded = self.inflate.push(&mut self.encoded)?;
            if !decoded.is_empty() {
                return Ok(decoded);
            }
        }
        Ok(Bytes::new())
    }

    /// Marks the end of the encoded body and returns the last chunk.
    fn finish(&mut self) -> Result<Bytes, TransportError> {
        self.is_finished = true;
        self.inflate.finish()
    }
}

impl HttpBody for Decoded<Body> {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        let this = &mut *self;
        loop {
            let decoded = this.decode()?;
            if !decoded.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(decoded))));
            }
            if this.is_finished {
                return Poll::Ready(this.trailers.take().map(Ok));
            }
            match ready!(Pin::new(&mut this.inner).poll_frame(cx)?).map(Frame::into_data) {
                Some(Ok(data)) => this.encoded = data,
                Some(Err(trailers)) => this.trailers = Some(trailers),
                None => {
                    let last = this.finish()?;
                    if !last.is_empty() {
                        return Poll::Ready(Some(Ok(Frame::data(last))));
                    }
                }
            }
        }
    }
}

impl Read for Decoded<BlockingBody> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.ready.is_empty() && !buffer.is_empty() {
            self.ready = self.decode().map_err(TransportError::into_io)?;
            if !self.ready.is_empty() || self.is_finished {
                break;
            }
            let mut input = [0; INPUT_SIZE];
            let count = self.inner.read(&mut input)?;
            if count == 0 {
                self.ready = self.finish().map_err(TransportError::into_io)?;
            } else {
                self.encoded = Bytes::copy_from_slice(input.get(..count).unwrap_or_default());
            }
        }
        Ok(move_bytes(&mut self.ready, buffer))
    }
}

const GZIP: HeaderValue = HeaderValue::from_static("gzip");

/// Number of encoded bytes that a blocking reader takes at a time.
const INPUT_SIZE: usize = 8 * 1024;

/// A push decoder: takes encoded bytes and returns decoded bytes.
pub(super) struct Inflate {
    decoder: MultiGzDecoder<Vec<u8>>,
    /// Whether any byte has arrived. A response without a body (HEAD, 204, 304) is not truncated.
    has_started: bool,
}

impl Inflate {
    pub(super) fn new() -> Self {
        Self { decoder: MultiGzDecoder::new(Vec::new()), has_started: false }
    }

    /// Takes bytes from the front of `encoded` and returns their decoded form, about 96 KiB at most.
    pub(super) fn push(&mut self, encoded: &mut Bytes) -> Result<Bytes, TransportError> {
        self.has_started = true;
        // One `write` fills one buffer of the decoder and takes only the bytes it used. `write_all` would decode all of
        // `encoded`, regardless of the size of the output.
        let used = self.decoder.write(encoded).map_err(|error| match self.decoder.header() {
            None => malformed(error),
            // The stream starts as gzip, so the peer did send gzip.
            Some(_) => corrupt(error),
        })?;
        encoded.advance(used);
        if encoded.is_empty() {
            // Otherwise the decoder keeps its last output until more input arrives, which may take long.
            self.decoder.flush().map_err(corrupt)?;
        }
        Ok(self.take())
    }

    /// Ends the stream and returns the remaining decoded bytes.
    pub(super) fn finish(&mut self) -> Result<Bytes, TransportError> {
        if self.has_started {
            self.decoder.try_finish().map_err(corrupt)?;
        }
        Ok(self.take())
    }

    fn take(&mut self) -> Bytes {
        std::mem::take(self.decoder.get_mut()).into()
    }
}

#[cold]
fn malformed(error: io::Error) -> TransportError {
    TransportError::new(ErrorKind::Protocol, "the body is declared as gzip but is not gzip")
        .with_phase(Phase::Body)
        .with_source(error)
}

#[cold]
fn corrupt(error: io::Error) -> TransportError {
    TransportError::new(ErrorKind::Interrupted, "the gzip stream is truncated or corrupt")
        .with_phase(Phase::Body)
        .with_source(error)
}
