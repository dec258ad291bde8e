//! The bearer token.

use std::fmt::{self, Write as _};

use bytes::Bytes;
use http::HeaderValue;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use crate::{Error, ErrorKind};

/// A bearer token (RFC 6750), or another secret such as an API key.
///
/// Use this if the token never changes: status 401 is then final. See also [`TokenSource`](crate::TokenSource).
///
/// This type implements neither `Display` nor `Deref`, and cannot be serialized. `Debug` shows neither the token nor
/// its length. The token's memory is cleared when its last clone is dropped. Comparing two tokens takes a time that
/// depends only on their lengths, so a source can safely check whether a refused token is the one it holds.
///
/// # Examples
///
/// ```
/// use methodical_client::{AccessToken, ErrorKind};
///
/// let token = AccessToken::new("gwt_6yqW")?;
/// assert_eq!(format!("{token:?}"), "AccessToken(redacted)");
///
/// let error = AccessToken::new("two words").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Config);
/// assert_eq!(error.to_string(), "the access token has an invalid character at position 4");
/// # Ok::<(), methodical_client::Error>(())
/// ```
///
/// A token cannot be printed:
///
/// ```compile_fail,E0277
/// let token = methodical_client::AccessToken::new("gwt_6yqW").unwrap();
/// println!("{token}");
/// ```
///
/// A token cannot be used as text or serialized:
///
/// ```compile_fail,E0308
/// let token = methodical_client::AccessToken::new("gwt_6yqW").unwrap();
/// let text: &str = &token;
/// ```
///
/// ```compile_fail,E0277
/// let token = methodical_client::AccessToken::new("gwt_6yqW").unwrap();
/// serde_json::to_string(&token).unwrap();
/// ```
#[derive(Clone)]
pub struct AccessToken {
    /// The value of the `Authorization` header, `Bearer ` and the token, which all requests share.
    pub(crate) header: HeaderValue,
}

impl AccessToken {
    /// Parses a token.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Config`] if `text` is not a `b64token` (RFC 6750, section 2.1): if it is empty, or contains
    /// a space, a line break or another invalid character. The error gives the position of the character, never the
    /// token. If the text starts with `Bearer `, the message says to remove this prefix.
    pub fn new(text: impl Into<String>) -> Result<Self, Error> {
        let text = Zeroizing::new(text.into());
        check_bearer(text.as_bytes())?;
        Self::from_checked(&text)
    }

    /// Creates a secret that is not a bearer token, such as an API key.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Config`] if the text is empty, or contains whitespace or a character other than visible
    /// ASCII. The error gives the position of the character, not the text.
    ///
    /// ```
    /// use methodical_client::AccessToken;
    ///
    /// assert!(AccessToken::secret("110201543:AAH").is_ok());
    /// let error = AccessToken::secret("two words").unwrap_err();
    /// assert_eq!(error.to_string(), "the access token has an invalid character at position 4");
    /// # Ok::<(), methodical_client::Error>(())
    /// ```
    pub fn secret(text: impl Into<String>) -> Result<Self, Error> {
        let text = Zeroizing::new(text.into());
        checked(text.as_bytes(), |byte| byte.is_ascii_graphic())?;
        Self::from_checked(&text)
    }

    fn from_checked(text: &str) -> Result<Self, Error> {
        let mut value = Zeroizing::new(String::with_capacity(SCHEME.len() + text.len()));
        value.push_str(SCHEME);
        value.push_str(text);
        Ok(Self { header: sensitive(Bytes::from_owner(value))? })
    }

    /// Fails if this is not a valid bearer token, which allows fewer characters than other secrets.
    pub(crate) fn check_bearer(&self) -> Result<(), Error> {
        check_bearer(self.text())
    }

    /// Appends the secret to a URL or a form, percent-encoded except for `:`, which a token in a path may contain.
    pub(crate) fn encode(&self, out: &mut String) {
        for byte in self.text() {
            if byte.is_ascii_alphanumeric() || b"-._~:".contains(byte) {
                out.push(char::from(*byte));
            } else {
                // Writing to a `String` does not fail.
                _ = write!(out, "%{byte:02X}");
            }
        }
    }

    /// Returns a header value that consists only of the secret, without a scheme.
    pub(crate) fn plain_header(&self) -> Result<HeaderValue, Error> {
        sensitive(Bytes::from_owner(Zeroizing::new(self.text().to_vec())))
    }

    fn text(&self) -> &[u8] {
        self.header.as_bytes().get(SCHEME.len()..).unwrap_or_default()
    }
}

/// Returns a header value that `Debug` does not print.
fn sensitive(text: Bytes) -> Result<HeaderValue, Error> {
    let mut value = HeaderValue::from_maybe_shared(text).map_err(|error| {
        Error::config(
            "the access token contains a character that a header cannot carry; copy it again",
        )
        .because(error)
    })?;
    value.set_sensitive(true);
    Ok(value)
}

/// Rejects text that is not a bearer token.
fn check_bearer(text: &[u8]) -> Result<(), Error> {
    let start = text.get(..SCHEME.len()).unwrap_or_default();
    if start.eq_ignore_ascii_case(SCHEME.as_bytes()) {
        return Err(Error::config("the access token begins with `Bearer `; remove this prefix"));
    }
    let end = text.iter().rposition(|byte| *byte != b'=').map_or(0, |last| last + 1);
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
    checked(text.get(..end).unwrap_or_default(), is_known)
}

/// Rejects text that is empty or contains a byte for which `is_known` returns false.
fn checked(text: &[u8], is_known: impl Fn(u8) -> bool) -> Result<(), Error> {
    if text.is_empty() {
        return Err(Error::config("the access token is empty"));
    }
    match text.iter().position(|byte| !is_known(*byte)) {
        None => Ok(()),
        Some(index) => {
            let text =
                format!("the access token has an invalid character at position {}", index + 1);
            Err(Error::new(ErrorKind::Config, text))
        }
    }
}

/// The scheme of RFC 6750 with the space that follows it.
const SCHEME: &str = "Bearer ";

impl PartialEq for AccessToken {
    fn eq(&self, other: &Self) -> bool {
        self.header.as_bytes().ct_eq(other.header.as_bytes()).into()
    }
}

impl Eq for AccessToken {}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::AccessToken;

    #[test]
    fn accepts_every_character_of_a_b64token() {
        let token = AccessToken::new("azAZ09-._~+/==").unwrap();
        let header = &token.header;
        assert_eq!(header.as_bytes(), b"Bearer azAZ09-._~+/==");
        assert!(header.is_sensitive());
    }

    #[test]
    fn a_token_with_its_scheme_is_explained() {
        for text in ["Bearer CANARY", "bearer CANARY"] {
            let error = AccessToken::new(text).unwrap_err();
            let expected = "the access token begins with `Bearer `; remove this prefix";
            assert_eq!(error.to_string(), expected);
        }
        assert!(AccessToken::new("BearerCANARY").is_ok());
    }

    #[test]
    fn a_secret_in_a_url_is_percent_encoded() {
        let mut url = "/bot".to_owned();
        AccessToken::secret("azAZ09:-._~/?&=+%#").unwrap().encode(&mut url);
        assert_eq!(url, "/botazAZ09:-._~%2F%3F%26%3D%2B%25%23");
    }

    #[test]
    fn tokens_are_equal_if_their_texts_are() {
        let token = |text: &str| AccessToken::new(text).unwrap();
        assert_eq!(token("gwt_1"), token("gwt_1"));
        for other in ["gwt_2", "gwt_", "gwt_11", "hwt_1", "GWT_1"] {
            assert_ne!(token("gwt_1"), token(other), "{other}");
        }
    }

    #[test]
    fn refuses_an_invalid_token() {
        for bad in ["", "=", "a b", "a\n", "a\r\nX: y", "a=b", "t\u{f6}ken", "a\0", "\"a\"", "a\""]
        {
            let error = AccessToken::new(bad).unwrap_err();
            let text = format!("{error} {error:?}");
            assert!(bad.len() < 3 || !text.contains(bad), "{text}");
        }
        // The error contains no part of an almost valid token.
        for bad in ["CANARY\n", "\nCANARY", "CANARY CANARY", "CANARY=CANARY", "CANARY\u{f6}"] {
            let error = AccessToken::new(bad).unwrap_err();
            let text = format!("{error} {error:?} {error:#?}");
            assert!(!text.contains("CANARY"), "{text}");
        }
    }
}
