//! The call that checks whether the service accepts a token.

use crate::ir::{Operation, Param, Primitive, Service};
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
    let required = operation.params.iter().enumerate().filter(|(_, param)| param.required);
    let given: Vec<_> = required
        .map(|(index, param)| {
            let value = sample(service, operation, index, param);
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

/// Returns a value for a parameter, as wire text: that of an example, or one that its type allows.
fn sample(service: &Service, operation: &Operation, index: usize, param: &Param) -> String {
    let examples = service.examples_of(operation);
    let given = |params: &[(usize, String)]| {
        params.iter().find(|(given, _)| *given == index).map(|(_, text)| text.clone())
    };
    let shortest = examples.min_by_key(|example| example.params.len());
    let of_example = shortest.and_then(|example| given(&example.params));
    of_example.or_else(|| param.ty.example().map(str::to_owned)).unwrap_or_else(|| {
        match param.ty.in_query() {
            Primitive::Boolean => "false".to_owned(),
            Primitive::Signed | Primitive::Unsigned => {
                param.min.or(param.max).unwrap_or(1).to_string()
            }
            Primitive::Text => "1".to_owned(),
        }
    })
}
