//! The parameters of a request, and responses with a page.

use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use http::header::CONTENT_TYPE;

use crate::shared::Problem;

/// The parameters of a request, if they are readable.
pub(crate) type Parsed = Result<Query<Vec<(String, String)>>, QueryRejection>;

/// Returns the problem of a request whose parameters are not readable.
pub(crate) fn unreadable() -> Problem {
    Problem::Request("the parameters are not readable".to_owned())
}

/// Returns a response with a page.
pub(crate) fn html((status, page): (StatusCode, String)) -> Response {
    (status, [(CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()
}
