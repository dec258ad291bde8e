//! Both bridges: blocking transports in async code over sockets, and async transports in blocking code.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::error::Error as _;
use std::io::Read;
use std::iter;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use gateway_transport::bridge::{OffThread, OnThread};
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingBody, BlockingResponse, BlockingTransport as _, Body, Deadline, ErrorKind, Options,
    Phase, Proxy, Request, Response, Sent, Transport, TransportError, blocking_transport_fn,
    transport_fn,
};
use http_body::Frame;
use methodical_testkit::raw_server::{Next, RawServer};

#[tokio::test]
async fn a_body_streams_in_chunks() {
    let server = RawServer::start(|request, connection| {
        if request.target() == "/continue" {
            connection.respond("", b"");
            return Next::KeepAlive;
        }
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nfirst");
        // The rest is sent only after the reader of the first part has sent another request.
        connection.wait_for_scripts(2, TIMEOUT);
        connection.send(b" last");
        Next::KeepAlive
    })
    .unwrap();
    let transport = transport();
    let mut body = transport.send(get(&server, "/")).await.unwrap().into_body();
    assert_eq!(body.chunk().await.unwrap().unwrap(), "first");
    transport.send(get(&server, "/continue")).await.unwrap();
    assert_eq!(body.collect(10).await.unwrap(), " last");
}

#[tokio::test]
async fn a_truncated_body_is_an_error() {
    let server = RawServer::start(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nfirst");
        Next::Close
    })
    .unwrap();
    let body = transport().send(get(&server, "/")).await.unwrap().into_body();
    let error = body.collect(10).await.unwrap_err();
    assert_eq!((error.kind(), error.phase()), (ErrorKind::Interrupted, Phase::Body));
}

#[tokio::test]
async fn the_deadline_covers_the_body() {
    let server = RawServer::start(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nfirst");
        connection.wait_for_close(TIMEOUT);
        Next::Close
    })
    .unwrap();
    let mut request = get(&server, "/");
    request.extensions_mut().insert(Deadline::after(Duration::from_millis(300)));
    let body = transport().send(request).await.unwrap().into_body();
    let error = body.collect(10).await.unwrap_err();
    assert_eq!((error.kind(), error.phase()), (ErrorKind::Timeout, Phase::Body));
}

#[tokio::test]
async fn a_dropped_body_ends_the_exchange() {
    let server = RawServer::start(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
        connection.flood(&[b' '; 16 * 1024], usize::MAX);
        Next::Close
    })
    .unwrap();
    let mut body = transport().send(get(&server, "/")).await.unwrap().into_body();
    body.chunk().await.unwrap().unwrap();
    drop(body);
    assert!(server.wait_until(TIMEOUT, |seen| seen.ended == 1));
}

#[tokio::test]
async fn a_panic_of_the_transport_is_a_typed_error() {
    let transport = OffThread::new(blocking_transport_fn(|_| panic!("planted panic")));
    let error = transport.send(Request::default()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Other);
    assert!(error.source().is_some());
}

#[tokio::test]
async fn a_panic_within_a_body_is_a_typed_error() {
    let transport = OffThread::new(blocking_transport_fn(|_| {
        let mut chunk = Some(Ok("first".into()));
        let chunks = iter::from_fn(move || Some(chunk.take().expect("planted panic")));
        Ok(BlockingResponse::new(BlockingBody::from_chunks(chunks)))
    }));
    let mut body = transport.send(Request::default()).await.unwrap().into_body();
    assert_eq!(body.chunk().await.unwrap().unwrap(), "first");
    let error = body.collect(10).await.unwrap_err();
    assert_eq!((error.kind(), error.phase()), (ErrorKind::Other, Phase::Body));
}

/// Web frameworks build bodies from `stream::unfold`, whose stream must not be polled after its end.
#[test]
fn a_stream_is_not_polled_after_its_end() {
    for chunks in 0..3 {
        let transport = OnThread::new(transport_fn(move |_| async move {
            let strict = Strict { chunks, has_ended: false };
            Ok(Response::new(Body::new(strict)))
        }))
        .unwrap();
        let body = || transport.send(Request::default()).unwrap().into_body();
        assert_eq!(body().collect(10).unwrap(), "x".repeat(chunks));
        let mut body = body();
        assert_eq!(body.read_to_end(&mut Vec::new()).unwrap(), chunks);
        assert_eq!(body.read(&mut [0]).unwrap(), 0);
        assert_eq!(body.chunk().unwrap(), None);
    }
}

/// A body of this many chunks that panics when it is polled after its end.
struct Strict {
    chunks: usize,
    has_ended: bool,
}

impl http_body::Body for Strict {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        assert!(!self.has_ended, "polled after its end");
        let left = self.chunks.checked_sub(1);
        self.has_ended = left.is_none();
        self.chunks = left.unwrap_or_default();
        Poll::Ready(left.map(|_| Ok(Frame::data("x".into()))))
    }
}

#[test]
fn a_call_without_a_runtime_is_a_typed_error() {
    let transport = transport();
    let call = pin!(transport.send(Request::default()));
    let Poll::Ready(Err(error)) = call.poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("no error")
    };
    assert_eq!((error.kind(), error.sent()), (ErrorKind::Other, Sent::No));
}

fn transport() -> OffThread<UreqTransport> {
    OffThread::new(UreqTransport::new(&Options::default().proxy(Proxy::Never)).unwrap())
}

fn get(server: &RawServer, target: &str) -> Request {
    http::Request::get(server.uri(target)).body("".into()).unwrap()
}

/// Timeout of anything that must happen in a passing test.
const TIMEOUT: Duration = Duration::from_secs(20);
