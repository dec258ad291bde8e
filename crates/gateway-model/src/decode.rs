//! Reading: from bytes to records, whole or in pieces.
//!
//! One engine walks the document ([`engine`]); a whole body is a document of a single piece, so both
//! ways give the same records, rejections and errors. serde has the last word on every record.

pub(crate) mod cursor;
pub(crate) mod depth;
mod diagnose;
mod engine;
mod escape;
pub(crate) mod members;
mod record;
mod scan;
pub(crate) mod shape;
mod skip;
pub(crate) mod slot;
mod splitter;
mod stream;
pub(crate) mod text;
pub(crate) mod whole;

use alloc::string::String;

use serde::Deserialize;

pub(crate) use crate::decode::engine::{Envelope, Layout};
pub use crate::decode::record::Record;
pub(crate) use crate::decode::record::Sealed;
pub use crate::decode::stream::{Next, StreamDecoder};
use crate::error::Position;
use crate::{Error, ErrorKind};

/// Reads JSON text into a type that is not ours; only the place of an error is taken over, for its
/// message may quote the data.
pub(crate) fn foreign<'a, T: Deserialize<'a>>(json: &'a str, path: &str) -> Result<T, Error> {
    serde_json::from_str(json).map_err(|error| {
        let kind = kind_of(&error);
        Error::new(
            kind,
            String::from(path),
            Position::START.within(error.line(), error.column()),
            "what the caller asked for",
        )
    })
}

fn kind_of(error: &serde_json::Error) -> ErrorKind {
    match error.classify() {
        serde_json::error::Category::Data => ErrorKind::WrongType,
        serde_json::error::Category::Eof => ErrorKind::Incomplete,
        serde_json::error::Category::Io | serde_json::error::Category::Syntax => ErrorKind::Syntax,
    }
}
