//! What a value should look like, as data: for saying what is wrong with one that does not.

/// The shape of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// A JSON string.
    Text,
    /// A JSON string out of a list.
    Choice(fn(&str) -> bool),
    /// A whole number of 64 bits.
    Integer,
    /// A whole number of 64 bits that is not negative.
    Unsigned,
    /// `true` or `false`.
    Boolean,
    /// A JSON object with known members.
    Object(&'static Object),
}

/// The shape of an object.
#[derive(Debug)]
pub(crate) struct Object {
    /// What it is called, with an article.
    pub(crate) what: &'static str,
    /// Its members in the order of the spec.
    pub(crate) members: &'static [Member],
}

/// The shape of a member.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: &'static str,
    /// It must be there and must not be `null`.
    pub(crate) required: bool,
    pub(crate) shape: Shape,
}

impl Shape {
    /// Returns what should stand there, in plain words.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Choice(_) => "a listed value",
            Self::Integer => "an integer",
            Self::Unsigned => "an integer that is not negative",
            Self::Boolean => "true or false",
            Self::Object(object) => object.what,
        }
    }
}

/// Which shapes are used is up to the spec; none of them is dead code.
const _: [Shape; 5] =
    [Shape::Text, Shape::Choice(str::is_empty), Shape::Integer, Shape::Unsigned, Shape::Boolean];
