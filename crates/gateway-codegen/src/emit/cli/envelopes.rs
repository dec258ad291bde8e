//! The objects in which the service wraps lists.

use crate::ir::{Response, Service};
use crate::text::{RustFile, string};

/// Declares the envelopes, each once, in the order of the operations.
pub(super) fn declare(file: &mut RustFile, service: &Service) {
    let mut envelopes: Vec<String> = Vec::new();
    for operation in &service.operations {
        let envelope = match &operation.response {
            Response::Envelope { marker, success, items, .. } => {
                let names = [marker, success, items].map(|name| string(name)).join(", ");
                format!("Envelope::new({names})")
            }
            Response::Body { body, .. } if body.is_list && !body.at.is_empty() => {
                let keys: Vec<_> = body.at.iter().map(|key| string(key)).collect();
                format!("Envelope::path(&[{}])", keys.join(", "))
            }
            _ => continue,
        };
        if !envelopes.contains(&envelope) {
            envelopes.push(envelope);
        }
    }
    let envelopes = envelopes.join(", ");
    file.line(format_args!("const ENVELOPES: &'static [Envelope] = &[{envelopes}];"));
    file.blank();
}
