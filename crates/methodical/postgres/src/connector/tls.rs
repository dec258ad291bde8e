//! The TLS settings of a URL, as libpq names them, and the rustls configuration that they ask for.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls_platform_verifier::Verifier;
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::ServerCertVerifier;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::connector::error::{Error, ErrorKind};
use crate::connector::password::is_private;
use crate::connector::verifier::AnyName;

/// The parameters of a URL as they were written.
#[derive(Default)]
pub(super) struct Given {
    pub(super) mode: Option<String>,
    pub(super) roots: Option<String>,
    pub(super) certificate: Option<String>,
    pub(super) key: Option<String>,
}

/// The parameter `sslmode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    Disable,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// The parameter `sslrootcert`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Roots {
    Unset,
    System,
    File(PathBuf),
}

/// Settings that fit together.
#[derive(Debug)]
pub(super) struct TlsSettings {
    mode: Mode,
    roots: Roots,
    /// The files of the client certificate and of its key.
    certificate: Option<(PathBuf, PathBuf)>,
}

/// How connections are protected.
pub(super) struct Protection {
    pub(super) mode: Mode,
    /// Performs the handshake; `None` with `sslmode=disable`.
    pub(super) client: Option<MakeRustlsConnect>,
    /// Whether the certificate of the server is verified.
    pub(super) verified: bool,
    /// Whether a client certificate is set.
    pub(super) certificate: bool,
}

impl Given {
    /// Fills in the environment variables of libpq.
    pub(super) fn or_environment(self, variable: &impl Fn(&str) -> Option<String>) -> Self {
        Self {
            mode: self.mode.or_else(|| variable("PGSSLMODE")),
            roots: self.roots.or_else(|| variable("PGSSLROOTCERT")),
            certificate: self.certificate.or_else(|| variable("PGSSLCERT")),
            key: self.key.or_else(|| variable("PGSSLKEY")),
        }
    }

    /// Checks the values, and that they fit together.
    pub(super) fn settings(self) -> Result<TlsSettings, Error> {
        let roots = match self.roots.as_deref() {
            None | Some("") => Roots::Unset,
            Some("system") => Roots::System,
            Some(file) => Roots::File(PathBuf::from(file)),
        };
        let mode = match self.mode.as_deref() {
            None if roots == Roots::System => Mode::VerifyFull,
            None | Some("prefer") => Mode::Prefer,
            Some("disable") => Mode::Disable,
            Some("require") => Mode::Require,
            Some("verify-ca") => Mode::VerifyCa,
            Some("verify-full") => Mode::VerifyFull,
            Some(_) => {
                return Err(setting(
                    "sslmode must be disable, prefer, require, verify-ca or verify-full",
                ));
            }
        };
        // Anyone can have a certificate for some name from a public CA.
        if roots == Roots::System && mode != Mode::VerifyFull {
            return Err(setting("sslrootcert=system needs sslmode=verify-full"));
        }
        if roots == Roots::Unset && mode == Mode::VerifyCa {
            return Err(setting(
                "sslmode=verify-ca needs sslrootcert=FILE; for a public CA, set sslmode=verify-full",
            ));
        }
        let certificate = match (self.certificate, self.key) {
            (Some(certificate), Some(key)) => Some((certificate.into(), key.into())),
            (None, None) => None,
            _ => return Err(setting("sslcert and sslkey must be set together")),
        };
        Ok(TlsSettings { mode, roots, certificate })
    }
}

/// Reads the files that the settings name.
pub(super) fn protection(settings: &TlsSettings) -> Result<Protection, Error> {
    let TlsSettings { mode, roots, certificate } = settings;
    if *mode == Mode::Disable {
        return Ok(Protection { mode: *mode, client: None, verified: false, certificate: false });
    }
    // The provider is passed explicitly: the process-wide default of rustls panics if nothing has set it.
    let provider = Arc::new(ring::default_provider());
    let verifier = verifier(*mode, roots, &provider)?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| setting(format!("cannot set up TLS: {error}")))?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match certificate {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => builder
            .with_client_auth_cert(certificates("sslcert", certificate)?, private_key(key)?)
            .map_err(|error| {
                setting(format!(
                    "cannot use the client certificate: {error}; check sslcert and sslkey"
                ))
            })?,
    };
    // PostgreSQL 17 requires it for `sslnegotiation=direct`.
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(Protection {
        mode: *mode,
        client: Some(MakeRustlsConnect::new(config)),
        verified: *mode == Mode::VerifyFull || matches!(roots, Roots::File(_)),
        certificate: certificate.is_some(),
    })
}

/// Returns the verifier of a mode. As in libpq, `require` with a file of roots verifies as `verify-ca` does.
fn verifier(
    mode: Mode,
    roots: &Roots,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, Error> {
    let provider = Arc::clone(provider);
    let store = match roots {
        Roots::File(path) => Some(root_store(path)?),
        Roots::System | Roots::Unset => None,
    };
    if mode != Mode::VerifyFull {
        return Ok(Arc::new(AnyName { provider, roots: store }));
    }
    if let Some(store) = store {
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider)
            .build()
            .map_err(|error| setting(format!("cannot use the roots in sslrootcert: {error}")))?;
        return Ok(verifier);
    }
    let verifier = Verifier::new(provider).map_err(|error| {
        setting(format!(
            "cannot read the root certificates of this system: {error}; install them, or set sslrootcert=FILE"
        ))
    })?;
    Ok(Arc::new(verifier))
}

fn root_store(path: &Path) -> Result<RootCertStore, Error> {
    let mut store = RootCertStore::empty();
    for certificate in certificates("sslrootcert", path)? {
        store.add(certificate).map_err(|error| {
            let path = path.display();
            setting(format!("cannot use a certificate in {path}: {error}; check sslrootcert"))
        })?;
    }
    Ok(store)
}

fn certificates(parameter: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let name = path.display();
    let certificates = CertificateDer::pem_slice_iter(&bytes(parameter, path)?)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| setting(format!("{name} is not valid PEM: {error}; check {parameter}")))?;
    if certificates.is_empty() {
        return Err(setting(format!("{name} contains no certificate; check {parameter}")));
    }
    Ok(certificates)
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, Error> {
    let name = path.display();
    let text = bytes("sslkey", path)?;
    let metadata = fs::metadata(path).map_err(|error| unreadable("sslkey", path, &error))?;
    if !is_private(&metadata) {
        return Err(setting(format!(
            "{name} can be read by other users; set its mode to 0600, or to 0640 if it belongs to root"
        )));
    }
    PrivateKeyDer::from_pem_slice(&text).map_err(|error| {
        setting(format!("{name} contains no usable private key: {error}; check sslkey"))
    })
}

fn bytes(parameter: &str, path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|error| unreadable(parameter, path, &error))
}

fn unreadable(parameter: &str, path: &Path, error: &std::io::Error) -> Error {
    setting(format!("cannot read {}: {error}; check {parameter}", path.display()))
}

fn setting(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::Setting, text)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn given(mode: &str, roots: &str) -> Result<TlsSettings, Error> {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Given { mode: given(mode), roots: given(roots), ..Given::default() }.settings()
    }

    #[test]
    fn modes_and_roots_must_fit_together() {
        for (mode, roots, expected) in [
            ("", "", Mode::Prefer),
            ("", "system", Mode::VerifyFull),
            ("require", "ca.pem", Mode::Require),
            ("verify-full", "", Mode::VerifyFull),
            ("verify-full", "system", Mode::VerifyFull),
            ("verify-ca", "ca.pem", Mode::VerifyCa),
        ] {
            assert_eq!(given(mode, roots).unwrap().mode, expected, "{mode} {roots}");
        }
        for (mode, roots) in
            [("allow", ""), ("require", "system"), ("verify-ca", ""), ("verify-ca", "system")]
        {
            given(mode, roots).unwrap_err();
        }
    }

    #[test]
    fn a_file_that_cannot_be_used_is_named_with_its_parameter() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = directory.path().join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            path
        };
        let own = rcgen::generate_simple_self_signed([]).unwrap();
        let certificate = write("own.pem", &own.cert.pem());
        let key = write("own.key", &own.signing_key.serialize_pem());
        let other = write("other.key", &rcgen::KeyPair::generate().unwrap().serialize_pem());
        let bad =
            write("bad.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        let read = |roots: &Path, key: &Path| {
            let roots = Roots::File(roots.to_owned());
            let certificate = Some((certificate.clone(), key.to_owned()));
            protection(&TlsSettings { mode: Mode::Require, roots, certificate }).map(drop)
        };
        read(&certificate, &key).unwrap();
        for (roots, key, expected) in [
            (&bad, &key, "cannot use a certificate in "),
            (&bad, &key, "bad.pem: "),
            (&bad, &key, "; check sslrootcert"),
            (&certificate, &certificate, "own.pem contains no usable private key: "),
            (&certificate, &certificate, "; check sslkey"),
            (&certificate, &other, "cannot use the client certificate: "),
            (&certificate, &other, "; check sslcert and sslkey"),
        ] {
            let error = read(roots, key).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Setting);
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn the_url_takes_precedence_over_the_environment() {
        let variable = |name: &str| {
            let values = [("PGSSLMODE", "disable"), ("PGSSLROOTCERT", "ca.pem")];
            values.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        let own = Given { mode: Some("verify-ca".to_owned()), ..Given::default() };
        let settings = own.or_environment(&variable).settings().unwrap();
        assert_eq!(settings.mode, Mode::VerifyCa);
        assert_eq!(settings.roots, Roots::File(PathBuf::from("ca.pem")));
    }
}
