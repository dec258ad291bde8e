//! Decoded lists, with the records that were rejected.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use crate::DecodeError;

/// A decoded list: its records, those that could not be decoded, and its metadata.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::Operation as _;
///
/// let listing = ListPhotos::decode(br#"[{"id":"1"},null,{"id":"3"}]"#)?;
/// assert_eq!(listing.items.len(), 2);
/// assert_eq!(listing.rejected[0].index(), 1);
/// assert_eq!(listing.rejected[0].raw(), "null");
/// # Ok::<(), methodical_model::DecodeError>(())
/// ```
///
/// A `Listing` is not an iterator, so that you do not overlook rejected records. Use `items` and `rejected`, or
/// [`strict`](Self::strict) if a single rejected record makes the list useless to you.
///
/// ```compile_fail,E0277
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::Operation as _;
///
/// for photo in ListPhotos::decode(b"[]").unwrap() {}
/// ```
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing<T, M = ()> {
    /// The decoded records, in the order of the response.
    pub items: Vec<T>,
    /// The records that could not be decoded, in the order of the response.
    pub rejected: Vec<Rejected>,
    /// The metadata of the list: the fields next to it, such as a total; `()` if the contract lists no such fields.
    pub metadata: M,
}

impl<T, M> Listing<T, M> {
    /// Returns the records if no record was rejected.
    ///
    /// # Errors
    ///
    /// Returns the error of the first rejected record.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::Operation as _;
    ///
    /// assert!(ListPhotos::decode(br#"[{"id":"1"}]"#)?.strict().is_ok());
    /// assert_eq!(ListPhotos::decode(b"[7]")?.strict().unwrap_err().path(), "[0]");
    /// # Ok::<(), methodical_model::DecodeError>(())
    /// ```
    pub fn strict(self) -> Result<Vec<T>, DecodeError> {
        match self.rejected.into_iter().next() {
            Some(rejected) => Err(rejected.error),
            None => Ok(self.items),
        }
    }
}

impl<T, M: Default> Default for Listing<T, M> {
    fn default() -> Self {
        Self { items: Vec::new(), rejected: Vec::new(), metadata: M::default() }
    }
}

/// A record that could not be decoded: its index, the reason, and its JSON text.
///
/// `Debug` does not print the JSON text, which may contain personal data.
#[derive(Clone, PartialEq, Eq)]
pub struct Rejected {
    index: u64,
    error: DecodeError,
    raw: Box<str>,
}

impl Rejected {
    #[cold]
    pub(crate) fn new(index: u64, error: DecodeError, raw: &str) -> Self {
        Self { index, error, raw: raw.into() }
    }

    /// Returns the index of the record in the list, counted from 0.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Returns why the record was rejected, and where in the document the problem is.
    pub fn error(&self) -> &DecodeError {
        &self.error
    }

    /// Returns the JSON text of the record, unchanged. It may contain personal data.
    ///
    /// The text is empty if the record exceeds the [record limit](crate::StreamDecoder::with_record_limit).
    pub fn raw(&self) -> &str {
        &self.raw
    }
}

impl fmt::Debug for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rejected")
            .field("index", &self.index)
            .field("error", &self.error)
            .field("raw", &format_args!("<{} bytes>", self.raw.len()))
            .finish()
    }
}
