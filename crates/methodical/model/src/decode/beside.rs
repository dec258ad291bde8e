//! The fields beside a list, in an object around it.

use serde::Deserialize;

use crate::decode::Record;
use crate::decode::shape::Object;

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
/// # Ok::<(), methodical_model::Error>(())
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
