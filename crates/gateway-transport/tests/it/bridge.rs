//! Both bridges: blocking transports in async code over sockets, and async transports in blocking code.
use std::error::Error as _;
use std::iter;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use gateway_transport::bridge::OffThread;
use gateway_transport::reqwest::ReqwestTransport;
use gateway_transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingBody, BlockingResponse, BlockingTransport as _, Options, Phase, Proxy, Request, Sent,
    Transport, TransportErrorKind, blocking_transport_fn,
};
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
