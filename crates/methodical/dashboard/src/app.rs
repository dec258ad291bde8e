//! Routes requests to the pages, and adds the headers of every response.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderName, HeaderValue, Method, StatusCode};

use crate::access::Refused;
use crate::respond::{Parsed, html, unreadable};
use crate::shared::{Params, Problem, Shared};
use crate::{board, changes, download, gauges, health, problem, record, records, today};

/// A function that renders a page.
type Page = fn(&Shared, &Params) -> Result<String, Problem>;

/// Creates the service that answers requests.
pub(crate) fn app(shared: Arc<Shared>) -> Router {
    let pages: [(&str, Page); 8] = [
        ("/", today::render),
        ("/funnel", board::render),
        ("/records", records::render),
        ("/addresses", records::addresses),
        ("/record", record::render),
        ("/changes", changes::render),
        ("/gauge", gauges::render),
        ("/health", |shared, _| health::render(shared)),
    ];
    let mut router = Router::new();
    for (path, page) in pages {
        let answer = move |State(shared): State<Arc<Shared>>, query| answer(shared, page, query);
        router = router.route(path, get(answer));
    }
    router
        .route("/download", get(download::answer))
        .fallback(|| async { html(problem::render(&Problem::NotFound(NO_PAGE.to_owned()))) })
        .layer(from_fn_with_state(Arc::clone(&shared), with_session))
        .route("/style.css", get(|| async { file("text/css; charset=utf-8", STYLE) }))
        .route("/icon.svg", get(|| async { file("image/svg+xml", ICON) }))
        .route("/enter/{token}", get(enter))
        .layer(from_fn_with_state(Arc::clone(&shared), checked))
        .with_state(shared)
}

/// Renders a page on another thread, because the mirror blocks.
async fn answer(shared: Arc<Shared>, page: Page, query: Parsed) -> Response {
    let Ok(Query(params)) = query else { return html(problem::render(&unreadable())) };
    let rendered = tokio::task::spawn_blocking(move || page(&shared, &Params::new(params))).await;
    match rendered {
        Ok(Ok(page)) => html((StatusCode::OK, page)),
        Ok(Err(problem)) => html(problem::render(&problem)),
        Err(_panicked) => {
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            html(problem::page(status, "The page cannot be written", "", true))
        }
    }
}

/// Uses the token of the first URL.
async fn enter(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
    request: Request,
) -> Response {
    // A preview of the link must not use it up.
    let cookie = match request.method() {
        &Method::GET => shared.access.enter(&token),
        _ => None,
    };
    let mut response = Body::empty().into_response();
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    } else if !shared.access.has_session(request.headers()) {
        return html(problem::page(StatusCode::FORBIDDEN, "This link does not work", USED, false));
    }
    if request.uri().query() == Some(FROM_FILE) {
        // After a redirect, the browser would not send the cookie: the navigation began in a file, not on this site.
        let cookie = response.headers_mut().remove(SET_COOKIE);
        let mut page = html((StatusCode::OK, problem::open("/")));
        page.headers_mut().extend(cookie.map(|cookie| (SET_COOKIE, cookie)));
        return page;
    }
    *response.status_mut() = StatusCode::SEE_OTHER;
    response.headers_mut().insert(LOCATION, HeaderValue::from_static("/"));
    response
}

/// Refuses requests without the cookie of the session.
async fn with_session(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    if shared.access.has_session(request.headers()) {
        return next.run(request).await;
    }
    html(problem::page(
        StatusCode::FORBIDDEN,
        "Use the link printed when the dashboard started",
        CLOSED,
        false,
    ))
}

/// Checks a request, and adds the headers of every response.
async fn checked(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match refusal(&shared, &request) {
        Some((status, title, text)) => html(problem::page(status, title, text, false)),
        None => next.run(request).await,
    };
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Returns why a request is refused.
fn refusal(shared: &Shared, request: &Request) -> Option<(StatusCode, &'static str, &'static str)> {
    if request.uri().path_and_query().is_some_and(|path| path.as_str().len() > URI) {
        return Some((StatusCode::URI_TOO_LONG, "The address is too long", ""));
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let text = "The dashboard only reads: it answers GET and HEAD.";
        return Some((StatusCode::METHOD_NOT_ALLOWED, "Not allowed", text));
    }
    match shared.access.check(request).err()? {
        Refused::Host => Some((
            StatusCode::MISDIRECTED_REQUEST,
            "This is not the address of the dashboard",
            HOST,
        )),
        Refused::Origin => Some((
            StatusCode::FORBIDDEN,
            "Another site asked for this page",
            "Open it by its link.",
        )),
    }
}

fn file(kind: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, kind)], text).into_response()
}

/// The query of the first URL in a file.
pub(crate) const FROM_FILE: &str = "from=file";

/// The headers of every response.
const HEADERS: [(HeaderName, &str); 7] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
    (CACHE_CONTROL, "no-store"),
    (REFERRER_POLICY, "no-referrer"),
    (X_FRAME_OPTIONS, "DENY"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Maximum length of a path with its query, in bytes.
const URI: usize = 2048;

const STYLE: &str = include_str!("style.css");
const ICON: &str = include_str!("icon.svg");
const NO_PAGE: &str = "the page does not exist";
const USED: &str = "It was used before, or it is incomplete. A link works once: start the dashboard again for another one.";
const CLOSED: &str =
    "The command prints it. It works once; in another browser, start the dashboard again.";
const HOST: &str = "Open it by the link that the command prints.";
