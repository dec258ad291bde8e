//! A transport without a network: scripted responses, and a record of the requests.
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::platform::Mutex;
use crate::{Deadline, Request, Sent, TransportError, TransportErrorKind};

/// An async and blocking transport that answers from a script, in order, and records every request.
///
/// Use this in tests. Clones share the script and the recorded requests. Once the script is used up, every further
/// request fails.
///
/// # Examples
///
/// ```
/// use gateway_transport::{BlockingTransport, TransportErrorKind, MemoryTransport, TransportError};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let transport = MemoryTransport::new([
///     Err(TransportError::new(TransportErrorKind::Connect, "connection refused")),
///     Ok(http::Response::new("second".into())),
/// ]);
/// let request = http::Request::get("/a?b=1").body(Default::default())?;
///
/// let error = BlockingTransport::send(&transport, request.clone()).unwrap_err();
/// assert_eq!(error.kind(), TransportErrorKind::Connect);
/// let response = BlockingTransport::send(&transport, request)?;
/// assert_eq!(response.into_body().collect(100)?, "second");
///
/// assert_eq!(transport.requests().len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct MemoryTransport(Arc<Mutex<State>>);

/// An entry of the script: a response, or the error that `send` returns.
type Entry = Result<http::Response<Bytes>, TransportError>;

#[derive(Default)]
struct State {
    script: VecDeque<Entry>,
    requests: Vec<Request>,
}

impl MemoryTransport {
    /// Creates a transport that answers each request with the next entry of `script`.
    pub fn new(script: impl IntoIterator<Item = Entry>) -> Self {
        let script = script.into_iter().collect();
        Self(Arc::new(Mutex::new(State { script, requests: Vec::new() })))
    }

    /// Returns the requests so far, oldest first.
    pub fn requests(&self) -> Vec<Request> {
        self.0.lock().requests.clone()
    }

    fn answer(&self, request: &Request) -> Entry {
        Deadline::remaining(request)?;
        let mut state = self.0.lock();
        state.requests.push(request.clone());
        state.script.pop_front().unwrap_or_else(|| {
            let text = "the memory transport has no scripted response left";
            Err(TransportError::new(TransportErrorKind::Other, text).with_sent(Sent::No))
        })
    }
}

/// Implements both traits for a transport whose method `answer` returns complete responses.
macro_rules! answers {
    ($transport:ty) => {
        impl $crate::Transport for $transport {
            async fn send(
                &self,
                request: $crate::Request,
            ) -> Result<$crate::Response, $crate::TransportError> {
                Ok(self.answer(&request)?.map(Into::into))
            }
        }

        impl $crate::BlockingTransport for $transport {
            fn send(
                &self,
                request: $crate::Request,
            ) -> Result<$crate::BlockingResponse, $crate::TransportError> {
                Ok(self.answer(&request)?.map(Into::into))
            }
        }
    };
}

#[cfg(feature = "cassette")]
pub(crate) use answers;

answers!(MemoryTransport);

impl fmt::Debug for MemoryTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Shows only counts, because requests may contain credentials, and responses personal data.
        let state = self.0.lock();
        f.debug_struct("MemoryTransport")
            .field("requests", &state.requests.len())
            .field("remaining", &state.script.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BlockingTransport;

    #[test]
    fn a_used_up_script_is_an_error() {
        let transport = MemoryTransport::new([Ok(http::Response::new("one".into()))]);
        let send = || BlockingTransport::send(&transport, Request::default());
        assert_eq!(send().unwrap().into_body().collect(3).unwrap(), "one");
        let error = send().unwrap_err();
        assert_eq!((error.kind(), error.sent()), (TransportErrorKind::Other, Sent::No));
        assert_eq!(error.to_string(), "the memory transport has no scripted response left");
        assert_eq!(transport.clone().requests().len(), 2);
    }
}
