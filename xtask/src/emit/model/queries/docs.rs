//! The documentation of a query, with examples that run: they are those of the spec.

use std::fmt::Write as _;

use crate::ir::{Example, Operation, Otherwise, Param, Service, Type, Wire};
use crate::text::{Rust, string};

pub(super) fn of_query(file: &mut Rust, service: &Service, operation: &Operation) {
    file.doc(&operation.doc.0);
    file.doc_break();
    let source = &operation.source.0;
    let section = if source.is_empty() {
        String::new()
    } else {
        format!("Section {source} of the service text. ")
    };
    file.doc(&format!("{section}`{}` selects it.", operation.select));
    if let Some(why) = &operation.deprecated {
        file.doc_break();
        file.doc(&format!("Deprecated: {why}."));
    }
    // The example that shows most, but none that only tests odd characters.
    let plain = service.examples_of(operation).filter(|example| !example.query.contains('%'));
    if let Some(example) =
        plain.max_by_key(|example| example.params.len()).filter(|one| !one.params.is_empty())
    {
        file.doc_break();
        call(file, service, operation, example);
    }
    without(file, service, operation);
}

/// Shows that a parameter cannot be given without what it needs.
fn without(file: &mut Rust, service: &Service, operation: &Operation) {
    let optional_need = |param: &&Param| operation.needed_by(param).any(|needed| !needed.required);
    for param in operation.params.iter().filter(|param| !param.required).filter(optional_need) {
        let Some(value) = value(service, operation, param) else { continue };
        let Some(new) = constructor(service, operation) else { continue };
        let needs: Vec<_> =
            operation.needed_by(param).map(|needed| format!("`{}`", needed.wire)).collect();
        let effect = match param.otherwise {
            Otherwise::NoEffect => "has no effect",
            Otherwise::Error => "is refused",
        };
        file.doc_break();
        file.doc(&format!(
            "`{}` {effect} without {}, so such a query has no spelling:",
            param.wire,
            needs.join(" and ")
        ));
        file.doc_break();
        file.doc_markdown("```compile_fail,E0599");
        file.doc_markdown(format_args!("gateway_model::{new}.{}({value});", param.rust.snake()));
        file.doc_markdown("```");
    }
}

pub(super) fn of_constructor(file: &mut Rust, service: &Service, operation: &Operation) {
    let required: Vec<_> = operation.params.iter().filter(|param| param.required).collect();
    if required.is_empty() {
        file.doc("Makes the query without any optional parameter.");
    } else {
        file.doc("Makes the query of what must be given.");
        for param in required {
            file.doc_break();
            file.doc(&format!("`{}`: {}", param.rust.snake(), param.doc.0));
        }
    }
    if let Some(new) = constructor(service, operation) {
        let required = operation.params.iter().filter(|param| param.required);
        let values = required.filter_map(|param| {
            let used = shortest(service, operation, param)?;
            let index = position(operation, param)?;
            let (_, text) = used.params.iter().find(|(given, _)| *given == index)?;
            Some(format!("&{}={}", param.wire, crate::text::percent_encoded(text)))
        });
        let query =
            format!("{}={}{}", service.selector, operation.select, values.collect::<String>());
        file.doc_break();
        file.doc_markdown("```");
        file.doc_markdown(format_args!(
            "use gateway_model::{{{}, Operation as _}};",
            operation.rust.pascal()
        ));
        file.doc_markdown("");
        file.doc_markdown(format_args!("assert_eq!({new}.query()?.as_str(), {});", string(&query)));
        file.doc_markdown("# Ok::<(), gateway_model::Error>(())");
        file.doc_markdown("```");
    }
}

pub(super) fn of_setter(file: &mut Rust, service: &Service, operation: &Operation, param: &Param) {
    file.doc(&param.doc.0);
    let mut about = Vec::new();
    if !param.source.0.is_empty() {
        about.push(format!("Section {} of the service text.", param.source.0));
    }
    let needs: Vec<_> =
        operation.needed_by(param).map(|needed| format!("`{}`", needed.wire)).collect();
    if !needs.is_empty() {
        about.push(format!("Only together with {}.", needs.join(" and ")));
    }
    if !about.is_empty() {
        file.doc_break();
        file.doc(&about.join(" "));
    }
    if let Some(example) = shortest(service, operation, param) {
        file.doc_break();
        call(file, service, operation, example);
    }
}

/// The call of an example, which makes its query.
fn call(file: &mut Rust, service: &Service, operation: &Operation, example: &Example) {
    let Some(new) = constructor_of(service, operation, example) else { return };
    let mut chain = new;
    for (index, text) in &example.params {
        let Some(param) = operation.params.get(*index).filter(|param| !param.required) else {
            continue;
        };
        let Some(value) = literal(service, param, text) else { return };
        _ = write!(chain, ".{}({value})", param.rust.snake());
    }
    file.doc_markdown("```");
    file.doc_markdown(format_args!(
        "use gateway_model::{{{}, Operation as _}};",
        operation.rust.pascal()
    ));
    file.doc_markdown("");
    file.doc_markdown(format_args!("let query = {chain}.query()?;"));
    file.doc_markdown(format_args!("assert_eq!(query.as_str(), {});", string(&example.query)));
    file.doc_markdown("# Ok::<(), gateway_model::Error>(())");
    file.doc_markdown("```");
}

/// `ListCandidates::new()`, with values for what is required.
fn constructor(service: &Service, operation: &Operation) -> Option<String> {
    let required = operation.params.iter().filter(|param| param.required);
    let values: Option<Vec<_>> = required.map(|param| value(service, operation, param)).collect();
    Some(format!("{}::new({})", operation.rust.pascal(), values?.join(", ")))
}

fn constructor_of(service: &Service, operation: &Operation, example: &Example) -> Option<String> {
    let required = operation.params.iter().enumerate().filter(|(_, param)| param.required);
    let values: Option<Vec<_>> = required
        .map(|(index, param)| {
            let (_, text) = example.params.iter().find(|(given, _)| *given == index)?;
            literal(service, param, text)
        })
        .collect();
    Some(format!("{}::new({})", operation.rust.pascal(), values?.join(", ")))
}

/// A value for a parameter, as the examples have it.
fn value(service: &Service, operation: &Operation, param: &Param) -> Option<String> {
    let index = position(operation, param)?;
    let example = shortest(service, operation, param)?;
    let (_, text) = example.params.iter().find(|(given, _)| *given == index)?;
    literal(service, param, text)
}

/// The example that uses a parameter and little else.
fn shortest<'a>(service: &'a Service, operation: &Operation, param: &Param) -> Option<&'a Example> {
    let index = position(operation, param)?;
    service
        .examples_of(operation)
        .filter(|example| example.params.iter().any(|(given, _)| *given == index))
        .min_by_key(|example| example.params.len())
}

fn position(operation: &Operation, param: &Param) -> Option<usize> {
    operation.params.iter().position(|other| other.wire == param.wire)
}

/// A value as it is written in Rust.
fn literal(service: &Service, param: &Param, text: &str) -> Option<String> {
    Some(match (param.ty, param.query_wire) {
        (Type::Integer, _) => format!("{text}_i64"),
        (Type::Boolean, _) | (_, Wire::Integer) => text.to_owned(),
        (Type::Enum(index), _) => {
            let one = service.enums.get(index)?;
            if one.open_ended {
                string(text)
            } else {
                let value = one.values.iter().find(|value| value.wire == text)?;
                format!("gateway_model::{}::{}", one.rust.pascal(), value.rust.variant())
            }
        }
        _ => string(text),
    })
}
