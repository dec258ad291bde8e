//! The requests of a call.

use bytes::Bytes;
use gateway_transport::{Instant, Request};
use http::header::{ACCEPT, AUTHORIZATION, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Uri};

use crate::limit::{Limit, LimitKind};
use crate::{AccessToken, CallOptions, Error};

/// The headers of every request of a client, without the token.
#[derive(Debug)]
pub(crate) struct Headers {
    accept: HeaderValue,
    pub(crate) user_agent: HeaderValue,
}

impl Headers {
    /// Panics if a value is not a valid header; call it in a constant, so that the build fails instead.
    pub(crate) const fn new(accept: &'static str, user_agent: &'static str) -> Self {
        Self {
            accept: HeaderValue::from_static(accept),
            user_agent: HeaderValue::from_static(user_agent),
        }
    }
}

/// The part that all requests of a call share: everything except the token and the deadline.
#[derive(Clone, Debug)]
pub(crate) struct Draft<'a> {
    pub(crate) headers: &'a Headers,
    pub(crate) options: Option<&'a CallOptions>,
    pub(crate) target: Uri,
}

impl Draft<'_> {
    /// Starts this limit of the client now, or the limit that the options of the call set in its place.
    pub(crate) fn limit(&self, now: Instant, of_client: LimitKind) -> Limit {
        let Some(options) = self.options else { return Limit::since(now, of_client) };
        let limit = Limit::since(now, options.timeout.map_or(of_client, LimitKind::OwnTimeout));
        match options.deadline {
            Some(deadline) => limit.or_earlier(Limit::since(now, LimitKind::OwnDeadline(deadline))),
            None => limit,
        }
    }

    /// Returns the request with this token. Every request of the client is created here.
    pub(crate) fn request(self, token: &AccessToken) -> Result<Request, Error> {
        let extra = self.options.map(|options| &options.headers);
        // With room for one more header, which a transport layer may add.
        let mut headers = HeaderMap::with_capacity(4 + extra.map_or(0, HeaderMap::len));
        headers.insert(ACCEPT, self.headers.accept.clone());
        headers.insert(USER_AGENT, self.headers.user_agent.clone());
        headers.insert(AUTHORIZATION, token.header()?);
        for (name, value) in extra.into_iter().flatten() {
            headers.insert(name.clone(), value.clone());
        }

        let mut request = Request::new(Bytes::new());
        *request.method_mut() = Method::GET;
        *request.uri_mut() = self.target;
        *request.headers_mut() = headers;
        Ok(request)
    }
}
