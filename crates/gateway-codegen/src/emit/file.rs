//! A generated file, as an emitter returns it.

use serde_json::Value;

use crate::text::RustFile;

/// A generated file, not yet formatted or marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    /// The path from the workspace root, with `/`: `crates/gateway-model/src/generated/enums.rs`.
    pub path: String,
    /// The content, without the mark. Rust need not be formatted, and begins with a `//!` comment
    /// that states the purpose of the file. JSON holds the text [`MARK`] as a value near its top.
    pub text: String,
}

/// Placeholder for the mark in generated JSON, which has no comments.
pub const MARK: &str = "@generated";

impl GeneratedFile {
    /// Creates a Rust source file.
    pub(in crate::emit) fn rust(path: impl Into<String>, file: RustFile) -> Self {
        Self { path: path.into(), text: file.finish() }
    }

    /// Creates a JSON file.
    pub(in crate::emit) fn json(path: impl Into<String>, value: &Value) -> Self {
        Self { path: path.into(), text: format!("{value:#}\n") }
    }
}
