//! TLS: the certificates and keys in the files that a URL names, and what each `sslmode` verifies.

use std::path::Path;
use std::sync::Arc;

use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::client::{danger, verify_server_cert_signed_by_trust_anchor};
use tokio_rustls::rustls::crypto::{self, WebPkiSupportedAlgorithms, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

use crate::Error;
use crate::settings::{check_private, setting, unusable};

/// Reads the TLS files and creates a TLS client. If the host name is not checked, any certificate signed by one of the
/// roots is accepted, or, without roots, any certificate at all.
pub(crate) fn client(
    checks_name: bool,
    [roots, certificate, key]: [Option<&Path>; 3],
) -> Result<MakeRustlsConnect, Error> {
    let roots = roots.filter(|roots| *roots != Path::new("system"));
    // The provider is passed explicitly: the process-wide default of rustls panics if nothing has set it.
    let provider = Arc::new(ring::default_provider());
    let algorithms = provider.signature_verification_algorithms;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| setting(format!("cannot set up TLS: {error}")))?;
    let builder = match (checks_name, roots.map(root_store).transpose()?) {
        (true, Some(roots)) => builder.with_root_certificates(roots),
        (true, None) => builder.with_platform_verifier().map_err(|error| {
            setting(format!(
                "cannot read the root certificates of this system: {error}; install them, or set sslrootcert=FILE"
            ))
        })?,
        (false, roots) => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyName { algorithms, roots })),
    };
    let mut config = match (certificate, key) {
        (None, None) => builder.with_no_client_auth(),
        (Some(certificate), Some(key)) => {
            check_private("sslkey", key)?;
            let private = PrivateKeyDer::from_pem_file(key);
            let private = private.map_err(|error| unusable("sslkey", key, &error))?;
            builder
                .with_client_auth_cert(certificates("sslcert", certificate)?, private)
                .map_err(|error| unusable("sslcert and sslkey", certificate, &error))?
        }
        _ => return Err(setting("sslcert and sslkey must be set together")),
    };
    // PostgreSQL 17 requires this protocol name for `sslnegotiation=direct`.
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(MakeRustlsConnect::new(config))
}

fn root_store(path: &Path) -> Result<RootCertStore, Error> {
    let mut store = RootCertStore::empty();
    for certificate in certificates("sslrootcert", path)? {
        store.add(certificate).map_err(|error| unusable("sslrootcert", path, &error))?;
    }
    Ok(store)
}

fn certificates(parameter: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    match CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
        Ok(none) if none.is_empty() => Err(unusable(parameter, path, &"it has no certificate")),
        read => read.map_err(|error| unusable(parameter, path, &error)),
    }
}

/// Accepts a certificate for any host name. With roots, one of them must have signed it.
#[derive(Debug)]
struct AnyName {
    algorithms: WebPkiSupportedAlgorithms,
    roots: Option<RootCertStore>,
}

impl danger::ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<danger::ServerCertVerified, rustls::Error> {
        if let Some(roots) = &self.roots {
            verify_server_cert_signed_by_trust_anchor(
                &ParsedCertificate::try_from(end_entity)?,
                roots,
                intermediates,
                now,
                self.algorithms.all,
            )?;
        }
        Ok(danger::ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &rustls::DigitallySignedStruct,
    ) -> Result<danger::HandshakeSignatureValid, rustls::Error> {
        crypto::verify_tls12_signature(message, certificate, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &rustls::DigitallySignedStruct,
    ) -> Result<danger::HandshakeSignatureValid, rustls::Error> {
        crypto::verify_tls13_signature(message, certificate, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<rustls::SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
