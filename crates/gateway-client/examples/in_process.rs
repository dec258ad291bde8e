//! A server in the same process: the client calls an `axum` router without a socket.
//!
//! `cargo run -p gateway-client --features tower-service --example in_process`

#![expect(clippy::print_stdout, reason = "an example prints to the terminal")]

use std::error::Error;

use axum::Router;
use axum::body::Body;
use axum::extract::RawQuery;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gateway_client::model::{GetCredits, ListCandidates};
use gateway_client::transport::tower::ServiceTransport;
use gateway_client::{AccessToken, Client};

/// A small part of the service.
async fn service(headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    if headers.get(header::AUTHORIZATION).is_none_or(|token| token != "Bearer gwt_example") {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    match query.as_deref() {
        Some("method=candidates/list&vacancy_id=7") => {
            let body = r#"{"status":"success","result":[{"id":"4711","name":"Ada"}]}"#;
            ([(header::CONTENT_TYPE, "application/json")], body).into_response()
        }
        _ => StatusCode::BAD_REQUEST.into_response(),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let router = Router::new().route("/c/oauth/v1", get(service));
    let transport = ServiceTransport::<_, Body>::new(router);
    // The host name is never resolved. The router receives the path, the query and the headers.
    let builder = Client::builder("https://gateway.example.com");
    let client = builder.token(AccessToken::new("gwt_example")?).transport(transport).build()?;

    let listing = client.send(&ListCandidates::new().vacancy_id(7)).await?;
    println!("{} candidate for vacancy 7", listing.items.len());

    let refused = client.send(&GetCredits::new()).await;
    println!("credits: {:?}", refused.map_err(|error| error.kind()));
    Ok(())
}
