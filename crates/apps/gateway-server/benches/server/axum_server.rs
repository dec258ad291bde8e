//! A minimal axum handler, to compare with.

use axum::body::{Body, Bytes};
use axum::routing::get;

/// Serves a body from memory in pieces of 64 KiB, and a constant body: the least that axum can do.
pub(crate) fn run() {
    let file = std::env::var("GATEWAY_BENCH_FILE").unwrap();
    let list =
        if file.is_empty() { Bytes::new() } else { Bytes::from(std::fs::read(file).unwrap()) };
    let handler = move |axum::extract::RawQuery(query): axum::extract::RawQuery| async move {
        let headers = [("content-type", "application/json")];
        if query.is_some_and(|query| query == "method=credits/get") {
            return (headers, Body::from(r#"{"credits_number":"184.50","currency":"EUR"}"#));
        }
        (headers, Body::new(Pieces(list.clone())))
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("http://{}", listener.local_addr().unwrap());
        axum::serve(listener, axum::Router::new().route("/c/oauth/v1", get(handler)))
            .await
            .unwrap();
    });
}

struct Pieces(Bytes);

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        let length = self.0.len().min(64 * 1024);
        let piece = self.0.split_to(length);
        std::task::Poll::Ready((length > 0).then(|| Ok(http_body::Frame::data(piece))))
    }
}
