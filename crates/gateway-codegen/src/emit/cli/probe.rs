//! The call that checks whether the service accepts a token.

use crate::ir::{Operation, Service};
use crate::text::{RustFile, string};

/// Declares the type of the operation.
pub(super) fn declare_type(file: &mut RustFile, service: &Service) {
    let Some(operation) = cheapest(service) else { return };
    file.line(format_args!("type Probe = model::{};", operation.rust.pascal()));
    file.blank();
}

/// Declares the function that returns the parameters of the call: those of an example.
pub(super) fn declare_parameters(file: &mut RustFile, service: &Service) {
    let Some(operation) = cheapest(service) else { return };
    let required = operation.params.iter().filter(|param| param.required);
    let given: Vec<_> = required
        .map(|param| {
            let value = service.sample(operation, param);
            format!("({}, Some({}.to_owned()))", string(&param.wire), string(&value))
        })
        .collect();
    file.open("fn probe() -> Parameters {");
    file.line(format_args!("vec![{}]", given.join(", ")));
    file.close("}");
    file.blank();
}

/// Returns the operation that needs the fewest parameters; one that returns an object if possible,
/// because a list may be long.
fn cheapest(service: &Service) -> Option<&Operation> {
    service.operations.iter().min_by_key(|one| {
        let required = one.params.iter().filter(|param| param.required).count();
        (required, one.response.is_list(), one.params.len())
    })
}
