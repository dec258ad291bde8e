//! The one error of this crate: what is wrong and where, never the data.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

/// Says what is wrong with a body or a query, and where.
///
/// An error holds no value that came from the service: neither a name nor a number of a person can
/// reach a log through it. [`path`](Self::path) names only members that the service text lists; any
/// other is shown as `*`.
///
/// # Examples
///
/// ```
/// use gateway_model::{ErrorKind, GetCredits, Operation as _};
///
/// let error = GetCredits::decode(b"{\n  \"credits_number\": 12\n}").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::WrongType);
/// assert_eq!(error.path(), "credits_number");
/// assert_eq!((error.line(), error.column()), (2, 22));
/// assert_eq!(
///     error.to_string(),
///     "a value of another type at credits_number (line 2 column 22), expected text"
/// );
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    path: String,
    position: Position,
    expected: &'static str,
    delivered: u64,
}

/// What kind of thing is wrong.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The body is not JSON.
    Syntax,
    /// The body, or a text in it, is not UTF-8.
    Encoding,
    /// The document ends before it is complete.
    Incomplete,
    /// A value has another type than the service text says.
    WrongType,
    /// A required member is missing.
    Missing,
    /// A member that the service text lists is there twice.
    Duplicate,
    /// Arrays and objects are nested deeper than this crate follows.
    TooDeep,
    /// A single record is larger than the decoder may hold.
    TooLarge,
    /// The answer does not say that the call was a success.
    NotSuccess,
    /// A query cannot be built from this value; nothing was sent.
    Parameter,
    /// A value has no equal in the type that it should become; the value itself is unharmed.
    Conversion,
}

impl ErrorKind {
    /// Returns the kind in a few words.
    ///
    /// ```
    /// assert_eq!(gateway_model::ErrorKind::Missing.as_str(), "a required member is missing");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Syntax => "not valid JSON",
            Self::Encoding => "not valid UTF-8",
            Self::Incomplete => "the document is cut short",
            Self::WrongType => "a value of another type",
            Self::Missing => "a required member is missing",
            Self::Duplicate => "a member is there twice",
            Self::TooDeep => "nested too deep",
            Self::TooLarge => "a record is larger than the limit",
            Self::NotSuccess => "the answer does not report success",
            Self::Parameter => "not a value for this parameter",
            Self::Conversion => "no such value in the other type",
        }
    }
}

/// A place in a body: both count from 1, the column in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: u64,
    pub(crate) column: u64,
}

impl Position {
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    /// Of an error that is not about a body.
    pub(crate) const NONE: Self = Self { line: 0, column: 0 };

    /// Returns the place after `text`, which begins here.
    pub(crate) fn after(self, text: &str) -> Self {
        let bytes = text.as_bytes();
        // Most bodies are a single line, which is not worth a search from the end.
        let lines: u64 = bytes.chunks(usize::from(u8::MAX)).map(lines_in).sum();
        if lines == 0 {
            return Self { line: self.line, column: self.column + bytes.len() as u64 };
        }
        let last_line = bytes.iter().rev().take_while(|byte| **byte != b'\n').count();
        Self { line: self.line + lines, column: last_line as u64 + 1 }
    }

    /// Returns where `(line, column)` of a text that begins here is in the whole body.
    pub(crate) fn within(self, line: usize, column: usize) -> Self {
        let (line, column) = (line.max(1) as u64, column.max(1) as u64);
        if line == 1 {
            Self { line: self.line, column: self.column + column - 1 }
        } else {
            Self { line: self.line + line - 1, column }
        }
    }
}

/// Counts the lines of at most 255 bytes, in a way that compiles to vector instructions.
fn lines_in(bytes: &[u8]) -> u64 {
    u64::from(bytes.iter().fold(0_u8, |lines, byte| lines.wrapping_add(u8::from(*byte == b'\n'))))
}

impl Error {
    #[cold]
    pub(crate) fn new(
        kind: ErrorKind,
        path: String,
        position: Position,
        expected: &'static str,
    ) -> Self {
        Self(Box::new(Inner { kind, path, position, expected, delivered: 0 }))
    }

    /// An error of a query: there is no body to point at.
    #[cold]
    pub(crate) fn parameter(name: &str, expected: &'static str) -> Self {
        Self::new(ErrorKind::Parameter, name.into(), Position::NONE, expected)
    }

    /// An error of a conversion to or from the type `name`.
    #[cfg(any(feature = "jiff", feature = "rust_decimal"))]
    #[cold]
    pub(crate) fn conversion(name: &str, expected: &'static str) -> Self {
        Self::new(ErrorKind::Conversion, name.into(), Position::NONE, expected)
    }

    #[cold]
    pub(crate) fn with_delivered(mut self, records: u64) -> Self {
        self.0.delivered = records;
        self
    }

    /// Returns what kind of thing is wrong.
    ///
    /// ```
    /// use gateway_model::{ErrorKind, ListVacancies, Operation as _};
    ///
    /// assert_eq!(ListVacancies::decode(b"[").unwrap_err().kind(), ErrorKind::Incomplete);
    /// ```
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns where in the document, such as `result[3].portal.name`; empty for the whole document.
    ///
    /// For an error of a query it is the name of the parameter, for one of a conversion the name of our type.
    ///
    /// ```
    /// use gateway_model::{ListCandidates, Operation as _};
    ///
    /// let error = ListCandidates::new().vacancy_id("seven").query().unwrap_err();
    /// assert_eq!(error.path(), "vacancy_id");
    /// ```
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// Returns the line, counted from 1; 0 for an error that is not about a body.
    ///
    /// ```
    /// use gateway_model::{ListVacancies, Operation as _};
    ///
    /// assert_eq!(ListVacancies::decode(b"[\n!").unwrap_err().line(), 2);
    /// ```
    pub fn line(&self) -> u64 {
        self.0.position.line
    }

    /// Returns the column in bytes, counted from 1; 0 for an error that is not about a body.
    ///
    /// ```
    /// use gateway_model::{ListVacancies, Operation as _};
    ///
    /// assert_eq!(ListVacancies::decode(b"[ !").unwrap_err().column(), 3);
    /// ```
    pub fn column(&self) -> u64 {
        self.0.position.column
    }

    /// Returns what should stand there.
    ///
    /// ```
    /// use gateway_model::{ListVacancies, Operation as _};
    ///
    /// assert_eq!(ListVacancies::decode(b"{}").unwrap_err().expected(), "an array");
    /// ```
    pub fn expected(&self) -> &'static str {
        self.0.expected
    }

    /// Returns how many records of a list were read before the error, rejected ones included.
    ///
    /// ```
    /// use gateway_model::{ListVacancies, Operation as _};
    ///
    /// let cut = br#"[{"id":"1"},{"id":"2"},{"i"#;
    /// assert_eq!(ListVacancies::decode(cut).unwrap_err().delivered(), 2);
    /// ```
    pub fn delivered(&self) -> u64 {
        self.0.delivered
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind().as_str())?;
        if !self.path().is_empty() {
            write!(f, " at {}", self.path())?;
        }
        if self.line() > 0 {
            write!(f, " (line {} column {})", self.line(), self.column())?;
        }
        if !self.expected().is_empty() {
            write!(f, ", expected {}", self.expected())?;
        }
        if self.kind() == ErrorKind::Incomplete {
            let records = if self.delivered() == 1 { "record" } else { "records" };
            write!(f, ", after {} complete {records}", self.delivered())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.kind())
            .field("path", &self.path())
            .field("line", &self.line())
            .field("column", &self.column())
            .field("expected", &self.expected())
            .field("delivered", &self.delivered())
            .finish()
    }
}

impl core::error::Error for Error {}

const _: () = assert!(size_of::<Error>() == size_of::<usize>(), "one pointer wide");
