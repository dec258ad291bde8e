//! A small service for unit tests.

use http::Response;
use methodical_model::codegen::{
    Body, Cursor, Decides, Fast, Object, QueryBuilder, Sealed, Verdict, borrowed, decoder,
    error_class, list,
};
use methodical_model::{
    DecodeError, ErrorClass, ListOperation, Listing, Operation, Query, RawQuery, Record, Rejected,
    Service, StreamDecoder,
};
use serde::Deserialize;

use crate::{AccessToken, ClientBuilder};

/// The service.
pub(crate) struct Photos;

pub(crate) type BlockingClient = crate::blocking::Client<Photos>;

impl Service for Photos {
    const NAME: &'static str = "photos";
    const API_VERSION: &'static str = "v1";
    const PATH: &'static str = "/api/v1";
    const SELECTOR: &'static str = "method";
    const ACCEPT: &'static str = "application/json";
}

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

/// Searches photos: `{"photos":{"photo":[{"id":1}]},"stat":"ok"}`, or `{"stat":"fail","code":98,"message":"No"}`.
pub(crate) struct SearchPhotos;

impl Operation for SearchPhotos {
    type Service = Photos;
    type Output = Listing<Photo>;

    const NAME: &'static str = "search_photos";
    const METHOD: &'static str = "photos/search";

    fn query(&self) -> Result<Query, DecodeError> {
        Ok(QueryBuilder::select::<Photos>(Self::METHOD).finish())
    }

    fn decode(&self, body: &[u8]) -> Result<Listing<Photo>, DecodeError> {
        list(FOUND, body)
    }

    fn rejected(output: &Listing<Photo>) -> &[Rejected] {
        &output.rejected
    }

    fn error_class(body: &[u8]) -> Option<ErrorClass> {
        error_class(FOUND, body)
    }
}

impl ListOperation for SearchPhotos {
    type Item = Photo;
    type Beside = ();

    fn decoder(&self) -> StreamDecoder<Photo> {
        decoder(FOUND)
    }

    fn decode_borrowed(&self, body: &[u8]) -> Result<Listing<Photo>, DecodeError> {
        borrowed::<Photo, ()>(FOUND, body)
    }
}

const FOUND: &Body = &Body {
    at: &["photos", "photo"],
    verdict: Some(&Verdict {
        code: &["code"],
        message: &["message"],
        classes: &[
            ("98", ErrorClass::Auth),
            ("29", ErrorClass::RateLimit),
            ("105", ErrorClass::Unavailable),
        ],
        ..Verdict::new(Decides::Success { at: &["stat"], is: &["ok"] })
    }),
    ..Body::ROOT
};

/// A record.
#[derive(Debug, Deserialize)]
pub(crate) struct Photo {
    #[expect(dead_code, reason = "the tests only count records")]
    id: u64,
}

impl Record for Photo {
    type Ref<'a> = Self;

    fn from_ref(photo: Self) -> Self {
        photo
    }
}

impl Sealed for Photo {
    const OBJECT: &'static Object = &Object { what: "a photo", members: &[] };
}

/// Leaves every record to serde.
impl Fast<'_> for Photo {
    fn read(_: &mut Cursor<'_>) -> Option<Self> {
        None
    }
}
