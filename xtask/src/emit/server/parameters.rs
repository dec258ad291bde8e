//! How the server reads the parameters of an operation, and what it says of one that comes alone.

use crate::ir::{Operation, Otherwise, Param, Service, Type, Wire};
use crate::text::{Rust, string};

pub(super) fn emit(service: &Service) -> Rust {
    let mut file = Rust::new("The parameters of each operation, read and checked.");
    let refuses = |one: &Operation| {
        one.params.iter().any(|param| param.required)
            || alone(one, Otherwise::Error).next().is_some()
    };
    let fault = if service.operations.iter().any(refuses) { ", Fault" } else { "" };
    file.line(format_args!("use crate::parameter::{{self{fault}, Problem}};"));
    file.line("use crate::query::Pairs;");
    for operation in service.operations.iter().filter(|operation| !operation.params.is_empty()) {
        file.blank();
        parameters(&mut file, service, operation);
    }
    file
}

fn parameters(file: &mut Rust, service: &Service, operation: &Operation) {
    let name = operation.rust.pascal();
    file.doc(&format!("The parameters of `{}`.", operation.select));
    file.line("#[derive(Clone, Debug, Default, PartialEq, Eq)]");
    file.open(format_args!("pub(crate) struct {name} {{"));
    for param in &operation.params {
        file.doc(&param.doc.0);
        let ty = ty(param);
        let ty = if param.required { ty.to_owned() } else { format!("Option<{ty}>") };
        file.line(format_args!("pub(crate) {}: {ty},", param.rust.snake()));
    }
    file.close("}");
    file.blank();
    file.open(format_args!("impl {name} {{"));
    file.doc("Reads the parameters and ignores those that nobody defined.");
    file.open("pub(crate) fn read(pairs: &Pairs<'_>) -> Result<Self, Problem> {");
    let refused: Vec<_> = alone(operation, Otherwise::Error).collect();
    let (before, after) =
        if refused.is_empty() { ("Ok(Self {", "})") } else { ("let read = Self {", "};") };
    file.open(before);
    for param in &operation.params {
        let (field, reader) = (param.rust.snake(), reader(service, param));
        if param.required {
            file.line(format_args!("{field}: {reader}?.ok_or({})?,", missing(param)));
        } else {
            file.line(format_args!("{field}: {reader}?,"));
        }
    }
    file.close(after);
    for (param, needed) in &refused {
        file.open(format_args!("if {} {{", comes_alone("read", param, needed)));
        file.line(format_args!("return Err({});", missing(needed)));
        file.close("}");
    }
    if !refused.is_empty() {
        file.line("Ok(read)");
    }
    file.close("}");
    file.blank();
    file.doc(
        "Names a parameter that has no effect because one that it needs is missing, and that one.",
    );
    file.open("pub(crate) fn without_effect(&self) -> Option<(&'static str, &'static str)> {");
    for (param, needed) in alone(operation, Otherwise::NoEffect) {
        file.open(format_args!("if {} {{", comes_alone("self", param, needed)));
        file.line(format_args!(
            "return Some(({}, {}));",
            string(&param.wire),
            string(&needed.wire)
        ));
        file.close("}");
    }
    file.line("None");
    file.close("}");
    file.close("}");
}

fn ty(param: &Param) -> &'static str {
    match (param.ty, param.query_wire) {
        (Type::Integer, _) => "i64",
        (Type::Boolean, _) | (_, Wire::String) => "String",
        (_, Wire::Integer) => "u64",
    }
}

/// The call that reads a parameter within the limits that the spec sets.
fn reader(service: &Service, param: &Param) -> String {
    let wire = string(&param.wire);
    if let Some(texts) = listed(service, param) {
        return format!("parameter::listed(pairs, {wire}, &[{}])", texts.join(", "));
    }
    match (param.ty, param.query_wire) {
        (Type::Integer, _) => {
            let end = |limit: Option<i64>, end: &str| {
                limit.map_or_else(|| format!("i64::{end}"), |limit| limit.to_string())
            };
            let (min, max) = (end(param.min, "MIN"), end(param.max, "MAX"));
            format!("parameter::between(pairs, {wire}, {min}..={max})")
        }
        (_, Wire::Integer) => format!("parameter::integer(pairs, {wire})"),
        (_, Wire::String) => format!("parameter::text(pairs, {wire}, {:?})", param.max_chars),
    }
}

/// The only texts that the parameter may have, if there are such, as literals.
fn listed(service: &Service, param: &Param) -> Option<Vec<String>> {
    match param.ty {
        Type::Boolean => Some(["true", "false"].map(string).to_vec()),
        Type::Enum(index) => {
            let closed = service.enums.get(index).filter(|one| !one.open_ended)?;
            Some(closed.values.iter().map(|value| string(&value.wire)).collect())
        }
        _ => None,
    }
}

fn missing(param: &Param) -> String {
    format!("Problem {{ parameter: {}, fault: Fault::Missing }}", string(&param.wire))
}

/// The parameters of which the service says this when one that they need is missing, each with one that it needs.
fn alone(operation: &Operation, otherwise: Otherwise) -> impl Iterator<Item = (&Param, &Param)> {
    let params = operation.params.iter().filter(move |param| param.otherwise == otherwise);
    params
        .flat_map(|param| operation.needed_by(param).map(move |needed| (param, needed)))
        .filter(|(_, needed)| !needed.required)
}

fn comes_alone(all: &str, param: &Param, needed: &Param) -> String {
    format!("{all}.{}.is_some() && {all}.{}.is_none()", param.rust.snake(), needed.rust.snake())
}
