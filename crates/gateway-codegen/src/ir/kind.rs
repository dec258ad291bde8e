//! Kinds of single values: built-in types, and the meanings of scalars.

use crate::ir::{Form, Wire};

/// A built-in type. It has no newtype in Rust.
#[derive(Debug)]
pub struct BuiltIn {
    /// The word in the spec.
    pub word: &'static str,
    /// The first version of the spec language that has the type.
    pub since: i64,
    /// The names of the type in other languages, in lowercase, for hints.
    pub elsewhere: &'static [&'static str],
    /// The word as code, with a note if the word needs one, for the reference pages.
    pub described: &'static str,
    /// How values are handled.
    pub form: Form,
    /// An example, as its wire text, for a field without one.
    pub sample: &'static str,
}

impl BuiltIn {
    /// Returns the word as code.
    pub(crate) fn code(&self) -> String {
        format!("`{}`", self.word)
    }
}

impl PartialEq for BuiltIn {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for BuiltIn {}

/// The meaning of a scalar, which decides the conversions that its newtype offers.
#[derive(Debug)]
pub struct Meaning {
    /// The word in the spec.
    pub word: &'static str,
    /// The description in the JSON Schema of the spec language.
    pub doc: &'static str,
    /// The first version of the spec language that has the meaning.
    pub since: i64,
    /// How values are handled that are written as strings; `None` if none are.
    pub string: Option<Form>,
    /// Whether a record may have a number instead of a string.
    pub numeric: bool,
    /// How values are handled that are written as integers; `None` if none are.
    pub integer: Option<Form>,
    /// How values are handled that are written as codes; `None` if none are.
    pub codes: Option<Form>,
}

impl Meaning {
    /// Returns how values are handled in a query; `None` if the meaning does not allow these wires together.
    pub fn query_form(&self, wire: Wire, query_wire: Wire) -> Option<&Form> {
        let text = self.form(wire)?;
        match (wire.written(), query_wire.written()) {
            (Wire::String, Wire::Integer) => {
                self.form(query_wire).filter(|_| text.digits.is_some())
            }
            (Wire::Codes, Wire::String | Wire::Integer) => None,
            _ => self.form(query_wire.written()),
        }
    }

    /// Returns how values on this wire are handled; `None` if the meaning does not allow the wire.
    pub fn form(&self, wire: Wire) -> Option<&Form> {
        match wire {
            Wire::String => self.string.as_ref(),
            Wire::Integer | Wire::IntegerOrText => self.integer.as_ref(),
            Wire::TextOrNumber => self.string.as_ref().filter(|_| self.numeric),
            Wire::Codes => self.codes.as_ref(),
        }
    }
}

impl PartialEq for Meaning {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for Meaning {}
