//! The expected shape of a value, as data, for diagnosing a value that differs.

#![expect(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "generated code of the same version uses it"
)]

/// The shape of a value.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A JSON string.
    Text,
    /// A JSON string from a fixed list.
    Choice(fn(&str) -> bool),
    /// A signed 64-bit integer.
    Integer,
    /// An unsigned 64-bit integer.
    Unsigned,
    /// A value without others in it, which a function recognises by its JSON text.
    Leaf {
        /// A description for error messages.
        expected: &'static str,
        /// Returns whether a JSON text is one of these values.
        fits: fn(&str) -> bool,
    },
    /// `true` or `false`.
    Boolean,
    /// A JSON object with known fields.
    Object(&'static Object),
    /// A list of values of a shape. A function, because a record may contain a list of the same kind.
    List(fn() -> Self),
    /// A list of values of a shape, or a single value.
    OneOrList(fn() -> Self),
    /// An object of a shape, or an empty list.
    OrEmptyList(fn() -> Self),
    /// A value of a shape, or an empty text.
    OrBlank(fn() -> Self),
    /// A JSON object with arbitrary keys, and values of a shape.
    Map(fn() -> Self),
}

/// The shape of an object.
#[derive(Debug)]
pub struct Object {
    /// Its name with an article.
    pub what: &'static str,
    /// Its fields, in the order of the spec.
    pub members: &'static [Member],
}

/// The shape of a field.
#[derive(Debug)]
pub struct Member {
    /// Its name on the wire.
    pub name: &'static str,
    /// The field must be present and must not be `null`.
    pub required: bool,
    /// Returns the shape of its value. A function, because a record may contain itself.
    pub shape: fn() -> Shape,
}

impl Object {
    /// Returns whether it has a field of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.name == name)
    }
}

impl Shape {
    /// Returns a description for error messages.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Choice(_) => "a listed value",
            Self::Integer => "an integer",
            Self::Unsigned => "a non-negative integer",
            Self::Leaf { expected, .. } => expected,
            Self::Boolean => "true or false",
            Self::Object(object) => object.what,
            Self::List(_) => "a list",
            Self::OneOrList(_) => "a list or a single value",
            Self::OrEmptyList(of) | Self::OrBlank(of) => of().expected(),
            Self::Map(_) => "an object",
        }
    }
}
