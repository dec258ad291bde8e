//! [`ReqwestBlockingTransport`]: the blocking adapter over reqwest.
use crate::bridge::OnThread;
use crate::reqwest::ReqwestTransport;
use crate::{BlockingResponse, BlockingTransport, Options, Request, TransportError};

/// Sends requests with reqwest from code without `async`. Use this if the program also uses the async adapter.
///
/// This is [`ReqwestTransport`] on a dedicated thread, not `reqwest::blocking`, which panics if called inside a runtime
/// or with a read timeout, and which applies its total timeout to each read. This adapter may be called anywhere (it
/// blocks the calling thread), and behaves exactly like the async adapter.
///
/// # Examples
///
/// ```
/// use gateway_transport::reqwest_blocking::ReqwestBlockingTransport;
/// use gateway_transport::{BlockingTransport, TransportErrorKind, Options};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let transport = ReqwestBlockingTransport::new(&Options::default())?;
/// let request = http::Request::get("ftp://localhost/").body("".into())?;
/// assert_eq!(transport.send(request).unwrap_err().kind(), TransportErrorKind::InvalidRequest);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ReqwestBlockingTransport(OnThread<ReqwestTransport>);

impl ReqwestBlockingTransport {
    /// Creates a transport with the given options and starts its thread, without connecting.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ReqwestTransport::new`], and
    /// [`TransportErrorKind::Other`](crate::TransportErrorKind::Other) if the thread cannot be started.
    pub fn new(options: &Options) -> Result<Self, TransportError> {
        Ok(Self(OnThread::new(ReqwestTransport::new(options)?)?))
    }
}

impl BlockingTransport for ReqwestBlockingTransport {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        self.0.send(request)
    }
}
