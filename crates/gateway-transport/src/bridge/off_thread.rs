//! A blocking transport for async callers.
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame};
use tokio::sync::{mpsc, oneshot};

use crate::runtime::current_runtime;
use crate::{
    BlockingBody, BlockingTransport, Body, Deadline, ErrorKind, Phase, Request, Response,
    Transport, TransportError,
};

/// Turns a blocking transport into a [`Transport`].
///
/// The exchange runs on the blocking thread pool of the tokio runtime that polls it. The body is read there, too, at
/// most two chunks ahead, so a slow reader still slows the peer down.
///
/// A blocking call cannot be interrupted. When its future is dropped, the thread goes on until the exchange ends, at the
/// latest at its deadline. A dropped body is noticed when its next chunk arrives.
///
/// # Examples
///
/// ```
/// use gateway_transport::bridge::OffThread;
/// use gateway_transport::{BlockingResponse, Transport, blocking_transport_fn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let transport = OffThread::new(blocking_transport_fn(|_| Ok(BlockingResponse::new("[]".into()))));
/// let response = transport.send(http::Request::get("/").body("".into())?).await?;
/// assert_eq!(response.into_body().collect(10).await?, "[]");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct OffThread<T>(Arc<T>);

impl<T: BlockingTransport> OffThread<T> {
    /// Wraps `inner`.
    pub fn new(inner: T) -> Self {
        Self(Arc::new(inner))
    }
}

impl<T: BlockingTransport> Transport for OffThread<T> {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        Deadline::remaining(&request)?;
        let inner = Arc::clone(&self.0);
        let (head_out, head_in) = oneshot::channel();
        let (chunks_out, chunks) = mpsc::channel(MAX_CHUNKS_AHEAD);
        let task = current_runtime()?.spawn_blocking(move || match inner.send(request) {
            // A failed send means that the caller has dropped the future: nothing is left to do.
            Err(error) => drop(head_out.send(Err(error))),
            Ok(response) => {
                let (head, body) = response.into_parts();
                if head_out.send(Ok(head)).is_ok() {
                    forward(body, &chunks_out);
                }
            }
        });
        if let Ok(head) = head_in.await {
            return Ok(Response::from_parts(head?, Body::new(Chunks(chunks))));
        }
        let text = "the blocking transport returned no response";
        let error = TransportError::new(ErrorKind::Other, text);
        Err(match task.await {
            Ok(()) => error,
            Err(panicked) => error.with_source(panicked),
        })
    }

    fn name(&self) -> &str {
        self.0.name()
    }
}

impl<T> Clone for OffThread<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Forwards `body` to `chunks` until its end, an error, or until the receiver is dropped.
fn forward(mut body: BlockingBody, chunks: &mpsc::Sender<Result<Bytes, TransportError>>) {
    let mut buffer = vec![0; CHUNK_SIZE];
    loop {
        let chunk = match catch_unwind(AssertUnwindSafe(|| body.read(&mut buffer))) {
            Ok(Ok(0)) => return,
            Ok(Ok(count)) => Ok(Bytes::copy_from_slice(buffer.get(..count).unwrap_or_default())),
            Ok(Err(error)) => Err(TransportError::from_io(error)),
            // Without this error, the truncated body would look complete.
            Err(_panic) => {
                let text = "the blocking transport panicked";
                Err(TransportError::new(ErrorKind::Other, text).with_phase(Phase::Body))
            }
        };
        let is_last = chunk.is_err();
        if chunks.blocking_send(chunk).is_err() || is_last {
            return;
        }
    }
}

struct Chunks(mpsc::Receiver<Result<Bytes, TransportError>>);

impl HttpBody for Chunks {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        self.0.poll_recv(cx).map(|chunk| chunk.map(|chunk| chunk.map(Frame::data)))
    }
}

/// Maximum number of chunks that wait for the reader.
const MAX_CHUNKS_AHEAD: usize = 2;

/// Size of a chunk, in bytes.
const CHUNK_SIZE: usize = 32 * 1024;
