//! Parts of doc comments that several emitters write.

use crate::ir::{Doc, Operation, Service, Source};
use crate::text::RustFile;

/// Describes a declaration, and names its sections of the contract.
pub(super) fn declaration(file: &mut RustFile, doc: &Doc, source: &Source) {
    file.doc(&doc.0);
    if let Some(sections) = source.phrase() {
        file.doc_break();
        file.doc(&format!("See {sections}."));
    }
}

/// Describes an operation, names its sections of the contract, and shows how it is selected.
pub(super) fn operation(file: &mut RustFile, service: &Service, operation: &Operation) {
    file.doc(&operation.doc.0);
    file.doc_break();
    let sections = operation.source.phrase().map(|sections| format!("See {sections}. "));
    let call = match (operation.post, service.request_of(operation, &[])) {
        (Some(_), _) => service.target_of(operation),
        (None, (query, _)) if query.is_empty() => service.path_of(operation),
        (None, (query, _)) => query,
    };
    file.doc(&format!("{}Sent as `{call}`.", sections.unwrap_or_default()));
    if let Some(note) = operation.post_note() {
        file.doc_break();
        file.doc(&note);
    }
}

/// Adds a paragraph that says why something is deprecated, if it is.
pub(super) fn deprecation(file: &mut RustFile, why: Option<&String>) {
    if let Some(why) = why {
        file.doc_break();
        file.doc(&format!("Deprecated: {why}."));
    }
}
