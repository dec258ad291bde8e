//! The page for a request that is refused or fails.

use askama::Template;
use axum::response::{Html, IntoResponse, Response};
use http::StatusCode;

use crate::shared::Problem;

/// The template of the page. It contains no data from the mirror, so it may be sent to anyone.
#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage<'a> {
    title: &'a str,
    text: &'a str,
    can_return: bool,
}

#[derive(Template)]
#[template(path = "open.html")]
struct OpenPage<'a> {
    url: &'a str,
}

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage<'a> {
    /// The name of the dashboard.
    title: &'a str,
    /// The page to open after the login.
    to: &'a str,
    wrong: &'a str,
}

/// Renders the login form, with the reason why a previous attempt was refused.
pub(crate) fn login(title: &str, to: &str, wrong: &str) -> Html<String> {
    Html(LoginPage { title, to, wrong }.render().unwrap_or_default())
}

pub(crate) fn open(url: &str) -> String {
    OpenPage { url }.render().unwrap_or_default()
}

/// Renders a page with a title, a sentence and, on request, a link to the first page.
pub(crate) fn page(status: StatusCode, title: &str, text: &str, can_return: bool) -> Response {
    let page = ProblemPage { title, text, can_return };
    (status, Html(page.render().unwrap_or_else(|_error| title.to_owned()))).into_response()
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        const BUSY: &str = "Other downloads are still running. Try again when one has finished.";
        let failed = StatusCode::INTERNAL_SERVER_ERROR;
        let (status, title, text) = match self {
            Self::NotFound(text) => (StatusCode::NOT_FOUND, "Not found", text),
            Self::Request(text) => (StatusCode::BAD_REQUEST, "Cannot show this page", text),
            Self::Mirror(error) => (failed, "The mirror cannot be read", error.to_string()),
            Self::Busy => (StatusCode::SERVICE_UNAVAILABLE, "Too many downloads", BUSY.to_owned()),
            Self::Format(text) => (failed, "The file cannot be written", text),
            Self::Template => (failed, "The page cannot be written", String::new()),
        };
        page(status, title, &text, true)
    }
}
