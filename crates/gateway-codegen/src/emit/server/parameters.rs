//! The functions that read the parameters of an operation, and find one that has no effect.

use crate::ir::{Operation, Otherwise, Param, Primitive, Service};
use crate::text::{RustFile, string};

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file = RustFile::new("The parameters of each operation, read and checked.");
    let refuses = |one: &Operation| {
        one.params.iter().any(|param| param.required)
            || dependent(one, Otherwise::Error).next().is_some()
    };
    let fault = if service.operations.iter().any(refuses) { ", Fault" } else { "" };
    file.line(format_args!("use crate::parameter::{{self{fault}, Problem}};"));
    file.line("use crate::query::Pairs;");
    for operation in service.operations.iter().filter(|operation| !operation.params.is_empty()) {
        file.blank();
        parameters(&mut file, operation);
    }
    file
}

fn parameters(file: &mut RustFile, operation: &Operation) {
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
    for (param, most) in operation.params.iter().filter_map(|one| Some((one, one.max_chars?))) {
        file.doc(&format!("Maximum number of characters of `{}`.", param.wire));
        file.line(format_args!("pub(crate) const {}: usize = {most};", max_chars(param)));
        file.blank();
    }
    file.doc("Reads the parameters and ignores unknown ones.");
    file.open("pub(crate) fn read(pairs: &Pairs<'_>) -> Result<Self, Problem> {");
    let refused: Vec<_> = dependent(operation, Otherwise::Error).collect();
    let (before, after) =
        if refused.is_empty() { ("Ok(Self {", "})") } else { ("let read = Self {", "};") };
    file.open(before);
    for param in &operation.params {
        let (field, reader) = (param.rust.snake(), reader(param));
        if param.required {
            file.line(format_args!("{field}: {reader}?.ok_or({})?,", missing(param)));
        } else {
            file.line(format_args!("{field}: {reader}?,"));
        }
    }
    file.close(after);
    for (param, needed) in &refused {
        file.open(format_args!("if {} {{", lacks_needed("read", param, needed)));
        file.line(format_args!("return Err({});", missing(needed)));
        file.close("}");
    }
    if !refused.is_empty() {
        file.line("Ok(read)");
    }
    file.close("}");
    file.blank();
    file.doc("Returns a parameter that has no effect, and the missing one that it needs.");
    file.open("pub(crate) fn without_effect(&self) -> Option<(&'static str, &'static str)> {");
    for (param, needed) in dependent(operation, Otherwise::NoEffect) {
        file.open(format_args!("if {} {{", lacks_needed("self", param, needed)));
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
    match param.ty.in_query() {
        Primitive::Text | Primitive::Boolean | Primitive::Coded => "String",
        Primitive::Signed if param.ty.as_closed_enum().is_some() => "String",
        Primitive::Signed => "i64",
        Primitive::Unsigned => "u64",
        Primitive::Float => "parameter::Float",
    }
}

/// Returns the call that reads a parameter within the limits of the spec.
fn reader(param: &Param) -> String {
    let wire = string(&param.wire);
    if let Some(texts) = listed(param) {
        return format!("parameter::listed(pairs, {wire}, &[{}])", texts.join(", "));
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
            let most = param.max_chars.map(|_| format!("Self::{}", max_chars(param)));
            let most = most.map_or_else(|| "None".to_owned(), |most| format!("Some({most})"));
            format!("parameter::text(pairs, {wire}, {most})")
        }
    }
}

/// Returns the name of the constant with the maximum length of a parameter.
fn max_chars(param: &Param) -> String {
    param.rust.followed_by("max_chars").screaming_snake()
}

/// Returns the only texts that the parameter may have, as literals, if the spec lists them.
fn listed(param: &Param) -> Option<Vec<String>> {
    if param.ty.in_query() == Primitive::Boolean {
        return Some(["true", "false"].map(string).to_vec());
    }
    if let Some(codes) = param.ty.codes() {
        return Some(codes.all().map(|code| string(&code.text())).collect());
    }
    let closed = param.ty.as_closed_enum()?;
    Some(closed.values.iter().map(|value| string(&value.wire)).collect())
}

fn missing(param: &Param) -> String {
    format!("Problem {{ parameter: {}, fault: Fault::Missing }}", string(&param.wire))
}

/// Returns the parameters that have this effect without an optional one that they need, each with
/// the one it needs.
fn dependent(
    operation: &Operation,
    otherwise: Otherwise,
) -> impl Iterator<Item = (&Param, &Param)> {
    let params = operation.params.iter().filter(move |param| param.otherwise == otherwise);
    params
        .flat_map(|param| operation.needed_by(param).map(move |needed| (param, needed)))
        .filter(|(_, needed)| !needed.required)
}

fn lacks_needed(all: &str, param: &Param, needed: &Param) -> String {
    format!("{all}.{}.is_some() && {all}.{}.is_none()", param.rust.snake(), needed.rust.snake())
}
