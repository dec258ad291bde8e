//! Models and their fields.

use crate::ir::{Doc, Leniency, ModelId, OpenRef, RustName, Source, Type};

/// A JSON object of a fixed shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The id, for references.
    pub id: ModelId,
    /// The name of the Rust type.
    pub rust: RustName,
    /// The index in `fields` of the field that identifies a record, if any; it is required.
    pub identity: Option<usize>,
    /// The paths of the columns of a table, if the spec declares them. See
    /// [`Service::columns`](crate::ir::Service::columns).
    pub columns: Option<Vec<String>>,
    /// The fields, in order; at least one.
    pub fields: Vec<Field>,
    /// The description.
    pub doc: Doc,
    /// The sections of the contract that describe it.
    pub source: Source,
    /// Open points about it.
    pub open: Vec<OpenRef>,
    /// Whether it contains itself, directly or through others.
    pub recursive: bool,
}

impl Field {
    /// Returns whether the field is boxed in Rust. Lists and maps have no need of it.
    pub fn is_boxed(&self) -> bool {
        self.recursive && self.ty.model().is_some()
    }

    /// Returns whether a reader accepts another form of the value.
    pub fn is(&self, leniency: Leniency) -> bool {
        self.lenient.contains(&leniency)
    }

    /// Returns whether the field is an `Option` in Rust.
    pub fn is_option(&self) -> bool {
        !self.required && !self.is(Leniency::AbsentAsEmpty)
    }
}

/// One field of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the Rust field.
    pub rust: RustName,
    /// The JSON key.
    pub wire: String,
    /// The type of the value.
    pub ty: Type,
    /// Whether the value must be present and not null.
    pub required: bool,
    /// Other forms of the value that a reader accepts.
    pub lenient: Vec<Leniency>,
    /// Whether it is personal data, which `Debug` output and logs must not show.
    pub personal: bool,
    /// Whether the values contain the model that holds the field, at any depth.
    pub recursive: bool,
    /// A value, as its wire text; present for the built-in types if the spec gives one.
    pub example: Option<String>,
    /// The description.
    pub doc: Doc,
    /// The sections of the contract that describe it.
    pub source: Source,
    /// Open points about it.
    pub open: Vec<OpenRef>,
    /// The reason not to use it any more, if it is deprecated.
    pub deprecated: Option<String>,
}
