//! The declared types of single values, and references to models.

use serde_json::Value as Json;

use crate::ir::{Doc, Form, Meaning, OpenRef, Primitive, RustName, Source, Wire};
use crate::text::string;

/// A named scalar: how it is written, and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The name of the Rust type.
    pub rust: RustName,
    /// The JSON type in records.
    pub wire: Wire,
    /// The type in a query, if it differs from `wire`: `AlbumId` is a string in a record and
    /// an (unsigned, 64-bit) integer in a query.
    pub query_wire: Option<Wire>,
    /// Whether it is text in a record that has only decimal digits. A client keeps other text.
    pub digits: bool,
    /// The JSON values of a boolean that is written as codes.
    pub codes: Option<Codes>,
    /// The meaning of a value.
    pub meaning: &'static Meaning,
    /// How values are handled: the form of the meaning for `wire`.
    pub form: &'static Form,
    /// How values in a query are handled.
    pub query_form: &'static Form,
    /// A value, as its wire text.
    pub example: String,
    /// The description.
    pub doc: Doc,
    /// The sections of the contract that describe it.
    pub source: Source,
    /// Open points about it.
    pub open: Vec<OpenRef>,
}

impl Scalar {
    /// Returns how a value is written in a query.
    pub fn sent_as(&self) -> Wire {
        self.query_wire.unwrap_or_else(|| self.wire.written())
    }
}

/// The JSON values that represent a boolean. The first one of each list is written; none is in both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Codes {
    /// Those of `true`; at least one.
    pub yes: Vec<Code>,
    /// Those of `false`; at least one.
    pub no: Vec<Code>,
}

/// A JSON value that represents a boolean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// A string.
    Text(String),
    /// An integer.
    Integer(i64),
    /// `true` or `false`.
    Boolean(bool),
}

impl Codes {
    /// Returns all values, those of `true` first.
    pub fn all(&self) -> impl Iterator<Item = &Code> {
        self.yes.iter().chain(&self.no)
    }

    /// Returns the code that is written for a value.
    pub fn of(&self, value: bool) -> Option<&Code> {
        if value { &self.yes } else { &self.no }.first()
    }

    /// Returns the boolean that a text represents.
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

    /// Returns the value in a record.
    pub fn json(&self) -> Json {
        match self {
            Self::Text(text) => Json::from(text.as_str()),
            Self::Integer(number) => Json::from(*number),
            Self::Boolean(flag) => Json::from(*flag),
        }
    }

    /// Returns the expression for the variant of a type with the same variants.
    pub fn expression(&self) -> String {
        match self {
            Self::Text(text) => format!("Code::Text({})", string(text)),
            Self::Integer(number) => format!("Code::Integer({number})"),
            Self::Boolean(flag) => format!("Code::Boolean({flag})"),
        }
    }
}

/// A set of named values, written as strings or as integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// The name of the Rust type.
    pub rust: RustName,
    /// Whether values outside the list are kept (`true`) or rejected.
    pub open_ended: bool,
    /// The JSON type of the values.
    pub wire: Wire,
    /// The listed values; at least one.
    pub values: Vec<EnumValue>,
    /// The description.
    pub doc: Doc,
    /// The sections of the contract that describe it.
    pub source: Source,
    /// Open points about it.
    pub open: Vec<OpenRef>,
}

impl Enum {
    /// Returns how a value is written.
    pub fn primitive(&self) -> Primitive {
        if self.wire.written() == Wire::Integer { Primitive::Signed } else { Primitive::Text }
    }

    /// Returns whether a text is one of the listed values.
    pub fn lists(&self, text: &str) -> bool {
        self.values.iter().any(|value| value.wire == text)
    }
}

/// One listed value of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumValue {
    /// The name of the variant: [`RustName::variant`].
    pub rust: RustName,
    /// The text on the wire.
    pub wire: String,
    /// The description.
    pub doc: Doc,
    /// The reason not to use it any more, if it is deprecated.
    pub deprecated: Option<String>,
}

/// A reference to a model of the same service; see [`Service::model`](crate::ir::Service::model). Ids are in the order
/// of declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelId(usize);

impl ModelId {
    /// Creates the id of the model at this position. Only for the reader of specs, which declares the model.
    pub(crate) fn new(position: usize) -> Self {
        Self(position)
    }

    /// Returns the position of the model.
    pub(crate) fn position(self) -> usize {
        self.0
    }
}
