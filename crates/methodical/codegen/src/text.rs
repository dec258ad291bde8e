//! Writes text in a way that its content cannot break.
//!
//! Descriptions and wire names are taken from the spec and may hold anything. All code that writes
//! them to a file uses this module: [`string`] returns a Rust literal, [`markdown()`] Markdown, and
//! [`comment()`] a doc comment.

pub use self::comment::comment;
pub use self::encode::{
    is_hidden, json_string, one_line, percent_encoded, raw_string, string, strings,
};
pub use self::markdown::{code, fenced, inline, markdown};
pub use self::path::relative;

mod comment;
mod encode;
mod markdown;
mod path;
