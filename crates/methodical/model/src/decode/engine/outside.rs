//! Steps that need no list: to an object, or to the first record without decoding it.

use alloc::string::String;

use crate::decode::Record;
use crate::decode::cursor::{Cursor, Fast as _};
use crate::decode::engine::{Engine, State, Step, Walk, Window, token};
use crate::decode::layout::Plan;
use crate::error::Position;
use crate::service_error::ServiceError;
use crate::{Error, ErrorClass, ErrorKind};

/// A value in a document.
pub(crate) struct Part<'w> {
    pub(crate) json: &'w str,
    pub(crate) path: String,
    pub(crate) position: Position,
}

impl Engine {
    /// Advances to the object, or to the end of the document, and returns the object. `None` if the document is the
    /// object, or after a rejection that the next call returns.
    pub(crate) fn object<T: Record>(
        &mut self,
        window: Window<'_>,
        at: &mut usize,
    ) -> Result<Step<T>, Error> {
        loop {
            match self.walk(window, at) {
                Ok(Walk::On) => {}
                Ok(Walk::Only) => break,
                Ok(Walk::More) => return Ok(Step::More),
                Ok(Walk::End) => return Ok(Step::End),
                Err(error) => return Err(self.fail(error)),
            }
        }
        let mut cursor = Cursor::new(window.text, *at);
        if let Some(record) = T::Ref::read(&mut cursor) {
            *at = cursor.at();
            self.state = self.after_data();
            return Ok(Step::Record(T::from_ref(record)));
        }
        let start = *at;
        let step = self.checked::<T, _>(window, at, |record, _| T::from_ref(record))?;
        if let Step::Rejected(rejected) = &step {
            self.learn(window.text.get(start..*at).unwrap_or_default());
            self.pending = Some(rejected.error().clone());
        }
        Ok(step)
    }

    /// Advances to a value, or to the end of the document, and returns its text. The document itself is not such a value.
    pub(crate) fn one<'w>(
        &mut self,
        window: Window<'w>,
        at: &mut usize,
    ) -> Result<Option<Part<'w>>, Error> {
        loop {
            match self.walk(window, at) {
                Ok(Walk::On) => {}
                Ok(Walk::Only) => break,
                Ok(Walk::More | Walk::End) => return Ok(None),
                Err(error) => return Err(self.fail(error)),
            }
        }
        let json = match self.whole(window, *at) {
            Ok(json) => json.unwrap_or_default(),
            Err(error) => return Err(self.fail(error)),
        };
        let part = Part { json, path: self.path(), position: self.position(window.text, *at) };
        self.learn(json);
        *at += json.len();
        self.state = self.after_data();
        Ok(Some(part))
    }

    /// Notes the error of a value. A failure that the rest of the document reports takes precedence.
    pub(crate) fn refuse_value(&mut self, error: Error) {
        self.pending = Some(error);
    }

    /// Advances to the first record or to the end, without decoding a record. Returns whether it was reached.
    pub(crate) fn begin(&mut self, window: Window<'_>, at: &mut usize) -> Result<bool, Error> {
        loop {
            if let State::Record { first } = self.state
                && let Some(byte) = token(window.text, at)
                && !(first && byte == b']')
            {
                return Ok(true);
            }
            match self.walk(window, at) {
                Ok(Walk::On) => {}
                Ok(Walk::Only | Walk::End) => return Ok(true),
                Ok(Walk::More) => return Ok(false),
                Err(error) => return Err(self.fail(error)),
            }
        }
    }

    /// Returns whether some failures that a body reports have a class.
    pub(crate) fn has_error_classes(&self) -> bool {
        self.plan.verdict.is_some_and(|verdict| !verdict.classes.is_empty())
    }

    /// Returns the class of the failure that a whole body reports, if it does. Records are skipped.
    pub(crate) fn error_class(mut self, window: Window<'_>) -> Option<ErrorClass> {
        let mut at = 0;
        while !(self.is_decided && self.failure.is_none()) {
            let step = match self.begin(window, &mut at) {
                Ok(true) if self.state != State::Trailing => self.whole(window, at),
                Ok(_) => return None,
                Err(error) => Err(error),
            };
            match step {
                Ok(Some(json)) => at += json.len(),
                Ok(None) => return None,
                Err(error) => return self.fail(error).service().map(ServiceError::class),
            }
            self.state = match self.state {
                State::Only => self.after_data(),
                _ => State::AfterRecord,
            };
        }
        None
    }

    /// Returns the state in which the document is read, which depends on its first byte.
    pub(super) fn start(&mut self, byte: u8) -> Option<State> {
        let Plan { at, decides, is_object, one_as_list, .. } = self.plan;
        match byte {
            b'[' if at.is_empty() && !is_object => Some(State::Record { first: true }),
            b'{' if !at.is_empty() => Some(State::Name { first: true }),
            b'{' if decides.is_some() => {
                if !is_object {
                    // Only a failure is an object.
                    let expected = self.step(0).1;
                    let error =
                        Error::new(ErrorKind::WrongType, String::new(), self.known.1, expected);
                    self.pending = Some(error);
                }
                Some(State::Name { first: true })
            }
            b'{' if one_as_list => Some(State::Only),
            _ => None,
        }
    }

    /// Returns the state after the list or the object.
    pub(super) fn after_data(&self) -> State {
        if self.plan.at.is_empty() { State::Trailing } else { State::AfterValue }
    }
}
