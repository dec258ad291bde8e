//! What the decoders need to know about a record.

use serde::Deserialize;

use crate::decode::cursor::Fast;
use crate::decode::shape::Shape;

/// A model that stands in lists: it has an owned form and one that borrows from the text.
///
/// Implemented by the models of this crate only.
///
/// # Examples
///
/// ```
/// use gateway_model::{Record, Vacancy, VacancyRef};
///
/// fn owned<R: Record>(record: R::Ref<'_>) -> R {
///     R::from_ref(record)
/// }
/// let vacancy: Vacancy = owned(serde_json::from_str::<VacancyRef<'_>>(r#"{"id":"1"}"#)?);
/// assert_eq!(vacancy.id.as_str(), "1");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[expect(private_bounds, reason = "sealed: the decoders rely on what they know of each model")]
pub trait Record: Sealed {
    /// The record as it is borrowed from the text.
    type Ref<'a>: Deserialize<'a> + Fast<'a>;

    /// Copies a borrowed record.
    ///
    /// ```
    /// use gateway_model::{Portal, PortalRef, Record as _};
    ///
    /// let borrowed: PortalRef<'_> = serde_json::from_str(r#"{"id":"p1"}"#)?;
    /// assert_eq!(Portal::from_ref(borrowed), Portal::new("p1"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    fn from_ref(record: Self::Ref<'_>) -> Self;
}

/// What only this crate knows of a model.
pub(crate) trait Sealed: Sized {
    /// For saying what is wrong with a record.
    const SHAPE: Shape;
}
