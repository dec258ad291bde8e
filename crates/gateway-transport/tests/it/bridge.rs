//! Async transports in blocking code, and without a runtime.
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use gateway_transport::reqwest::ReqwestTransport;
use gateway_transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_transport::{
    BlockingTransport as _, Options, Proxy, Sent, Transport, TransportErrorKind,
};
use methodical_testkit::raw_server::RawServer;
use tokio::runtime::Builder;

use crate::{greet, request};

#[test]
fn a_call_without_a_runtime_is_a_typed_error() {
    let transport = ReqwestTransport::new(&Options::default().proxy(Proxy::Never)).unwrap();
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
    // Each runtime stays alive and idle, with the connection that it opened, while the next one sends.
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
