//! What both clients share: where the service is, who asks, and by which policy.

use bytes::Bytes;
use gateway_model::{Operation, service};
use gateway_transport::{Request, mark_sensitive};
use http::header::{ACCEPT, AUTHORIZATION, USER_AGENT};
use http::{HeaderValue, Method};

use crate::Error;
use crate::access_token::AccessToken;
use crate::base_url::BaseUrl;
use crate::call::Policy;

/// The part of a client that knows no transport.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) base_url: BaseUrl,
    pub(crate) token: AccessToken,
    pub(crate) policy: Policy,
}

impl Core {
    /// Returns the request of an operation, as it goes out.
    pub(crate) fn request<O: Operation>(&self, operation: &O) -> Result<Request, Error> {
        let query = operation.query()?;
        let mut request = Request::new(Bytes::new());
        *request.method_mut() = Method::GET;
        *request.uri_mut() = self.base_url.with_query(query.as_str())?;
        let headers = request.headers_mut();
        headers.insert(AUTHORIZATION, self.token.header()?);
        headers.insert(ACCEPT, HeaderValue::from_static(service::ACCEPT));
        headers.insert(USER_AGENT, HeaderValue::from_static(NAME_AND_VERSION));
        mark_sensitive(headers);
        Ok(request)
    }
}

const NAME_AND_VERSION: &str = concat!("gateway-client/", env!("CARGO_PKG_VERSION"));
