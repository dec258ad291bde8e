//! Routes requests to the pages and adds the headers of every response.

use std::io::Write as _;
use std::net::IpAddr;
use std::sync::{Arc, PoisonError};

use axum::extract::rejection::FormRejection;
use axum::extract::{Path, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use axum::{Extension, Form, Router};
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY,
    RETRY_AFTER, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

use crate::access::{NotLoggedIn, Refused, Who};
use crate::link::Link;
use crate::login::PERIOD;
use crate::shared::{Params, Problem, Server, Shared};
use crate::time::machine;
use crate::{board, changes, download, duplicates, health, problem, record, records, today};

/// A function that renders a page.
type Page = fn(&Shared, &Params) -> Result<String, Problem>;

/// The pages by their paths.
const PAGES: [(&str, Page); 8] = [
    ("/", today::render),
    ("/funnel", board::render),
    ("/records", records::render),
    ("/addresses", records::addresses),
    ("/record", record::render),
    ("/changes", changes::render),
    ("/duplicates", duplicates::render),
    ("/health", |shared, _| health::render(shared)),
];

/// Creates the service that answers requests.
pub(crate) fn app(server: Arc<Server>) -> Router {
    let mut router = Router::new();
    for (path, page) in PAGES {
        router = router.route(path, get(move |shared, params| answer(shared, page, params)));
    }
    router
        .route("/download", get(download::answer))
        .fallback(|| async { Problem::NotFound(NO_PAGE.to_owned()) })
        .layer(from_fn_with_state(Arc::clone(&server), with_session))
        .route("/style.css", get(|| async { file("text/css; charset=utf-8", STYLE) }))
        .route("/icon.svg", get(|| async { file("image/svg+xml", ICON) }))
        .route("/enter/{token}", get(enter))
        .route("/login", get(login).post(log_in))
        .route("/logout", get(log_out))
        .layer(from_fn_with_state(Arc::clone(&server), checked))
        .with_state(server)
}

/// Logs who requested which page. Queries and unknown paths are omitted, because they can contain personal values.
pub(crate) fn logged(server: &Server, request: &Parts, who: Option<&Who>, status: StatusCode) {
    let path = request.uri.path();
    let Some(log) = server.log.as_ref().filter(|_| !matches!(path, "/style.css" | "/icon.svg"))
    else {
        return;
    };
    let mut known = PAGES.iter().map(|(path, _)| *path).chain(["/download", "/login", "/logout"]);
    let path = known.find(|one| *one == path).unwrap_or("other");
    let name = who.map_or("-", |who| who.name.as_deref().unwrap_or("link"));
    let (time, method) = (machine((server.now)()), &request.method);
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    // A full disk must not stop the pages.
    drop(writeln!(log, "{time} {name} {method} {path} {}", status.as_u16()));
}

/// Renders a page on another thread, because reading the mirror blocks.
async fn answer(shared: Shared, page: Page, params: Params) -> Result<Html<String>, Problem> {
    let rendered = tokio::task::spawn_blocking(move || page(&shared, &params)).await;
    rendered.unwrap_or(Err(Problem::Template)).map(Html)
}

/// Begins a session for the first URL's token, which works once, and leads to the first page.
async fn enter(
    State(server): State<Arc<Server>>,
    Path(token): Path<String>,
    request: Request,
) -> Response {
    // A link preview must not use the token up.
    let cookie = match request.method() {
        &Method::GET => server.access.enter(&token, (server.now)()),
        _ => None,
    };
    if cookie.is_none() && request.extensions().get::<Who>().is_none() {
        return problem::page(StatusCode::FORBIDDEN, "This link does not work", USED, false);
    }
    let response = if request.uri().query() == Some(FROM_FILE) {
        // After a redirect, the browser would not send the cookie: the navigation started from a file, not this site.
        Html(problem::open("/")).into_response()
    } else {
        see_other("/")
    };
    with_cookie(response, cookie)
}

fn see_other(target: &str) -> Response {
    let target = HeaderValue::from_str(target).unwrap_or(HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [(LOCATION, target)]).into_response()
}

fn with_cookie(mut response: Response, cookie: Option<String>) -> Response {
    let cookie = cookie.and_then(|cookie| HeaderValue::from_str(&cookie).ok());
    response.headers_mut().extend(cookie.map(|cookie| (SET_COOKIE, cookie)));
    response
}

async fn login(
    State(server): State<Arc<Server>>,
    who: Option<Extension<Who>>,
    params: Params,
) -> Response {
    if who.is_some() {
        return see_other("/");
    }
    form(&server, StatusCode::OK, params.get("to").unwrap_or_default(), "")
}

fn form(server: &Server, status: StatusCode, to: &str, wrong: &str) -> Response {
    if !server.access.has_login() {
        return problem::page(StatusCode::FORBIDDEN, LINK, CLOSED, false);
    }
    // Without this header, the form would be sent without an origin.
    let page = problem::login(&server.name, to, wrong);
    (status, [(REFERRER_POLICY, "same-origin")], page).into_response()
}

/// Logs a reader in, in a new session.
async fn log_in(
    State(server): State<Arc<Server>>,
    Extension(peer): Extension<IpAddr>,
    headers: HeaderMap,
    fields: Result<Form<Vec<(String, String)>>, FormRejection>,
) -> Response {
    let Ok(Form(fields)) = fields else { return Params::unreadable().into_response() };
    let (params, now) = (Params(fields), (server.now)());
    let (asked, address) = (params.clone(), server.access.client(&headers, peer));
    let access = Arc::clone(&server);
    let done = tokio::task::spawn_blocking(move || {
        let part = |name| asked.get(name).unwrap_or_default();
        access.access.log_in(part("name"), part("password"), &address, now)
    });
    let to = params.get("to").unwrap_or_default();
    match done.await {
        Ok(Ok(cookie)) => {
            server.access.log_out(&headers);
            // Accept only a path of this dashboard: `//host` and `/\host` lead elsewhere.
            let is_path = to.starts_with('/')
                && !to.get(1..).is_some_and(|rest| rest.starts_with(['/', '\\']));
            let is_plain = to.bytes().all(|byte| byte.is_ascii_graphic());
            let mut response =
                with_cookie(see_other(if is_path && is_plain { to } else { "/" }), Some(cookie));
            let name = params.get("name").map(str::to_owned);
            response.extensions_mut().insert(Who { name, ..Who::default() });
            response
        }
        Ok(Err(NotLoggedIn::TooMany)) => {
            let mut response = form(&server, StatusCode::TOO_MANY_REQUESTS, to, MANY);
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(PERIOD));
            response
        }
        Ok(Err(NotLoggedIn::Wrong)) | Err(_) => {
            form(&server, StatusCode::UNAUTHORIZED, to, "The name or the password is wrong.")
        }
    }
}

/// Ends the session. Another site cannot do this, because its requests lack the cookie.
async fn log_out(State(server): State<Arc<Server>>, headers: HeaderMap) -> Response {
    server.access.log_out(&headers);
    see_other("/login")
}

/// Refuses requests without a session cookie.
async fn with_session(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    if request.extensions().get::<Who>().is_some() {
        return next.run(request).await;
    }
    if server.access.has_login() {
        let to = request.uri().path_and_query().map_or("/", |path| path.as_str());
        return see_other(&Link::to("/login").with("to", to).finish());
    }
    problem::page(StatusCode::FORBIDDEN, LINK, CLOSED, false)
}

/// Checks a request and adds the headers of every response.
async fn checked(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    sealed(match refusal(&server, &request) {
        Some((status, title, text)) => problem::page(status, title, text, false),
        None => next.run(request).await,
    })
}

pub(crate) fn sealed(mut response: Response) -> Response {
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Returns why a request is refused; `None` if it is accepted.
fn refusal(server: &Server, request: &Request) -> Option<Refused> {
    let is_login = request.method() == Method::POST && request.uri().path() == "/login";
    if !is_login && !matches!(*request.method(), Method::GET | Method::HEAD) {
        let text = "The dashboard is read-only and accepts only GET and HEAD requests.";
        return Some((StatusCode::METHOD_NOT_ALLOWED, "Not allowed", text));
    }
    server.access.check(request).err()
}

fn file(kind: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, kind)], text).into_response()
}

/// The query of the first URL if a file links to it.
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

const STYLE: &str = include_str!("style.css");
const ICON: &str = include_str!("icon.svg");
const NO_PAGE: &str = "The page does not exist.";
const USED: &str = "It was used before, or it is incomplete. Each link works once: restart the dashboard for a new one.";
const LINK: &str = "Use the link printed when the dashboard started";
const MANY: &str = "There were too many attempts. Try again in 15 minutes.";
const CLOSED: &str =
    "The command prints it. It works once; in another browser, start the dashboard again.";
