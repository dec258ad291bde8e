//! HTTPS from PEM files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io};

use parking_lot::Mutex;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use x509_cert::Certificate;
use x509_cert::der::Decode as _;
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

/// Accepts TLS connections, with the certificates and the key from two PEM files.
pub struct Acceptor {
    certificate: PathBuf,
    key: PathBuf,
    current: Mutex<Current>,
}

/// The content of the files when they were read.
struct Current {
    acceptor: TlsAcceptor,
    expiry: Option<i64>,
    names: Vec<String>,
}

impl Acceptor {
    /// Reads the certificates and the key.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read, or the key does not match the certificate.
    pub fn from_files(certificate: &Path, key: &Path) -> io::Result<Self> {
        let current = Mutex::new(read(certificate, key)?);
        Ok(Self { certificate: certificate.to_owned(), key: key.to_owned(), current })
    }

    /// Reads the files again, for new connections. Use this to replace a certificate while the server runs.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`from_files`](Self::from_files). The previous certificates then stay in use.
    pub fn renew(&self) -> io::Result<()> {
        let renewed = read(&self.certificate, &self.key)?;
        *self.current.lock() = renewed;
        Ok(())
    }

    /// Returns when the server's certificate expires, in seconds since 1970, or `None` if the date cannot be read.
    pub fn expiry(&self) -> Option<i64> {
        self.current.lock().expiry
    }

    /// Returns the host names in the server's certificate, such as `board.example.com` or `*.example.com`.
    pub fn names(&self) -> Vec<String> {
        self.current.lock().names.clone()
    }

    /// Returns the acceptor for new connections, with the content of the files when they were last read.
    pub(crate) fn current(&self) -> TlsAcceptor {
        self.current.lock().acceptor.clone()
    }
}

impl fmt::Debug for Acceptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Acceptor")
    }
}

/// Reads the files. An error names the file and the cause.
fn read(certificate: &Path, key: &Path) -> io::Result<Current> {
    let chain: Vec<_> = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(|error| unusable(certificate, &error))?;
    let first = chain.first().ok_or_else(|| unusable(certificate, &"it has no certificate"))?;
    let (expiry, names) = facts(first);
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| unusable(key, &error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(chain, private))
        .map_err(|error| {
            let of = certificate.display();
            unusable(key, &format!("it cannot be used with the certificate in {of}: {error}"))
        })?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Current { acceptor: TlsAcceptor::from(Arc::new(config)), expiry, names })
}

fn unusable(file: &Path, cause: &dyn fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("cannot use {}: {cause}", file.display()))
}

/// Returns when a certificate expires, and the host names in it.
fn facts(certificate: &CertificateDer<'_>) -> (Option<i64>, Vec<String>) {
    let Ok(Certificate { tbs_certificate: facts, .. }) = Certificate::from_der(certificate) else {
        return (None, Vec::new());
    };
    let name = |name: &GeneralName| match name {
        GeneralName::DnsName(name) => Some(name.to_string().to_ascii_lowercase()),
        _ => None,
    };
    let names = facts.get::<SubjectAltName>().ok().flatten();
    let names = names.iter().flat_map(|(_, SubjectAltName(names))| names).filter_map(name);
    let expiry = facts.validity.not_after.to_unix_duration().as_secs();
    (i64::try_from(expiry).ok(), names.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expiry_and_names_of_hosts_are_read_from_the_certificate() {
        // Certificates write times before 2050 in another form than later ones.
        for (year, expected) in [(2031, 1_930_003_200), (2061, 2_876_774_400)] {
            let names = ["Board.example.com", "*.example.org", "10.0.0.1"].map(str::to_owned);
            let mut parameters = rcgen::CertificateParams::new(names).unwrap();
            parameters.not_after = rcgen::date_time_ymd(year, 2, 28);
            let made = parameters.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap();
            let names = ["board.example.com", "*.example.org"].map(str::to_owned);
            assert_eq!(facts(made.der()), (Some(expected), names.to_vec()));
        }
        assert_eq!(facts(&CertificateDer::from(vec![0x30, 0])), (None, Vec::new()));
    }
}
