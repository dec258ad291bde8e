//! Decoding of whole bodies.

use alloc::string::String;
use alloc::vec::Vec;

use serde::de::IgnoredAny;

use crate::decode::beside::Beside;
use crate::decode::cursor::{Cursor, Fast as _};
use crate::decode::engine::{After, Engine, Part, Step, Window};
use crate::decode::layout::{Body, Decides, Layout};
use crate::decode::shape::Shape;
use crate::decode::stream::checked;
use crate::decode::value::Value;
use crate::decode::{Record, depth, diagnose, kind_of};
use crate::error::Position;
use crate::{Error, ErrorClass, ErrorKind, Listing, Rejected};

/// Decodes a list into owned records.
///
/// # Errors
///
/// The same as [`Operation::decode`](crate::Operation::decode).
pub fn list<T: Record, B: Beside>(layout: Layout, body: &[u8]) -> Result<Listing<T, B>, Error> {
    let mut items = Vec::with_capacity(body.len() / USUAL_RECORD);
    let (rejected, beside) = each::<T, B>(layout, body, |record| items.push(T::from_ref(record)))?;
    Ok(Listing { items, rejected, beside })
}

/// Decodes a list into records that borrow from the body.
///
/// # Errors
///
/// The same as [`Operation::decode`](crate::Operation::decode).
pub fn borrowed<T: Record>(layout: Layout, body: &[u8]) -> Result<Listing<T::Ref<'_>>, Error> {
    borrowed_beside::<T, ()>(layout, body)
}

/// Decodes a list into records that borrow from the body, and the fields beside the list.
///
/// # Errors
///
/// The same as [`Operation::decode`](crate::Operation::decode).
pub fn borrowed_beside<T: Record, B: Beside>(
    layout: Layout,
    body: &[u8],
) -> Result<Listing<T::Ref<'_>, B>, Error> {
    let mut items = Vec::with_capacity(body.len() / USUAL_RECORD);
    let (rejected, beside) = each::<T, B>(layout, body, |record| items.push(record))?;
    Ok(Listing { items, rejected, beside })
}

/// Typical minimum size of a record, in bytes, from which the capacity of a list is estimated.
const USUAL_RECORD: usize = 192;

/// Passes every record to `take`, and returns the rejected ones and the fields beside the list.
#[inline]
fn each<'b, T: Record, B: Beside>(
    layout: Layout,
    body: &'b [u8],
    mut take: impl FnMut(T::Ref<'b>),
) -> Result<(Vec<Rejected>, B), Error> {
    let (text, invalid) = checked(body);
    let after = if invalid.is_empty() { After::Nothing } else { After::Garbage };
    let window = Window { text, after };
    let mut engine = Engine::new(layout, usize::MAX).beside(B::OBJECT);
    let mut rejected = Vec::new();
    let mut at = 0;
    loop {
        match engine.next::<T, ()>(window, &mut at, |record, _| take(record))? {
            Step::Record(()) => {}
            Step::Rejected(record) => rejected.push(record),
            // `More` does not occur: the body is whole, so the engine reports what is missing.
            Step::More | Step::End => return Ok((rejected, engine.take_beside()?)),
        }
    }
}

/// Decodes a document that is one object.
///
/// # Errors
///
/// The same as [`Operation::decode`](crate::Operation::decode).
pub fn object<T: Record>(body: &[u8]) -> Result<T, Error> {
    let (text, position) = document(body)?;
    let mut cursor = Cursor::new(text, 0);
    if let Some(record) = T::Ref::read(&mut cursor)
        && text.get(cursor.at()..).is_some_and(|rest| rest.bytes().all(is_whitespace))
    {
        return Ok(T::from_ref(record));
    }
    match serde_json::from_str(text) {
        Ok(record) => Ok(T::from_ref(record)),
        Err(_) => Err(diagnose::diagnose(text, Shape::Object(T::OBJECT), String::new(), position)),
    }
}

/// Decodes an object that is below the document itself, or whose body reports failures.
///
/// # Errors
///
/// The same as [`Operation::decode`](crate::Operation::decode).
pub fn object_in<T: Record>(place: &'static Body, body: &[u8]) -> Result<T, Error> {
    let (text, invalid) = checked(body);
    let after = if invalid.is_empty() { After::Nothing } else { After::Garbage };
    let window = Window { text, after };
    let mut engine = Engine::of_one(Layout::Body(place), "an object");
    let (mut at, mut found) = (0, None);
    loop {
        match engine.object::<T>(window, &mut at)? {
            Step::Record(record) => found = Some(record),
            Step::Rejected(_) => {}
            Step::More | Step::End => break,
        }
    }
    match found {
        Some(record) => Ok(record),
        // The document is the object.
        None => object(body),
    }
}

/// Decodes a value that is not a record, such as a text or a map.
///
/// # Errors
///
/// The same as [`Operation::decode`](crate::Operation::decode).
pub fn value<V: Value>(place: &'static Body, body: &[u8]) -> Result<V::Owned, Error> {
    let (text, invalid) = checked(body);
    let is_document = place.at.is_empty();
    // Only a failure is an object that is not the value.
    if !is_document || (place.verdict.is_some() && first(text) == Some('{')) {
        let after = if invalid.is_empty() { After::Nothing } else { After::Garbage };
        let window = Window { text, after };
        let mut engine = Engine::of_one(Layout::Body(place), V::shape().expected());
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
    let (text, position) = document(body)?;
    let refused = || diagnose::diagnose(text, V::shape(), String::new(), position);
    read::<V>(text).ok_or_else(refused)
}

/// Decodes a response without data: an empty body, or JSON of which only the envelope matters.
///
/// # Errors
///
/// The same as [`Operation::decode`](crate::Operation::decode).
pub fn nothing(place: &'static Body, body: &[u8]) -> Result<(), Error> {
    let (text, _) = checked(body);
    let has_marker =
        place.verdict.is_some_and(|verdict| matches!(verdict.decides, Decides::Success { .. }));
    if has_marker || (place.verdict.is_some() && first(text) == Some('{')) {
        let (text, _) = document(body)?;
        let window = Window { text, after: After::Nothing };
        let mut engine = Engine::of_one(Layout::Body(place), "an object");
        return engine.one(window, &mut 0).map(drop);
    }
    if body.iter().copied().all(is_whitespace) { Ok(()) } else { json(body).map(drop) }
}

/// Reads a value from its JSON text; `None` if it is not one of the type.
fn read<V: Value>(json: &str) -> Option<V::Owned> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let value = V::deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(V::into_owned(value))
}

/// Returns the first character of a document.
fn first(text: &str) -> Option<char> {
    text.trim_start_matches('\u{feff}').trim_start_matches([' ', '\t', '\n', '\r']).chars().next()
}

/// Returns the class of the failure that a body reports, if it does.
///
/// It reads the body only up to the field that decides. A body that is not valid reports no failure.
pub fn error_class(layout: Layout, body: &[u8]) -> Option<ErrorClass> {
    let (text, invalid) = checked(body);
    let after = if invalid.is_empty() { After::Nothing } else { After::Garbage };
    Engine::new(layout, usize::MAX).error_class(Window { text, after })
}

/// Returns the JSON text of any document, without surrounding whitespace.
pub(crate) fn json(body: &[u8]) -> Result<&str, Error> {
    let (text, position) = document(body)?;
    let error = |kind, position, expected| Error::new(kind, String::new(), position, expected);
    if let Err(refused) = serde_json::from_str::<IgnoredAny>(text) {
        let position = position.within(refused.line(), refused.column());
        return Err(error(kind_of(&refused), position, "valid JSON"));
    }
    let text = text.trim_matches([' ', '\t', '\n', '\r']);
    if depth::exceeded(text) {
        return Err(error(ErrorKind::TooDeep, position, depth::EXPECTED));
    }
    Ok(text)
}

fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Checks the encoding and skips a byte order mark.
fn document(body: &[u8]) -> Result<(&str, Position), Error> {
    let (text, invalid) = checked(body);
    if !invalid.is_empty() {
        let position = Position::START.after(text);
        return Err(Error::new(ErrorKind::Encoding, String::new(), position, "UTF-8"));
    }
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => (rest, Position::START.after("\u{feff}")),
        None => (text, Position::START),
    })
}
