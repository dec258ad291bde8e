//! The requests of a call.

use bytes::Bytes;
use gateway_transport::Request;
use http::header::{ACCEPT, AUTHORIZATION, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Uri};

use crate::{AccessToken, Error};

/// The headers of every request of a client, without the token.
#[derive(Debug)]
pub(crate) struct Headers {
    accept: HeaderValue,
    user_agent: HeaderValue,
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
    pub(crate) target: Uri,
}

impl Draft<'_> {
    /// Returns the request with this token. Every request of the client is created here.
    pub(crate) fn request(self, token: &AccessToken) -> Result<Request, Error> {
        // With room for one more header, which a transport layer may add.
        let mut headers = HeaderMap::with_capacity(4);
        headers.insert(ACCEPT, self.headers.accept.clone());
        headers.insert(USER_AGENT, self.headers.user_agent.clone());
        headers.insert(AUTHORIZATION, token.header()?);

        let mut request = Request::new(Bytes::new());
        *request.method_mut() = Method::GET;
        *request.uri_mut() = self.target;
        *request.headers_mut() = headers;
        Ok(request)
    }
}
