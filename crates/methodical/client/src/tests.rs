//! A small service for unit tests.

use http::Response;
use methodical_model::RawQuery;

pub(crate) use self::photos::{Photo, PhotoRef, Photos, SearchPhotos};
use crate::{AccessToken, ClientBuilder};

#[macro_use]
#[path = "../../model/tests/it/photos.rs"]
#[expect(dead_code, reason = "the tests of the model use all of it")]
mod photos;

pub(crate) type BlockingClient = crate::blocking::Client<Photos>;

/// Returns a builder of a blocking client with a token.
pub(crate) fn blocking_builder() -> crate::blocking::ClientBuilder<Photos> {
    BlockingClient::builder("https://gateway.example.com").token(token())
}

/// Returns a builder of an async client with a token.
pub(crate) fn async_builder() -> ClientBuilder<Photos> {
    ClientBuilder::new("https://gateway.example.com").token(token())
}

fn token() -> AccessToken {
    AccessToken::new("gwt_6yqW").unwrap()
}

/// Returns a successful response with JSON.
pub(crate) fn json<B>(body: B) -> Response<B> {
    let response = Response::builder().header("content-type", "application/json");
    response.body(body).unwrap()
}

/// Returns a query whose response may be any JSON document.
pub(crate) fn any_json() -> RawQuery<Photos> {
    RawQuery::new("photos/any")
}
