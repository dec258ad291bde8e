//! The TLS settings of the adapters: one cryptography provider, the system's roots, no process-wide state.
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use crate::{ErrorKind, Options, TransportError};

/// Returns the cryptography provider of this build.
///
/// It is passed explicitly, because the process-wide default of rustls panics if no crate, or two crates, set it.
fn provider() -> Arc<CryptoProvider> {
    #[cfg(feature = "rustls-aws-lc")]
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    #[cfg(not(feature = "rustls-aws-lc"))]
    let provider = rustls::crypto::ring::default_provider();
    Arc::new(provider)
}

/// Returns a configuration that trusts the system's roots and the extra roots of `options`.
pub(crate) fn client_config(options: &Options) -> Result<ClientConfig, TransportError> {
    let provider = provider();
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(setup_failed)?;
    let mut config = match Verifier::new_with_extra_roots(extra_roots(options), provider) {
        Ok(verifier) => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth(),
        Err(error) if !options.extra_roots.is_empty() => return Err(setup_failed(error)),
        // A system without roots (a minimal container) can still use `http`. Trust no root here, so that `https` fails
        // when it is used, with a certificate error.
        Err(_) => builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Returns the extra roots of `options` as rustls certificates.
fn extra_roots(options: &Options) -> impl Iterator<Item = CertificateDer<'static>> + '_ {
    options.extra_roots.iter().map(|der| CertificateDer::from(der.to_vec()))
}

fn setup_failed(error: rustls::Error) -> TransportError {
    TransportError::new(ErrorKind::Tls, "invalid TLS settings").with_source(error)
}
