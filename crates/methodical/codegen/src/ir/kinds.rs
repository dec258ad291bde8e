//! Kinds of single values: how a value is written, what it means, and everything that the generator knows about both.
//!
//! To add a meaning, add it to [`Meaning`] and answer its questions; `spec/README.md` has the steps.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;
use toml::value::Datetime;

use crate::ir::ValueType;
use crate::spec::read::words;

/// The names that generated code uses for values of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// The argument of the macro `scalar!` that adds the conversions of the meaning to the newtype.
    pub scalar: &'static str,
    /// The type of a field in a typed format: a variant of `FieldType`. For codes, they decide.
    pub field_type: &'static str,
    /// How the contract checks judge a value in a record: a variant of the test kit's `Kind`.
    pub check: &'static str,
    /// How an import reads a field: a variant of the server's `Kind`.
    pub import: &'static str,
}

words! {
    /// The meaning of a scalar, which decides the conversions that its newtype offers.
    pub enum Meaning {
        /// An identifier.
        Id = "id",
        /// Text with a named type.
        Text = "text",
        /// A decimal number; its exact text is kept.
        Decimal = "decimal",
        /// `YYYY-MM-DD HH:MM:SS` without a time zone.
        CivilDateTime = "civil-datetime",
        /// Seconds since 1970-01-01 00:00:00 UTC.
        EpochSeconds = "epoch-seconds",
        /// A currency code.
        Currency = "currency",
        /// True or false, written as other JSON values, such as 0 and 1.
        Boolean = "boolean",
    }
}

words! {
    /// A built-in type. It has no newtype in Rust.
    pub enum BuiltIn {
        /// Any text.
        Text = "text",
        /// A signed 64-bit integer.
        Integer = "integer",
        /// `true` or `false`.
        Boolean = "boolean",
    }
}

words! {
    /// How a scalar is written.
    #[derive(Default)]
    pub enum Wire {
        /// A string.
        #[default]
        String = "string",
        /// An integer of 64 bits; the meaning decides whether it has a sign.
        Integer = "integer",
        /// A string, or a number, whose digits are kept; written as a string.
        TextOrNumber = "text-or-number",
        /// The JSON values in `true` and `false`; the first one of each is written.
        Codes = "codes",
    }
}

/// How a single value is written, in a record or in a query. A new variant needs a match arm wherever the compiler asks for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Primitive {
    /// Text: a JSON string; in a query, its percent-encoded text.
    #[default]
    Text,
    /// A signed 64-bit integer; in a query, its decimal digits.
    Signed,
    /// An unsigned 64-bit integer; in a query, its decimal digits.
    Unsigned,
    /// `true` or `false`, in a query too.
    Boolean,
    /// True or false, as one of the codes of a scalar; in a query, the text of the code.
    Coded,
}

impl ValueType {
    /// Returns the names that generated code uses for values of this type.
    pub fn names(&self) -> Names {
        let signed = "Integer { min: i64::MIN }";
        let [scalar, field_type, check, import] = match (self.meaning, self.in_record) {
            (Some(Meaning::Id), Primitive::Text) => ["text", "Id", "Text", "Id"],
            (Some(Meaning::Id), _) => ["integer", "Id", "Integer", "Integer { min: 0 }"],
            (Some(Meaning::Decimal), _) => ["decimal", "Decimal", "Decimal", "Decimal"],
            (Some(Meaning::CivilDateTime), _) => {
                ["civil_date_time", "DateTime", "CivilDateTime", "CivilDateTime"]
            }
            (Some(Meaning::Currency), _) => ["text", "Text", "Currency", "Text"],
            (Some(Meaning::EpochSeconds), Primitive::Text) => {
                ["epoch_seconds_text", "Text", "EpochSeconds", "Text"]
            }
            (_, Primitive::Text) => ["text", "Text", "Text", "Text"],
            (_, Primitive::Signed) => ["signed_integer", "Integer", "Integer", signed],
            (_, Primitive::Unsigned) => ["integer", "Integer", "Integer", "Integer { min: 0 }"],
            (_, Primitive::Boolean) => ["boolean", "Boolean", "Boolean", "Boolean"],
            (_, Primitive::Coded) => ["boolean", "Json", "Values", "Codes"],
        };
        Names { scalar, field_type, check, import }
    }
}

impl Meaning {
    /// Returns how values are written on this wire; `None` if the meaning does not allow the wire.
    pub fn primitive(self, wire: Wire) -> Option<Primitive> {
        Some(match (self, wire) {
            (Self::Boolean, Wire::Codes) => Primitive::Coded,
            (Self::Boolean, _)
            | (_, Wire::Codes)
            | (Self::CivilDateTime | Self::Currency, Wire::TextOrNumber) => return None,
            (_, Wire::String | Wire::TextOrNumber) => Primitive::Text,
            (Self::Id, _) => Primitive::Unsigned,
            (Self::EpochSeconds, _) => Primitive::Signed,
            _ => return None,
        })
    }

    /// Returns how values are written in a query; `None` if the meaning does not allow this combination of wires.
    pub fn in_query(self, wire: Wire, query_wire: Wire) -> Option<Primitive> {
        self.primitive(wire)?;
        match (wire.written(), query_wire.written()) {
            // Only identifiers have exactly one text for each number.
            (Wire::String, Wire::Integer) if self != Self::Id => None,
            (Wire::Codes, Wire::String | Wire::Integer) => None,
            _ => self.primitive(query_wire.written()),
        }
    }

    /// Returns whether a wire text is a value that is written in this way. The codes of a boolean are not known here.
    pub fn fits(self, primitive: Primitive, text: &str) -> bool {
        match self {
            Self::Decimal => is_decimal(text),
            Self::CivilDateTime => is_date_time(text),
            Self::EpochSeconds => !text.starts_with('+') && text.parse::<i64>().is_ok(),
            Self::Boolean => true,
            Self::Id | Self::Text | Self::Currency => primitive.json(text).is_some(),
        }
    }
}

impl Wire {
    /// Returns the form in which a value is written; a reader may accept others.
    #[must_use]
    pub fn written(self) -> Self {
        if self == Self::TextOrNumber { Self::String } else { self }
    }
}

impl Primitive {
    /// Returns the type in Rust.
    pub fn rust(self) -> &'static str {
        match self {
            Self::Text => "String",
            Self::Signed => "i64",
            Self::Unsigned => "u64",
            Self::Boolean | Self::Coded => "bool",
        }
    }

    /// Returns whether it is written in decimal digits.
    pub fn is_integer(self) -> bool {
        matches!(self, Self::Signed | Self::Unsigned)
    }

    /// Returns the JSON value of a wire text; `None` if the text is invalid, or if the primitive alone does not decide
    /// that.
    pub fn json(self, text: &str) -> Option<Json> {
        match self {
            Self::Text => Some(Json::from(text)),
            Self::Signed => text.parse::<i64>().ok().map(Json::from),
            Self::Unsigned => text.parse::<u64>().ok().map(Json::from),
            Self::Boolean => text.parse::<bool>().ok().map(Json::from),
            Self::Coded => None,
        }
    }
}

/// The JSON values that represent a boolean. The first one of each list is written; none is in both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Codes {
    /// The values that mean `true`; at least one.
    pub yes: Vec<Code>,
    /// The values that mean `false`; at least one.
    pub no: Vec<Code>,
}

/// A JSON value that is neither a list nor an object, such as one that represents a boolean.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "must be a string, an integer or a boolean")]
pub enum Code {
    /// `true` or `false`.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A string.
    Text(String),
}

impl Codes {
    /// Returns all values, those of `true` first.
    pub fn all(&self) -> impl Iterator<Item = &Code> {
        self.yes.iter().chain(&self.no)
    }

    /// Returns the codes that are written: for `true`, and for `false`.
    pub fn written(&self) -> [Option<&Code>; 2] {
        [self.yes.first(), self.no.first()]
    }

    /// Returns the boolean that a code represents; `None` for any other text.
    pub fn value(&self, text: &str) -> Option<bool> {
        let has = |codes: &[Code]| codes.iter().any(|code| code.text() == text);
        if has(&self.yes) { Some(true) } else { has(&self.no).then_some(false) }
    }
}

impl Code {
    /// Returns the text in a query.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Integer(number) => number.to_string(),
            Self::Boolean(flag) => flag.to_string(),
        }
    }

    /// Returns the JSON text in a record.
    pub fn literal(&self) -> String {
        self.json().to_string()
    }

    /// Returns the value in a record.
    pub fn json(&self) -> Json {
        match self {
            Self::Text(text) => Json::from(text.as_str()),
            Self::Integer(number) => Json::from(*number),
            Self::Boolean(flag) => Json::from(*flag),
        }
    }
}

fn is_decimal(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let parts = unsigned.split_once('.');
    parts.map_or_else(|| digits(unsigned), |(whole, part)| digits(whole) && digits(part))
}

fn is_date_time(text: &str) -> bool {
    let has_form =
        text.len() == "0000-00-00 00:00:00".len() && text.as_bytes().get(10) == Some(&b' ');
    has_form
        && text.parse::<Datetime>().is_ok_and(|parsed| {
            // A civil time cannot represent a leap second.
            parsed.date.is_some()
                && parsed.time.is_some_and(|time| time.second.is_some_and(|second| second < 60))
                && parsed.offset.is_none()
        })
}

#[cfg(test)]
mod tests {
    use super::{is_date_time, is_decimal};

    #[test]
    fn texts_have_their_meaning() {
        for good in ["2024-02-29 23:59:59", "2000-02-29 00:00:00"] {
            assert!(is_date_time(good), "{good}");
        }
        for bad in [
            "2023-02-29 00:00:00",
            "1900-02-29 00:00:00",
            "0000-00-00 00:00:00",
            "2024-01-01T00:00:00",
            "2024-01-01 24:00:00",
            "2024-01-01 23:59:60",
            "2024-01-01 02:30:00Z",
            "2024-1-01 00:00:00",
            "",
        ] {
            assert!(!is_date_time(bad), "{bad}");
        }
        assert!(["0", "12.50", "-3.0"].into_iter().all(is_decimal));
        assert!(!["", "1e3", "1,234.50", ".5", "5.", "NaN", "--1"].into_iter().any(is_decimal));
    }
}
