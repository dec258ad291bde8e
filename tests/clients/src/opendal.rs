//! A transport over the HTTP transport of OpenDAL.

use std::error::Error as _;
use std::time::Duration;

use futures_util::stream::try_unfold;
use gateway_transport::{
    Body, Phase, Request, Response, Transport, TransportError, TransportErrorKind,
};
use opendal_core::raw::oio::ReadStream;
use opendal_core::{Buffer, Error, HttpTransporter};
use opendal_http_transport_reqwest::ReqwestTransport;

use crate::adapt::{Limits, classify, unchanged_url};
use crate::reqwest_middleware::reqwest_client;

/// Sends requests with OpenDAL's transport over a reqwest client.
#[derive(Debug)]
pub struct OpendalTransport {
    client: HttpTransporter,
    idle_timeout: Duration,
}

impl OpendalTransport {
    /// Creates a client with these time limits, which trusts the certificate `root` (DER).
    ///
    /// # Errors
    /// Fails if the certificate is invalid.
    pub fn new(
        connect_timeout: Duration,
        idle_timeout: Duration,
        root: &[u8],
    ) -> Result<Self, TransportError> {
        let client = ReqwestTransport::new(reqwest_client(connect_timeout, root)?);
        Ok(Self { client: HttpTransporter::new(client), idle_timeout })
    }
}

impl Transport for OpendalTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let limits = Limits::of(&request, self.idle_timeout)?;
        unchanged_url(request.uri())?;
        let exchange = self.client.fetch(request.map(Buffer::from));
        let response =
            limits.head(exchange).await?.map_err(|error| convert(&error, Phase::Head))?;
        Ok(response.map(|body| {
            let chunks = try_unfold(body, async |mut body| {
                let chunk = body.read().await.map_err(|error| convert(&error, Phase::Body))?;
                Ok((!chunk.is_empty()).then(|| (chunk.to_bytes(), body)))
            });
            limits.body(Body::from_chunks(chunks))
        }))
    }
}

/// OpenDAL's error kinds do not say what failed, but the source is reqwest's error.
fn convert(error: &Error, phase: Phase) -> TransportError {
    let Some(source) = error.source() else {
        let error =
            TransportError::new(TransportErrorKind::Protocol, "the length of the body is wrong");
        return error.with_phase(phase);
    };
    let reqwest = source.downcast_ref::<reqwest::Error>();
    let is_connect = reqwest.is_some_and(reqwest::Error::is_connect);
    classify(source, is_connect, reqwest.is_some_and(reqwest::Error::is_timeout), phase)
}
