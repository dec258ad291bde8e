//! The adapters' TLS settings: one cryptography provider, the system's roots, and no process-wide state.
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use crate::{Options, TransportError, TransportErrorKind};

/// Returns the cryptography provider that this crate's features select.
///
/// The provider is passed to rustls explicitly. Otherwise rustls would panic if the program enables several providers
/// and does not install one of them as the default.
fn provider() -> Arc<CryptoProvider> {
    #[cfg(feature = "rustls-aws-lc")]
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    #[cfg(not(feature = "rustls-aws-lc"))]
    let provider = rustls::crypto::ring::default_provider();
    Arc::new(provider)
}

/// Returns a configuration that trusts the system's roots and the extra roots in `options`, and that uses the client
/// certificate in `options`, if any.
pub(crate) fn client_config(options: &Options) -> Result<ClientConfig, TransportError> {
    let provider = provider();
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(setup_failed)?;
    let builder = match Verifier::new_with_extra_roots(extra_roots(options), provider) {
        Ok(verifier) => builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)),
        Err(error) if !options.extra_roots.is_empty() => return Err(setup_failed(error)),
        // A system without roots, such as a minimal container, can still use `http`. So trust nothing instead of
        // failing here; `https` then fails with a certificate error.
        Err(_) => builder.with_root_certificates(RootCertStore::empty()),
    };
    let mut config = match &options.client_certificate {
        None => builder.with_no_client_auth(),
        Some(client) => {
            let chain = CertificateDer::pem_slice_iter(client.pem()).collect::<Result<_, _>>();
            let chain = chain.map_err(|_invalid| no_client_certificate())?;
            let key = PrivateKeyDer::from_pem_slice(client.pem());
            let key = key.map_err(|_invalid| no_client_certificate())?;
            builder.with_client_auth_cert(chain, key).map_err(setup_failed)?
        }
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Returns the extra roots in `options` as rustls certificates.
fn extra_roots(options: &Options) -> impl Iterator<Item = CertificateDer<'static>> + '_ {
    options.extra_roots.iter().map(|der| CertificateDer::from(der.to_vec()))
}

/// Returns the error for an invalid client certificate. The cause is not kept, because it may quote the PEM text.
fn no_client_certificate() -> TransportError {
    let text = "cannot read the client certificate: expected a certificate and a private key in PEM format";
    TransportError::new(TransportErrorKind::Tls, text)
}

fn setup_failed(error: rustls::Error) -> TransportError {
    TransportError::new(TransportErrorKind::Tls, "invalid TLS settings").with_source(error)
}
