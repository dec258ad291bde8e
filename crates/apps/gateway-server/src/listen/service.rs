//! The service behind the listener: the only thing that the listener knows about requests and responses.

use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use http::request::Parts;
use http_body::Body;

use crate::listen::head::Refusal;
use crate::listen::state::ConnectionState;

/// A service that answers requests. Shared by all connections.
pub(crate) trait Service: Send + Sync + 'static {
    /// The body of a response.
    type Body: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>
        + Send
        + Unpin
        + 'static;

    /// Answers one request. `refusal` says why the connection refused its head, if it did. After the response,
    /// `connection` says whether the server cut it.
    fn answer(
        &self,
        request: &Parts,
        refusal: Option<Refusal>,
        connection: &Arc<ConnectionState>,
    ) -> impl Future<Output = Response<Self::Body>> + Send;
}
