//! Bearer tokens: 256 random bits that are shown once and stored only as a hash.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::error::{Error, ErrorKind};

/// The text of a new token, which is not stored anywhere.
///
/// It has no `Display`, so that it is not logged by accident; [`reveal`](Self::reveal) is the only way to read it.
pub struct NewToken(String);

impl NewToken {
    pub(crate) fn draw() -> Result<Self, Error> {
        Ok(Self(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random::<32>()?))))
    }

    /// Returns the text of the token.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the hash that the database stores.
    pub(crate) fn digest(&self) -> TokenDigest {
        TokenDigest::of(&self.0)
    }
}

impl fmt::Debug for NewToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NewToken(redacted)")
    }
}

/// The SHA-256 hash of a token. The database stores this hash instead of the token.
///
/// A token has 256 random bits, so a fast hash is as secure as a slow one. The lookup does not need constant time: it
/// reveals only how an attacker's own hash compares with the stored ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenDigest(pub(crate) [u8; 32]);

impl TokenDigest {
    /// Hashes the text of a token.
    pub fn of(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// Returns the public name of the token: the first twelve hexadecimal digits of its hash.
    pub fn id(&self) -> TokenId {
        let bytes = self.0.iter().take(ID_DIGITS / 2);
        let id = bytes.fold(0, |id, byte| id << 8 | u64::from(*byte));
        TokenId(format!("{id:0ID_DIGITS$x}").into())
    }
}

/// The public name of a token, for lists, logs and revocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenId(pub(crate) Arc<str>);

impl TokenId {
    /// Returns the bytes of the hash that the digits stand for.
    pub(crate) fn start(&self) -> Option<[u8; ID_DIGITS / 2]> {
        let number = u64::from_str_radix(&self.0, 16)
            .ok()
            .filter(|_| self.0.len() == ID_DIGITS && !self.0.starts_with('+'))?;
        number.to_be_bytes().last_chunk().copied()
    }

    /// Returns the twelve hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns bytes from the random source of the operating system.
pub(crate) fn random<const COUNT: usize>() -> Result<[u8; COUNT], Error> {
    let mut bytes = [0; COUNT];
    getrandom::fill(&mut bytes).map_err(|error| {
        Error::caused(ErrorKind::Io, "cannot read random bytes from the operating system", error)
    })?;
    Ok(bytes)
}

/// Returns whether the text has the syntax of a bearer token (`b64token` in RFC 6750, section 2.1).
pub(crate) fn is_b64token(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    !body.is_empty()
        && body.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/')
        })
}

/// The prefix of every token, so that secret scanners can recognize leaked tokens.
const PREFIX: &str = "gwt_";

/// The number of hexadecimal digits of a [`TokenId`].
const ID_DIGITS: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_the_first_digits_of_the_hash() {
        let digest = TokenDigest::of("gwt_x");
        assert_eq!(digest.id().as_str(), "270a567cb0a0");
    }

    #[test]
    fn a_token_has_a_prefix_and_256_bits_and_a_redacted_debug() {
        let token = NewToken::draw().unwrap();
        assert!(token.reveal().starts_with("gwt_"));
        assert_eq!(token.reveal().len(), 47);
        assert!(is_b64token(token.reveal()));
        assert_eq!(format!("{token:?}"), "NewToken(redacted)");
        assert_ne!(token.reveal(), NewToken::draw().unwrap().reveal());
    }

    #[test]
    fn b64token_follows_rfc_6750() {
        for good in ["a", "gwt_AZaz09-_", "a.b~c+d/e=", "x=="] {
            assert!(is_b64token(good), "{good}");
        }
        for bad in ["", "=", "a b", "a=b", "a\u{e9}", "a\"", "a,b", "\t"] {
            assert!(!is_b64token(bad), "{bad}");
        }
    }
}
