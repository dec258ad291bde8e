//! The words of messages about the grammar.

use toml::de::DeValue;

use crate::spec::grammar::Shape;

/// Returns the kind of value that a key takes.
pub(super) fn expected(shape: &Shape) -> &'static str {
    match shape {
        Shape::Text(_) | Shape::Choice(_) => "a string",
        Shape::Integer(..) => "an integer",
        Shape::Boolean => "`true` or `false`",
        Shape::Texts(_) => "a list of strings",
        Shape::OneOrTwo(_) => "a string or a list of two strings",
        Shape::Positions => "a list of integers",
        Shape::Codes => "a list of strings, integers or booleans",
        Shape::Values | Shape::ValuesOrLists | Shape::Table(_) | Shape::Named(..) => "a table",
        Shape::Value => "a string, a number or a boolean",
        Shape::Tables(_) => "a list of tables (`[[…]]`)",
    }
}

/// Returns the kind of a value.
pub(super) fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// Returns the name of a table with its article.
pub(super) fn article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    match name {
        "spec" | "service" | "configuration" => format!("the {name}"),
        name if name.starts_with('`') => name.to_owned(),
        _ => format!("{article} {name}"),
    }
}
