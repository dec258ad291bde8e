//! [`Gzip`]: asks for gzip and decodes it, on top of any transport.
use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, Entry};
use http::{HeaderMap, HeaderValue};
use http_body::{Body as HttpBody, Frame};

use crate::blocking_body::move_bytes;
use crate::{
    BlockingBody, BlockingResponse, BlockingTransport, Body, ErrorKind, Phase, Request, Response,
    Transport, TransportError,
};

mod inflate;

use self::inflate::Inflate;

/// Adds `accept-encoding: gzip` to each request, and decodes the answers that come in gzip (RFC 9110, section 8.4.1.3).
///
/// A request that has an `accept-encoding` of its own is left alone, and so is its answer. Of a decoded answer,
/// `content-encoding` and `content-length` are removed, as they no longer describe it.
///
/// The body is decoded as it is read, in pieces of at most 64 KiB, and every limit ([`Body::collect`]) counts decoded
/// bytes: a small answer that would grow beyond the limit costs no more than the limit. A stream that was cut or damaged
/// on its way (it ends early, cannot be decoded, or its checksum is wrong) is [`ErrorKind::Interrupted`]; one that does
/// not begin as gzip, or has something behind its end, is [`ErrorKind::Protocol`], and so is an encoding that nobody
/// asked for.
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
    /// Takes over `inner`.
    pub fn new(inner: T) -> Self {
        Self(inner)
    }
}

impl<T: Transport> Transport for Gzip<T> {
    async fn send(&self, mut request: Request) -> Result<Response, TransportError> {
        let asked = ask(request.headers_mut());
        let mut response = self.0.send(request).await?;
        if asked && is_encoded(response.headers_mut())? {
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
        let asked = ask(request.headers_mut());
        let mut response = self.0.send(request)?;
        if asked && is_encoded(response.headers_mut())? {
            response = response.map(|body| BlockingBody::new(Decoded::new(body)));
        }
        Ok(response)
    }

    fn name(&self) -> &str {
        self.0.name()
    }
}

/// Asks for gzip, unless the caller asks for something himself.
fn ask(headers: &mut HeaderMap) -> bool {
    match headers.entry(ACCEPT_ENCODING) {
        Entry::Occupied(_) => false,
        Entry::Vacant(entry) => {
            entry.insert(GZIP);
            true
        }
    }
}

/// Whether the answer is to be decoded. If so, its headers are made to describe the decoded body.
fn is_encoded(headers: &mut HeaderMap) -> Result<bool, TransportError> {
    let mut encodings = headers.get_all(CONTENT_ENCODING).iter();
    let encoding = match (encodings.next(), encodings.next()) {
        (None, _) => return Ok(false),
        (Some(one), None) => one.as_bytes().trim_ascii(),
        (Some(_), Some(_)) => return Err(not_asked_for()),
    };
    if encoding.is_empty() || encoding.eq_ignore_ascii_case(b"identity") {
        return Ok(false);
    }
    // The second name is an older one of the same (RFC 9110, section 8.4.1.3).
    if !encoding.eq_ignore_ascii_case(b"gzip") && !encoding.eq_ignore_ascii_case(b"x-gzip") {
        return Err(not_asked_for());
    }
    headers.remove(CONTENT_ENCODING);
    headers.remove(CONTENT_LENGTH);
    Ok(true)
}

fn not_asked_for() -> TransportError {
    TransportError::new(ErrorKind::Protocol, "the body has an encoding that nobody asked for")
        .with_phase(Phase::Head)
}

/// A body in gzip.
struct Decoded<B> {
    inner: B,
    inflate: Inflate,
    /// Received, but not decoded.
    encoded: Bytes,
    /// Decoded, but not read.
    ready: Bytes,
    is_finished: bool,
}

impl<B> Decoded<B> {
    fn new(inner: B) -> Self {
        let (encoded, ready) = (Bytes::new(), Bytes::new());
        Self { inner, inflate: Inflate::new(), encoded, ready, is_finished: false }
    }

    /// Decodes the next piece of what has been received; an empty one means that more is needed.
    fn decode(&mut self) -> Result<Bytes, TransportError> {
        while !self.encoded.is_empty() {
            let decoded = self.inflate.push(&mut self.encoded)?;
            if !decoded.is_empty() {
                return Ok(decoded);
            }
        }
        Ok(Bytes::new())
    }

    /// Takes the end of the encoded body; what comes out is the last piece.
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
                return Poll::Ready(None);
            }
            let Some(frame) = ready!(Pin::new(&mut this.inner).poll_frame(cx)?) else {
                let last = this.finish()?;
                return Poll::Ready((!last.is_empty()).then(|| Ok(Frame::data(last))));
            };
            match frame.into_data() {
                Ok(data) => this.encoded = data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
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
            let mut piece = [0; PIECE];
            let count = self.inner.read(&mut piece)?;
            if count == 0 {
                self.ready = self.finish().map_err(TransportError::into_io)?;
            } else {
                self.encoded = Bytes::copy_from_slice(piece.get(..count).unwrap_or_default());
            }
        }
        Ok(move_bytes(&mut self.ready, buffer))
    }
}

const GZIP: HeaderValue = HeaderValue::from_static("gzip");

/// How much of the encoded body a blocking reader takes at a time.
const PIECE: usize = 8 * 1024;
