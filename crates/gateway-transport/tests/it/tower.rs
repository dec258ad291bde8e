//! Services as transports, and transports under tower layers.
use std::convert::Infallible;
use std::error::Error as _;
use std::future::{pending, ready};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::extract::Request as AxumRequest;
use axum::http::StatusCode;
use axum::routing::get;
use bytes::Bytes;
use gateway_transport::reqwest::ReqwestTransport;
use gateway_transport::tower::{ServiceTransport, TransportService};
use gateway_transport::{
    Body, Deadline, Options, Phase, Proxy, Request, Response, Sent, SharedTransport, Transport,
    TransportError, TransportErrorKind,
};
use http_body::Frame;
use methodical_testkit::raw_server::{Next, RawServer};
use tower::{ServiceBuilder, service_fn};

use crate::request;

#[tokio::test]
async fn a_router_answers_without_a_socket() {
    let transport = router();
    let mut request = request("http://localhost/echo?method=photos/list");
    request.headers_mut().insert("x-sent", "as it is".parse().unwrap());
    *request.body_mut() = "the body".into();
    let response = transport.send(request).await.unwrap();
    assert_eq!(response.headers()["x-seen"], "as it is");
    let body = response.into_body().collect(100).await.unwrap();
    assert_eq!(body, "method=photos/list: the body");

    let response = transport.send(request_to("/nowhere")).await.unwrap();
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_deadline_applies_to_a_router() {
    let transport = router();
    for (target, phase) in [("/never", Phase::Head), ("/endless", Phase::Body)] {
        let mut request = request_to(target);
        request.extensions_mut().insert(Deadline::after(Duration::from_millis(50)));
        let error = whole(&transport, request).await.unwrap_err();
        assert_eq!((error.kind(), error.phase()), (TransportErrorKind::Timeout, phase), "{target}");
    }
}

#[tokio::test]
async fn an_empty_body_can_be_read_after_the_deadline() {
    let whole = service_fn(|_: Request| ready(Ok::<_, Infallible>(Response::default())));
    let mut request = request_to("/");
    request.extensions_mut().insert(Deadline::after(Duration::from_millis(500)));
    let response = ServiceTransport::<_>::new(whole).send(request).await.unwrap();
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(response.into_body().collect(1).await.unwrap(), "");
}

#[tokio::test]
async fn a_transport_works_under_layers() {
    let server = RawServer::start(|request, connection| {
        connection.respond("", request.target().as_bytes());
        Next::KeepAlive
    })
    .unwrap();
    let reqwest = ReqwestTransport::new(&Options::default().proxy(Proxy::Never)).unwrap();
    let service = ServiceBuilder::new()
        .buffer(4)
        .concurrency_limit(1)
        .timeout(Duration::from_secs(20))
        .service(TransportService::new(reqwest));
    let transport = SharedTransport::new(ServiceTransport::<_>::new(service));
    for target in ["/a?b=1", "/c?d=2"] {
        let body = whole(&transport, request(&server.uri(target))).await.unwrap();
        assert_eq!(body, target);
    }
    assert_eq!(server.progress().connections, 1);
}

#[tokio::test]
async fn errors_keep_their_kind_through_layers() {
    let refused = TransportError::new(TransportErrorKind::Resolve, "no such host");
    let memory = gateway_transport::MemoryTransport::new([Err(refused)]);
    // Each of these two layers boxes the error of the one below.
    let service = ServiceBuilder::new()
        .buffer(4)
        .timeout(Duration::from_secs(20))
        .service(TransportService::new(memory));
    let error = ServiceTransport::<_>::new(service).send(Request::default()).await.unwrap_err();
    let actual = (error.kind(), error.phase(), error.sent());
    assert_eq!(actual, (TransportErrorKind::Resolve, Phase::Connect, Sent::No));
    assert_eq!(error.to_string(), "no such host");
}

#[tokio::test]
async fn errors_of_a_service_are_classified_by_their_cause() {
    let reset = || io::Error::from(io::ErrorKind::ConnectionReset);
    let failed = service_fn(move |_: Request| ready(Err::<Response, _>(reset())));
    let error = ServiceTransport::<_>::new(failed).send(Request::default()).await.unwrap_err();
    assert_eq!((error.kind(), error.phase()), (TransportErrorKind::Interrupted, Phase::Head));
    let failed = service_fn(|_: Request| ready(Err::<Response, _>("unknown")));
    let error = ServiceTransport::<_>::new(failed).send(Request::default()).await.unwrap_err();
    assert_eq!((error.kind(), error.phase()), (TransportErrorKind::Other, Phase::Head));
    assert_eq!(error.to_string(), "the tower service failed");
    assert_eq!(error.source().unwrap().to_string(), "unknown");
}

/// Returns a router with three routes: one echoes, one never responds, and one sends a body that never ends.
fn router() -> impl Transport {
    async fn echo(request: AxumRequest) -> ([(&'static str, String); 1], String) {
        let seen = request.headers()["x-sent"].to_str().unwrap().to_owned();
        let query = request.uri().query().unwrap().to_owned();
        let body = axum::body::to_bytes(request.into_body(), 100).await.unwrap();
        ([("x-seen", seen)], format!("{query}: {}", str::from_utf8(&body).unwrap()))
    }
    let router = Router::new()
        .route("/echo", get(echo))
        .route("/never", get(pending::<StatusCode>))
        .route("/endless", get(async || axum::body::Body::new(Endless)));
    ServiceTransport::<Router, axum::body::Body>::new(router)
}

/// A body that is always ready and never ends.
struct Endless;

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b"more")))))
    }
}

async fn whole(transport: &impl Transport, request: Request) -> Result<Bytes, TransportError> {
    let body: Body = transport.send(request).await?.into_body();
    body.collect(u64::MAX).await
}

fn request_to(target: &str) -> Request {
    request(&format!("http://localhost{target}"))
}
