//! Examples in the help of the command of an operation.

use crate::emit::cli::plural::plural;
use crate::ir::{Example, Operation, Param, Service};

/// Returns up to two examples: command lines without the name of the program.
pub(super) fn examples(service: &Service, operation: &Operation) -> Vec<String> {
    let Some(required) = required(operation) else { return Vec::new() };
    let model = service.response_model(operation).filter(|_| operation.response.is_list());
    let command = command(operation);
    let base = format!("{command}{required}");
    let flags = declared(service, operation);
    if let Some(model) = model {
        let first = flags.unwrap_or_else(|| {
            let columns = service.columns(model);
            let fields: Vec<_> = columns.iter().take(2).map(String::as_str).collect();
            format!("{base} --fields {}", fields.join(","))
        });
        let file = plural(&model.rust.spaced()).replace(' ', "-");
        vec![first, format!("{base} --output-file {file}.xlsx")]
    } else if operation.response.is_nothing() {
        vec![flags.unwrap_or(base)]
    } else {
        vec![flags.unwrap_or_else(|| base.clone()), format!("{base} -o json")]
    }
}

/// Returns the words of the command of an operation.
pub(super) fn command(operation: &Operation) -> String {
    let command = operation.command();
    let words: Vec<_> = [Some(command.noun), command.verb].into_iter().flatten().collect();
    words.join(" ")
}

/// Returns the required flags with the examples of their types; `None` if a type has no plain example.
fn required(operation: &Operation) -> Option<String> {
    let required = operation.params.iter().filter(|param| param.required);
    required.map(|param| flag(param, param.ty.example()?)).collect()
}

/// Returns the command with the parameters of the example in the spec that has the most plain ones.
fn declared(service: &Service, operation: &Operation) -> Option<String> {
    let flags = |example: &Example| {
        let flags = example.params.iter().map(|(index, value)| {
            let param = operation.params.get(*index)?;
            flag(param, value)
        });
        Some((example.params.len(), flags.collect::<Option<String>>()?))
    };
    let examples = service.examples_of(operation).filter(|example| !example.params.is_empty());
    let (_, flags) = examples.filter_map(flags).max_by_key(|(count, _)| *count)?;
    Some(format!("{}{flags}", command(operation)))
}

/// Returns a flag with its value; `None` if the value would need quotes, or is a list.
fn flag(param: &Param, value: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.,:/@".contains(&byte);
    let plain = !value.is_empty() && !value.starts_with('-') && value.bytes().all(is_plain);
    (plain && param.list.is_none()).then(|| format!(" --{} {value}", param.flag()))
}
