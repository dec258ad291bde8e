//! HTTPS from PEM files. Without the feature `tls`, asking for it is an error when the server starts.

#[cfg(feature = "tls")]
pub(crate) use with::{Acceptor, acceptor};
#[cfg(not(feature = "tls"))]
pub(crate) use without::{Acceptor, acceptor};

#[cfg(feature = "tls")]
mod with {
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use tokio::net::TcpStream;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::crypto::ring;
    use tokio_rustls::rustls::pki_types::pem::PemObject as _;
    use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
    use tokio_rustls::server::TlsStream;

    use crate::error::{Error, ErrorKind};
    use crate::lock::lock;

    /// Makes TLS connections out of sockets.
    pub(crate) struct Acceptor {
        certificate: PathBuf,
        key: PathBuf,
        current: Mutex<TlsAcceptor>,
    }

    /// Reads the certificates and the key.
    pub(crate) fn acceptor(certificate: &Path, key: &Path) -> Result<Acceptor, Error> {
        let current = Mutex::new(read(certificate, key)?);
        Ok(Acceptor { certificate: certificate.to_owned(), key: key.to_owned(), current })
    }

    fn read(certificate: &Path, key: &Path) -> Result<TlsAcceptor, Error> {
        let unreadable = |path: &Path| {
            let context = format!("{} holds no PEM that fits", path.display());
            move |error| Error::caused(ErrorKind::Listen, context, error)
        };
        let chain = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(unreadable(certificate))?;
        let key = PrivateKeyDer::from_pem_file(key).map_err(unreadable(key))?;
        let misfit = |error| {
            Error::caused(ErrorKind::Listen, "the certificate and its key are no pair", error)
        };
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(misfit)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(misfit)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }

    impl Acceptor {
        /// Reads the files again. What cannot be read, or is no pair, changes nothing.
        pub(crate) fn renew(&self) -> Result<(), Error> {
            let renewed = read(&self.certificate, &self.key)?;
            *lock(&self.current) = renewed;
            Ok(())
        }

        /// Shakes hands, or gives up.
        pub(crate) async fn accept(
            &self,
            socket: TcpStream,
            within: Duration,
        ) -> Option<TlsStream<TcpStream>> {
            let current = lock(&self.current).clone();
            tokio::time::timeout(within, current.accept(socket)).await.ok()?.ok()
        }
    }

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

    use crate::error::{Error, ErrorKind};

    /// There is none.
    #[derive(Clone, Debug)]
    pub(crate) struct Acceptor(Infallible);

    pub(crate) fn acceptor(_certificate: &Path, _key: &Path) -> Result<Acceptor, Error> {
        Err(Error::new(ErrorKind::Config, "this program was built without TLS"))
    }

    impl Acceptor {
        pub(crate) fn renew(&self) -> Result<(), Error> {
            match self.0 {}
        }

        #[expect(clippy::unused_async, reason = "the twin of the one that shakes hands")]
        pub(crate) async fn accept(&self, _: TcpStream, _: Duration) -> Option<TcpStream> {
            match self.0 {}
        }
    }
}
