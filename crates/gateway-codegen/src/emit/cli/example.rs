//! Names from the service, as examples in the help of the program.

use crate::ir::{Operation, Service};
use crate::text::{RustFile, string};

/// Declares the examples.
pub(super) fn declare(file: &mut RustFile, service: &Service) {
    // Examples should work as they are, so these need no parameter, if there is such an operation.
    let first = |fits: fn(&Operation) -> bool| {
        let mut operations = service.operations.iter();
        operations.find(|one| fits(one)).or_else(|| service.operations.first())
    };
    let listed = first(|one| !one.params.iter().any(|param| param.required));
    let plain = first(|one| one.params.is_empty());
    let (Some(listed), Some(plain)) = (listed, plain) else { return };
    let command = listed.command();
    let words: Vec<_> = [Some(command.noun), command.verb].into_iter().flatten().collect();
    let names = [words.join(" "), plain.select.clone(), fields(service, listed)];
    let names = names.map(|name| string(&name)).join(", ");
    file.line(format_args!("const EXAMPLE: Example = Example::new({names});"));
}

/// Returns some columns of the response: the first two, and one of a nested object if possible.
fn fields(service: &Service, operation: &Operation) -> String {
    let columns = service.columns_of(operation);
    let third = columns.iter().skip(2).find(|one| one.contains('.')).or_else(|| columns.get(2));
    let fields: Vec<_> = columns.iter().take(2).chain(third).map(String::as_str).collect();
    fields.join(",")
}
