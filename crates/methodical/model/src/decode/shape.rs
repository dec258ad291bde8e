//! The shape of a value as data, which a decoder uses to explain what is wrong.

#![expect(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "generated code of the same version uses it"
)]

/// The shape of a value. Nested shapes are functions, because a record may contain itself.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A value that contains no other values.
    Leaf(Leaf),
    /// A JSON object with known fields.
    Object(&'static Object),
    /// A JSON object with arbitrary keys, whose values have this shape.
    Map(fn() -> Self),
    /// A list of values with this shape.
    List(fn() -> Self),
    /// A list of values with this shape, or one such value instead of a list.
    OneOrList(fn() -> Self),
    /// An object with this shape, or an empty list instead of an empty object.
    OrEmptyList(fn() -> Self),
    /// A value with this shape, or an empty string instead.
    OrBlank(fn() -> Self),
}

/// The shape of a value that contains no other values.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// A description for error messages.
    pub expected: &'static str,
    /// Returns whether a JSON text is one of these values.
    pub fits: fn(&str) -> bool,
}

/// The shape of an object.
#[derive(Debug)]
pub struct Object {
    /// The name of the object with an article, such as `a photo`, for error messages.
    pub what: &'static str,
    /// The fields of the object, in the order of the spec.
    pub members: &'static [Member],
}

/// The shape of a field.
#[derive(Debug)]
pub struct Member {
    /// The name of the field on the wire.
    pub name: &'static str,
    /// Whether the field must be present and not `null`.
    pub required: bool,
    /// Returns the shape of the field's value.
    pub shape: fn() -> Shape,
}

impl Object {
    /// Returns the field with this name.
    pub(crate) fn member(&self, name: &str) -> Option<&'static Member> {
        self.members.iter().find(|member| member.name == name)
    }
}

impl Shape {
    /// Returns a description for error messages.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Self::Leaf(leaf) => leaf.expected,
            Self::Object(object) => object.what,
            Self::Map(_) => "an object",
            Self::List(_) => "a list",
            Self::OneOrList(_) => "a list or a single value",
            Self::OrEmptyList(of) | Self::OrBlank(of) => of().expected(),
        }
    }
}
