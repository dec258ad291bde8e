//! The functions that read the parameters of an operation, and find one that has no effect.

use askama::Template;

use crate::emit::filters;
use crate::ir::{Code, Operation, Otherwise, Param, Primitive, Service};
use crate::text::{string, strings};

#[derive(Template)]
#[template(path = "server/parameters.rs.jinja")]
pub(super) struct Parameters<'a> {
    operations: Vec<&'a Operation>,
}

pub(super) fn template(service: &Service) -> Parameters<'_> {
    let operations = service.operations.iter().filter(|one| !one.params.is_empty());
    Parameters { operations: operations.collect() }
}

fn ty(param: &Param) -> String {
    let ty = match param.ty.in_query() {
        Primitive::Text | Primitive::Boolean | Primitive::Coded => "String",
        Primitive::Signed if param.ty.as_closed_enum().is_some() => "String",
        Primitive::Signed => "i64",
        Primitive::Unsigned => "u64",
        Primitive::Float => "parameter::Float",
    };
    if param.required { ty.to_owned() } else { format!("Option<{ty}>") }
}

/// Returns the call that reads a parameter within the limits of the spec.
fn reader(param: &Param) -> String {
    let wire = string(&param.wire);
    if let Some(texts) = listed(param) {
        return format!("parameter::listed(pairs, {wire}, &[{texts}])");
    }
    match param.ty.in_query() {
        Primitive::Signed => {
            let end = |limit: Option<i64>, end: &str| {
                limit.map_or_else(|| format!("i64::{end}"), |limit| limit.to_string())
            };
            let (min, max) = (end(param.min, "MIN"), end(param.max, "MAX"));
            format!("parameter::between(pairs, {wire}, {min}..={max})")
        }
        Primitive::Unsigned => format!("parameter::integer(pairs, {wire})"),
        Primitive::Float => format!("parameter::float(pairs, {wire})"),
        Primitive::Text | Primitive::Boolean | Primitive::Coded => {
            let most = param.max_chars.map(|_| format!("Some(Self::{})", max_chars(param)));
            let most = most.unwrap_or_else(|| "None".to_owned());
            format!("parameter::text(pairs, {wire}, {most})")
        }
    }
}

/// Returns the name of the constant with the maximum length of a parameter.
fn max_chars(param: &Param) -> String {
    param.rust.followed_by("max_chars").screaming_snake()
}

/// Returns the only texts that the parameter may have, as literals, if the spec lists them.
fn listed(param: &Param) -> Option<String> {
    if param.ty.in_query() == Primitive::Boolean {
        return Some(strings(["true", "false"]));
    }
    if let Some(codes) = param.ty.codes() {
        return Some(strings(codes.all().map(Code::text)));
    }
    let closed = param.ty.as_closed_enum()?;
    Some(strings(closed.values.iter().map(|value| &value.wire)))
}

/// Returns the parameters that have this effect without an optional one that they need, each with
/// the one it needs.
fn dependent(operation: &Operation, otherwise: Otherwise) -> Vec<(&Param, &Param)> {
    let params = operation.params.iter().filter(|param| param.otherwise == otherwise);
    let pairs =
        params.flat_map(|param| operation.needed_by(param).map(move |needed| (param, needed)));
    pairs.filter(|(_, needed)| !needed.required).collect()
}
