//! Decoding of whole bodies.

#![expect(clippy::missing_errors_doc, reason = "generated code of the same version uses it")]

use alloc::string::String;
use alloc::vec::Vec;

use serde::de::IgnoredAny;

use crate::decode::cursor::Cursor;
use crate::decode::engine::{After, Engine, Part, Step, Window};
use crate::decode::layout::{Body, Decides};
use crate::decode::value::Value;
use crate::decode::{Metadata, Record, depth, diagnose, kind_of, members};
use crate::error::Position;
use crate::{DecodeError, DecodeErrorKind, ErrorClass, Listing};

/// Decodes a list into owned records.
pub fn list<T: Record, M: Metadata>(
    place: &'static Body,
    body: &[u8],
) -> Result<Listing<T, M>, DecodeError> {
    listing::<T, M, T>(place, body, T::from_ref)
}

/// Decodes a list into records that borrow from the body.
pub(crate) fn borrowed<'b, T: Record, M: Metadata>(
    place: &'static Body,
    body: &'b [u8],
) -> Result<Listing<T::Ref<'b>, M>, DecodeError> {
    listing::<T, M, T::Ref<'b>>(place, body, |record| record)
}

/// Decodes a list and converts every record.
#[inline]
fn listing<'b, T: Record, M: Metadata, O>(
    place: &'static Body,
    body: &'b [u8],
    convert: impl Fn(T::Ref<'b>) -> O,
) -> Result<Listing<O, M>, DecodeError> {
    let window = Window::whole(body);
    let mut engine = Engine::new(place, usize::MAX).metadata(M::OBJECT);
    let mut items = Vec::with_capacity(body.len() / USUAL_RECORD);
    let mut rejected = Vec::new();
    let mut at = 0;
    loop {
        let step =
            engine.next::<T, ()>(window, &mut at, |record, _| items.push(convert(record)))?;
        match step {
            Step::Record(()) => {}
            Step::Rejected(record) => rejected.push(record),
            // `More` does not occur: the body is whole, so the engine reports what is missing.
            Step::More | Step::End => {
                return Ok(Listing { items, rejected, metadata: engine.take_metadata()? });
            }
        }
    }
}

/// Typical minimum size of a record, in bytes, for estimating the capacity of a list.
const USUAL_RECORD: usize = 192;

/// Decodes a value that is not a list of records: the whole document, or a part of it.
pub fn value<V: Value>(place: &'static Body, body: &[u8]) -> Result<V::Owned, DecodeError> {
    let window = Window::whole(body);
    // The document is the value, unless it is an object that may report a failure.
    if !place.at.is_empty() || (place.verdict.is_some() && first(window.text) == Some('{')) {
        let mut engine = Engine::for_value(place, V::shape().expected());
        let (mut at, mut found) = (0, None);
        while let Some(Part { json, path, position }) = engine.one(window, &mut at)? {
            match read::<V>(json) {
                Some(value) => found = Some(value),
                None => engine.refuse_value(diagnose::diagnose(json, V::shape(), path, position)),
            }
        }
        if let Some(value) = found {
            return Ok(value);
        }
    }
    let (text, position) = document(window)?;
    let refused = || diagnose::diagnose(text, V::shape(), String::new(), position);
    read::<V>(text).ok_or_else(refused)
}

/// Reads a value from its JSON text; `None` if it does not have this type.
fn read<V: Value>(json: &str) -> Option<V::Owned> {
    let mut cursor = Cursor::new(json, 0);
    if let Some(value) = V::read(&mut cursor)
        && json.get(cursor.at()..).is_some_and(is_blank)
    {
        return Some(V::into_owned(value));
    }
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let value = V::deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(V::into_owned(value))
}

/// Decodes a response without data: an empty body, or JSON in which only the envelope matters.
pub fn nothing(place: &'static Body, body: &[u8]) -> Result<(), DecodeError> {
    let window = Window::whole(body);
    let decides = place.decides();
    let has_marker = matches!(decides, Some(Decides::Success { .. }));
    if has_marker || (decides.is_some() && first(window.text) == Some('{')) {
        return Engine::for_value(place, "an object").one(window, &mut 0).map(drop);
    }
    if window.after == After::Nothing && is_blank(window.text) {
        return Ok(());
    }
    json(body).map(drop)
}

/// Returns the first character of a document.
fn first(text: &str) -> Option<char> {
    text.trim_start_matches('\u{feff}').trim_start_matches(members::WHITESPACE).chars().next()
}

fn is_blank(text: &str) -> bool {
    text.trim_start_matches(members::WHITESPACE).is_empty()
}

/// Returns the class of the failure that a body reports, if it reports one.
///
/// A body is read only up to the field that reports success. A body that is invalid before it reports a failure has no
/// class.
pub fn error_class(place: &'static Body, body: &[u8]) -> Option<ErrorClass> {
    Engine::new(place, usize::MAX).error_class(Window::whole(body))
}

/// Returns the JSON text of any document, without surrounding whitespace.
pub(crate) fn json(body: &[u8]) -> Result<&str, DecodeError> {
    let (text, position) = document(Window::whole(body))?;
    let error =
        |kind, position, expected| DecodeError::new(kind, String::new(), position, expected);
    if let Err(refused) = serde_json::from_str::<IgnoredAny>(text) {
        let position = position.within(refused.line(), refused.column());
        return Err(error(kind_of(&refused), position, "valid JSON"));
    }
    let text = text.trim_matches(members::WHITESPACE);
    if depth::exceeded(text) {
        return Err(error(DecodeErrorKind::TooDeep, position, depth::EXPECTED));
    }
    Ok(text)
}

/// Checks the encoding and skips a byte order mark.
fn document(Window { text, after }: Window<'_>) -> Result<(&str, Position), DecodeError> {
    if after == After::Garbage {
        let position = Position::START.after(text);
        return Err(DecodeError::new(DecodeErrorKind::Encoding, String::new(), position, "UTF-8"));
    }
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => (rest, Position::START.after("\u{feff}")),
        None => (text, Position::START),
    })
}
