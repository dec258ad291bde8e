//! Descriptions that several templates have, as paragraphs.

use crate::ir::{Doc, Operation, Service, Source};

/// Returns a description with its sections of the contract.
pub(super) fn declaration(doc: &Doc, source: &Source) -> String {
    let see = source.phrase().map(|sections| format!("\n\nSee {sections}."));
    doc.0.clone() + &see.unwrap_or_default()
}

/// Returns the description of an operation, with its sections of the contract and how it is selected.
pub(super) fn operation(service: &Service, operation: &Operation) -> String {
    let see = operation.source.phrase().map(|sections| format!("See {sections}. "));
    let call = match (operation.post, service.request_of(operation, &[])) {
        (Some(_), _) => service.target_of(operation),
        (None, (query, _)) if query.is_empty() => service.path_of(operation),
        (None, (query, _)) => query,
    };
    let note = operation.post_note().map(|note| format!("\n\n{note}")).unwrap_or_default();
    format!("{}\n\n{}Sent as `{call}`.{note}", operation.doc.0, see.unwrap_or_default())
}

/// Returns a description with the reason why something is deprecated, if it is.
pub(super) fn deprecated(doc: &str, why: Option<&String>) -> String {
    let why = why.map(|why| format!("\n\nDeprecated: {why}."));
    doc.to_owned() + &why.unwrap_or_default()
}
