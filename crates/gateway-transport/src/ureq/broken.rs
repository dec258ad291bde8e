//! Tells a connection that broke from one that was closed in order.
use std::io;

use ::ureq::Error;
use ::ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, NextTimeout, Transport,
};

/// Wraps connections so that a broken one is an error wherever it breaks.
///
/// A body without a length ends with its connection (RFC 9112, section 6.3). ureq takes a reset, and the end of a TLS
/// session without its goodbye, for such an end, so that a body that was cut would look whole.
#[derive(Debug)]
pub(super) struct BrokenConnector;

impl<In: Transport> Connector<In> for BrokenConnector {
    type Out = Watched<In>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Watched<In>>, Error> {
        Ok(chained.map(Watched))
    }
}

/// A connection whose breaks are told.
#[derive(Debug)]
pub(super) struct Watched<T>(T);

impl<T: Transport> Transport for Watched<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.0.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.0.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.0.await_input(timeout).map_err(|error| match error {
            // ureq looks at the kind of its `Io` only; the error itself comes back out in `classify`.
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
