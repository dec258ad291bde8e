//! The page of a request that is not answered.

use askama::Template;
use http::StatusCode;

use crate::shared::Problem;

/// The template of the page. It has no data of the mirror, so that it may be sent to anyone.
#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage<'a> {
    title: &'a str,
    text: &'a str,
    can_return: bool,
}

/// The template of a page that opens another one.
#[derive(Template)]
#[template(path = "open.html")]
struct OpenPage<'a> {
    url: &'a str,
}

/// The template of the login.
#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage<'a> {
    /// The name of the dashboard.
    title: &'a str,
    /// The page to open after it.
    to: &'a str,
    wrong: &'a str,
}

/// Renders the form of the login, with the reason for the refusal of another attempt.
pub(crate) fn login(title: &str, to: &str, wrong: &str) -> String {
    LoginPage { title, to, wrong }.render().unwrap_or_default()
}

/// Renders a page that opens another one.
pub(crate) fn open(url: &str) -> String {
    OpenPage { url }.render().unwrap_or_default()
}

/// Renders the page of a problem.
pub(crate) fn render(problem: &Problem) -> (StatusCode, String) {
    match problem {
        Problem::NotFound(text) => page(StatusCode::NOT_FOUND, "Not found", text, true),
        Problem::Request(text) => {
            page(StatusCode::BAD_REQUEST, "Cannot show this page", text, true)
        }
        Problem::Mirror(error) => {
            let text = error.to_string();
            page(StatusCode::INTERNAL_SERVER_ERROR, "The mirror cannot be read", &text, true)
        }
        Problem::Busy => {
            let text = "Other downloads are not complete yet. Try again when one of them is.";
            page(StatusCode::SERVICE_UNAVAILABLE, "Too many downloads", text, true)
        }
        Problem::Format(text) => {
            page(StatusCode::INTERNAL_SERVER_ERROR, "The file cannot be written", text, true)
        }
        Problem::Template => {
            page(StatusCode::INTERNAL_SERVER_ERROR, "The page cannot be written", "", true)
        }
    }
}

/// Renders a page with a title and a sentence.
pub(crate) fn page(
    status: StatusCode,
    title: &str,
    text: &str,
    can_return: bool,
) -> (StatusCode, String) {
    let page = ProblemPage { title, text, can_return };
    (status, page.render().unwrap_or_else(|_error| title.to_owned()))
}
