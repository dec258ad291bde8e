//! A transport that requests stored responses only if they have changed.

use std::iter;
use std::sync::Arc;

use http::header::IF_NONE_MATCH;
use http::{Method, StatusCode};
use methodical_client::transport::{
    BlockingBody, BlockingResponse, BlockingTransport, Request, TransportError,
};

use crate::cache::store::{Recording, Store};

/// A transport that stores responses, and sends `If-None-Match` for those that it has. It changes a 304 into the stored
/// response.
pub(crate) struct Cached<T> {
    inner: T,
    store: Arc<Store>,
}

impl<T> Cached<T> {
    /// Wraps a transport. It must decode content codings, because bodies are stored without one.
    pub(crate) fn new(inner: T, store: Arc<Store>) -> Self {
        Self { inner, store }
    }
}

impl<T: BlockingTransport> BlockingTransport for Cached<T> {
    fn send(&self, mut request: Request) -> Result<BlockingResponse, TransportError> {
        let Self { inner, store } = self;
        if request.method() != Method::GET {
            return inner.send(request);
        }
        let path = store.path(&request);
        let stored = Store::find(&path);
        if let Some(stored) = &stored {
            request.headers_mut().insert(IF_NONE_MATCH, stored.etag());
        }
        let response = inner.send(request)?;
        Ok(match (response.status(), stored) {
            (StatusCode::NOT_MODIFIED, Some(stored)) => stored.into_response(response.headers()),
            (StatusCode::OK, _) => match store.record(path, response.headers()) {
                Some(recording) => response.map(|body| recorded(body, recording)),
                None => response,
            },
            _ => response,
        })
    }

    fn name(&self) -> &str {
        self.inner.name()
    }
}

/// Passes on a body, and stores it if it is complete.
fn recorded(mut body: BlockingBody, recording: Recording) -> BlockingBody {
    let mut recording = Some(recording);
    BlockingBody::from_chunks(iter::from_fn(move || {
        let piece = body.chunk();
        match (&piece, recording.take()) {
            (Ok(Some(piece)), Some(so_far)) => recording = so_far.add(piece),
            (Ok(None), Some(all)) => all.complete(),
            // A cut response is not stored.
            _ => {}
        }
        piece.transpose()
    }))
}
