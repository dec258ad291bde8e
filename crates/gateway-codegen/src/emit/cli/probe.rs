//! The call that checks whether the service accepts a token.

use crate::ir::{Operation, Param, Service, Type};
use crate::text::{RustFile, string};

/// Declares the call and the type of its operation.
pub(super) fn declare(file: &mut RustFile, service: &Service) {
    let Some(operation) = cheapest(service) else { return };
    let required = operation.params.iter().enumerate().filter(|(_, param)| param.required);
    let given: Vec<_> = required
        .map(|(index, param)| {
            let value = sample(service, operation, index, param);
            format!("({}, Some({}.to_owned()))", string(&param.wire), string(&value))
        })
        .collect();
    file.blank();
    file.doc("The cheapest operation, which checks whether the service accepts a token.");
    file.line(format_args!("pub(crate) type Probe = model::{};", operation.rust.pascal()));
    file.blank();
    if given.is_empty() {
        file.doc("Creates the call that checks a token.");
    } else {
        file.doc("Creates the call that checks a token, with the parameters of an example.");
    }
    file.open("pub(crate) fn probe() -> CliOperation<Probe> {");
    file.line(format_args!("CliOperation::new(vec![{}])", given.join(", ")));
    file.close("}");
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
    shortest.and_then(|example| given(&example.params)).unwrap_or_else(|| match param.ty {
        Type::Scalar(index) => {
            service.scalars.get(index).map(|one| one.example.clone()).unwrap_or_default()
        }
        Type::Enum(index) => {
            let first = service.enums.get(index).and_then(|one| one.values.first());
            first.map(|value| value.wire.clone()).unwrap_or_default()
        }
        Type::Boolean => "false".to_owned(),
        Type::Integer => param.min.or(param.max).unwrap_or(1).to_string(),
        Type::Text | Type::Model(_) => "1".to_owned(),
    })
}
