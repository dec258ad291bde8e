//! The flags of an operation: its parameters.

use std::fmt::Write as _;

use crate::ir::{Operation, Param, Type, Wire};
use crate::text::{RustFile, string};

/// Declares the flags of an operation.
pub(super) fn declare(file: &mut RustFile, operation: &Operation) {
    file.blank();
    file.doc(&format!("The parameters of `{}`.", operation.select));
    file.line("#[derive(Debug, Args)]");
    file.open(format_args!("pub(crate) struct {}Flags {{", operation.rust.pascal()));
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
        if param.query_wire == Wire::String && param.ty != Type::Boolean {
            settings.push_str(", value_parser = clap::builder::NonEmptyStringValueParser::new()");
        }
        if value_type(param) == "i64" {
            settings.push_str(", allow_negative_numbers = true");
        }
        if value_type(param) == "u64" {
            settings.push_str(", value_parser = whole_number");
        }
        file.line(format_args!("#[arg({settings})]"));
        let ty = value_type(param);
        let name = param.rust.snake();
        if param.required {
            file.line(format_args!("{name}: {ty},"));
        } else {
            file.line(format_args!("{name}: Option<{ty}>,"));
        }
    }
    file.close("}");
}

fn help(operation: &Operation, param: &Param) -> String {
    let needed: Vec<_> =
        operation.needed_by(param).map(|needed| format!("`--{}`", needed.flag())).collect();
    if needed.is_empty() {
        param.doc.0.clone()
    } else {
        format!("{} Requires {}.", param.doc.0, needed.join(" and "))
    }
}

fn id(param: &Param) -> String {
    format!("param:{}", param.wire)
}

fn value_name(param: &Param) -> Option<&'static str> {
    match (param.ty, param.query_wire) {
        (Type::Boolean, _) => None,
        (_, Wire::Integer) => Some("N"),
        (Type::Enum(_), Wire::String) => Some("NAME"),
        (_, Wire::String) => Some("TEXT"),
    }
}

/// Returns the type of the flag's value.
pub(super) fn value_type(param: &Param) -> &'static str {
    match (param.ty, param.query_wire) {
        (Type::Boolean, _) => "bool",
        (Type::Integer, _) => "i64",
        (_, Wire::Integer) => "u64",
        (_, Wire::String) => "String",
    }
}
