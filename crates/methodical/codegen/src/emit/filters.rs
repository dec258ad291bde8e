//! The filters of the templates, and descriptions that several templates share. A filter turns text from the spec into
//! code that the text cannot break.

#![expect(
    clippy::inline_always,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    unreachable_pub,
    reason = "the macro needs functions of this form"
)]

use std::fmt::Display;

use askama::{Result, Values, filter_fn};

use crate::config::{Document, Workspace};
use crate::ir::{About, Operation, phrase};
use crate::text;

/// Defines filters that format text with a function.
macro_rules! filters {
    ($($(#[$doc:meta])+ $name:ident = $write:path;)+) => {$(
        $(#[$doc])+
        #[filter_fn]
        pub(super) fn $name(text: impl Display, _: &dyn Values) -> Result<String> {
            Ok($write(&text.to_string()))
        }
    )+};
}

filters! {
    /// Writes text as a string literal.
    string = text::string;
    /// Writes a JSON text as a string literal, raw if possible.
    raw = text::raw_string;
    /// Writes text as a JSON string.
    quoted = text::json_string;
    /// Writes a description on one line as a JSON string.
    line = one_line;
    /// Writes a description as Markdown.
    markdown = text::markdown;
    /// Writes a description as Markdown on one line.
    inline = text::inline;
    /// Writes text as code in a table cell.
    code = text::code;
}

fn one_line(text: &str) -> String {
    text::json_string(&text::one_line(text))
}

/// Writes a description as a doc comment. `depth` is its indentation, in levels of four spaces.
#[filter_fn]
pub(super) fn doc(text: impl Display, _: &dyn Values, depth: usize) -> Result<String> {
    let indent = format!("\n{}", "    ".repeat(depth));
    Ok(text::comment("///", depth, &text.to_string()).replace('\n', &indent))
}

/// Writes strings as literals, separated by commas.
#[filter_fn]
pub(super) fn strings(
    texts: impl IntoIterator<Item = impl AsRef<str>>,
    _: &dyn Values,
) -> Result<String> {
    Ok(text::strings(texts))
}

/// Returns a sentence that names sections of the contract and the document's path; empty without sections.
pub(super) fn see(workspace: &Workspace, source: &str) -> String {
    let Some(sections) = phrase(source) else { return String::new() };
    let path = workspace.config.documents.get(&Document::Contract).map(|one| format!(" (`{one}`)"));
    format!("See {sections}{}.", path.unwrap_or_default())
}

/// Returns a description, followed by a reference to its sections of the contract.
pub(super) fn declaration(workspace: &Workspace, about: &About) -> String {
    format!("{}\n\n{}", about.doc, see(workspace, &about.source))
}

/// Returns the description of an operation, its sections of the contract, and the request that calls it.
pub(super) fn operation(workspace: &Workspace, operation: &Operation) -> String {
    let (service, see) = (&workspace.service, see(workspace, &operation.about.source));
    let call = match (operation.post, service.request_of(operation, &[])) {
        (Some(_), _) => service.call_of(operation),
        (None, (query, _)) if query.is_empty() => service.path_of(operation),
        (None, (query, _)) => query,
    };
    let note = operation.post_note().map(|note| format!("\n\n{note}")).unwrap_or_default();
    format!("{}\n\n{see} Sent as `{call}`.{note}", operation.about.doc)
}
