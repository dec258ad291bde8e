//! The flags of an operation: its parameters.

use std::fmt::Write as _;

use crate::ir::{Operation, Param, Primitive, ValueType};
use crate::text::{RustFile, string};

/// Declares the flags of an operation.
pub(super) fn declare(file: &mut RustFile, operation: &Operation) {
    file.blank();
    file.doc(&format!("The parameters of `{}`.", operation.select));
    file.line("#[derive(Debug, Args)]");
    file.open(format_args!("pub(crate) struct {}Flags {{", operation.rust.pascal()));
    if operation.paging.is_some() {
        file.line("#[command(flatten)]");
        file.line(format_args!("{PAGING_FLAGS}: gateway_cli_core::PagingFlags,"));
    }
    if operation.response.beside().is_some() {
        file.line("#[command(flatten)]");
        file.line(format_args!("{BESIDE_FLAG}: gateway_cli_core::BesideFlag,"));
    }
    for param in &operation.params {
        file.doc(&help(operation, param));
        // The colon keeps the identifier apart from those of the hand-written flags.
        let mut settings = format!("id = {}, long = {}", string(&id(param)), string(&param.flag()));
        if let Some(name) = value_name(param) {
            _ = write!(settings, ", value_name = {}", string(name));
        }
        for needed in operation.needed_by(param) {
            _ = write!(settings, ", requires = {}", string(&id(needed)));
        }
        if matches!(param.ty.in_query(), Primitive::Signed | Primitive::Float) {
            settings.push_str(", allow_negative_numbers = true");
        }
        if let Some(parser) = value_parser(param) {
            _ = write!(settings, ", value_parser = {parser}");
        }
        if param.list.is_some() {
            _ = write!(settings, ", value_delimiter = ',', required = {}", param.required);
            if param.ty.in_query() == Primitive::Boolean || param.ty.in_query() == Primitive::Coded
            {
                settings.push_str(", action = clap::ArgAction::Append");
            }
        }
        file.line(format_args!("#[arg({settings})]"));
        let ty = value_type(param);
        let name = param.rust.snake();
        if param.list.is_some() {
            file.line(format_args!("{name}: Vec<{ty}>,"));
        } else if param.required {
            file.line(format_args!("{name}: {ty},"));
        } else {
            file.line(format_args!("{name}: Option<{ty}>,"));
        }
    }
    file.close("}");
}

/// Returns whether the command of an operation has more flags than every command.
pub(super) fn has_any(operation: &Operation) -> bool {
    !operation.params.is_empty()
        || operation.paging.is_some()
        || operation.response.beside().is_some()
}

/// The field with the flag of a list with fields beside it.
pub(super) const BESIDE_FLAG: &str = "beside_flag";

/// The field with the flags of a list in pages.
pub(super) const PAGING_FLAGS: &str = "paging_flags";

fn help(operation: &Operation, param: &Param) -> String {
    let mut help = param.doc.0.clone();
    // The parser adds the values of a closed enum.
    if let Some(one) = param.ty.as_enum().filter(|one| one.open_ended) {
        let values: Vec<_> = one.values.iter().map(|value| format!("`{}`", value.wire)).collect();
        _ = write!(help, " Known values: {}.", values.join(", "));
    }
    let needed: Vec<_> =
        operation.needed_by(param).map(|needed| format!("`--{}`", needed.flag())).collect();
    if !needed.is_empty() {
        _ = write!(help, " Requires {}.", needed.join(" and "));
    }
    if let Some(value) = &param.default {
        _ = write!(help, " Without it, the service uses `{value}`.");
    }
    if param.list.is_some() {
        help.push_str(" Several values: repeat the flag, or separate them with commas.");
    }
    help
}

/// Returns the parser that refuses what the service would refuse; `None` for the default parser.
fn value_parser(param: &Param) -> Option<String> {
    if let Some(one) = param.ty.as_closed_enum() {
        let values: Vec<_> = one.values.iter().map(|value| string(&value.wire)).collect();
        let parse = format!("text.parse::<{}>()", value_type(param));
        let values = values.join(", ");
        return Some(format!(
            "clap::builder::PossibleValuesParser::new([{values}]).try_map(|text| {parse})"
        ));
    }
    match param.ty.in_query() {
        Primitive::Float | Primitive::Boolean | Primitive::Coded => None,
        Primitive::Signed => {
            range(param).map(|range| format!("clap::value_parser!(i64).range({range})"))
        }
        Primitive::Unsigned => Some(WHOLE_NUMBER.to_owned()),
        Primitive::Text => Some("clap::builder::NonEmptyStringValueParser::new()".to_owned()),
    }
}

/// Returns whether the flag of a parameter is parsed by `whole_number`.
pub(super) fn is_whole_number(param: &Param) -> bool {
    value_parser(param).is_some_and(|parser| parser == WHOLE_NUMBER)
}

/// Returns the range of an integer, if the spec limits it.
fn range(param: &Param) -> Option<String> {
    match (param.min, param.max) {
        (None, None) => None,
        (min, max) => {
            let min = min.map(|min| min.to_string()).unwrap_or_default();
            let max = max.map(|max| format!("={max}")).unwrap_or_default();
            Some(format!("{min}..{max}"))
        }
    }
}

/// The parser of unsigned integers without documented limits.
const WHOLE_NUMBER: &str = "whole_number";

fn id(param: &Param) -> String {
    format!("param:{}", param.wire)
}

fn value_name(param: &Param) -> Option<&'static str> {
    match (&param.ty, param.ty.in_query()) {
        (_, Primitive::Boolean | Primitive::Coded) => None,
        (_, Primitive::Signed | Primitive::Unsigned | Primitive::Float) => Some("N"),
        (ValueType::Enum(_), Primitive::Text) => Some("NAME"),
        (ValueType::BuiltIn(_) | ValueType::Scalar(_), Primitive::Text) => Some("TEXT"),
    }
}

/// Returns the type of the flag's value.
pub(super) fn value_type(param: &Param) -> String {
    match param.ty.as_closed_enum() {
        Some(one) => format!("model::{}", one.rust.pascal()),
        None if param.ty.in_query() == Primitive::Float => "model::Float".to_owned(),
        None => param.ty.in_query().rust().to_owned(),
    }
}
