//! Queries: the text after the `?`.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

pub(crate) mod builder;
pub(crate) mod state;

/// The query of one call, percent-encoded and without the `?`.
///
/// It contains only unreserved characters of RFC 3986, `%XX`, `&`, `=`, and the constant that selects
/// the operation, verbatim. If the path selects the operation, [`path`](Self::path) returns what follows the path of
/// the service. `Debug` shows the names of the parameters but
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
pub struct Query {
    text: String,
    /// Where the query begins, after the path.
    query: usize,
}

impl Query {
    /// Creates a query from its encoded text, which follows the path.
    pub(crate) fn of(text: String, query: usize) -> Self {
        Self { text, query }
    }

    /// Returns the path after [`Service::PATH`](crate::Service::PATH), percent-encoded and with a leading `/`. It is empty
    /// unless the path selects the operation.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use gateway_model_core::Operation as _;
    ///
    /// assert_eq!(NewestPhoto.query()?.path(), "");
    /// # Ok::<(), gateway_model_core::Error>(())
    /// ```
    pub fn path(&self) -> &str {
        self.text.get(..self.query).unwrap_or_default()
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
        self.text.get(self.query..).unwrap_or_default()
    }

    /// Returns the encoded query as [`as_str`](Self::as_str) does, without a copy unless the query has a path.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use gateway_model_core::Operation as _;
    ///
    /// assert_eq!(NewestPhoto.query()?.into_string(), "action=photos/newest");
    /// # Ok::<(), gateway_model_core::Error>(())
    /// ```
    pub fn into_string(mut self) -> String {
        self.text.drain(..self.query);
        self.text
    }
}

impl AsRef<str> for Query {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl From<Query> for String {
    fn from(query: Query) -> Self {
        query.into_string()
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Shows only the names of the parameters: values may be personal.
impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pairs = self.as_str().split('&').filter_map(|pair| pair.split_once('='));
        let method = match self.path() {
            "" => pairs.next().map_or("", |(_, method)| method),
            path => path.trim_start_matches('/'),
        };
        let names: Vec<&str> = pairs.map(|(name, _)| name).collect();
        f.debug_struct("Query").field("method", &method).field("names", &names).finish()
    }
}
