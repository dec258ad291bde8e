//! The service behind a listener.

use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use http::request::Parts;
use http_body::Body;

use crate::connection::Connection;
use crate::guard::Refusal;

/// A service that answers requests. Shared by all connections.
pub trait Service: Send + Sync + 'static {
    /// The body of a response.
    type Body: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>
        + Send
        + Unpin
        + 'static;

    /// Answers one request. `refusal` says why it is refused, if it is. After the response, `connection` says whether
    /// the server cut it.
    fn answer(
        &self,
        request: &Parts,
        refusal: Option<Refusal>,
        connection: &Arc<Connection>,
    ) -> impl Future<Output = Response<Self::Body>> + Send;
}
