//! Keyed hashes: HMAC-SHA-256 with a secret of the mirror, or the contents of a record could be guessed from its hash.

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::error::{Error, ErrorKind};

/// The secret of a mirror.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret([u8; 32]);

impl Secret {
    /// Draws a secret from the random numbers of the operating system.
    pub(crate) fn random() -> Result<Self, Error> {
        let mut bytes = [0; 32];
        fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Creates a secret from its bytes, as a store keeps them.
    pub(crate) const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the secret, for a store to keep them.
    pub(crate) const fn to_bytes(&self) -> [u8; 32] {
        self.0
    }
}

/// Does not print the secret.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(<redacted>)")
    }
}

/// A keyed hash: the first 16 bytes of an HMAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Hash([u8; 16]);

impl Hash {
    /// Creates a hash from its bytes, as a store keeps them.
    pub(crate) const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the hash.
    pub(crate) const fn to_bytes(self) -> [u8; 16] {
        self.0
    }
}

/// Hashes with the secret of a mirror.
#[derive(Clone)]
pub(crate) struct Hasher(Hmac<Sha256>);

impl Hasher {
    /// Creates the hasher of a secret for one purpose. Hashes for another purpose have nothing in common with its hashes.
    pub(crate) fn new(secret: &Secret, purpose: &str) -> Self {
        let root = keyed(&secret.0).chain_update(purpose.as_bytes()).finalize().into_bytes();
        Self(keyed(&root))
    }

    /// Hashes several byte strings.
    pub(crate) fn hash(&self, parts: &[&[u8]]) -> Hash {
        let mut mac = self.0.clone();
        for part in parts {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        let mut bytes = [0; 16];
        for (to, from) in bytes.iter_mut().zip(mac.finalize().into_bytes()) {
            *to = from;
        }
        Hash(bytes)
    }
}

#[expect(clippy::expect_used, reason = "HMAC accepts a key of any length")]
fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("a key of any length")
}

/// Fills bytes with random numbers.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes).map_err(|error| {
        Error::new(ErrorKind::Io, "cannot get random numbers from the operating system")
            .because(error)
    })
}

/// Returns bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;

    bytes.iter().fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::{Hasher, Secret};

    #[test]
    fn a_hash_depends_on_the_secret_the_purpose_and_the_parts() {
        let hash = |secret: u8, purpose: &str, parts: &[&[u8]]| {
            Hasher::new(&Secret::from_bytes([secret; 32]), purpose).hash(parts)
        };
        let one = hash(1, "record", &[b"ab", b"c"]);
        assert_eq!(one, hash(1, "record", &[b"ab", b"c"]));
        assert_ne!(one, hash(2, "record", &[b"ab", b"c"]));
        assert_ne!(one, hash(1, "cursor", &[b"ab", b"c"]));
        assert_ne!(one, hash(1, "record", &[b"a", b"bc"]));
    }

    #[test]
    fn debug_does_not_print_the_secret() {
        let secret = Secret::from_bytes([171; 32]);
        assert_eq!(format!("{secret:?}"), "Secret(<redacted>)");
    }
}
