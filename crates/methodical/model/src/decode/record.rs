//! The traits of records and of the fields beside a list, and the information that decoders need.

use serde::Deserialize;

use crate::decode::cursor::Fast;
use crate::decode::shape::Object;

/// A model that occurs in lists. It has an owned form and a form that borrows from the text.
///
/// Implemented by generated models only: the decoders rely on the generated shape of each model.
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
    /// The form that borrows from the text.
    type Ref<'a>: Deserialize<'a> + Fast<'a>;

    /// Copies a borrowed record into an owned one.
    fn from_ref(record: Self::Ref<'_>) -> Self;
}

/// The part of [`Record`] that only generated code implements.
pub trait Sealed: Sized {
    /// The shape of the record, for diagnosing a rejected one.
    const OBJECT: &'static Object;
}

/// The fields beside a list, such as a total or a cursor: a record, or `()` for a list without them.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::Operation as _;
///
/// let listing = PagePhotos::decode(br#"{"page":2,"photo":[{"id":"1"}]}"#)?;
/// assert_eq!(listing.beside.page, Some(2));
/// # Ok::<(), methodical_model::DecodeError>(())
/// ```
pub trait Beside: Sized {
    /// The shape of the fields.
    #[doc(hidden)]
    const OBJECT: Option<&'static Object>;

    /// Decodes the fields.
    #[doc(hidden)]
    fn read(json: &str) -> Option<Self>;
}

impl Beside for () {
    const OBJECT: Option<&'static Object> = None;

    fn read(_: &str) -> Option<Self> {
        Some(())
    }
}

impl<R: Record> Beside for R {
    const OBJECT: Option<&'static Object> = Some(R::OBJECT);

    fn read(json: &str) -> Option<Self> {
        R::Ref::deserialize(&mut serde_json::Deserializer::from_str(json)).ok().map(R::from_ref)
    }
}
