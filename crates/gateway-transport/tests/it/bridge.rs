//! Both bridges: blocking transports in async code over sockets, and async transports in blocking code.
use std::error::Error as _;
use std::io::Read;
use std::iter;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use gateway_transport::bridge::{OffThread, OnThread};
use gateway_transport::reqwest::ReqwestTransport;
use gateway_transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingBody, BlockingResponse, BlockingTransport as _, Body, Options, Phase, Proxy, Request,
    Response, Sent, Transport, TransportError, TransportErrorKind, blocking_transport_fn,
    transport_fn,
};
use http_body::Frame;
use methodical_testkit::raw_server::RawServer;
use tokio::runtime::Builder;

use crate::{greet, request};

#[tokio::test]
async fn a_panic_of_the_transport_is_a_typed_error() {
    let transport = OffThread::new(blocking_transport_fn(|_| panic!("planted panic")));
    let error = transport.send(Request::default()).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Other);
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
    assert_eq!((error.kind(), error.phase()), (TransportErrorKind::Other, Phase::Body));
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
    let options = Options::default().proxy(Proxy::Never);
    fails_without_a_runtime(&OffThread::new(UreqTransport::new(&options).unwrap()));
    fails_without_a_runtime(&ReqwestTransport::new(&options).unwrap());
}

#[track_caller]
fn fails_without_a_runtime(transport: &impl Transport) {
    let call = pin!(transport.send(request("http://127.0.0.1/")));
    let Poll::Ready(Err(error)) = call.poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("no error")
    };
    assert_eq!((error.kind(), error.sent()), (TransportErrorKind::Other, Sent::No));
}

#[test]
fn one_transport_serves_several_runtimes() {
    let server = RawServer::start(greet).unwrap();
    let transport = ReqwestTransport::new(&Options::default().proxy(Proxy::Never)).unwrap();
    // Each runtime stays alive and idle, with the connection it opened, while the next one sends.
    let runtime = |_| Builder::new_current_thread().enable_all().build().unwrap();
    let runtimes: Vec<_> = (0..10).map(runtime).collect();
    for runtime in &runtimes {
        for _ in 0..2 {
            let call = async {
                let response = transport.send(request(&server.uri("/"))).await?;
                response.into_body().collect(10).await
            };
            assert_eq!(runtime.block_on(call).unwrap(), "hello");
        }
    }
}

#[tokio::test]
async fn a_blocking_body_outlives_its_transport_in_a_runtime() {
    let server = RawServer::start(greet).unwrap();
    let options = Options::default().proxy(Proxy::Never);
    let transport = ReqwestBlockingTransport::new(&options).unwrap();
    let response = transport.send(request(&server.uri("/"))).unwrap();
    drop(transport);
    assert_eq!(response.into_body().collect(10).unwrap(), "hello");
}
