//! What a spec says, checked and resolved: the one thing every emitter reads.
//!
//! A [`Service`] only exists when the spec has no error, so an emitter need not check anything:
//! every reference resolves, every Rust name is legal and free of collisions, every `needs` has
//! its parameter, every example fits its operation. Declarations stand in the order of the file.
//!
//! Names come in two kinds. What goes over the wire is a plain `String` called `wire` (escape it
//! with [`text::string`](crate::text::string)). What stands in Rust is a [`RustName`], which is
//! written in the case a place needs and is never a keyword or a name of the prelude.

pub use self::command::Command;
pub use self::name::RustName;

mod command;
mod find;
mod name;

/// The whole service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// The machine name, in kebab case: `recruitment-gateway`.
    pub name: String,
    /// The name for people: `Recruitment gateway`.
    pub title: String,
    /// The version of the spec, `MAJOR.MINOR.PATCH`.
    pub version: String,
    /// The version segment of the service's address: `v1`.
    pub api_version: String,
    /// The one path of all operations, without a prefix: `/c/oauth/v1`.
    pub path: String,
    /// The query parameter that selects the operation: `method`.
    pub selector: String,
    /// The value of the `Accept` header.
    pub accept: String,
    /// What the service is.
    pub doc: Doc,
    /// Where the service text says so.
    pub source: Source,
    /// The open points that concern the whole service.
    pub open: Vec<OpenRef>,
    /// Scalars, in order of declaration.
    pub scalars: Vec<Scalar>,
    /// Enums, in order of declaration.
    pub enums: Vec<Enum>,
    /// Models, in order of declaration; a model may use one that stands after it.
    pub models: Vec<Model>,
    /// Operations, in order of declaration.
    pub operations: Vec<Operation>,
    /// Byte-exact examples, in order of declaration.
    pub examples: Vec<Example>,
    /// What the service text leaves open, by number.
    pub open_points: Vec<OpenPoint>,
    /// The first twelve hexadecimal digits of the SHA-256 of the spec's text (LF line ends).
    pub spec_hash: String,
}

/// A description, as written in the spec: sentences, with `code` between backticks.
///
/// It may hold anything (quotes, comment ends, Markdown, HTML): the functions of
/// [`text`](crate::text) make it harmless for the place it is written to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doc(pub String);

/// The sections of the service text that a declaration rests on, such as `4.1, rule 2`.
/// Empty when the spec names none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source(pub String);

/// A reference to an open point: the id, `D-date`. See [`Service::open_point`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenRef(pub String);

/// A named scalar: how it is written, and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The name of the Rust type.
    pub rust: RustName,
    /// The JSON type in records.
    pub wire: Wire,
    /// The type in a query, when it differs from `wire`: `VacancyId` is a string in a record and
    /// an (unsigned, 64-bit) integer in a query.
    pub query_wire: Option<Wire>,
    /// What the text stands for.
    pub meaning: Meaning,
    /// A value, as its wire text.
    pub example: String,
    /// What it is.
    pub doc: Doc,
    /// Where the service text says so.
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

/// What a scalar means; decides which hand-written support type carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// An identifier: a newtype of its own, never mixed with another.
    Id,
    /// Text with a type of its own.
    Text,
    /// A decimal number whose text is kept exactly.
    Decimal,
    /// A date and time without a zone; text that is none is kept.
    CivilDateTime,
    /// A currency code.
    Currency,
}

/// A set of named values, written as a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// The name of the Rust type.
    pub rust: RustName,
    /// Whether values outside the list are kept (`true`) or refused.
    pub open_ended: bool,
    /// The listed values; at least one.
    pub values: Vec<EnumValue>,
    /// What it is.
    pub doc: Doc,
    /// Where the service text says so.
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
    /// What it means.
    pub doc: Doc,
    /// Why not to use it any more, if so.
    pub deprecated: Option<String>,
}

/// A JSON object of a fixed shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The name of the Rust type.
    pub rust: RustName,
    /// The index in `fields` of the field that identifies a record, if any; it is required.
    pub identity: Option<usize>,
    /// The fields, in order; at least one.
    pub fields: Vec<Field>,
    /// What it is.
    pub doc: Doc,
    /// Where the service text says so.
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
    /// Whether the value must be there and not null; if not, it is an `Option` in Rust.
    pub required: bool,
    /// Whether it is personal data, which `Debug` output and logs must not show.
    pub personal: bool,
    /// Whether the field leads back to the model that holds it; it is then boxed in Rust.
    pub boxed: bool,
    /// A value, as its wire text; present for the built-in types when the spec gives one.
    pub example: Option<String>,
    /// What it is.
    pub doc: Doc,
    /// Where the service text says so.
    pub source: Source,
    /// Open points about it.
    pub open: Vec<OpenRef>,
    /// Why not to use it any more, if so.
    pub deprecated: Option<String>,
}

/// The type of a field or parameter. An index points into the list of the [`Service`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Any text: `String`.
    Text,
    /// A whole number: `i64`.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A scalar: index into [`Service::scalars`].
    Scalar(usize),
    /// An enum: index into [`Service::enums`].
    Enum(usize),
    /// A model: index into [`Service::models`]. Never the type of a parameter.
    Model(usize),
}

/// One operation of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The name: `list_candidates` for a method, `ListCandidates` for a type.
    pub rust: RustName,
    /// The value of the selector parameter, sent verbatim: `candidates/list`.
    pub select: String,
    /// The parameters, in the order in which they are sent. A parameter never stands before one
    /// that it needs.
    pub params: Vec<Param>,
    /// The shape of a successful answer.
    pub response: Response,
    /// What it does.
    pub doc: Doc,
    /// Where the service text says so.
    pub source: Source,
    /// Open points about it.
    pub open: Vec<OpenRef>,
    /// Why not to use it any more, if so.
    pub deprecated: Option<String>,
}

/// One query parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The name of the Rust method.
    pub rust: RustName,
    /// The name in the query; of unreserved characters only, so it is never escaped.
    pub wire: String,
    /// The type of the value; never a model.
    pub ty: Type,
    /// How it is written in the query.
    pub query_wire: Wire,
    /// Whether every call must send it. A required parameter needs no other.
    pub required: bool,
    /// Indices of all parameters of the same operation without which it must not be sent; what a
    /// needed parameter needs is among them.
    pub needs: Vec<usize>,
    /// What the service does when it comes without one that it needs.
    pub otherwise: Otherwise,
    /// The longest text that the service takes, in characters.
    pub max_chars: Option<u32>,
    /// The smallest integer that the service takes.
    pub min: Option<i64>,
    /// The largest integer that the service takes.
    pub max: Option<i64>,
    /// What it does.
    pub doc: Doc,
    /// Where the service text says so.
    pub source: Source,
    /// Open points about it.
    pub open: Vec<OpenRef>,
    /// Why not to use it any more, if so.
    pub deprecated: Option<String>,
}

/// What a parameter does without one that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// It has no effect.
    NoEffect,
    /// The call is refused.
    Error,
}

/// The shape of a successful answer. The model is an index into [`Service::models`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// An object with a success marker and the list: `{"status": "success", "result": [..]}`.
    Envelope {
        /// The key of the marker.
        marker: String,
        /// The value of the marker in a successful answer.
        success: String,
        /// The key of the list.
        items: String,
        /// The model of an item.
        of: usize,
    },
    /// The bare list.
    Array {
        /// The model of an item.
        of: usize,
    },
    /// One object.
    Object {
        /// The model of the object.
        of: usize,
    },
}

/// A call and its answer, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The name, in kebab case; unique.
    pub name: RustName,
    /// Index into [`Service::operations`].
    pub operation: usize,
    /// What it shows.
    pub doc: Doc,
    /// The parameters with their values as wire text, not yet percent-encoded.
    /// The index points into the operation's parameters.
    pub params: Vec<(usize, String)>,
    /// The query exactly as it is sent.
    pub query: String,
    /// The path of the answer, relative to the folder of the spec: `fixtures/credits.json`.
    pub path: String,
    /// The answer itself.
    pub body: String,
    /// Positions of the records in it that a reader must reject, each alone.
    pub rejected: Vec<usize>,
    /// Whether a client must be able to read it.
    pub client: bool,
    /// Whether a server must be able to give it.
    pub server: bool,
}

/// Something that the service text does not show, with what we do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPoint {
    /// The number: 1, 2, 3, …
    pub number: u32,
    /// The id: `D-date`.
    pub id: String,
    /// What is not shown.
    pub question: Doc,
    /// What our libraries accept.
    pub client: Doc,
    /// What our server does.
    pub server: Doc,
    /// Where the text should have said it.
    pub source: Source,
}
