//! The declared types of single values, and references to models.

use crate::ir::{Doc, Form, Meaning, OpenRef, RustName, Source, Wire};

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

/// A set of named values, written as a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// The name of the Rust type.
    pub rust: RustName,
    /// Whether values outside the list are kept (`true`) or rejected.
    pub open_ended: bool,
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
