//! The filters of the templates, and descriptions that several of them have. A filter turns a text of the spec into code that it cannot break.

#![expect(
    clippy::inline_always,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    unreachable_pub,
    reason = "the macro needs functions of this form"
)]

use std::fmt::{Debug, Display};

use askama::{Result, Values, filter_fn};

use crate::ir::{About, Operation, Service};
use crate::text;

/// Writes a description as a doc comment, at a depth of indentation.
#[filter_fn]
pub(super) fn doc(text: impl Display, _: &dyn Values, depth: usize) -> Result<String> {
    let indent = format!("\n{}", "    ".repeat(depth));
    Ok(text::comment("///", depth, &text.to_string()).replace('\n', &indent))
}

/// Writes a text as a string literal.
#[filter_fn]
pub(super) fn string(text: impl Display, _: &dyn Values) -> Result<String> {
    Ok(text::string(&text.to_string()))
}

/// Writes a JSON text as a string literal, raw if possible.
#[filter_fn]
pub(super) fn raw(text: impl Display, _: &dyn Values) -> Result<String> {
    Ok(text::raw_string(&text.to_string()))
}

/// Writes the name of a variant, which a type of the runtime has as well.
#[filter_fn]
pub(super) fn variant(value: impl Debug, _: &dyn Values) -> Result<String> {
    Ok(format!("{value:?}"))
}

/// Writes a text as a JSON string.
#[filter_fn]
pub(super) fn quoted(text: impl Display, _: &dyn Values) -> Result<String> {
    Ok(text::json_string(&text.to_string()))
}

/// Writes a description on one line as a JSON string.
#[filter_fn]
pub(super) fn line(text: impl Display, _: &dyn Values) -> Result<String> {
    Ok(text::json_string(&text::one_line(&text.to_string())))
}

/// Writes the surrogate pairs of a JSON text as characters. Many tools read OpenAPI as YAML, which refuses the pairs.
#[filter_fn]
pub(super) fn without_surrogates(json: impl Display, _: &dyn Values) -> Result<String> {
    Ok(text::without_surrogates(&json.to_string()))
}

/// Writes texts as string literals, with commas between them.
#[filter_fn]
pub(super) fn strings(
    texts: impl IntoIterator<Item = impl AsRef<str>>,
    _: &dyn Values,
) -> Result<String> {
    Ok(text::strings(texts))
}

/// Writes code as an example in a doc comment, as a new paragraph. `language` is empty for a documentation test, or has its
/// attributes.
#[filter_fn]
pub(super) fn example(code: impl Display, _: &dyn Values, language: &str) -> Result<String> {
    let code = text::fenced(language, &code.to_string());
    let lines = code.lines().map(|line| format!("\n/// {line}").trim_end().to_owned());
    Ok(format!("///{}", lines.collect::<String>()))
}

/// Writes a description as Markdown.
#[filter_fn]
pub(super) fn markdown(text: impl Display, _: &dyn Values) -> Result<String> {
    Ok(text::markdown(&text.to_string()))
}

/// Writes a description as Markdown on one line.
#[filter_fn]
pub(super) fn inline(text: impl Display, _: &dyn Values) -> Result<String> {
    Ok(text::inline(&text.to_string()))
}

/// Writes a text as code in a cell of a table.
#[filter_fn]
pub(super) fn code(text: impl Display, _: &dyn Values) -> Result<String> {
    Ok(text::code(&text.to_string()))
}

/// Writes a text as a block of code.
#[filter_fn]
pub(super) fn fenced(text: impl Display, _: &dyn Values, language: &str) -> Result<String> {
    Ok(text::fenced(language, &text.to_string()))
}

/// Returns a description with its sections of the contract.
pub(super) fn declaration(about: &About) -> String {
    let see = about.source.phrase().map(|sections| format!("\n\nSee {sections}."));
    about.doc.clone() + &see.unwrap_or_default()
}

/// Returns the description of an operation, with its sections of the contract and how it is selected.
pub(super) fn operation(service: &Service, operation: &Operation) -> String {
    let see = operation.about.source.phrase().map(|sections| format!("See {sections}. "));
    let call = match (operation.post, service.request_of(operation, &[])) {
        (Some(_), _) => service.target_of(operation),
        (None, (query, _)) if query.is_empty() => service.path_of(operation),
        (None, (query, _)) => query,
    };
    let note = operation.post_note().map(|note| format!("\n\n{note}")).unwrap_or_default();
    format!("{}\n\n{}Sent as `{call}`.{note}", operation.about.doc, see.unwrap_or_default())
}
