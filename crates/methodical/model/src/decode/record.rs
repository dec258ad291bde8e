//! The trait of records, and the information that decoders need.

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

    /// The columns of the record as a [`FlatRow`](crate::FlatRow).
    const COLUMNS: &'static [&'static str];

    /// Copies a borrowed record into an owned one.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::Record as _;
    ///
    /// let borrowed: PhotoRef<'_> = serde_json::from_str(r#"{"id":"p1"}"#)?;
    /// assert_eq!(Photo::from_ref(borrowed), Photo::new("p1"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    fn from_ref(record: Self::Ref<'_>) -> Self;
}

/// The part of [`Record`] that only generated code implements.
pub trait Sealed: Sized {
    /// The shape of the record, for diagnosing a rejected one.
    const OBJECT: &'static Object;
}
