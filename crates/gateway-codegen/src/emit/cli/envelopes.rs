//! The objects in which the service wraps lists.

use crate::ir::{Response, Service};
use crate::text::{RustFile, string};

/// Declares the envelopes, each once, in the order of the operations.
pub(super) fn declare(file: &mut RustFile, service: &Service) {
    let mut envelopes: Vec<String> = Vec::new();
    for operation in &service.operations {
        if let Response::Envelope { marker, success, items, .. } = &operation.response {
            let names = [marker, success, items].map(|name| string(name)).join(", ");
            let envelope = format!("Envelope::new({names})");
            if !envelopes.contains(&envelope) {
                envelopes.push(envelope);
            }
        }
    }
    let envelopes = envelopes.join(", ");
    file.line(format_args!("const ENVELOPES: &'static [Envelope] = &[{envelopes}];"));
    file.blank();
}
