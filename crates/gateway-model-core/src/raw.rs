//! Queries and responses that the typed API does not cover.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

use serde::Deserialize;

use crate::query::builder::QueryBuilder;
use crate::{Error, Operation, Query, Service, decode};

/// A query with any method and any parameters, for everything that the typed queries do not cover.
///
/// Names and values are percent-encoded. Nothing else is checked.
///
/// # Examples
///
/// A status without a vacancy, which has no effect (section 4.1 of the contract, rule 4):
///
/// ```
/// use gateway_model::{Operation as _, RawQuery};
///
/// let query = RawQuery::new("candidates/list").pair("status", "In progress").query()?;
/// assert_eq!(query.as_str(), "method=candidates/list&status=In%20progress");
/// # Ok::<(), gateway_model::Error>(())
/// ```
pub struct RawQuery<S> {
    method: String,
    pairs: Vec<(String, String)>,
    service: PhantomData<fn() -> S>,
}

impl<S: Service> RawQuery<S> {
    /// Creates a query that selects the operation `method`.
    ///
    /// ```
    /// use gateway_model::{Operation as _, RawQuery};
    ///
    /// assert_eq!(RawQuery::new("sms/list").query()?.as_str(), "method=sms/list");
    /// # Ok::<(), gateway_model::Error>(())
    /// ```
    #[must_use]
    pub fn new(method: impl Into<String>) -> Self {
        Self { method: method.into(), pairs: Vec::new(), service: PhantomData }
    }

    /// Appends a parameter. A name may occur several times.
    ///
    /// ```
    /// use gateway_model::{Operation as _, RawQuery};
    ///
    /// let query = RawQuery::new("m").pair("a", "1&2").pair("a", "").query()?;
    /// assert_eq!(query.as_str(), "method=m&a=1%262&a=");
    /// # Ok::<(), gateway_model::Error>(())
    /// ```
    #[must_use]
    pub fn pair(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.pairs.push((name.into(), value.into()));
        self
    }
}

impl<S: Service> Operation for RawQuery<S> {
    type Service = S;
    type Output = RawJson;

    const NAME: &'static str = "raw";
    const METHOD: &'static str = "";

    fn query(&self) -> Result<Query, Error> {
        let mut query = QueryBuilder::select::<S>(&self.method);
        for (name, value) in &self.pairs {
            query.push(name, value);
        }
        Ok(query.finish())
    }

    fn decode(body: &[u8]) -> Result<RawJson, Error> {
        decode::whole::json(body).map(|text| RawJson(text.into()))
    }
}

// Derived implementations would ask the service for the same traits.
impl<S> Clone for RawQuery<S> {
    fn clone(&self) -> Self {
        Self { method: self.method.clone(), pairs: self.pairs.clone(), service: PhantomData }
    }
}

impl<S> PartialEq for RawQuery<S> {
    fn eq(&self, other: &Self) -> bool {
        (&self.method, &self.pairs) == (&other.method, &other.pairs)
    }
}

impl<S> Eq for RawQuery<S> {}

impl<S> Hash for RawQuery<S> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.method, &self.pairs).hash(state);
    }
}

/// Shows only the names of the parameters: values may be personal.
impl<S> fmt::Debug for RawQuery<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.pairs.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("RawQuery").field("method", &self.method).field("names", &names).finish()
    }
}

/// A valid JSON document, kept unchanged.
///
/// `Debug` does not print the document, which may be personal.
///
/// # Examples
///
/// ```
/// use gateway_model::{Operation as _, RawQuery};
///
/// let json = RawQuery::decode(br#" {"a": [1, 2]} "#)?;
/// assert_eq!(json.as_str(), r#"{"a": [1, 2]}"#);
/// # Ok::<(), gateway_model::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RawJson(Box<str>);

impl RawJson {
    /// Returns the JSON text.
    ///
    /// ```
    /// use gateway_model::{Operation as _, RawQuery};
    ///
    /// assert_eq!(RawQuery::decode(b"null")?.as_str(), "null");
    /// # Ok::<(), gateway_model::Error>(())
    /// ```
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the JSON text without copying it.
    ///
    /// ```
    /// use gateway_model::{Operation as _, RawQuery};
    ///
    /// assert_eq!(RawQuery::decode(b"7")?.into_string(), "7");
    /// # Ok::<(), gateway_model::Error>(())
    /// ```
    pub fn into_string(self) -> String {
        self.0.into()
    }

    /// Deserializes the document into `T`.
    ///
    /// # Errors
    ///
    /// Fails if the document does not deserialize into `T`.
    ///
    /// ```
    /// use gateway_model::{Operation as _, RawQuery};
    ///
    /// assert_eq!(RawQuery::decode(b"[1,2]")?.get::<Vec<u8>>()?, [1, 2]);
    /// # Ok::<(), gateway_model::Error>(())
    /// ```
    pub fn get<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Error> {
        decode::foreign(&self.0, "")
    }
}

impl AsRef<str> for RawJson {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawJson(<{} bytes>)", self.0.len())
    }
}
