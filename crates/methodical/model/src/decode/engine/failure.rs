//! Errors in a document, with their positions.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use crate::decode::diagnose::begins_value;
use crate::decode::engine::{After, Engine, State, Walk, Window};
use crate::decode::kind_of;
use crate::error::Position;
use crate::{DecodeError, DecodeErrorKind};

impl Engine {
    /// Handles the end of a window: asks for more, or fails if the document has ended or is not UTF-8.
    pub(super) fn exhausted(&mut self, window: Window<'_>) -> Result<Walk, DecodeError> {
        let kind = match window.after {
            After::More => return Ok(Walk::More),
            After::Nothing => DecodeErrorKind::Incomplete,
            After::Garbage => DecodeErrorKind::Encoding,
        };
        let expected = match kind {
            DecodeErrorKind::Encoding => "UTF-8",
            _ => "the rest of the document",
        };
        let path = self.path();
        Err(self.error(window.text, window.text.len(), kind, path, expected))
    }

    /// Creates the error for the byte at `at`.
    pub(super) fn error(
        &mut self,
        text: &str,
        at: usize,
        kind: DecodeErrorKind,
        path: String,
        expected: impl Into<Cow<'static, str>>,
    ) -> DecodeError {
        let position = self.position(text, at);
        DecodeError::new(kind, path, position, expected)
    }

    pub(super) fn unexpected(
        &mut self,
        text: &str,
        at: usize,
        state: State,
        byte: u8,
    ) -> DecodeError {
        let expected = match state {
            State::Mark | State::Start if self.body.at.is_empty() => self.step(0).1,
            State::Mark | State::Start => "an object",
            State::Name { .. } => "a name",
            State::Colon => "a colon",
            State::AfterValue => "a comma or the end of the object",
            State::AfterRecord => "a comma or the end of the array",
            State::Value | State::Record { .. } | State::Only | State::Oversized { .. } => {
                "a value"
            }
            State::Trailing => "the end of the document",
        };
        let kind = match state {
            State::Start if begins_value(char::from(byte)) => DecodeErrorKind::WrongType,
            _ => DecodeErrorKind::Syntax,
        };
        self.error(text, at, kind, String::new(), expected)
    }

    pub(super) fn syntax(
        &mut self,
        window: Window<'_>,
        at: usize,
        json: &str,
        error: &serde_json::Error,
    ) -> DecodeError {
        // Only a number or a literal can be truncated and still be valid: all other values have a closing byte.
        let at_the_end = !json.starts_with(['"', '[', '{'])
            && window.after == After::Nothing
            && at + json.len() == window.text.len();
        let (kind, expected) = match kind_of(error) {
            DecodeErrorKind::Incomplete if at_the_end => {
                (DecodeErrorKind::Incomplete, "the rest of the document")
            }
            _ => (DecodeErrorKind::Syntax, "valid JSON"),
        };
        let position = self.position(window.text, at).within(error.line(), error.column());
        DecodeError::new(kind, self.path(), position, expected)
    }

    /// Returns the path of the record that is being decoded.
    pub(super) fn path(&self) -> String {
        match self.state {
            State::Record { .. } | State::Oversized { only: false } => {
                format!("{}[{}]", self.body.at.join("."), self.index)
            }
            State::Only | State::Oversized { only: true } => self.body.at.join("."),
            _ => String::new(),
        }
    }

    /// Returns the position of `at` in the document. Each byte is counted only once, because the result is remembered.
    pub(super) fn position(&mut self, text: &str, at: usize) -> Position {
        let (known, position) = self.known;
        let position = position.after(text.get(known..at).unwrap_or_default());
        self.known = (at, position);
        position
    }

    /// Ends the document with an error. A failure that the service has reported takes precedence.
    pub(super) fn fail(&mut self, error: DecodeError) -> DecodeError {
        let error = self.reported_failure().unwrap_or(error).with_delivered(self.index);
        self.failed = Some(error.clone());
        self.state = State::Trailing;
        error
    }
}
