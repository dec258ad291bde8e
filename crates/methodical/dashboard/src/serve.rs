//! Answers the requests on each connection, with time limits and a limit on the number of connections.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::request::Parts;
use http::{Request, Response, StatusCode};
use methodical_serve::{Connection, Limits, Refusal, RequestBody, Service};
use tower_service::Service as _;

use crate::access::Who;
use crate::app::{logged, sealed};
use crate::problem;
use crate::shared::Server;

/// The service that answers the requests of all connections.
#[derive(Debug)]
pub(crate) struct Pages {
    pub(crate) app: Router,
    pub(crate) server: Arc<Server>,
}

impl Service for Pages {
    type Body = Body;

    async fn answer(
        &self,
        request: &Parts,
        refusal: Option<Refusal>,
        connection: &Arc<Connection>,
    ) -> Response<Body> {
        if let Some(refusal) = refusal {
            let (status, title) = refused(refusal);
            return sealed(problem::page(status, title, "", false));
        }
        let who = self.server.access.who(&request.headers, (self.server.now)());
        let body = request.extensions.get().map(|RequestBody(body)| body.clone());
        let body = Body::from(body.unwrap_or_default());
        let mut asked = Request::from_parts(request.clone(), body);
        asked.extensions_mut().insert(connection.peer);
        if let Some(who) = &who {
            asked.extensions_mut().insert(who.clone());
        }
        let mut app = self.app.clone();
        let response = match tokio::time::timeout(RESPONSE, app.call(asked)).await {
            Ok(Ok(response)) => response,
            Ok(Err(never)) => match never {},
            Err(_elapsed) => {
                let status = StatusCode::SERVICE_UNAVAILABLE;
                sealed(problem::page(status, "The page took too long", "", true))
            }
        };
        let who = response.extensions().get::<Who>().or(who.as_ref());
        logged(&self.server, request, who, response.status());
        response
    }
}

/// Returns the status and the title of the page for a request that is refused for its head or its connection.
const fn refused(refusal: Refusal) -> (StatusCode, &'static str) {
    match refusal {
        Refusal::Target | Refusal::Host => (StatusCode::BAD_REQUEST, "The request is not valid"),
        Refusal::UriTooLong => (StatusCode::URI_TOO_LONG, "The address is too long"),
        Refusal::HeadTooLarge => {
            (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "The request is too large")
        }
        Refusal::Body => (StatusCode::PAYLOAD_TOO_LARGE, "The request has a body"),
        Refusal::Overloaded | Refusal::AddressLimit => {
            (StatusCode::SERVICE_UNAVAILABLE, "There are too many connections")
        }
    }
}

/// Returns the limits of the connections. All connections from a proxy share its address.
pub(crate) fn limits(has_proxy: bool) -> Limits {
    Limits {
        connections: CONNECTIONS,
        connections_per_address: if has_proxy { CONNECTIONS } else { CONNECTIONS / 4 },
        unlimited: Vec::new(),
        queue: true,
        body: BODY,
        head: Duration::from_secs(10),
        idle: Duration::from_secs(60),
        stall: Duration::from_secs(30),
        response: CONNECTION,
        age: CONNECTION,
    }
}

/// Maximum number of connections.
const CONNECTIONS: usize = 256;

/// Maximum size of a request body, in bytes.
const BODY: usize = 4 * 1024;

/// Timeout of a page, in seconds.
const RESPONSE: Duration = Duration::from_secs(30);

/// Timeout of a download, and age at which a connection accepts no further request, in seconds.
const CONNECTION: Duration = Duration::from_secs(600);
