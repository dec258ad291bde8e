//! Queries: the text after the `?`.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

pub(crate) mod builder;
pub(crate) mod state;

/// The query of one call, percent-encoded and without the `?`.
///
/// It contains only unreserved characters of RFC 3986, `%XX`, `&`, `=`, and the constant that selects
/// the operation, verbatim. `Debug` shows the names of the parameters but
/// not their values, which may be personal.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use gateway_model_core::Operation as _;
///
/// assert_eq!(ListPhotos::new().query()?.as_str(), "action=photos/list");
/// # Ok::<(), gateway_model_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Query(String);

impl Query {
    /// Creates a query from its encoded text.
    pub(crate) fn of(text: String) -> Self {
        Self(text)
    }

    /// Returns the encoded query, without a leading `?`.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use gateway_model_core::Operation as _;
    ///
    /// assert_eq!(NewestPhoto.query()?.as_str(), "action=photos/newest");
    /// # Ok::<(), gateway_model_core::Error>(())
    /// ```
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text without copying it.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use gateway_model_core::Operation as _;
    ///
    /// assert_eq!(NewestPhoto.query()?.into_string(), "action=photos/newest");
    /// # Ok::<(), gateway_model_core::Error>(())
    /// ```
    pub fn into_string(self) -> String {
        self.0
    }
}

impl AsRef<str> for Query {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<Query> for String {
    fn from(query: Query) -> Self {
        query.0
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Shows only the names of the parameters: values may be personal.
impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pairs = self.0.split('&').filter_map(|pair| pair.split_once('='));
        let method = pairs.next().map_or("", |(_, method)| method);
        let names: Vec<&str> = pairs.map(|(name, _)| name).collect();
        f.debug_struct("Query").field("method", &method).field("names", &names).finish()
    }
}
