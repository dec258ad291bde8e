//! [`ReqwestBlockingTransport`]: the blocking adapter over reqwest.
use crate::bridge::OnThread;
use crate::reqwest::ReqwestTransport;
use crate::{BlockingResponse, BlockingTransport, Options, Request, TransportError};

/// Sends requests with reqwest from code without `async`.
///
/// It is [`ReqwestTransport`] on a thread of its own, not `reqwest::blocking`: that one panics when it is called inside
/// a runtime, takes its total time limit for a limit of each read, and panics on a read limit. This one may be called
/// anywhere (it blocks the calling thread), and has the behaviour of the async adapter because it is the async adapter.
///
/// # Examples
///
/// ```
/// use gateway_transport::reqwest_blocking::ReqwestBlockingTransport;
/// use gateway_transport::{BlockingTransport, ErrorKind, Options};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let transport = ReqwestBlockingTransport::new(&Options::default())?;
/// let request = http::Request::get("ftp://localhost/").body("".into())?;
/// assert_eq!(transport.send(request).unwrap_err().kind(), ErrorKind::InvalidRequest);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ReqwestBlockingTransport(OnThread<ReqwestTransport>);

impl ReqwestBlockingTransport {
    /// Makes a transport with these settings and starts its thread. Nothing is connected yet.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Tls`](crate::ErrorKind::Tls) if an extra root certificate cannot be used;
    /// [`ErrorKind::Other`](crate::ErrorKind::Other) if no thread can be started.
    pub fn new(options: &Options) -> Result<Self, TransportError> {
        Ok(Self(OnThread::new(ReqwestTransport::new(options)?)?))
    }
}

impl BlockingTransport for ReqwestBlockingTransport {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        self.0.send(request)
    }

    fn name(&self) -> &'static str {
        "reqwest-blocking"
    }
}
