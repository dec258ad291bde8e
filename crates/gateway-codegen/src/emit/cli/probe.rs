//! The call that checks whether the service accepts a token.

use crate::emit::cli::run;
use crate::emit::model::examples::smallest_query;
use crate::ir::{Operation, Service};
use crate::text::RustFile;

/// Declares the type of the operation.
pub(super) fn declare_type(file: &mut RustFile, service: &Service) {
    let Some(operation) = cheapest(service) else { return };
    file.line(format_args!("type Probe = model::{};", operation.rust.pascal()));
    file.blank();
}

/// Declares the function that returns the query of the call.
pub(super) fn declare_query(file: &mut RustFile, service: &Service) {
    let Some(operation) = cheapest(service) else { return };
    let Some(query) = smallest_query("model", service, operation) else { return };
    run::expect_deprecated(file, operation);
    file.open("fn probe() -> Self::Probe {");
    file.line(format_args!("model::{query}"));
    file.close("}");
    file.blank();
}

/// Returns the operation that needs the fewest parameters; one that returns an object if possible,
/// because a list may be long.
fn cheapest(service: &Service) -> Option<&Operation> {
    service.operations.iter().min_by_key(|one| {
        let required = one.params.iter().filter(|param| param.required).count();
        (one.response.is_nothing(), required, one.response.is_list(), one.params.len())
    })
}
