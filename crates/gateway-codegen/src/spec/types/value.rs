//! Checks values against their types.

use serde_json::Value;

use crate::ir::{Enum, Meaning, Model, Scalar, Type, Wire};

/// Checks that the wire text of a scalar has the form of its meaning. The error is the expected form.
pub(super) fn scalar_fits(scalar: &Scalar, text: &str) -> Result<(), &'static str> {
    let fits = |wire| wire == Wire::String || text.parse::<u64>().is_ok();
    if !fits(scalar.wire) || !scalar.query_wire.is_none_or(fits) {
        return Err("an unsigned 64-bit integer, because `wire` or `query-wire` is `integer`");
    }
    match scalar.meaning {
        Meaning::Decimal if !is_decimal(text) => Err("a plain decimal number such as `12.50`"),
        Meaning::CivilDateTime if !is_date_time(text) => {
            Err("a date and time such as `2024-03-31 02:30:00`")
        }
        _ => Ok(()),
    }
}

fn is_decimal(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    unsigned
        .split_once('.')
        .map_or_else(|| digits(unsigned), |(whole, part)| digits(whole) && digits(part))
}

fn is_date_time(text: &str) -> bool {
    let pattern = "0000-00-00 00:00:00";
    let same_form = text.len() == pattern.len()
        && text
            .chars()
            .zip(pattern.chars())
            .all(|(c, p)| if p == '0' { c.is_ascii_digit() } else { c == p });
    let part =
        |from: usize, to: usize| text.get(from..to).and_then(|part| part.parse::<u32>().ok());
    let (Some(year), Some(month), Some(day)) = (part(0, 4), part(5, 7), part(8, 10)) else {
        return false;
    };
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    let below = |from, to, end| part(from, to).is_some_and(|number| number < end);
    same_form
        && (1..=days).contains(&day)
        && below(11, 13, 24)
        && below(14, 16, 60)
        && below(17, 19, 60)
}

/// Checks a JSON value against a type. The error is a path and the mistake at it.
pub(crate) fn is_value(
    types: Types<'_>,
    ty: Type,
    value: &Value,
    path: &str,
) -> Result<(), String> {
    let expected = |what: &str| Err(format!("{path}: expected {what}, found {}", found(value)));
    match ty {
        Type::Text if !value.is_string() => expected("a string"),
        Type::Integer if !value.is_i64() => expected("a 64-bit integer"),
        Type::Boolean if !value.is_boolean() => expected("true or false"),
        Type::Text | Type::Integer | Type::Boolean => Ok(()),
        Type::Scalar(index) => match types.scalars.get(index).map(|scalar| scalar.wire) {
            Some(Wire::Integer) if !value.is_u64() => expected("an unsigned 64-bit integer"),
            Some(Wire::String) if !value.is_string() => expected("a string"),
            _ => Ok(()),
        },
        Type::Enum(index) => {
            let Some(text) = value.as_str() else { return expected("a string") };
            let listed = types.enums.get(index);
            let known =
                |one: &Enum| one.open_ended || one.values.iter().any(|value| value.wire == text);
            if listed.is_none_or(known) {
                Ok(())
            } else {
                Err(format!("{path}: `{text}` is not a value of the enum"))
            }
        }
        Type::Model(index) => {
            let Some(object) = value.as_object() else { return expected("an object") };
            for field in
                types.models.get(index).map(|model| model.fields.as_slice()).unwrap_or_default()
            {
                let path = format!("{path}.{}", field.wire);
                match object.get(&field.wire) {
                    None | Some(Value::Null) if field.required => {
                        return Err(format!("{path}: missing required field"));
                    }
                    None | Some(Value::Null) => {}
                    Some(value) => is_value(types, field.ty, value, &path)?,
                }
            }
            Ok(())
        }
    }
}

/// The declared types, to which the indexes in [`Type`] refer.
#[derive(Clone, Copy)]
pub(crate) struct Types<'a> {
    pub(crate) scalars: &'a [Scalar],
    pub(crate) enums: &'a [Enum],
    pub(crate) models: &'a [Model],
}

fn found(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::{is_date_time, is_decimal};

    #[test]
    fn dates() {
        for good in ["2024-02-29 23:59:59", "2000-02-29 00:00:00"] {
            assert!(is_date_time(good), "{good}");
        }
        for bad in [
            "2023-02-29 00:00:00",
            "1900-02-29 00:00:00",
            "0000-00-00 00:00:00",
            "2024-01-01T00:00:00",
            "2024-01-01 24:00:00",
            "2024-1-01 00:00:00",
            "",
        ] {
            assert!(!is_date_time(bad), "{bad}");
        }
    }

    #[test]
    fn decimals() {
        for good in ["0", "12.50", "-3.0"] {
            assert!(is_decimal(good), "{good}");
        }
        for bad in ["", "1e3", "1,234.50", ".5", "5.", "NaN", "--1"] {
            assert!(!is_decimal(bad), "{bad}");
        }
    }
}
