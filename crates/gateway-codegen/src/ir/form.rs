//! A form: all that the generator knows about a kind of single value.

use crate::ir::Primitive;

/// A kind of single value, in one place. Emitters ask it instead of telling kinds apart.
///
/// A built-in type has one form, and a [`Meaning`](crate::ir::Meaning) has one for each wire that it allows. Every
/// question must be answered, so that a new kind is complete when it compiles.
#[derive(Debug)]
pub struct Form {
    /// How a value is written.
    pub primitive: Primitive,
    /// Returns whether a wire text is a value, for the examples in the spec.
    pub fits: fn(&str) -> bool,
    /// The wire texts that fit, which follows "the example must be" in messages.
    pub expected: &'static str,
    /// The value of `x-meaning` in JSON Schemas; `None` if the primitive says all.
    pub schema: Option<&'static str>,
    /// The argument of the macro `scalar!` that adds the conversions of the meaning to the newtype, if it has any.
    pub kind: Option<&'static str>,
    /// The argument of the macro `scalar!` for text in digits, which a query may send as an integer; `None` if the text
    /// need not be digits.
    pub digits: Option<&'static str>,
    /// The function of the modules `random::draws` and `random::strategies` that creates a value; `None` for any
    /// value of the primitive.
    pub random: Option<&'static str>,
    /// The type of a field in a typed format: a variant of the runtime's `FieldType`. For codes, they decide.
    pub field_type: &'static str,
    /// How the contract checks judge a value in a record: a variant of the test kit's `Kind`.
    pub check: &'static str,
    /// The variant of the server's `Kind`, which says how an import reads a field.
    pub import: &'static str,
}

/// A form exists once, so two forms are equal if they are the same.
impl PartialEq for Form {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Form {}
