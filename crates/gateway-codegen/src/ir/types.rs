//! The declared types: scalars, enums and models.

use crate::ir::{Doc, OpenRef, RustName, Source};

/// A named scalar: how it is written, and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The name of the Rust type.
    pub rust: RustName,
    /// The JSON type in records.
    pub wire: Wire,
    /// The type in a query, if it differs from `wire`: `VacancyId` is a string in a record and
    /// an (unsigned, 64-bit) integer in a query.
    pub query_wire: Option<Wire>,
    /// The meaning of the text.
    pub meaning: Meaning,
    /// A value, as its wire text.
    pub example: String,
    /// The description.
    pub doc: Doc,
    /// The sections of the contract that describe it.
    pub source: Source,
    /// Open points about it.
    pub open: Vec<OpenRef>,
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// A JSON string; in a query, its percent-encoded text.
    String,
    /// An integer. In a query: an unsigned 64-bit integer in decimal digits.
    Integer,
}

/// The meaning of a scalar, which decides the conversions that its newtype offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// An identifier: a separate newtype, so that it cannot be mixed up with another one.
    Id,
    /// Text with a separate type.
    Text,
    /// A decimal number whose text is kept exactly.
    Decimal,
    /// A date and time without a zone; text that is not a date is kept.
    CivilDateTime,
    /// A currency code.
    Currency,
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

/// A JSON object of a fixed shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
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
    /// Whether it contains itself, directly or through others: such a field must be boxed.
    pub recursive: bool,
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
    /// Whether the value must be present and not null; if not, it is an `Option` in Rust.
    pub required: bool,
    /// Whether it is personal data, which `Debug` output and logs must not show.
    pub personal: bool,
    /// Whether the field leads back to the model that holds it; it is then boxed in Rust.
    pub boxed: bool,
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

/// The type of a field or parameter. An index points into the list of the
/// [`Service`](crate::ir::Service).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Any text: `String`.
    Text,
    /// A whole number: `i64`.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A scalar: index into `Service::scalars`.
    Scalar(usize),
    /// An enum: index into `Service::enums`.
    Enum(usize),
    /// A model: index into `Service::models`. Never the type of a parameter.
    Model(usize),
}
