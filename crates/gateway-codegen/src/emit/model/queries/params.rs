//! The optional parameters of a query, as a structure for values that are known only at run time.

use crate::ir::{Operation, Param};

/// Returns the name of the structure; `None` if the operation has no optional parameter.
pub(in crate::emit) fn name(operation: &Operation) -> Option<String> {
    optional(operation).next().map(|_| operation.rust.followed_by("params").pascal())
}

/// Returns the optional parameters.
pub(in crate::emit) fn optional(operation: &Operation) -> impl Iterator<Item = &Param> {
    operation.params.iter().filter(|param| !param.required)
}

/// Returns whether an optional parameter needs another one, so that the structure must be checked.
pub(in crate::emit) fn can_be_refused(operation: &Operation) -> bool {
    operation.states().next().is_some()
}

/// Returns the optional parameters that a parameter needs.
pub(super) fn optional_needs<'a>(
    operation: &'a Operation,
    param: &'a Param,
) -> impl Iterator<Item = &'a Param> {
    operation.needed_by(param).filter(|needed| !needed.required)
}
