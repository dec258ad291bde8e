//! The request of a call.

use bytes::Bytes;
use gateway_model::service;
use gateway_transport::Request;
use http::header::{ACCEPT, AUTHORIZATION, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Uri};

use crate::{AccessToken, Error};

/// Returns the request for `target` with `token` (contract, section 5). Every request of the client is built here.
pub(crate) fn request(target: Uri, token: &AccessToken) -> Result<Request, Error> {
    // With room for one more header, which a transport layer may add.
    let mut headers = HeaderMap::with_capacity(4);
    headers.insert(ACCEPT, HeaderValue::from_static(service::ACCEPT));
    headers.insert(USER_AGENT, HeaderValue::from_static(NAME_AND_VERSION));
    headers.insert(AUTHORIZATION, token.header()?);

    let mut request = Request::new(Bytes::new());
    *request.method_mut() = Method::GET;
    *request.uri_mut() = target;
    *request.headers_mut() = headers;
    Ok(request)
}

const NAME_AND_VERSION: &str = concat!("gateway-client/", env!("CARGO_PKG_VERSION"));
