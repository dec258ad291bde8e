//! Walks a document from record to record, across any number of pieces.

use alloc::format;
use alloc::string::String;
use core::fmt;

use serde::de::IgnoredAny;

use crate::decode::cursor::{Cursor, Fast as _};
use crate::decode::engine::envelope::Purposes;
use crate::decode::layout::Body;
use crate::decode::members::Splitter;
use crate::decode::shape::{Object, Shape};
use crate::decode::{Record, checked, diagnose};
use crate::error::{Position, ServiceError};
use crate::{DecodeError, DecodeErrorKind, ErrorClass, Rejected};

mod envelope;
mod failure;

/// The part of a document that has been received.
#[derive(Clone, Copy)]
pub(crate) struct Window<'w> {
    pub(crate) text: &'w str,
    pub(crate) after: After,
}

impl<'w> Window<'w> {
    /// Returns the window of a whole document.
    pub(crate) fn whole(body: &'w [u8]) -> Self {
        let (text, invalid) = checked(body);
        Self { text, after: if invalid.is_empty() { After::Nothing } else { After::Garbage } }
    }
}

/// A value in a document.
pub(crate) struct Part<'w> {
    pub(crate) json: &'w str,
    pub(crate) path: String,
    pub(crate) position: Position,
}

/// The part of the document after a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// More may follow.
    More,
    /// The document ends.
    Nothing,
    /// Bytes that are not UTF-8.
    Garbage,
}

/// The result of one step.
pub(crate) enum Step<R> {
    Record(R),
    Rejected(Rejected),
    More,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// At the start of the document, before an optional byte order mark.
    Mark,
    Start,
    /// In an object around the data, before a name or, if `first`, before its end.
    Name {
        first: bool,
    },
    Colon,
    Value,
    AfterValue,
    /// In the list, before a record or, if `first`, before its end.
    Record {
        first: bool,
    },
    AfterRecord,
    /// Before a record that is not in a list.
    Only,
    /// In a record that exceeds the limit.
    Oversized {
        only: bool,
    },
    /// After the document, where only whitespace may follow.
    Trailing,
}

/// The state of the walk through a document, kept between two windows.
pub(crate) struct Engine {
    body: &'static Body,
    /// Whether the data is a single value instead of a list.
    is_object: bool,
    /// What the data is, with an article, for error messages.
    what: &'static str,
    limit: usize,
    state: State,
    /// The purposes of the current field in an object around the data.
    member: Purposes,
    /// Number of objects around the data that have been entered, not counting the outermost.
    depth: usize,
    /// Number of fields found so far on the path to the data.
    found: usize,
    splitter: Splitter,
    /// The error of the record that is being skipped because it exceeds the limit.
    oversized: Option<DecodeError>,
    /// The index of the next record in the list.
    index: u64,
    /// Whether the field that decides about success has been read.
    is_decided: bool,
    /// The failure that this field reports. The code and the message are added to the failure later.
    failure: Option<DecodeError>,
    reported: ServiceError,
    /// The JSON text of the list's metadata, as far as it has been read.
    metadata: Option<(&'static Object, String)>,
    /// The error in the data itself. A failure that the service reports takes precedence.
    pending: Option<DecodeError>,
    failed: Option<DecodeError>,
    /// An offset in the window, and its position in the document.
    known: (usize, Position),
}

impl Engine {
    /// Creates an engine. `limit` is the maximum size of a record or any other value, in bytes.
    pub(crate) fn new(body: &'static Body, limit: usize) -> Self {
        Self {
            body,
            is_object: false,
            what: "an array",
            limit,
            state: State::Mark,
            member: Purposes::default(),
            depth: 0,
            found: 0,
            splitter: Splitter::default(),
            oversized: None,
            index: 0,
            is_decided: false,
            failure: None,
            reported: ServiceError::default(),
            metadata: None,
            pending: None,
            failed: None,
            known: (0, Position::START),
        }
    }

    /// Creates an engine for a single value, such as an object.
    pub(crate) fn for_value(body: &'static Body, what: &'static str) -> Self {
        Self { is_object: true, what, ..Self::new(body, usize::MAX) }
    }

    /// Sets the shape of the list's metadata, which the engine then keeps.
    pub(crate) fn metadata(mut self, object: Option<&'static Object>) -> Self {
        self.metadata = object.map(|object| (object, String::from("{")));
        self
    }

    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Records that the next window begins at `at` in this one.
    pub(crate) fn forget(&mut self, text: &str, at: usize) {
        self.known = (0, self.position(text, at));
    }

    /// Advances from `at` to the next record and passes it to `take` with its JSON text. The record is decoded in place
    /// and never moved.
    ///
    /// After an error, every call returns the same error.
    #[inline]
    pub(crate) fn next<'w, T: Record, O>(
        &mut self,
        window: Window<'w>,
        at: &mut usize,
        take: impl FnOnce(T::Ref<'w>, &'w str) -> O,
    ) -> Result<Step<O>, DecodeError> {
        loop {
            if self.state == State::AfterRecord && window.text.as_bytes().get(*at) == Some(&b',') {
                *at += 1;
                self.state = State::Record { first: false };
            }
            if let State::Record { first } = self.state
                && let Some(byte) = token(window.text, at)
                && !(first && byte == b']')
            {
                return self.record::<T, O>(window, at, take);
            }
            match self.walk(window, at) {
                Ok(Walk::On) => {}
                Ok(Walk::Only) => return self.checked::<T, O>(window, at, take),
                Ok(Walk::More) => return Ok(Step::More),
                Ok(Walk::End) => return Ok(Step::End),
                Err(error) => return Err(self.fail(error)),
            }
        }
    }

    #[inline]
    fn record<'w, T: Record, O>(
        &mut self,
        window: Window<'w>,
        at: &mut usize,
        take: impl FnOnce(T::Ref<'w>, &'w str) -> O,
    ) -> Result<Step<O>, DecodeError> {
        if !self.splitter.is_running() {
            let mut cursor = Cursor::new(window.text, *at);
            if let Some(record) = T::Ref::read(&mut cursor)
                && cursor.at() - *at <= self.limit
            {
                let json = window.text.get(*at..cursor.at()).unwrap_or_default();
                *at = cursor.at();
                self.index += 1;
                self.state = State::AfterRecord;
                return Ok(Step::Record(take(record, json)));
            }
        }
        self.checked::<T, O>(window, at, take)
    }

    /// Decodes a record with serde, once the window contains all of it. Skips a record that exceeds the limit.
    #[inline(never)]
    fn checked<'w, T: Record, O>(
        &mut self,
        window: Window<'w>,
        at: &mut usize,
        take: impl FnOnce(T::Ref<'w>, &'w str) -> O,
    ) -> Result<Step<O>, DecodeError> {
        if let Some(error) = self.oversized.take() {
            return self.skip_oversized(window, at, error);
        }
        match self.whole(window, *at) {
            Ok(Some(json)) => {
                let step = match serde_json::from_str(json) {
                    Ok(record) => Step::Record(take(record, json)),
                    Err(_) => Step::Rejected(self.refuse::<T>(window, *at, json)?),
                };
                *at += json.len();
                self.end_record();
                Ok(step)
            }
            Ok(None) => Ok(Step::More),
            Err(error) if error.kind() == DecodeErrorKind::TooLarge => {
                self.state = State::Oversized { only: self.state == State::Only };
                self.splitter = Splitter::default();
                self.skip_oversized(window, at, error)
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    /// Rejects a record that is valid JSON. Invalid JSON fails the whole document.
    #[cold]
    fn refuse<T: Record>(
        &mut self,
        window: Window<'_>,
        at: usize,
        json: &str,
    ) -> Result<Rejected, DecodeError> {
        if let Err(error) = serde_json::from_str::<IgnoredAny>(json) {
            let error = self.syntax(window, at, json, &error);
            return Err(self.fail(error));
        }
        let position = self.position(window.text, at);
        let error = diagnose::diagnose(json, Shape::Object(T::OBJECT), self.path(), position);
        Ok(Rejected::new(self.index, error.with_delivered(self.index), json))
    }

    /// Advances one step outside the records.
    #[cold]
    fn walk(&mut self, window: Window<'_>, at: &mut usize) -> Result<Walk, DecodeError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        if self.state == State::Mark {
            if window.text.is_empty() {
                return self.exhausted(window);
            }
            if window.text.starts_with(BYTE_ORDER_MARK) {
                *at += BYTE_ORDER_MARK.len_utf8();
            }
            self.state = State::Start;
        }
        if let State::Oversized { .. } = self.state {
            return Ok(Walk::Only);
        }
        let Some(byte) = token(window.text, at) else {
            return if self.state == State::Trailing && window.after == After::Nothing {
                Ok(Walk::End)
            } else {
                self.exhausted(window)
            };
        };
        let opened = match self.state {
            State::Start => self.start(byte),
            State::Value => self.part(byte),
            _ => None,
        };
        if let Some(state) = opened {
            if state != State::Only {
                *at += 1;
            }
            self.state = state;
            return Ok(Walk::On);
        }
        let next = match (self.state, byte) {
            (State::Only, _) => return Ok(Walk::Only),
            (State::Name { first: true } | State::AfterValue, b'}') if self.depth == 0 => {
                self.conclude(window.text, *at)?;
                State::Trailing
            }
            (State::Name { first: true } | State::AfterValue, b'}') => {
                self.depth -= 1;
                State::AfterValue
            }
            (State::Name { .. }, b'"') => {
                let Some(name) = self.whole(window, *at)? else { return Ok(Walk::More) };
                self.member = self.name(window, *at, name)?;
                *at += name.len();
                self.state = State::Colon;
                return Ok(Walk::On);
            }
            (State::Value, _) => {
                let Some(value) = self.whole(window, *at)? else { return Ok(Walk::More) };
                self.value(window, *at, value)?;
                *at += value.len();
                self.state = State::AfterValue;
                return Ok(Walk::On);
            }
            (State::Colon, b':') => State::Value,
            (State::AfterValue, b',') => State::Name { first: false },
            (State::AfterRecord, b',') => State::Record { first: false },
            (State::Record { .. } | State::AfterRecord, b']') => self.after_data(),
            (state, byte) => return Err(self.unexpected(window.text, *at, state, byte)),
        };
        *at += 1;
        self.state = next;
        Ok(Walk::On)
    }

    /// Returns the text of the value at `at`, once the window contains all of it.
    fn whole<'w>(&mut self, window: Window<'w>, at: usize) -> Result<Option<&'w str>, DecodeError> {
        let rest = window.text.get(at..).unwrap_or_default();
        let end = self.splitter.end(rest.as_bytes(), window.after == After::Nothing);
        if end.unwrap_or(rest.len()) > self.limit {
            let (path, expected) = (self.path(), format!("at most {} bytes", self.limit));
            return Err(self.error(window.text, at, DecodeErrorKind::TooLarge, path, expected));
        }
        let Some(end) = end else {
            return self.exhausted(window).map(|_| None);
        };
        self.splitter = Splitter::default();
        Ok(rest.get(..end))
    }

    /// Advances to the end of the record and rejects it with this error, or advances to the end of the window.
    #[cold]
    fn skip_oversized<R>(
        &mut self,
        window: Window<'_>,
        at: &mut usize,
        error: DecodeError,
    ) -> Result<Step<R>, DecodeError> {
        let rest = window.text.get(*at..).unwrap_or_default();
        let Some(end) = self.splitter.end(rest.as_bytes(), window.after == After::Nothing) else {
            self.splitter.forget();
            *at = window.text.len();
            self.oversized = Some(error);
            return self.exhausted(window).map(|_| Step::More).map_err(|error| self.fail(error));
        };
        *at += end;
        self.splitter = Splitter::default();
        let index = self.index;
        self.end_record();
        Ok(Step::Rejected(Rejected::new(index, error.with_delivered(index), "")))
    }

    /// Advances to the data and returns it with its path and position. Returns `None` at the end of the document.
    pub(crate) fn one<'w>(
        &mut self,
        window: Window<'w>,
        at: &mut usize,
    ) -> Result<Option<Part<'w>>, DecodeError> {
        if !self.begin(window, at)? || self.state == State::Trailing {
            return Ok(None);
        }
        let json = self.whole(window, *at).map_err(|error| self.fail(error))?.unwrap_or_default();
        let part = Part { json, path: self.path(), position: self.position(window.text, *at) };
        self.learn(json);
        *at += json.len();
        self.state = self.after_data();
        Ok(Some(part))
    }

    /// Records the error of a value. A failure reported in the rest of the document takes precedence.
    pub(crate) fn refuse_value(&mut self, error: DecodeError) {
        self.pending = Some(error);
    }

    /// Advances to the next record or to the end, without decoding a record. Returns false if the window ends first.
    pub(crate) fn begin(
        &mut self,
        window: Window<'_>,
        at: &mut usize,
    ) -> Result<bool, DecodeError> {
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

    /// Returns whether the contract assigns classes to failures in the body.
    pub(crate) fn has_error_classes(&self) -> bool {
        self.body.verdict.is_some_and(|verdict| !verdict.classes.is_empty())
    }

    /// Returns the class of the failure that a whole body reports, if it reports one. Records are skipped.
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
            self.end_record();
        }
        None
    }

    /// Returns the state that the document's first byte selects, or `None` if a document cannot begin with this byte.
    fn start(&mut self, byte: u8) -> Option<State> {
        let Body { at, verdict, one_as_list, .. } = *self.body;
        let is_object = self.is_object;
        match byte {
            b'[' if at.is_empty() && !is_object => Some(State::Record { first: true }),
            b'{' if !at.is_empty() => Some(State::Name { first: true }),
            b'{' if verdict.is_some() => {
                if !is_object {
                    // The data is a list, so an object can only report a failure.
                    let (kind, (_, expected)) = (DecodeErrorKind::WrongType, self.step(0));
                    self.pending =
                        Some(DecodeError::new(kind, String::new(), self.known.1, expected));
                }
                Some(State::Name { first: true })
            }
            b'{' if one_as_list => Some(State::Only),
            _ => None,
        }
    }

    /// Ends a record and counts it.
    fn end_record(&mut self) {
        self.index += 1;
        self.state = match self.state {
            State::Only | State::Oversized { only: true } => self.after_data(),
            _ => State::AfterRecord,
        };
    }

    /// Returns the state after the list or the object.
    fn after_data(&self) -> State {
        if self.body.at.is_empty() { State::Trailing } else { State::AfterValue }
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The other fields may contain data.
        f.debug_struct("Engine")
            .field("state", &self.state)
            .field("index", &self.index)
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}

/// The result of a step outside the records.
enum Walk {
    On,
    /// At a record that is not in a list, or within a record that exceeds the limit.
    Only,
    More,
    End,
}

/// Skips whitespace and returns the byte after it.
#[inline]
fn token(text: &str, at: &mut usize) -> Option<u8> {
    let bytes = text.as_bytes();
    loop {
        match bytes.get(*at)? {
            b' ' | b'\n' | b'\r' | b'\t' => *at += 1,
            byte => return Some(*byte),
        }
    }
}

const BYTE_ORDER_MARK: char = '\u{feff}';
