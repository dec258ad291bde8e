//! When a certificate expires.

use tokio_rustls::rustls::pki_types::CertificateDer;
use x509_cert::Certificate;
use x509_cert::der::Decode as _;

use crate::clock::UnixTime;

/// Returns when a certificate expires, or `None` if it cannot be read.
pub(super) fn of(certificate: &CertificateDer<'_>) -> Option<UnixTime> {
    let certificate = Certificate::from_der(certificate).ok()?;
    let expiry = certificate.tbs_certificate.validity.not_after.to_unix_duration();
    i64::try_from(expiry.as_secs()).ok().map(UnixTime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expiry_is_read_from_the_certificate() {
        // Before and after 2050 the time has different forms in a certificate.
        for (year, expected) in [(2031, 1_930_003_200), (2061, 2_876_774_400)] {
            let mut parameters = rcgen::CertificateParams::new(vec!["a".to_owned()]).unwrap();
            parameters.not_after = rcgen::date_time_ymd(year, 2, 28);
            let key = rcgen::KeyPair::generate().unwrap();
            let made = parameters.self_signed(&key).unwrap();
            assert_eq!(of(made.der()), Some(UnixTime(expected)));
        }
        assert_eq!(of(&CertificateDer::from(vec![0x30, 0])), None);
    }
}
