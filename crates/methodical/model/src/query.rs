//! Queries: the parameters of a call.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};
use core::fmt;

pub(crate) mod builder;

/// The query of one call, percent-encoded and without the `?`.
///
/// It contains only unreserved characters of RFC 3986, `%XX`, `&`, `=`, and, unencoded, the value that selects the
/// operation. If the path selects the operation, [`path`](Self::path) returns the text that follows the service's path.
/// If the call is a POST, [`body`](Self::body) returns its parameters, and [`format`](Self::format) the format of the
/// body. `Debug` shows the names of the parameters but not their values, which may be personal data.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::Operation as _;
///
/// assert_eq!(ListPhotos::new().query()?.as_str(), "action=photos/list");
/// # Ok::<(), methodical_model::DecodeError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Query {
    text: String,
    /// The position after the path, where the query begins.
    query: usize,
    /// The body, after the query.
    post: Option<Post>,
}

impl Query {
    /// Creates a query from `text`, which contains the encoded path, query and body in this order. `query` is the
    /// position where the query begins.
    fn new(text: String, query: usize, post: Option<Post>) -> Self {
        Self { text, query, post }
    }

    /// Returns where the query ends and the body begins.
    fn end(&self) -> usize {
        self.post.map_or(self.text.len(), |post| post.start)
    }

    /// Returns the path that follows [`Service::PATH`](crate::Service::PATH), percent-encoded and with a leading `/`.
    /// The path is empty unless it selects the operation.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::Operation as _;
    ///
    /// assert_eq!(NewestPhoto.query()?.path(), "");
    /// # Ok::<(), methodical_model::DecodeError>(())
    /// ```
    pub fn path(&self) -> &str {
        self.text.get(..self.query).unwrap_or_default()
    }

    /// Returns the encoded query, without a leading `?`.
    pub fn as_str(&self) -> &str {
        self.text.get(self.query..self.end()).unwrap_or_default()
    }

    /// Returns the format of the body, or `None` if the call is a GET, which has no body.
    pub fn format(&self) -> Option<BodyFormat> {
        Some(self.post?.format)
    }

    /// Returns the body of a POST; empty for a GET.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::{BodyFormat, Operation as _, RawQuery};
    ///
    /// let photo = RawQuery::<Photos>::new("photos/add").pair("title", "Old harbor");
    /// let query = photo.clone().post(BodyFormat::Form).query()?;
    /// assert_eq!((query.as_str(), query.body()), ("action=photos/add", "title=Old%20harbor"));
    /// assert_eq!(photo.post(BodyFormat::Json).query()?.body(), r#"{"title":"Old harbor"}"#);
    /// # Ok::<(), methodical_model::DecodeError>(())
    /// ```
    pub fn body(&self) -> &str {
        self.text.get(self.end()..).unwrap_or_default()
    }

    /// Returns whether the call is idempotent (RFC 9110, section 9.2.2). Every GET is idempotent, and so is a POST that
    /// the contract declares idempotent. A client repeats any other call only if the request was not sent, or once with
    /// a new token after status 401.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::Operation as _;
    ///
    /// assert!(NewestPhoto.query()?.is_idempotent());
    /// # Ok::<(), methodical_model::DecodeError>(())
    /// ```
    pub fn is_idempotent(&self) -> bool {
        self.post.is_none_or(|post| post.is_idempotent)
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Shows only the parameter names, because values may be personal data. For a JSON body, shows only the format.
impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = if self.format() == Some(BodyFormat::Form) { self.body() } else { "" };
        let pairs = self.as_str().split('&').chain(form.split('&'));
        let mut pairs = pairs.filter_map(|pair| pair.split_once('='));
        let method = match self.path() {
            "" => pairs.next().map_or("", |(_, method)| method),
            path => path.trim_start_matches('/'),
        };
        let names: Vec<&str> = pairs.map(|(name, _)| name).collect();
        let mut fields = f.debug_struct("Query");
        fields.field("method", &method).field("names", &names);
        if let Some(format) = self.format() {
            fields.field("body", &format);
        }
        fields.finish()
    }
}

/// The format of a POST body.
///
/// # Examples
///
/// ```
/// use methodical_model::BodyFormat;
///
/// assert_eq!(BodyFormat::Form.media_type(), "application/x-www-form-urlencoded");
/// assert_eq!(BodyFormat::Json.to_string(), "JSON");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BodyFormat {
    /// Percent-encoded parameters, as in a query.
    Form,
    /// A JSON object whose members are the parameters.
    Json,
}

impl BodyFormat {
    /// Returns the value of the `Content-Type` header.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Form => "application/x-www-form-urlencoded",
            Self::Json => "application/json",
        }
    }
}

impl fmt::Display for BodyFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Form => "form",
            Self::Json => "JSON",
        })
    }
}

/// The body of a POST, which follows the query in the text of a [`Query`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Post {
    /// Where the body begins, after the query.
    start: usize,
    format: BodyFormat,
    is_idempotent: bool,
}

/// How a list of values is written in a query or a form.
///
/// # Examples
///
/// ```
/// use methodical_model::ListStyle;
///
/// let ids = || ["1", "2"].map(str::to_owned).to_vec();
/// assert_eq!(ListStyle::Comma.pairs("id", ids()), [("id".into(), "1,2".into())]);
/// let repeated = [("id".into(), "1".into()), ("id".into(), "2".into())];
/// assert_eq!(ListStyle::Repeat.pairs("id", ids()), repeated);
/// assert_eq!(ListStyle::Index.pairs("id", ids())[1], ("id[1]".into(), "2".into()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ListStyle {
    /// One parameter, whose values are separated by commas: `id=1,2`.
    Comma,
    /// One parameter, whose values are separated by vertical bars: `id=1|2`.
    Pipe,
    /// One parameter for each value: `id=1&id=2`.
    Repeat,
    /// One parameter with brackets for each value: `id[]=1&id[]=2`.
    Bracket,
    /// One parameter with an index for each value: `id[0]=1&id[1]=2`.
    Index,
}

impl ListStyle {
    /// Returns the separator between the values of one parameter, which no value can contain. Returns `None` if each
    /// value has its own parameter.
    #[must_use]
    pub const fn separator(self) -> Option<&'static str> {
        match self {
            Self::Comma => Some(","),
            Self::Pipe => Some("|"),
            Self::Repeat | Self::Bracket | Self::Index => None,
        }
    }

    /// Returns the parameters that represent a list, with their values, unencoded.
    #[must_use]
    pub fn pairs(self, name: &str, values: Vec<String>) -> Vec<(String, String)> {
        if let Some(separator) = self.separator() {
            return vec![(name.to_owned(), values.join(separator))];
        }
        let pairs = values.into_iter().enumerate().map(|(index, value)| match self {
            Self::Bracket => (format!("{name}[]"), value),
            Self::Index => (format!("{name}[{index}]"), value),
            _ => (name.to_owned(), value),
        });
        pairs.collect()
    }
}

/// The kind of values in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Items {
    /// Text that is not empty.
    Text,
    /// Text that must be an unsigned integer; written without quotes in JSON.
    Digits,
    /// Numbers or booleans; written without quotes in JSON.
    Literal,
}
