//! The error type of this crate: what is wrong and where, without the data.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

/// An error from a decoder, a query or a conversion. It says what is wrong, and where.
///
/// Its message contains no value from the response, so it cannot leak personal data into a log. [`path`](Self::path)
/// names only fields that the contract lists, and shows any other field as `*`.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::{DecodeErrorKind, Operation as _};
///
/// let error = NewestPhoto::decode(b"{\n  \"id\": 12\n}").unwrap_err();
/// assert_eq!(error.kind(), DecodeErrorKind::WrongType);
/// assert_eq!(error.path(), "id");
/// assert_eq!((error.line(), error.column()), (2, 10));
/// assert_eq!(
///     error.to_string(),
///     "wrong type at id (line 2 column 10), expected text"
/// );
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct DecodeError(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: DecodeErrorKind,
    path: String,
    position: Position,
    expected: Cow<'static, str>,
    delivered: u64,
    service: Option<ServiceError>,
}

/// The kind of a [`DecodeError`], so that a caller can decide what to do next.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DecodeErrorKind {
    /// The body is not JSON.
    Syntax,
    /// The body is not UTF-8.
    Encoding,
    /// The document ends before it is complete.
    Incomplete,
    /// A value does not have the type that the contract requires.
    WrongType,
    /// A required field is missing.
    Missing,
    /// A field that the contract lists occurs twice.
    Duplicate,
    /// Arrays and objects are nested more than 127 levels deep.
    TooDeep,
    /// A single record exceeds the size limit of the decoder.
    TooLarge,
    /// The body does not report success.
    NotSuccess,
    /// A parameter value cannot be sent; no request was made.
    Parameter,
    /// The value cannot be represented in the target type; it is unchanged.
    Conversion,
}

impl DecodeErrorKind {
    /// Returns the name of the kind in snake case, for logs and metrics. Names never change. Later versions may add
    /// names, but never `other` or `unknown`.
    pub fn as_str(self) -> &'static str {
        self.names().0
    }

    /// Returns the kind's name and a short description.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Syntax => ("syntax", "JSON syntax error"),
            Self::Encoding => ("encoding", "invalid encoding"),
            Self::Incomplete => ("incomplete", "truncated document"),
            Self::WrongType => ("wrong_type", "wrong type"),
            Self::Missing => ("missing", "required field missing"),
            Self::Duplicate => ("duplicate", "duplicate field"),
            Self::TooDeep => ("too_deep", "nested too deeply"),
            Self::TooLarge => ("too_large", "record exceeds the size limit"),
            Self::NotSuccess => ("not_success", "the service did not report success"),
            Self::Parameter => ("parameter", "invalid parameter value"),
            Self::Conversion => ("conversion", "value cannot be converted"),
        }
    }
}

/// A place in a body. Lines and columns are counted from 1; a column is a number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) line: u64,
    pub(crate) column: u64,
}

impl Position {
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    /// The position of an error that is not about a body.
    pub(crate) const NONE: Self = Self { line: 0, column: 0 };

    /// Returns the position after `text`, which begins here.
    pub(crate) fn after(self, text: &str) -> Self {
        let bytes = text.as_bytes();
        // Most bodies are a single line and need no search from the end.
        let lines: u64 = bytes.chunks(usize::from(u8::MAX)).map(lines_in).sum();
        if lines == 0 {
            return Self { line: self.line, column: self.column + bytes.len() as u64 };
        }
        let last_line = bytes.iter().rev().take_while(|byte| **byte != b'\n').count();
        Self { line: self.line + lines, column: last_line as u64 + 1 }
    }

    /// Returns the position of the last byte of `text`, which begins here.
    pub(crate) fn of_last(self, text: &str) -> Self {
        let after = self.after(text);
        let first = if after.line == self.line { self.column } else { 1 };
        Self { column: (after.column - 1).max(first), ..after }
    }

    /// Converts `(line, column)` in text that begins here to a position in the whole body.
    pub(crate) fn within(self, line: usize, column: usize) -> Self {
        let (line, column) = (line.max(1) as u64, column.max(1) as u64);
        if line == 1 {
            Self { line: self.line, column: self.column + column - 1 }
        } else {
            Self { line: self.line + line - 1, column }
        }
    }
}

/// Counts the line ends in at most 255 bytes. Written so that it compiles to vector instructions.
fn lines_in(bytes: &[u8]) -> u64 {
    u64::from(bytes.iter().fold(0_u8, |lines, byte| lines.wrapping_add(u8::from(*byte == b'\n'))))
}

impl DecodeError {
    #[cold]
    pub(crate) fn new(
        kind: DecodeErrorKind,
        path: String,
        position: Position,
        expected: impl Into<Cow<'static, str>>,
    ) -> Self {
        let expected = expected.into();
        Self(Box::new(Inner { kind, path, position, expected, delivered: 0, service: None }))
    }

    /// Creates the error for the query parameter `name`.
    #[cold]
    pub(crate) fn parameter(name: &str, expected: &'static str) -> Self {
        Self::new(DecodeErrorKind::Parameter, name.into(), Position::NONE, expected)
    }

    /// Creates the error for a conversion to or from the type `name`.
    #[cold]
    pub(crate) fn conversion(name: &str, expected: &'static str) -> Self {
        Self::new(DecodeErrorKind::Conversion, name.into(), Position::NONE, expected)
    }

    #[cold]
    pub(crate) fn with_delivered(mut self, records: u64) -> Self {
        self.0.delivered = records;
        self
    }

    /// Removes the position, for an error that is not about a body.
    #[cold]
    pub(crate) fn without_position(mut self) -> Self {
        self.0.position = Position::NONE;
        self
    }

    #[cold]
    pub(crate) fn with_service(mut self, reported: ServiceError) -> Self {
        self.0.service = Some(reported);
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> DecodeErrorKind {
        self.0.kind
    }

    /// Returns the path of the value, such as `items[3].album.title`; empty for the whole document.
    ///
    /// For a query, the path is the name of the parameter. For a conversion, it is the name of this library's type.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::Operation as _;
    ///
    /// let error = ListPhotos::new().album("seven").query().unwrap_err();
    /// assert_eq!(error.path(), "album");
    /// ```
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// Returns the line in the body, counted from 1; 0 for an error that is not about a body.
    pub fn line(&self) -> u64 {
        self.0.position.line
    }

    /// Returns the column in the body in bytes, counted from 1; 0 for an error that is not about a body.
    pub fn column(&self) -> u64 {
        self.0.position.column
    }

    /// Returns a description of what was expected.
    pub fn expected(&self) -> &str {
        &self.0.expected
    }

    /// Returns the failure that the service reported in the body, with its code and its message.
    ///
    /// Returns `None` unless the kind is [`DecodeErrorKind::NotSuccess`] and the contract says where the code or the
    /// message is.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::Operation as _;
    ///
    /// let error = SearchPhotos::decode(br#"{"stat":"fail","code":98,"message":"Invalid key"}"#).unwrap_err();
    /// let reported = error.service().unwrap();
    /// assert_eq!((reported.code(), reported.message()), (Some("98"), Some("Invalid key")));
    /// assert_eq!(error.to_string(), "the service did not report success at stat (line 1 column 9), expected ok");
    /// ```
    pub fn service(&self) -> Option<&ServiceError> {
        self.0.service.as_ref()
    }

    /// Returns the number of records before the error, including rejected ones.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::Operation as _;
    ///
    /// let cut = br#"[{"id":"1"},{"id":"2"},{"i"#;
    /// assert_eq!(ListPhotos::decode(cut).unwrap_err().delivered(), 2);
    /// ```
    pub fn delivered(&self) -> u64 {
        self.0.delivered
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind().names().1)?;
        if !self.path().is_empty() {
            write!(f, " at {}", self.path())?;
        }
        if self.line() > 0 {
            write!(f, " (line {} column {})", self.line(), self.column())?;
        }
        if !self.expected().is_empty() {
            write!(f, ", expected {}", self.expected())?;
        }
        if self.kind() == DecodeErrorKind::Incomplete {
            let records = if self.delivered() == 1 { "record" } else { "records" };
            write!(f, ", after {} complete {records}", self.delivered())?;
        }
        Ok(())
    }
}

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodeError")
            .field("kind", &self.kind())
            .field("path", &self.path())
            .field("line", &self.line())
            .field("column", &self.column())
            .field("expected", &self.expected())
            .field("delivered", &self.delivered())
            .finish()
    }
}

impl core::error::Error for DecodeError {}

const _: () = assert!(size_of::<DecodeError>() == size_of::<usize>(), "one pointer wide");

/// The failure that a service reports in the body of a response: its own code and message.
///
/// The code and the message are untrusted data from the service. Only the methods return them: neither `Debug` nor the
/// message of a [`DecodeError`](crate::DecodeError) contains them.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::{ErrorClass, DecodeErrorKind, Operation as _};
///
/// let error = SearchPhotos::decode(br#"{"stat":"fail","code":29,"message":"Slow down"}"#).unwrap_err();
/// assert_eq!(error.kind(), DecodeErrorKind::NotSuccess);
/// let reported = error.service().unwrap();
/// assert_eq!(reported.code(), Some("29"));
/// assert_eq!(reported.message(), Some("Slow down"));
/// assert_eq!(reported.class(), ErrorClass::RateLimit);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ServiceError {
    pub(crate) code: Option<Box<str>>,
    pub(crate) message: Option<Box<str>>,
    pub(crate) class: ErrorClass,
}

impl ServiceError {
    /// Returns the code, as text even if the service sends a number. Only its first 256 bytes are kept.
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }

    /// Returns the message, which may contain personal data. Only its first 1 KiB is kept.
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Returns the class of the failure, or [`ErrorClass::Other`] if the contract assigns none.
    pub fn class(&self) -> ErrorClass {
        self.class
    }
}

impl fmt::Debug for ServiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceError").field("class", &self.class).finish_non_exhaustive()
    }
}

/// The class of a failure that a service reports, so that a caller can decide what to do next.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The service rejected the credentials, which corresponds to status 401.
    Auth,
    /// The client sent too many calls, which corresponds to status 429.
    RateLimit,
    /// The service cannot answer now, which corresponds to status 503.
    Unavailable,
    /// Any other failure.
    #[default]
    Other,
}

/// Maximum size of the kept part of a code, in bytes.
pub(crate) const CODE_LIMIT: usize = 256;

/// Maximum size of the kept part of a message, in bytes.
pub(crate) const MESSAGE_LIMIT: usize = 1024;

/// Returns the longest prefix of `text` that has at most `limit` bytes.
pub(crate) fn bounded(text: &str, limit: usize) -> Box<str> {
    let end = (0..=limit.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or_default()).unwrap_or_default().into()
}
