//! Walks a document from record to record, across any number of pieces.

use alloc::format;
use alloc::string::String;
use core::fmt;

use serde::de::IgnoredAny;

use crate::decode::cursor::{Cursor, Fast as _};
use crate::decode::engine::member::Member;
use crate::decode::layout::{Layout, Plan};
use crate::decode::shape::{Object, Shape};
use crate::decode::splitter::Splitter;
use crate::decode::{Record, diagnose};
use crate::error::Position;
use crate::service_error::ServiceError;
use crate::{Error, ErrorKind, Rejected};

mod envelope;
mod failure;
mod member;
mod outside;
mod oversized;

pub(crate) use self::outside::Part;

/// The part of a document that has been received.
#[derive(Clone, Copy)]
pub(crate) struct Window<'w> {
    pub(crate) text: &'w str,
    pub(crate) after: After,
}

/// The continuation of the document after a window.
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
    /// In an object around the data, before a name, or before its end if `first`.
    Name {
        first: bool,
    },
    Colon,
    Value,
    AfterValue,
    /// In the list, before a record, or before its end if `first`.
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
    plan: Plan,
    limit: usize,
    state: State,
    /// The field of an object around the data.
    member: Member,
    /// Number of objects around the data that have been entered, without the outermost one.
    depth: usize,
    /// Number of steps to the data that have been found.
    found: usize,
    splitter: Splitter,
    /// The error of the record that is being skipped because it exceeds the limit.
    oversized: Option<Error>,
    /// The index of the next record in the list.
    index: u64,
    /// The field that decides has been read.
    is_decided: bool,
    /// The failure that it reports, to which the code and the message are added.
    failure: Option<Error>,
    reported: ServiceError,
    /// The fields beside the list that are kept, and their JSON text so far.
    beside: Option<(&'static Object, String)>,
    /// The error of the data itself. A failure reported by the service takes precedence.
    pending: Option<Error>,
    failed: Option<Error>,
    /// An offset in the window, and its position in the document.
    known: (usize, Position),
}

impl Engine {
    /// Creates an engine. `limit` is the maximum size of a record or any other value, in bytes.
    pub(crate) fn new(layout: Layout, limit: usize) -> Self {
        Self {
            plan: Plan::of(layout),
            limit,
            state: State::Mark,
            member: Member::default(),
            depth: 0,
            found: 0,
            splitter: Splitter::default(),
            oversized: None,
            index: 0,
            is_decided: false,
            failure: None,
            reported: ServiceError::default(),
            beside: None,
            pending: None,
            failed: None,
            known: (0, Position::START),
        }
    }

    /// Creates an engine for a single value, such as an object.
    pub(crate) fn of_one(layout: Layout, what: &'static str) -> Self {
        let mut engine = Self::new(layout, usize::MAX);
        engine.plan.is_object = true;
        engine.plan.what = what;
        engine
    }

    /// Keeps the fields beside the list.
    pub(crate) fn beside(mut self, object: Option<&'static Object>) -> Self {
        self.beside = object.map(|object| (object, String::from("{")));
        self
    }

    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Notes that the next window begins at `at` of this one.
    pub(crate) fn forget(&mut self, text: &str, at: usize) {
        self.known = (0, self.position(text, at));
    }

    /// Advances from `at` to the next record and passes it with its text to `take`, so that it is never moved.
    ///
    /// After an error, every call returns the same error.
    #[inline]
    pub(crate) fn next<'w, T: Record, O>(
        &mut self,
        window: Window<'w>,
        at: &mut usize,
        take: impl FnOnce(T::Ref<'w>, &'w str) -> O,
    ) -> Result<Step<O>, Error> {
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
    ) -> Result<Step<O>, Error> {
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
    ) -> Result<Step<O>, Error> {
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
                self.index += 1;
                self.state = match self.state {
                    State::Only => self.after_data(),
                    _ => State::AfterRecord,
                };
                Ok(step)
            }
            Ok(None) => Ok(Step::More),
            Err(error) if error.kind() == ErrorKind::TooLarge => {
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
    ) -> Result<Rejected, Error> {
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
    fn walk(&mut self, window: Window<'_>, at: &mut usize) -> Result<Walk, Error> {
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
        self.state = match (self.state, byte) {
            (State::Only, _) => return Ok(Walk::Only),
            (State::Name { first: true } | State::AfterValue, b'}') => {
                let state = if self.depth == 0 {
                    self.conclude(window.text, *at)?;
                    State::Trailing
                } else {
                    self.depth -= 1;
                    State::AfterValue
                };
                *at += 1;
                state
            }
            (State::Name { .. }, b'"') => match self.whole(window, *at)? {
                Some(name) => {
                    self.member = self.name(window, *at, name)?;
                    *at += name.len();
                    State::Colon
                }
                None => return Ok(Walk::More),
            },
            (State::Colon, b':') => {
                *at += 1;
                State::Value
            }
            (State::Value, _) => match self.whole(window, *at)? {
                Some(value) => {
                    self.value(window, *at, value)?;
                    *at += value.len();
                    State::AfterValue
                }
                None => return Ok(Walk::More),
            },
            (State::AfterValue, b',') => {
                *at += 1;
                State::Name { first: false }
            }
            (State::AfterRecord, b',') => {
                *at += 1;
                State::Record { first: false }
            }
            (State::Record { .. } | State::AfterRecord, b']') => {
                *at += 1;
                self.after_data()
            }
            (state, byte) => return Err(self.unexpected(window.text, *at, state, byte)),
        };
        Ok(Walk::On)
    }

    /// Returns the text of the value at `at`, once the window contains all of it.
    fn whole<'w>(&mut self, window: Window<'w>, at: usize) -> Result<Option<&'w str>, Error> {
        let rest = window.text.get(at..).unwrap_or_default();
        let end = self.splitter.end(rest.as_bytes(), window.after == After::Nothing);
        if end.unwrap_or(rest.len()) > self.limit {
            let position = self.position(window.text, at);
            let expected = format!("at most {} bytes", self.limit);
            return Err(Error::new(ErrorKind::TooLarge, self.path(), position, expected));
        }
        let Some(end) = end else {
            return self.exhausted(window).map(|_| None);
        };
        self.splitter = Splitter::default();
        Ok(rest.get(..end))
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
    /// At a record that is not in a list, or in one that exceeds the limit.
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
