//! TLS for ureq, with the same settings as the other adapters.
use std::fmt;
use std::io::{self, Read, Write};
use std::sync::Arc;

use ::ureq::Error;
use ::ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport,
    TransportAdapter,
};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

use crate::error::find;
use crate::ureq::connect::time_left;
use crate::{BoxError, Options, TransportError, TransportErrorKind, tls};

/// Wraps connections to `https` targets in TLS.
///
/// ureq's own connector would trust extra certificates *instead of* the system's, not in addition to them, and would
/// load them again for each connection of a request with a deadline.
pub(super) struct TlsConnector(Arc<ClientConfig>);

impl TlsConnector {
    pub(super) fn new(options: &Options) -> Result<Self, TransportError> {
        Ok(Self(Arc::new(tls::client_config(options)?)))
    }
}

impl<In: Transport> Connector<In> for TlsConnector {
    type Out = Either<In, TlsStream>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        let Some(stream) = chained else { return Ok(None) };
        if !details.needs_tls() || stream.is_tls() {
            return Ok(Some(Either::A(stream)));
        }
        let host = details.uri.host().ok_or(Error::Tls("no host"))?;
        let name = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(name).map_err(tls_failed)?;
        let mut session = ClientConnection::new(Arc::clone(&self.0), name).map_err(tls_failed)?;
        let mut socket = TransportAdapter::new(stream.boxed(), details.current_time.clone());
        socket.set_timeout(time_left(details)?);
        // Complete the handshake here, so that its failures count as failures to connect.
        while session.is_handshaking() {
            session.complete_io(&mut socket).map_err(handshake_failed)?;
        }
        let config = details.config;
        let buffers = LazyBuffers::new(config.input_buffer_size(), config.output_buffer_size());
        Ok(Some(Either::B(TlsStream { buffers, stream: StreamOwned::new(session, socket) })))
    }
}

/// Returns ureq's own errors, such as a timeout, unchanged, and converts all others to ours.
#[cold]
fn handshake_failed(error: io::Error) -> Error {
    let error = match Error::from(error) {
        Error::Io(error) => error,
        of_ureq => return of_ureq,
    };
    if find::<rustls::Error>(&error).is_some() {
        return tls_failed(error);
    }
    Error::Other(TransportError::of_kind(TransportErrorKind::Connect).with_source(error).into())
}

#[cold]
fn tls_failed(source: impl Into<BoxError>) -> Error {
    Error::Other(TransportError::of_kind(TransportErrorKind::Tls).with_source(source).into())
}

impl fmt::Debug for TlsConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TlsConnector")
    }
}

pub(super) struct TlsStream {
    buffers: LazyBuffers,
    stream: StreamOwned<ClientConnection, TransportAdapter>,
}

impl Transport for TlsStream {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.stream.sock.set_timeout(timeout);
        let output = self.buffers.output().get(..amount).unwrap_or_default();
        Ok(self.stream.write_all(output)?)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.stream.sock.set_timeout(timeout);
        let amount = self.stream.read(self.buffers.input_append_buf())?;
        self.buffers.input_appended(amount);
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        self.stream.sock.get_mut().is_open()
    }

    fn is_tls(&self) -> bool {
        true
    }
}

impl fmt::Debug for TlsStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TlsStream")
    }
}
