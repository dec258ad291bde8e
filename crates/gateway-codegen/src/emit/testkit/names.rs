//! The names of contract checks, and of the open points that they are about.

use crate::ir::{OpenRef, Operation, Param, Service};
use crate::text::string;

/// Returns the group of the checks of an operation: its noun, and for all but the first operation of a noun also its verb,
/// so that a new operation changes no name.
pub(super) fn group(service: &Service, operation: &Operation) -> String {
    let command = operation.command();
    let first = service.operations.iter().find(|other| other.command().noun == command.noun);
    match command.verb {
        Some(verb) if first != Some(operation) => format!("{}-{verb}", command.noun),
        _ => command.noun,
    }
}

/// Returns the name of the checks of a parameter. All but the first parameter of a name have the operation in it.
pub(super) fn check(service: &Service, operation: &Operation, param: &Param) -> String {
    let short = |param: &Param| {
        let words = param.rust.words();
        words.strip_suffix("_id").map(str::to_owned).unwrap_or(words)
    };
    let name = short(param);
    let mut params = service.operations.iter().flat_map(|other| {
        other.params.iter().filter(|param| short(param) == name).map(move |param| (other, param))
    });
    if params.next() == Some((operation, param)) {
        return name;
    }
    format!("{}_{}", group(service, operation).replace('-', "_"), param.rust.words())
}

/// Returns the ids of the open points about a declaration and about its type, each once.
pub(super) fn points(open: &[OpenRef], of_type: &[OpenRef]) -> String {
    let mut names: Vec<_> = Vec::new();
    for point in open.iter().chain(of_type).map(|point| string(&point.0)) {
        if !names.contains(&point) {
            names.push(point);
        }
    }
    format!("&[{}]", names.join(", "))
}
