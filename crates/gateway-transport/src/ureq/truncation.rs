//! Distinguishes a connection that broke from one that was closed properly.
use std::io;

use ::ureq::Error;
use ::ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, NextTimeout, Transport,
};

/// Wraps connections so that a broken connection is always an error.
///
/// A body without a length ends with its connection (RFC 9112, section 6.3). ureq also accepts a reset, or the end of a
/// TLS session without `close_notify`, as such an end, so a truncated body would look complete.
#[derive(Debug)]
pub(super) struct TruncationConnector;

impl<In: Transport> Connector<In> for TruncationConnector {
    type Out = TruncationCheck<In>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<TruncationCheck<In>>, Error> {
        Ok(chained.map(TruncationCheck))
    }
}

/// A connection that reports a break as an error.
#[derive(Debug)]
pub(super) struct TruncationCheck<T>(T);

impl<T: Transport> Transport for TruncationCheck<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.0.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.0.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.0.await_input(timeout).map_err(|error| match error {
            // ureq takes a break for the end of the body only if it is an `Error::Io`. `classify` unwraps this one.
            Error::Io(error) if is_broken(&error) => Error::Other(error.into()),
            error => error,
        })
    }

    fn is_open(&mut self) -> bool {
        self.0.is_open()
    }

    fn is_tls(&self) -> bool {
        self.0.is_tls()
    }
}

fn is_broken(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | UnexpectedEof)
}
