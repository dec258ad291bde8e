//! The expected shape of a value, as data, for diagnosing a value that differs.

/// The shape of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// A JSON string.
    Text,
    /// A JSON string from a fixed list.
    Choice(fn(&str) -> bool),
    /// A signed 64-bit integer.
    Integer,
    /// An unsigned 64-bit integer.
    Unsigned,
    /// `true` or `false`.
    Boolean,
    /// A JSON object with known fields.
    Object(&'static Object),
}

/// The shape of an object.
#[derive(Debug)]
pub(crate) struct Object {
    /// Its name with an article.
    pub(crate) what: &'static str,
    /// Its fields, in the order of the spec.
    pub(crate) members: &'static [Member],
}

/// The shape of a field.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: &'static str,
    /// The field must be present and must not be `null`.
    pub(crate) required: bool,
    pub(crate) shape: Shape,
}

impl Shape {
    /// Returns a description for error messages.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Choice(_) => "a listed value",
            Self::Integer => "an integer",
            Self::Unsigned => "a non-negative integer",
            Self::Boolean => "true or false",
            Self::Object(object) => object.what,
        }
    }
}

/// Not dead code: which shapes are used depends on the spec.
const _: [Shape; 5] =
    [Shape::Text, Shape::Choice(str::is_empty), Shape::Integer, Shape::Unsigned, Shape::Boolean];
