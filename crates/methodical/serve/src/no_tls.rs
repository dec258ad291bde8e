//! Without the feature `tls`, a server that is configured for HTTPS does not start.

use std::convert::Infallible;
use std::path::Path;
use std::time::Duration;

use tokio::net::TcpStream;

use crate::Error;

pub(crate) type Encrypted = TcpStream;

/// Never created in a build without TLS.
#[derive(Debug)]
pub struct Acceptor(Infallible);

impl Acceptor {
    /// Fails.
    ///
    /// # Errors
    ///
    /// Always: this build has no TLS.
    pub fn from_files(_certificate: &Path, _key: &Path) -> Result<Self, Error> {
        let context = "cannot serve HTTPS: this program was built without the feature `tls`";
        Err(Error { context: context.into(), source: None })
    }

    /// Never called.
    ///
    /// # Errors
    ///
    /// None.
    pub fn renew(&self) -> Result<(), Error> {
        match self.0 {}
    }

    /// Never called.
    pub fn expiry(&self) -> Option<i64> {
        match self.0 {}
    }

    #[expect(clippy::unused_async, reason = "same signature as with TLS")]
    pub(crate) async fn accept(&self, _: TcpStream, _: Duration) -> Option<Encrypted> {
        match self.0 {}
    }
}
