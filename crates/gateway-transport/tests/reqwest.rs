//! Behaviour specific to the reqwest adapters.
#![cfg(feature = "reqwest-blocking")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use gateway_transport::reqwest::ReqwestTransport;
use gateway_transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_transport::{
    BlockingTransport, ErrorKind, Options, Proxy, Request, Sent, Transport, TransportError,
};

/// The options may contain the password of a proxy.
#[test]
fn a_transport_has_a_name_and_prints_no_option() {
    let transport = ReqwestTransport::new(&options()).unwrap();
    assert_eq!(
        (transport.name(), format!("{transport:?}").as_str()),
        ("reqwest", "ReqwestTransport")
    );
}

#[test]
fn a_blocking_call_works_inside_a_runtime() {
    let address = serve();
    let transport = ReqwestBlockingTransport::new(&options()).unwrap();
    runtime().block_on(async {
        let response = transport.send(get(address)).unwrap();
        assert_eq!(response.into_body().collect(10).unwrap(), "{}");
        drop(transport);
    });
}

#[test]
fn a_call_without_a_runtime_is_a_typed_error() {
    let transport = ReqwestTransport::new(&options()).unwrap();
    let call = std::pin::pin!(transport.send(get(serve())));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(Err(error)) = call.poll(&mut context) else { panic!("no error") };
    assert_eq!((error.kind(), error.sent()), (ErrorKind::Other, Sent::No));
}

#[test]
fn one_transport_serves_several_runtimes() {
    let address = serve();
    let transport = ReqwestTransport::new(&options()).unwrap();
    // Each runtime stays alive and idle, with the connection it opened, while the next one sends.
    let runtimes: Vec<_> = (0..10).map(|_| runtime()).collect();
    for runtime in &runtimes {
        for _ in 0..2 {
            assert_eq!(runtime.block_on(body_of(&transport, address)).unwrap(), "{}");
        }
    }
}

#[test]
fn a_blocking_body_outlives_its_transport() {
    let address = serve();
    let transport = ReqwestBlockingTransport::new(&options()).unwrap();
    let response = transport.send(get(address)).unwrap();
    drop(transport);
    assert_eq!(response.into_body().collect(10).unwrap(), "{}");
}

async fn body_of(
    transport: &ReqwestTransport,
    address: SocketAddr,
) -> Result<bytes::Bytes, TransportError> {
    transport.send(get(address)).await?.into_body().collect(10).await
}

fn get(address: SocketAddr) -> Request {
    http::Request::get(format!("http://{address}/")).body("".into()).unwrap()
}

fn options() -> Options {
    Options::default().proxy(Proxy::Never)
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Starts a server that answers every request with `{}` and keeps connections open.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            thread::spawn(move || answer(stream));
        }
    });
    address
}

fn answer(mut stream: TcpStream) {
    let reader = BufReader::new(stream.try_clone().unwrap());
    for line in reader.lines() {
        if line.unwrap().is_empty() {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").unwrap();
        }
    }
}
