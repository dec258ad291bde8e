//! A transport without a network: scripted answers, and a record of what was asked.
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use crate::{
    BlockingBody, BlockingResponse, BlockingTransport, Body, Deadline, ErrorKind, Request,
    Response, Sent, Transport, TransportError,
};

/// Answers from a script, in order, and keeps every request. Async and blocking.
///
/// Clones share the script and the record. When the script is used up, every further request is an error.
///
/// # Examples
///
/// ```
/// use gateway_transport::{BlockingTransport, ErrorKind, MemoryTransport, TransportError};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let transport = MemoryTransport::new([
///     Err(TransportError::new(ErrorKind::Connect, "connection refused")),
///     Ok(http::Response::new("second".into())),
/// ]);
/// let request = http::Request::get("/a?b=1").body(Default::default())?;
///
/// let error = BlockingTransport::send(&transport, request.clone()).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Connect);
/// let response = BlockingTransport::send(&transport, request)?;
/// assert_eq!(response.into_body().collect(100)?, "second");
///
/// assert_eq!(transport.requests().len(), 2);
/// assert_eq!(transport.remaining(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct MemoryTransport(Arc<Mutex<State>>);

/// One line of the script.
type Answer = Result<http::Response<Bytes>, TransportError>;

#[derive(Default)]
struct State {
    script: VecDeque<Answer>,
    requests: Vec<Request>,
}

impl MemoryTransport {
    /// Answers with `script`, first to last.
    pub fn new(script: impl IntoIterator<Item = Answer>) -> Self {
        let script = script.into_iter().collect();
        Self(Arc::new(Mutex::new(State { script, requests: Vec::new() })))
    }

    /// Adds `answer` to the end of the script.
    pub fn push(&self, answer: Answer) {
        self.state().script.push_back(answer);
    }

    /// Returns the requests so far, oldest first.
    pub fn requests(&self) -> Vec<Request> {
        self.state().requests.clone()
    }

    /// Returns how many answers of the script are left.
    pub fn remaining(&self) -> usize {
        self.state().script.len()
    }

    fn answer(&self, request: Request) -> Answer {
        Deadline::remaining(&request)?;
        let mut state = self.state();
        state.requests.push(request);
        state.script.pop_front().unwrap_or_else(|| {
            Err(TransportError::new(
                ErrorKind::Other,
                "the script of the memory transport is empty",
            )
            .with_sent(Sent::No))
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code of ours panics while it holds the lock, and the state is whole after each statement.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transport for MemoryTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        Ok(self.answer(request)?.map(Body::from))
    }

    fn name(&self) -> &'static str {
        NAME
    }
}

impl BlockingTransport for MemoryTransport {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        Ok(self.answer(request)?.map(BlockingBody::from))
    }

    fn name(&self) -> &'static str {
        NAME
    }
}

impl fmt::Debug for MemoryTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Counts only: the requests may hold credentials and the answers personal data.
        let state = self.state();
        f.debug_struct("MemoryTransport")
            .field("requests", &state.requests.len())
            .field("remaining", &state.script.len())
            .finish()
    }
}

const NAME: &str = "memory";
