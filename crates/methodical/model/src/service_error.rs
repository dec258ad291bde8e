//! The failure that a service reports in the body of a response.

use alloc::boxed::Box;
use core::fmt;

/// The failure that a service reports in the body of a response: its own code and message.
///
/// Both are data of the service. They are available only through the methods: neither `Debug` nor the text of an
/// [`DecodeError`](crate::DecodeError) has them.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::{ErrorClass, DecodeErrorKind, Operation as _};
///
/// let error = SearchPhotos.decode(br#"{"stat":"fail","code":29,"message":"Slow down"}"#).unwrap_err();
/// assert_eq!(error.kind(), DecodeErrorKind::NotSuccess);
/// let reported = error.service().unwrap();
/// assert_eq!(reported.code(), Some("29"));
/// assert_eq!(reported.message(), Some("Slow down"));
/// assert_eq!(reported.class(), ErrorClass::RateLimit);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ServiceError {
    pub(crate) code: Option<Box<str>>,
    pub(crate) message: Option<Box<str>>,
    pub(crate) class: ErrorClass,
}

impl ServiceError {
    /// Returns the code: text, or the text of a number. At most 256 bytes of it are kept.
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }

    /// Returns the message. At most 1 KiB of it is kept. It may contain personal data.
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Returns the class of the code, [`ErrorClass::Other`] if the contract gives it none.
    pub fn class(&self) -> ErrorClass {
        self.class
    }
}

impl fmt::Debug for ServiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceError").field("class", &self.class).finish_non_exhaustive()
    }
}

/// The class of a failure that a service reports, which decides what the caller does.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The service does not accept the credentials. The counterpart of status 401.
    Auth,
    /// Too many calls. The counterpart of status 429.
    RateLimit,
    /// The service cannot answer now. The counterpart of status 503.
    Unavailable,
    /// Any other failure.
    #[default]
    Other,
}

/// Maximum size of a code that is kept, in bytes.
pub(crate) const CODE_LIMIT: usize = 256;

/// Maximum size of a message that is kept, in bytes.
pub(crate) const MESSAGE_LIMIT: usize = 1024;

/// Returns the longest beginning of a text that has at most `limit` bytes.
pub(crate) fn bounded(text: &str, limit: usize) -> Box<str> {
    let end = (0..=limit.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or_default()).unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::bounded;

    #[test]
    fn a_text_is_shortened_between_characters() {
        assert_eq!(&*bounded("aé", 3), "aé");
        assert_eq!(&*bounded("aé", 2), "a");
        assert_eq!(&*bounded("é", 0), "");
    }
}
