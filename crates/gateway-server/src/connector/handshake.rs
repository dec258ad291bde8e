//! Performs the TLS handshake, and notes that it was made: with `sslmode=prefer` only the server decides.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ::postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The handshake of one connection.
#[derive(Clone)]
pub(super) struct Handshake {
    inner: MakeRustlsConnect,
    made: Arc<AtomicBool>,
}

impl Handshake {
    pub(super) fn new(inner: MakeRustlsConnect) -> Self {
        Self { inner, made: Arc::default() }
    }

    /// Returns whether the server offered TLS.
    pub(super) fn was_made(&self) -> bool {
        self.made.load(Ordering::Acquire)
    }
}

impl<S> MakeTlsConnect<S> for Handshake
where
    MakeRustlsConnect: MakeTlsConnect<S>,
{
    type Stream = <MakeRustlsConnect as MakeTlsConnect<S>>::Stream;
    type TlsConnect = Noted<<MakeRustlsConnect as MakeTlsConnect<S>>::TlsConnect>;
    type Error = <MakeRustlsConnect as MakeTlsConnect<S>>::Error;

    fn make_tls_connect(&mut self, domain: &str) -> Result<Self::TlsConnect, Self::Error> {
        let inner = self.inner.make_tls_connect(domain)?;
        Ok(Noted { inner, made: Arc::clone(&self.made) })
    }
}

/// A handshake that is about to begin.
pub(super) struct Noted<C> {
    inner: C,
    made: Arc<AtomicBool>,
}

impl<S, C: TlsConnect<S>> TlsConnect<S> for Noted<C> {
    type Stream = C::Stream;
    type Error = C::Error;
    type Future = C::Future;

    fn connect(self, stream: S) -> C::Future {
        self.made.store(true, Ordering::Release);
        self.inner.connect(stream)
    }
}
