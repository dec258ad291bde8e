//! Primitives: the ways in which a single value is written.

use serde_json::{Map, Value as Json, json};

/// How a single value is written, in a record or in a query. A new one needs an arm wherever the compiler asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// Text: a JSON string; in a query, its percent-encoded text.
    Text,
    /// A signed 64-bit integer; in a query, its decimal digits.
    Signed,
    /// An unsigned 64-bit integer; in a query, its decimal digits.
    Unsigned,
    /// A finite number; in a query, the shortest decimal number that is read back as the same one.
    Float,
    /// `true` or `false`, in a query too.
    Boolean,
    /// True or false, as one of the codes of a scalar; in a query, the text of the code.
    Coded,
}

impl Primitive {
    /// Returns the type in Rust.
    pub fn rust(self) -> &'static str {
        match self {
            Self::Text => "String",
            Self::Signed => "i64",
            Self::Unsigned => "u64",
            Self::Float => "Float",
            Self::Boolean | Self::Coded => "bool",
        }
    }

    /// Returns whether it is written in decimal digits.
    pub fn is_integer(self) -> bool {
        match self {
            Self::Signed | Self::Unsigned => true,
            Self::Text | Self::Float | Self::Boolean | Self::Coded => false,
        }
    }

    /// Returns the JSON value of a wire text; `None` if the text is not one of this primitive, or the primitive alone does
    /// not decide.
    pub fn json(self, text: &str) -> Option<Json> {
        match self {
            Self::Text => Some(Json::from(text)),
            Self::Signed => text.parse::<i64>().ok().map(Json::from),
            Self::Unsigned => text.parse::<u64>().ok().map(Json::from),
            Self::Float => {
                let digits = text.trim_start_matches('-');
                let is_number = digits.starts_with(|first: char| first.is_ascii_digit());
                text.parse::<f64>().ok().filter(|one| is_number && one.is_finite()).map(Json::from)
            }
            Self::Boolean => text.parse::<bool>().ok().map(Json::from),
            Self::Coded => None,
        }
    }

    /// Returns whether a JSON value is of this primitive.
    pub fn is(self, value: &Json) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Signed => value.is_i64(),
            Self::Unsigned => value.is_u64(),
            Self::Float => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Coded => false,
        }
    }

    /// Returns the expected JSON value, which follows "expected" in messages.
    pub fn expected(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Signed => "a 64-bit integer",
            Self::Unsigned => "an unsigned 64-bit integer",
            Self::Float => "a number",
            Self::Boolean => "true or false",
            Self::Coded => "a code",
        }
    }

    /// Returns the JSON Schema of any value of this primitive.
    pub fn schema(self) -> Map<String, Json> {
        let (ty, range) = match self {
            Self::Text => ("string", None),
            Self::Signed => ("integer", Some((json!(i64::MIN), json!(i64::MAX)))),
            Self::Unsigned => ("integer", Some((json!(0), json!(u64::MAX)))),
            Self::Float => ("number", None),
            Self::Boolean => ("boolean", None),
            Self::Coded => return Map::new(),
        };
        let mut schema = Map::from_iter([("type".to_owned(), json!(ty))]);
        if let Some((min, max)) = range {
            schema.insert("minimum".to_owned(), min);
            schema.insert("maximum".to_owned(), max);
        }
        schema
    }
}
