//! How a check of a transport fails: errors and values as text, and the conversions behind `?`.
use std::error::Error as StdError;
use std::fmt;
use std::fmt::Write as _;

use bytes::Bytes;
use gateway_transport::{ErrorKind, Phase, Sent, TransportError};

use crate::certificates::CertificateError;
use crate::outcome::{Outcome, Stop, fail};

impl From<TransportError> for Stop {
    fn from(error: TransportError) -> Self {
        Self::Fail(format!("unexpected error: {}", describe(&error)))
    }
}

macro_rules! failures_of_the_kit {
    ($($error:ty),+ $(,)?) => {$(
        impl From<$error> for Stop {
            fn from(error: $error) -> Self {
                Self::Fail(format!("the kit itself failed: {error}"))
            }
        }
    )+};
}

failures_of_the_kit!(
    CertificateError,
    http::Error,
    http::header::InvalidHeaderValue,
    std::io::Error,
);

/// Returns the kind, the phase, `Sent`, and the texts of the error and all its sources.
pub(super) fn describe(error: &TransportError) -> String {
    let mut text = format!("{:?}/{:?}/{:?}: {error}", error.kind(), error.phase(), error.sent());
    let mut next = error.source();
    while let Some(source) = next {
        write!(text, ": {source}").unwrap_or_default();
        next = source.source();
    }
    text
}

/// Returns everything that an error prints, in each of its formats.
pub(super) fn describe_fully(error: &TransportError) -> String {
    format!("{} {error:?} {error:#?}", describe(error))
}

/// Fails unless `error` is of one of these kinds.
pub(super) fn expect_kind(error: &TransportError, kinds: &[ErrorKind]) -> Outcome {
    if kinds.contains(&error.kind()) {
        return Ok(());
    }
    fail(format!("expected an error of {kinds:?}, got {}", describe(error)))
}

/// Adds the input to the failure of a check that tries several inputs.
pub(super) fn for_input<T>(input: impl fmt::Display, outcome: Outcome<T>) -> Outcome<T> {
    outcome.map_err(|stop| match stop {
        Stop::Fail(text) => Stop::Fail(format!("{input}: {text}")),
        Stop::Skip(text) => Stop::Skip(text),
    })
}

/// Fails with both values unless they are equal.
macro_rules! ensure_eq {
    ($left:expr, $right:expr, $what:expr) => {{
        use $crate::conformance::failure::Show as _;

        let (left, right) = (&$left, &$right);
        if left != right {
            let text = format!("{}: {} instead of {}", $what, left.show(), right.show());
            return $crate::outcome::fail(text);
        }
    }};
}

pub(super) use ensure_eq;

/// A value that a check compares.
pub(super) trait Show {
    /// Returns the value as text.
    fn show(&self) -> String;
}

impl Show for [u8] {
    fn show(&self) -> String {
        format!("\"{}\"", self.escape_ascii())
    }
}

impl<T: Show> Show for [T] {
    fn show(&self) -> String {
        let values: Vec<_> = self.iter().map(Show::show).collect();
        format!("[{}]", values.join(", "))
    }
}

impl<T, const N: usize> Show for [T; N]
where
    [T]: Show,
{
    fn show(&self) -> String {
        self.as_slice().show()
    }
}

impl<T> Show for Vec<T>
where
    [T]: Show,
{
    fn show(&self) -> String {
        self.as_slice().show()
    }
}

impl Show for Bytes {
    fn show(&self) -> String {
        self.as_ref().show()
    }
}

impl<T: Show + ?Sized> Show for &T {
    fn show(&self) -> String {
        (**self).show()
    }
}

impl<T: Show> Show for Option<T> {
    fn show(&self) -> String {
        self.as_ref().map_or_else(|| "nothing".to_owned(), Show::show)
    }
}

impl<A: Show, B: Show> Show for (A, B) {
    fn show(&self) -> String {
        format!("({}, {})", self.0.show(), self.1.show())
    }
}

macro_rules! as_debug {
    ($($plain:ty),+ $(,)?) => {$(
        impl Show for $plain {
            fn show(&self) -> String {
                format!("{self:?}")
            }
        }
    )+};
}

as_debug!(Phase, Sent, String, bool, str, u16, usize);

#[cfg(test)]
mod tests {
    use super::Show;

    #[test]
    fn bytes_are_shown_as_text() {
        assert_eq!(b"a\xe9\r\n".show(), r#""a\xe9\r\n""#);
        assert_eq!(vec![b"a".to_vec(), b"\"".to_vec()].show(), r#"["a", "\""]"#);
        assert_eq!(Some(vec![&b"x"[..]]).show(), r#"["x"]"#);
        assert_eq!((200_u16, &b"{}"[..]).show(), r#"(200, "{}")"#);
        assert_eq!(None::<u16>.show(), "nothing");
    }
}
