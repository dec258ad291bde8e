//! The size limits, one byte below, at and one byte above their defaults: in both clients, with and without a
//! `content-length`.

use axum::http::response::Parts;
use axum::http::{Response, StatusCode};
use bytes::Bytes;
use futures_util::stream::{StreamExt as _, iter};
use gateway_client::model::{GetCredits, ListVacancies};
use gateway_client::transport::{BlockingBody, Body, blocking_transport_fn, transport_fn};
use gateway_client::{Client, Entry, Error, ErrorKind, blocking};

use crate::support::{BASE_URL, Driver, token};

#[test]
fn a_body_above_the_limit_is_an_error() {
    for length in around(BODY) {
        for driver in drivers(200, JSON, &spaces(length)) {
            let received = raw(&driver).map(|body| body.len()).map_err(|error| error.kind());
            let expected = if length > BODY { Err(ErrorKind::TooLarge) } else { Ok(length) };
            assert_eq!(received, expected, "{length}");
        }
    }
}

/// The body may never end.
#[test]
fn a_body_that_is_declared_above_the_limit_is_not_received() {
    let head = |length: usize| {
        let head = Response::builder().header("content-type", JSON);
        head.header("content-length", length).body(BlockingBody::from(spaces(2)))
    };
    for (length, expected) in [(BODY, Ok(2)), (BODY + 1, Err(ErrorKind::TooLarge))] {
        let transport = blocking_transport_fn(move |_| Ok(head(length).unwrap()));
        let builder = blocking::Client::builder(BASE_URL).transport(transport);
        let client = builder.token(token()).build().unwrap();
        let received = raw(&Driver::Blocking(client)).map(|body| body.len());
        assert_eq!(received.map_err(|error| error.kind()), expected, "{length}");
    }
}

#[test]
fn the_body_of_an_error_status_is_truncated_to_its_limit() {
    for length in around(ERROR_BODY) {
        for driver in drivers(403, JSON, &spaces(length)) {
            assert_eq!(raw(&driver).unwrap().len(), length.min(ERROR_BODY), "{length}");
            kept(&driver.send(&GetCredits::new()).unwrap_err(), ErrorKind::Forbidden, length);
            kept(&streamed(&driver).unwrap_err(), ErrorKind::Forbidden, length);
        }
    }
}

#[test]
fn the_body_of_an_invalid_success_is_truncated_to_its_limit() {
    for length in around(ERROR_BODY) {
        for driver in drivers(200, "text/html", &spaces(length)) {
            kept(&driver.send(&GetCredits::new()).unwrap_err(), ErrorKind::ContentType, length);
            kept(&streamed(&driver).unwrap_err(), ErrorKind::ContentType, length);
        }
        for driver in drivers(200, JSON, &spaces(length)) {
            kept(&driver.send(&GetCredits::new()).unwrap_err(), ErrorKind::Decode, length);
        }
    }
}

#[test]
fn a_streamed_record_above_the_limit_is_rejected() {
    for length in around(RECORD) {
        let record = format!(r#"{{"id":"1","project":"{}"}}"#, "x".repeat(length - 23));
        assert_eq!(record.len(), length);
        for driver in drivers(200, JSON, &format!("[{record}]").into()) {
            assert_eq!(streamed(&driver).unwrap(), usize::from(length <= RECORD), "{length}");
        }
    }
}

#[track_caller]
fn kept(error: &Error, kind: ErrorKind, length: usize) {
    let body = error.body().unwrap();
    assert_eq!((error.kind(), body.len()), (kind, length.min(ERROR_BODY)), "{length}");
}

fn raw(driver: &Driver) -> Result<Bytes, Error> {
    driver.send_raw(&GetCredits::new()).map(|answer| answer.body().clone())
}

/// Counts the records of a stream.
fn streamed(driver: &Driver) -> Result<usize, Error> {
    driver
        .stream(&ListVacancies::new())?
        .try_fold(0, |count, entry| Ok(count + usize::from(matches!(entry?, Entry::Record(_)))))
}

/// Returns both clients of a service with this response: first without and then with a `content-length`.
fn drivers(status: u16, media_type: &'static str, body: &Bytes) -> [Driver; 4] {
    let head = move |length: Option<usize>| -> Parts {
        let mut head = Response::builder().header("content-type", media_type);
        if let Some(length) = length {
            head = head.header("content-length", length);
        }
        head.status(StatusCode::from_u16(status).unwrap()).body(()).unwrap().into_parts().0
    };
    let [without, with] = [None, Some(body.len())].map(|length| {
        let pieces = pieces(body);
        let transport = transport_fn({
            let pieces = pieces.clone();
            move |_| {
                let body = Body::from_chunks(iter(pieces.clone()).map(Ok));
                async move { Ok(Response::from_parts(head(length), body)) }
            }
        });
        let client = Client::builder(BASE_URL).token(token()).transport(transport);
        let transport = blocking_transport_fn(move |_| {
            let body = BlockingBody::from_chunks(pieces.clone().into_iter().map(Ok));
            Ok(Response::from_parts(head(length), body))
        });
        let blocking = blocking::Client::builder(BASE_URL).token(token()).transport(transport);
        [Driver::Async(client.build().unwrap()), Driver::Blocking(blocking.build().unwrap())]
    });
    let ([first, second], [third, fourth]) = (without, with);
    [first, second, third, fourth]
}

/// Returns a body in pieces, so that its length is not known.
fn pieces(body: &Bytes) -> Vec<Bytes> {
    let starts = (0..body.len()).step_by(PIECE);
    starts.map(|start| body.slice(start..body.len().min(start + PIECE))).collect()
}

fn around(limit: usize) -> [usize; 3] {
    [limit - 1, limit, limit + 1]
}

fn spaces(length: usize) -> Bytes {
    vec![b' '; length].into()
}

const BODY: usize = 64 * 1024 * 1024;
const ERROR_BODY: usize = 64 * 1024;
const RECORD: usize = 1024 * 1024;
/// Does not divide the limits, so that each limit falls within a piece.
const PIECE: usize = 60_000;

const JSON: &str = "application/json";
