//! Decoders: from bytes to records, from a whole body or in pieces.
//!
//! One engine walks the document ([`engine`]). A whole body is a document of a single piece, so both
//! ways return the same records, rejections and errors. serde decides about every record that the
//! fast path does not accept.

pub(crate) mod cursor;
pub(crate) mod depth;
mod diagnose;
mod engine;
pub(crate) mod layout;
pub(crate) mod lenient;
pub(crate) mod members;
mod record;
mod scan;
pub(crate) mod shape;
pub(crate) mod slot;
mod splitter;
pub(crate) mod stream;
pub(crate) mod text;
pub(crate) mod value;
pub(crate) mod whole;

use alloc::string::String;

use serde::Deserialize;

pub use crate::decode::record::{Beside, Record, Sealed};
pub use crate::decode::stream::{Next, StreamDecoder};
use crate::error::Position;
use crate::{DecodeError, DecodeErrorKind};

/// Deserializes JSON text into a type of the caller. Keeps only the position of a serde error, because
/// its message may quote the data.
pub(crate) fn foreign<'a, T: Deserialize<'a>>(json: &'a str, path: &str) -> Result<T, DecodeError> {
    serde_json::from_str(json).map_err(|error| {
        let kind = kind_of(&error);
        DecodeError::new(
            kind,
            String::from(path),
            Position::START.within(error.line(), error.column()),
            "a value of the requested type",
        )
    })
}

/// Splits `bytes` into the longest valid UTF-8 prefix and the rest.
pub(crate) fn checked(bytes: &[u8]) -> (&str, &[u8]) {
    #[cfg(feature = "simd")]
    let valid_up_to = simdutf8::compat::from_utf8(bytes).map_err(|error| error.valid_up_to());
    #[cfg(not(feature = "simd"))]
    let valid_up_to = core::str::from_utf8(bytes).map_err(|error| error.valid_up_to());
    match valid_up_to {
        Ok(text) => (text, &[]),
        Err(valid_up_to) => {
            let (valid, invalid) = bytes.split_at(valid_up_to);
            // The first part was just validated.
            (core::str::from_utf8(valid).unwrap_or_default(), invalid)
        }
    }
}

fn kind_of(error: &serde_json::Error) -> DecodeErrorKind {
    match error.classify() {
        serde_json::error::Category::Data => DecodeErrorKind::WrongType,
        serde_json::error::Category::Eof => DecodeErrorKind::Incomplete,
        serde_json::error::Category::Io | serde_json::error::Category::Syntax => {
            DecodeErrorKind::Syntax
        }
    }
}
