//! The trait of records, and the information that decoders need.

use serde::Deserialize;

use crate::decode::cursor::Fast;
use crate::decode::shape::Shape;

/// A model that occurs in lists. It has an owned form and a form that borrows from the text.
///
/// Implemented by generated models only: the decoders rely on the generated shape of each model.
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
pub trait Record: Sealed {
    /// The form that borrows from the text.
    type Ref<'a>: Deserialize<'a> + Fast<'a>;

    /// Copies a borrowed record into an owned one.
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

/// The part of [`Record`] that only generated code implements.
pub trait Sealed: Sized {
    /// The shape of the record, for diagnosing a rejected one.
    const SHAPE: Shape;
}
