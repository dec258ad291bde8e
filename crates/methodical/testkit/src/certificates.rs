//! Certificates for tests: valid ones, and three kinds that a client must reject.
//!
//! # Examples
//!
//! ```
//! use methodical_testkit::certificates::Authority;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let authority = Authority::new()?;
//! let good = authority.identity()?;
//! let bad = authority.expired()?;
//! assert!(!authority.certificate().is_empty());
//! # Ok(())
//! # }
//! ```
use std::error::Error as StdError;
use std::net::TcpStream;
use std::sync::Arc;
use std::{fmt, io};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{VerifierBuilderError, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};

/// A certificate authority for one test. Configure the client under test to trust its certificate.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    /// Creates a certificate authority with a new key.
    ///
    /// # Errors
    ///
    /// Fails if the key or the certificate cannot be created.
    pub fn new() -> Result<Self, CertificateError> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        Ok(Self(CertifiedIssuer::self_signed(params, KeyPair::generate()?)?))
    }

    /// Returns the certificate of the authority (DER), for a client to trust.
    pub fn certificate(&self) -> Vec<u8> {
        self.0.der().to_vec()
    }

    /// Issues a certificate for `localhost` and 127.0.0.1.
    ///
    /// # Errors
    ///
    /// Fails if the key or the certificate cannot be created.
    pub fn identity(&self) -> Result<Identity, CertificateError> {
        self.issue(&params_for(&["localhost", "127.0.0.1"])?)
    }

    /// Issues a certificate for `localhost` and 127.0.0.1 that expired in 2001.
    ///
    /// # Errors
    ///
    /// Fails if the key or the certificate cannot be created.
    pub fn expired(&self) -> Result<Identity, CertificateError> {
        let mut params = params_for(&["localhost", "127.0.0.1"])?;
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(2001, 1, 1);
        self.issue(&params)
    }

    /// Issues a certificate for the host `other.invalid`.
    ///
    /// # Errors
    ///
    /// Fails if the key or the certificate cannot be created.
    pub fn other_host(&self) -> Result<Identity, CertificateError> {
        self.issue(&params_for(&["other.invalid"])?)
    }

    /// Issues two certificates: one for a server on `localhost` and 127.0.0.1 that accepts only clients with a
    /// certificate from this authority, and one for such a client. Returns the latter with its key, in PEM.
    ///
    /// # Errors
    ///
    /// Fails if a key or a certificate cannot be created.
    pub fn mutual(&self) -> Result<(Identity, String), CertificateError> {
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone())?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let clients = WebPkiClientVerifier::builder_with_provider(roots.into(), provider).build();
        let key = KeyPair::generate()?;
        let server = params_for(&["localhost", "127.0.0.1"])?.signed_by(&key, &self.0)?;
        let server = Identity::with_clients(server.der().clone(), &key, clients?)?;
        let key = KeyPair::generate()?;
        let client = params_for(&["client"])?.signed_by(&key, &self.0)?;
        Ok((server, client.pem() + &key.serialize_pem()))
    }

    fn issue(&self, params: &CertificateParams) -> Result<Identity, CertificateError> {
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.0)?;
        Identity::new(certificate.der().clone(), &key)
    }
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authority")
    }
}

/// The certificate and private key of a server.
#[derive(Clone)]
pub struct Identity(Arc<ServerConfig>);

impl Identity {
    /// Creates a self-signed certificate for `localhost` and 127.0.0.1.
    ///
    /// # Errors
    ///
    /// Fails if the key or the certificate cannot be created.
    pub fn self_signed() -> Result<Self, CertificateError> {
        let key = KeyPair::generate()?;
        let certificate = params_for(&["localhost", "127.0.0.1"])?.self_signed(&key)?;
        Self::new(certificate.der().clone(), &key)
    }

    fn new(certificate: CertificateDer<'static>, key: &KeyPair) -> Result<Self, CertificateError> {
        Self::with_clients(certificate, key, WebPkiClientVerifier::no_client_auth())
    }

    fn with_clients(
        certificate: CertificateDer<'static>,
        key: &KeyPair,
        clients: Arc<dyn ClientCertVerifier>,
    ) -> Result<Self, CertificateError> {
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_client_cert_verifier(clients)
            .with_single_cert(vec![certificate], key)?;
        Ok(Self(Arc::new(config)))
    }

    pub(crate) fn accept(
        &self,
        mut stream: TcpStream,
    ) -> io::Result<StreamOwned<ServerConnection, TcpStream>> {
        let session = ServerConnection::new(Arc::clone(&self.0));
        let mut session = session.map_err(io::Error::other)?;
        while session.is_handshaking() {
            session.complete_io(&mut stream)?;
        }
        Ok(StreamOwned::new(session, stream))
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity")
    }
}

/// The reason why a key or a certificate could not be created.
#[derive(Debug)]
pub struct CertificateError(Box<dyn StdError + Send + Sync>);

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot create a certificate")
    }
}

impl StdError for CertificateError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.0)
    }
}

macro_rules! causes {
    ($($cause:ty),+) => {$(
        impl From<$cause> for CertificateError {
            fn from(error: $cause) -> Self {
                Self(error.into())
            }
        }
    )+};
}

causes!(rcgen::Error, rustls::Error, VerifierBuilderError);

fn params_for(names: &[&str]) -> Result<CertificateParams, CertificateError> {
    Ok(CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())?)
}
