//! Decoders, which turn a response body into records. The body is available as a whole, or arrives piece by piece.
//!
//! One engine walks the document ([`engine`]). A whole body is a document in a single piece, so both ways return the
//! same records, rejections and errors. serde decodes every record that the fast path does not accept.

use alloc::string::String;

use serde::Deserialize;

use crate::decode::cursor::Fast;
use crate::decode::shape::Object;
pub use crate::decode::stream::{Next, StreamDecoder};
use crate::error::Position;
use crate::{DecodeError, DecodeErrorKind};

pub(crate) mod cursor;
pub(crate) mod depth;
mod diagnose;
mod engine;
pub(crate) mod layout;
pub(crate) mod lenient;
pub(crate) mod members;
mod scan;
pub(crate) mod shape;
pub(crate) mod slot;
pub(crate) mod stream;
pub(crate) mod text;
pub(crate) mod value;
pub(crate) mod whole;

/// Deserializes JSON text into a type that the caller chose. An error keeps only the kind and position of the serde
/// error, whose message may quote the data.
pub(crate) fn foreign<'a, T: Deserialize<'a>>(json: &'a str, path: &str) -> Result<T, DecodeError> {
    serde_json::from_str(json).map_err(|error| {
        let kind = kind_of(&error);
        DecodeError::new(
            kind,
            String::from(path),
            Position::START.within(error.line(), error.column()),
            "a value of the requested type",
        )
    })
}

/// Splits `bytes` into the longest valid UTF-8 prefix and the rest.
pub(crate) fn checked(bytes: &[u8]) -> (&str, &[u8]) {
    #[cfg(feature = "simd")]
    let valid_up_to = simdutf8::compat::from_utf8(bytes).map_err(|error| error.valid_up_to());
    #[cfg(not(feature = "simd"))]
    let valid_up_to = core::str::from_utf8(bytes).map_err(|error| error.valid_up_to());
    match valid_up_to {
        Ok(text) => (text, &[]),
        Err(valid_up_to) => {
            let (valid, invalid) = bytes.split_at(valid_up_to);
            // The first part has just been validated.
            (core::str::from_utf8(valid).unwrap_or_default(), invalid)
        }
    }
}

fn kind_of(error: &serde_json::Error) -> DecodeErrorKind {
    match error.classify() {
        serde_json::error::Category::Data => DecodeErrorKind::WrongType,
        serde_json::error::Category::Eof => DecodeErrorKind::Incomplete,
        serde_json::error::Category::Io | serde_json::error::Category::Syntax => {
            DecodeErrorKind::Syntax
        }
    }
}

/// A model whose records can be decoded from a list, as owned values or borrowed from the JSON text.
///
/// Only generated models implement this trait, because the decoders rely on the generated shape.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::Record;
///
/// fn owned<R: Record>(record: R::Ref<'_>) -> R {
///     R::from_ref(record)
/// }
/// let photo: Photo = owned(serde_json::from_str::<PhotoRef<'_>>(r#"{"id":"1"}"#)?);
/// assert_eq!(photo.id.as_str(), "1");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub trait Record: Sealed {
    /// The form that borrows from the JSON text.
    type Ref<'a>: Deserialize<'a> + Fast<'a>;

    /// Copies a borrowed record into an owned one.
    fn from_ref(record: Self::Ref<'_>) -> Self;
}

/// The part of [`Record`] that only generated code can implement.
pub trait Sealed: Sized {
    /// The record's shape, used to explain a rejection. For this library only: it may change in any release.
    const OBJECT: &'static Object;
}

/// The type of a list's metadata: the fields next to the list in a response, such as the number of pages or a cursor.
/// The type is a record, or `()` if there are no such fields.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::Operation as _;
///
/// let listing = PagePhotos::decode(br#"{"page":2,"photo":[{"id":"1"}]}"#)?;
/// assert_eq!(listing.metadata.page, Some(2));
/// # Ok::<(), methodical_model::DecodeError>(())
/// ```
pub trait Metadata: Sized {
    /// The shape of the fields.
    #[doc(hidden)]
    const OBJECT: Option<&'static Object>;

    /// Decodes the fields from a JSON object; `None` if that fails.
    #[doc(hidden)]
    fn read(json: &str) -> Option<Self>;
}

impl Metadata for () {
    const OBJECT: Option<&'static Object> = None;

    fn read(_: &str) -> Option<Self> {
        Some(())
    }
}

impl<R: Record> Metadata for R {
    const OBJECT: Option<&'static Object> = Some(R::OBJECT);

    fn read(json: &str) -> Option<Self> {
        R::Ref::deserialize(&mut serde_json::Deserializer::from_str(json)).ok().map(R::from_ref)
    }
}
