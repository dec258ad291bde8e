//! HTTPS from PEM files. Without the feature `tls`, a server that is configured for HTTPS does not start.

#[cfg(feature = "tls")]
mod expiry;

#[cfg(feature = "tls")]
pub(crate) use with::{Acceptor, acceptor, is_http2};
#[cfg(not(feature = "tls"))]
pub(crate) use without::{Acceptor, acceptor, is_http2};

#[cfg(feature = "tls")]
mod with {
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use tokio::net::TcpStream;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::crypto::ring;
    use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
    use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
    use tokio_rustls::rustls::{self, ServerConfig};
    use tokio_rustls::server::TlsStream;

    use crate::clock::UnixTime;
    use crate::error::{Error, ErrorKind};
    use crate::listen::tls::expiry;
    use crate::lock::lock;

    /// Accepts TLS connections.
    pub(crate) struct Acceptor {
        certificate: PathBuf,
        key: PathBuf,
        current: Mutex<Current>,
    }

    /// The content of the files when they were read.
    struct Current {
        acceptor: TlsAcceptor,
        /// When the certificate of the server expires.
        expiry: Option<UnixTime>,
    }

    /// Creates an acceptor from the certificates and the key in two PEM files.
    pub(crate) fn acceptor(certificate: &Path, key: &Path) -> Result<Acceptor, Error> {
        let current = Mutex::new(read(certificate, key)?);
        Ok(Acceptor { certificate: certificate.to_owned(), key: key.to_owned(), current })
    }

    fn read(certificate: &Path, key: &Path) -> Result<Current, Error> {
        let invalid = |path: &Path| {
            let context = format!("{} is not valid PEM", path.display());
            |error| Error::caused(ErrorKind::Listen, context, error)
        };
        let without = |path: &Path, what: &str| {
            Error::new(ErrorKind::Listen, format!("{} contains no {what}", path.display()))
        };
        let chain = CertificateDer::pem_slice_iter(&bytes(certificate)?)
            .collect::<Result<Vec<_>, _>>()
            .map_err(invalid(certificate))?;
        if chain.is_empty() {
            return Err(without(certificate, "certificate"));
        }
        let expiry = chain.first().and_then(expiry::of);
        let private = match PrivateKeyDer::from_pem_slice(&bytes(key)?) {
            Ok(private) => private,
            Err(pem::Error::NoItemsFound) => return Err(without(key, "private key")),
            Err(error) => return Err(invalid(key)(error)),
        };
        let unusable = |error| {
            let (key, certificate) = (key.display(), certificate.display());
            let context = match error {
                rustls::Error::InconsistentKeys(_) => {
                    format!("the key in {key} does not match the certificate in {certificate}")
                }
                _ => format!("cannot use the certificate in {certificate} with the key in {key}"),
            };
            Error::caused(ErrorKind::Listen, context, error)
        };
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_no_client_auth()
            .with_single_cert(chain, private)
            .map_err(unusable)?;
        config.alpn_protocols = vec![HTTP2.to_vec(), b"http/1.1".to_vec()];
        Ok(Current { acceptor: TlsAcceptor::from(Arc::new(config)), expiry })
    }

    fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
        std::fs::read(path).map_err(|error| {
            Error::caused(ErrorKind::Listen, format!("cannot read {}", path.display()), error)
        })
    }

    impl Acceptor {
        /// Reads the files again. On an error, the certificates that were read before stay in use.
        pub(crate) fn renew(&self) -> Result<(), Error> {
            let renewed = read(&self.certificate, &self.key)?;
            *lock(&self.current) = renewed;
            Ok(())
        }

        /// Returns when the certificate expires.
        pub(crate) fn expiry(&self) -> Option<UnixTime> {
            lock(&self.current).expiry
        }

        /// Performs the handshake. Returns `None` if it fails or takes longer than `within`.
        pub(crate) async fn accept(
            &self,
            socket: TcpStream,
            within: Duration,
        ) -> Option<TlsStream<TcpStream>> {
            let current = lock(&self.current).acceptor.clone();
            tokio::time::timeout(within, current.accept(socket)).await.ok()?.ok()
        }
    }

    /// Returns whether the client chose HTTP/2.
    pub(crate) fn is_http2(stream: &TlsStream<TcpStream>) -> bool {
        stream.get_ref().1.alpn_protocol() == Some(HTTP2)
    }

    /// Name of HTTP/2 in ALPN (RFC 9113 section 3.2).
    const HTTP2: &[u8] = b"h2";

    impl std::fmt::Debug for Acceptor {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("Acceptor")
        }
    }
}

#[cfg(not(feature = "tls"))]
mod without {
    use std::convert::Infallible;
    use std::path::Path;
    use std::time::Duration;

    use tokio::net::TcpStream;

    use crate::clock::UnixTime;
    use crate::error::{Error, ErrorKind};

    /// Never created in a build without TLS.
    #[derive(Clone, Debug)]
    pub(crate) struct Acceptor(Infallible);

    pub(crate) fn acceptor(_certificate: &Path, _key: &Path) -> Result<Acceptor, Error> {
        Err(Error::new(
            ErrorKind::Config,
            "cannot serve HTTPS: this program was built without the feature `tls`",
        ))
    }

    pub(crate) fn is_http2(_stream: &TcpStream) -> bool {
        false
    }

    impl Acceptor {
        pub(crate) fn renew(&self) -> Result<(), Error> {
            match self.0 {}
        }

        pub(crate) fn expiry(&self) -> Option<UnixTime> {
            match self.0 {}
        }

        #[expect(clippy::unused_async, reason = "same signature as with TLS")]
        pub(crate) async fn accept(&self, _: TcpStream, _: Duration) -> Option<TcpStream> {
            match self.0 {}
        }
    }
}
