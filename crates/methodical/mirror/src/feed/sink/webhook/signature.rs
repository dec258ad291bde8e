//! Secrets and signatures of Standard Webhooks.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::error::{Error, ErrorKind};

/// A secret that a sender and a receiver of webhooks share, to sign and to verify: `whsec_` and 24 to 64 bytes in base64.
///
/// ```
/// use methodical_mirror::WebhookSecret;
///
/// assert!(WebhookSecret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").is_ok());
/// let error = WebhookSecret::new("password").unwrap_err();
/// assert!(!error.to_string().contains("password"));
/// ```
#[derive(Clone)]
pub struct WebhookSecret(Hmac<Sha256>);

impl WebhookSecret {
    /// Reads a secret. The prefix `whsec_` may be absent.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Setting`] if the text is not base64 of 24 to 64 bytes. The error does not contain it.
    pub fn new(text: &str) -> Result<Self, Error> {
        let text = text.strip_prefix("whsec_").unwrap_or(text);
        let key = STANDARD.decode(text).ok().filter(|key| LENGTHS.contains(&key.len()));
        let mac = key.and_then(|key| Hmac::new_from_slice(&key).ok());
        mac.map(Self).ok_or_else(|| {
            let (least, most) = (LENGTHS.start(), LENGTHS.end());
            let text = format!(
                "cannot use the secret of the webhook: it is not base64 of {least} to {most} bytes; create one with \
                 `openssl rand -base64 32`"
            );
            Error::new(ErrorKind::Setting, text)
        })
    }

    /// Returns the signature of a message, as in the header `webhook-signature`.
    pub(crate) fn sign(&self, id: &str, timestamp: u64, body: &[u8]) -> String {
        let signed = format!("{id}.{timestamp}.");
        let mac = self.0.clone().chain_update(signed.as_bytes()).chain_update(body);
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

/// Does not show the secret.
impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(<redacted>)")
    }
}

/// Lengths of a secret that the specification recommends, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 24..=64;

#[cfg(test)]
mod tests {
    use super::WebhookSecret;

    /// The example that the libraries of Standard Webhooks test with.
    #[test]
    fn signs_the_published_example() {
        for secret in ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
        {
            let secret = WebhookSecret::new(secret).unwrap();
            let body = br#"{"test": 2432232314}"#;
            let signature = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
            assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        }
    }

    #[test]
    fn a_secret_that_is_too_short_or_no_base64_is_refused() {
        for text in ["", "whsec_", "whsec_MfKQ9r8GKYqrTwjU", "whsec_%%%", &"A".repeat(88)] {
            let error = WebhookSecret::new(text).unwrap_err().to_string();
            assert!(error.contains("it is not base64 of 24 to 64 bytes"), "{error}");
        }
    }
}
