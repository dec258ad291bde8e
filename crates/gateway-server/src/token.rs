//! Bearer tokens: 256 random bits that leave this process once and are kept as a hash only.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::error::{Error, ErrorKind};

/// A new token in clear. It can be shown once and is nowhere stored.
///
/// There is no `Display`, so that none ends in a log by accident; [`reveal`](Self::reveal) is the only way to the text.
pub struct NewToken(String);

impl NewToken {
    /// Draws a token from the random source of the operating system.
    pub(crate) fn draw() -> Result<Self, Error> {
        let mut secret = [0_u8; 32];
        getrandom::fill(&mut secret).map_err(|error| {
            Error::caused(ErrorKind::Io, "the system gave no random bytes", error)
        })?;
        let mut text = String::with_capacity(PREFIX.len() + 43);
        text.push_str(PREFIX);
        push_base64url(&mut text, &secret);
        Ok(Self(text))
    }

    /// Returns the token in clear.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns what the database keeps of it.
    pub(crate) fn digest(&self) -> TokenDigest {
        TokenDigest::of(&self.0)
    }
}

impl fmt::Debug for NewToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NewToken(redacted)")
    }
}

/// The SHA-256 of a token: what is stored, and what a request is looked up by.
///
/// A token is 256 random bits, so a fast hash is as good as a slow one, and a look-up by hash tells an attacker
/// who measures time only about hashes of his own making.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenDigest(pub(crate) [u8; 32]);

impl TokenDigest {
    /// Hashes a token as it stood in a request.
    pub fn of(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// Returns the public name of the token: the first twelve hexadecimal digits of its hash.
    pub fn id(&self) -> TokenId {
        let mut text = String::with_capacity(12);
        for byte in self.0.iter().take(6) {
            for nibble in [byte >> 4, byte & 15] {
                text.push(char::from_digit(u32::from(nibble), 16).unwrap_or('0'));
            }
        }
        TokenId(text)
    }
}

/// The public name of a token, for lists, logs and revocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenId(pub(crate) String);

impl TokenId {
    /// Returns the twelve digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Tells whether the text can be a bearer token at all (RFC 6750 section 2.1, `b64token`).
pub(crate) fn is_b64token(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    !body.is_empty()
        && body.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/')
        })
}

fn push_base64url(out: &mut String, bytes: &[u8]) {
    for group in bytes.chunks(3) {
        let mut word = [0_u8; 4];
        for (slot, byte) in word.iter_mut().skip(1).zip(group) {
            *slot = *byte;
        }
        let word = u32::from_be_bytes(word);
        for position in 0..=group.len() {
            let index = (word >> (18 - 6 * position)) & 63;
            out.extend(ALPHABET.get(index as usize).copied().map(char::from));
        }
    }
}

/// Marks a token of this service, so that scanners for lost secrets can find it.
const PREFIX: &str = "gwt_";

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64url_has_no_padding() {
        for (bytes, expected) in [
            (&b""[..], ""),
            (b"f", "Zg"),
            (b"fo", "Zm8"),
            (b"foo", "Zm9v"),
            (b"\xff\xfe\xfd", "__79"),
        ] {
            let mut text = String::new();
            push_base64url(&mut text, bytes);
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn a_token_has_the_prefix_and_256_bits_and_no_debug() {
        let token = NewToken::draw().unwrap();
        assert!(token.reveal().starts_with("gwt_"));
        assert_eq!(token.reveal().len(), 47);
        assert!(is_b64token(token.reveal()));
        assert_eq!(format!("{token:?}"), "NewToken(redacted)");
        assert_ne!(token.reveal(), NewToken::draw().unwrap().reveal());
    }

    #[test]
    fn b64token_is_what_rfc_6750_says() {
        for good in ["a", "gwt_AZaz09-_", "a.b~c+d/e=", "x=="] {
            assert!(is_b64token(good), "{good}");
        }
        for bad in ["", "=", "a b", "a=b", "a\u{e9}", "a\"", "a,b", "\t"] {
            assert!(!is_b64token(bad), "{bad}");
        }
    }
}
