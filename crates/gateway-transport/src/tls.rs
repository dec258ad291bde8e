//! TLS settings that the adapters share: one cryptography, the roots of the system, no process-wide state.
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use crate::{ErrorKind, Options, TransportError};

/// The cryptography of this build.
///
/// It is passed on explicitly: the process-wide default of rustls panics when nobody, or two crates, set it.
fn provider() -> Arc<CryptoProvider> {
    #[cfg(feature = "rustls")]
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    #[cfg(not(feature = "rustls"))]
    let provider = rustls::crypto::ring::default_provider();
    Arc::new(provider)
}

/// Trusts what the system trusts, and the extra roots of `options`.
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
        // A system without any root (a minimal container) can still talk `http` to its own host: trust nobody, so that
        // `https` fails when it is used, with an error that says so.
        Err(_) => builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// The extra roots of `options`, as rustls wants them.
fn extra_roots(options: &Options) -> impl Iterator<Item = CertificateDer<'static>> + '_ {
    options.extra_roots.iter().map(|der| CertificateDer::from(der.to_vec()))
}

fn setup_failed(error: rustls::Error) -> TransportError {
    TransportError::new(ErrorKind::Tls, "the TLS settings were refused").with_source(error)
}
