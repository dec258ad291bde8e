//! The shape of a value as data: a decoder explains with it what is wrong, and random values are drawn along it.

#![expect(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "generated code of the same version uses it"
)]

/// The shape of a value. A shape in another one is a function, because a record may contain itself.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A value without others in it.
    Leaf(Leaf),
    /// A JSON object with known fields.
    Object(&'static Object),
    /// A JSON object with arbitrary keys, and values of a shape.
    Map(fn() -> Self),
    /// A list of values of a shape.
    List(fn() -> Self),
    /// A list of values of a shape, or a single value.
    OneOrList(fn() -> Self),
    /// An object of a shape, or an empty list.
    OrEmptyList(fn() -> Self),
    /// A value of a shape, or an empty text.
    OrBlank(fn() -> Self),
}

/// The shape of a value without others in it.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// A description for error messages.
    pub expected: &'static str,
    /// Returns whether a JSON text is one of these values.
    pub fits: fn(&str) -> bool,
    /// The values that are usual.
    pub kind: Kind,
}

/// The kind of a value without others in it: the values that are usual. Others may fit as well.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Any text.
    Text,
    /// An integer in this range, or text with one.
    Integer {
        /// The first integer.
        from: i128,
        /// The last integer.
        to: i128,
        /// Whether it is written as text.
        is_text: bool,
    },
    /// Text with a decimal number.
    Decimal,
    /// Text with a date and time without a time zone.
    DateTime,
    /// `true` or `false`.
    Boolean,
    /// A value from a list.
    Listed {
        /// The texts, or the JSON texts of other values.
        known: &'static [&'static str],
        /// Whether they are texts, of which others may occur.
        is_text: bool,
    },
}

impl Kind {
    /// An integer of 64 bits with a sign.
    pub const SIGNED: Self =
        Self::Integer { from: i64::MIN as i128, to: i64::MAX as i128, is_text: false };

    /// An integer of 64 bits without a sign.
    pub const UNSIGNED: Self = Self::Integer { from: 0, to: u64::MAX as i128, is_text: false };

    /// An identifier: text with an integer of 64 bits without a sign.
    pub const DIGITS: Self = Self::Integer { from: 0, to: u64::MAX as i128, is_text: true };

    /// Texts from a list.
    #[must_use]
    pub const fn texts(known: &'static [&'static str]) -> Self {
        Self::Listed { known, is_text: true }
    }

    /// The values from a list of JSON texts.
    #[must_use]
    pub const fn values(known: &'static [&'static str]) -> Self {
        Self::Listed { known, is_text: false }
    }

    /// Seconds since 1970 in the years 0 to 9999; milliseconds if there are 1000 of them per second.
    #[must_use]
    pub const fn time(per_second: i128, is_text: bool) -> Self {
        Self::Integer {
            from: -62_167_219_200 * per_second,
            to: 253_402_300_800 * per_second - 1,
            is_text,
        }
    }
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
    /// Returns the shape of its value.
    pub shape: fn() -> Shape,
}

impl Object {
    /// Returns the field of this name.
    pub(crate) fn member(&self, name: &str) -> Option<&'static Member> {
        self.members.iter().find(|member| member.name == name)
    }
}

impl Shape {
    /// Returns the shape with another kind of usual values.
    #[must_use]
    pub const fn of_kind(self, kind: Kind) -> Self {
        match self {
            Self::Leaf(leaf) => Self::Leaf(Leaf { kind, ..leaf }),
            other => other,
        }
    }

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
