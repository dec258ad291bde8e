//! Queries and responses that the typed API does not cover.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::Deserialize;

use crate::decode::layout::Body;
use crate::decode::{foreign, whole};
use crate::query::BodyFormat;
use crate::query::builder::QueryBuilder;
use crate::{DecodeError, Decoded, Operation, Place, Query, Service};

/// A query with any method and any parameters. Use it for calls that the typed queries do not cover.
///
/// Names and values are percent-encoded. Nothing else is checked.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::{Operation as _, RawQuery};
///
/// let query = RawQuery::<Photos>::new("photos/list").pair("title", "Old harbor").query()?;
/// assert_eq!(query.as_str(), "action=photos/list&title=Old%20harbor");
/// # Ok::<(), methodical_model::DecodeError>(())
/// ```
pub struct RawQuery<S> {
    method: String,
    pairs: Vec<(String, String)>,
    post: Option<BodyFormat>,
    is_idempotent: bool,
    service: PhantomData<fn() -> S>,
}

impl<S: Service> RawQuery<S> {
    /// Creates a query that selects the operation `method`.
    #[must_use]
    pub fn new(method: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            pairs: Vec::new(),
            post: None,
            is_idempotent: false,
            service: PhantomData,
        }
    }

    /// Sends the parameters in the body of a POST. In JSON, all values are strings. If the service expects the selector
    /// in a form, every call is a POST with a form.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::{BodyFormat, Operation as _, RawQuery};
    ///
    /// let query = RawQuery::<Photos>::new("photos/add").post(BodyFormat::Form).pair("n", "7").query()?;
    /// assert_eq!((query.as_str(), query.body()), ("action=photos/add", "n=7"));
    /// # Ok::<(), methodical_model::DecodeError>(())
    /// ```
    #[must_use]
    pub fn post(self, format: BodyFormat) -> Self {
        Self { post: Some(format), ..self }
    }

    /// Marks a POST as idempotent, so that a client may repeat it even if it has reached the service. A GET is always
    /// idempotent.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::{BodyFormat, Operation as _, RawQuery};
    ///
    /// let query = RawQuery::<Photos>::new("photos/find").post(BodyFormat::Json);
    /// assert!(!query.query()?.is_idempotent());
    /// assert!(query.idempotent().query()?.is_idempotent());
    /// # Ok::<(), methodical_model::DecodeError>(())
    /// ```
    #[must_use]
    pub fn idempotent(self) -> Self {
        Self { is_idempotent: true, ..self }
    }

    /// Appends a parameter. A name may occur several times.
    #[must_use]
    pub fn pair(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.pairs.push((name.into(), value.into()));
        self
    }
}

impl<S: Service> Operation for RawQuery<S> {
    type Service = S;
    type Output = RawJson;

    const METHOD: &'static str = "";

    fn query(&self) -> Result<Query, DecodeError> {
        let is_form = S::DISPATCH.place() == Place::Form;
        let mut query = match self.post {
            None if !is_form => QueryBuilder::select::<S>(&self.method),
            format => {
                let format = format.unwrap_or(BodyFormat::Form);
                QueryBuilder::post::<S>(&self.method, format, self.is_idempotent)
            }
        };
        for (name, value) in &self.pairs {
            query.push(name, value);
        }
        Ok(query.finish())
    }
}

/// The body must be valid UTF-8 and JSON, and not nested too deeply. It is kept unchanged.
impl Decoded for RawJson {
    fn decode(_: &'static Body, body: &[u8]) -> Result<Self, DecodeError> {
        whole::json(body).map(|text| Self(text.into()))
    }
}

// A derived implementation would also require the service to be `Clone`.
impl<S> Clone for RawQuery<S> {
    fn clone(&self) -> Self {
        Self { method: self.method.clone(), pairs: self.pairs.clone(), ..*self }
    }
}

/// Shows only the names of the parameters, because values may be personal data.
impl<S> fmt::Debug for RawQuery<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.pairs.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("RawQuery")
            .field("method", &self.method)
            .field("names", &names)
            .field("post", &self.post)
            .finish_non_exhaustive()
    }
}

/// A valid JSON document, kept unchanged: the response to a [`RawQuery`].
///
/// `Debug` does not print the document, which may contain personal data.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::{Operation as _, RawQuery};
///
/// let json = RawQuery::<Photos>::decode(br#" {"a": [1, 2]} "#)?;
/// assert_eq!(json.as_str(), r#"{"a": [1, 2]}"#);
/// # Ok::<(), methodical_model::DecodeError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RawJson(Box<str>);

impl RawJson {
    /// Returns the JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the JSON text without copying it.
    pub fn into_string(self) -> String {
        self.0.into()
    }

    /// Deserializes the document into `T`.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be deserialized into `T`.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::{Operation as _, RawQuery};
    ///
    /// assert_eq!(RawQuery::<Photos>::decode(b"[1,2]")?.get::<Vec<u8>>()?, [1, 2]);
    /// # Ok::<(), methodical_model::DecodeError>(())
    /// ```
    pub fn get<'a, T: Deserialize<'a>>(&'a self) -> Result<T, DecodeError> {
        foreign(&self.0, "")
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawJson(<{} bytes>)", self.0.len())
    }
}
