//! The grammar of the spec language, as data: which keys stand where, and what they hold.
//!
//! The reader and the JSON Schema for editors are both made from these tables, so they cannot
//! disagree. `spec/README.md` says the same for people.

pub use self::form::Form;
use crate::text::is_hidden;

mod form;

/// A table with a fixed set of keys.
#[derive(Debug)]
pub struct Table {
    /// What messages and the JSON Schema call it.
    pub name: &'static str,
    /// What it says.
    pub doc: &'static str,
    /// Its keys, in the order in which they are listed to people.
    pub keys: &'static [Key],
    /// Whether exactly one of the keys must be given.
    pub exactly_one: bool,
}

/// One key of a table.
#[derive(Debug)]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// Whether it must be there.
    pub required: bool,
    /// What it says.
    pub doc: &'static str,
}

/// What a key holds.
#[derive(Debug)]
pub enum Shape {
    /// Text of a form.
    Text(Form),
    /// One of some words, each with its meaning.
    Choice(&'static [(&'static str, &'static str)]),
    /// An integer between two bounds, both included.
    Integer(i64, i64),
    /// `true` or `false`.
    Boolean,
    /// A list of texts of a form.
    Texts(Form),
    /// A list of integers, none negative.
    Positions,
    /// Named values: text, integers, booleans.
    Values,
    /// A table.
    Table(&'static Table),
    /// A table of tables, each under a name of a form.
    Named(Form, &'static Table),
    /// A list of tables: `[[example]]`.
    Tables(&'static Table),
}

/// The first character of a text that must not stand in a spec.
pub fn hidden_in(text: &str) -> Option<char> {
    text.chars().find(|&c| is_hidden(c) && c != '\n')
}

const fn required(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key { name, shape, required: true, doc }
}

const fn optional(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key { name, shape, required: false, doc }
}

const DOC: Key = required(
    "doc",
    Shape::Text(Form::Prose),
    "What it is, in sentences; `code` between backticks.",
);
const SOURCE: Key =
    optional("source", Shape::Text(Form::Line), "The sections of the service text that say so.");
const OPEN: Key = optional("open", Shape::Texts(Form::Id), "The open points that concern it.");
const DEPRECATED: Key = optional(
    "deprecated",
    Shape::Text(Form::Line),
    "Why not to use it any more, and what to use instead.",
);
const RUST_NAME: Key = optional(
    "rust-name",
    Shape::Text(Form::Ident),
    "The name in generated code, when the wire name does not serve.",
);

/// The whole document.
pub static DOCUMENT: Table = Table {
    name: "spec",
    doc: "A service whose operations share one address and are selected by a query parameter.",
    exactly_one: false,
    keys: &[
        required("spec-language", Shape::Integer(1, 1), "The version of the spec language: 1."),
        required("service", Shape::Table(&SERVICE), "The service."),
        optional(
            "scalar",
            Shape::Named(Form::Type, &SCALAR),
            "Scalars: how a value is written, and what it means.",
        ),
        optional("enum", Shape::Named(Form::Type, &ENUM), "Sets of named values."),
        required("model", Shape::Named(Form::Type, &MODEL), "JSON objects."),
        required("operation", Shape::Named(Form::Snake, &OPERATION), "Operations."),
        required("example", Shape::Tables(&EXAMPLE), "Calls and answers, byte for byte."),
        optional(
            "open-point",
            Shape::Named(Form::Id, &OPEN_POINT),
            "What the service text does not show, and what we do about it.",
        ),
    ],
};

static SERVICE: Table = Table {
    name: "service",
    doc: "The service.",
    exactly_one: false,
    keys: &[
        required("name", Shape::Text(Form::Kebab), "The machine name."),
        required("title", Shape::Text(Form::Line), "The name for people."),
        required(
            "version",
            Shape::Text(Form::Version),
            "The version of this spec; `cargo xtask spec diff` says which part to raise.",
        ),
        required("api-version", Shape::Text(Form::Param), "The version segment of the address."),
        required("path", Shape::Text(Form::Path), "The one path of all operations."),
        required(
            "selector",
            Shape::Text(Form::Param),
            "The query parameter that selects the operation.",
        ),
        required("accept", Shape::Text(Form::Media), "The value of the `Accept` header."),
        required(
            "auth",
            Shape::Choice(&[("bearer", "`Authorization: Bearer …`, RFC 6750.")]),
            "How a call is authenticated.",
        ),
        DOC,
        SOURCE,
        OPEN,
    ],
};

static SCALAR: Table = Table {
    name: "scalar",
    doc: "A value with a type of its own.",
    exactly_one: false,
    keys: &[
        required("wire", Shape::Choice(WIRE), "How it is written in records."),
        optional(
            "query-wire",
            Shape::Choice(WIRE),
            "How it is written in a query, when that differs.",
        ),
        required(
            "meaning",
            Shape::Choice(&[
                ("id", "An identifier."),
                ("text", "Text with a type of its own."),
                ("decimal", "A decimal number whose text is kept exactly."),
                ("civil-datetime", "`YYYY-MM-DD HH:MM:SS` without a time zone."),
                ("currency", "A currency code."),
            ]),
            "What it means.",
        ),
        required("example", Shape::Text(Form::Wire), "A value, as its wire text."),
        DOC,
        SOURCE,
        OPEN,
    ],
};

const WIRE: &[(&str, &str)] =
    &[("string", "A string."), ("integer", "An integer; in a query, an unsigned one of 64 bits.")];

static ENUM: Table = Table {
    name: "enum",
    doc: "A set of named values, written as strings.",
    exactly_one: false,
    keys: &[
        required(
            "open-ended",
            Shape::Boolean,
            "Whether values outside the list are kept (`true`) or refused.",
        ),
        required(
            "value",
            Shape::Named(Form::Type, &VALUE),
            "The values, each under the name of its Rust variant.",
        ),
        DOC,
        SOURCE,
        OPEN,
    ],
};

static VALUE: Table = Table {
    name: "value",
    doc: "One value of an enum.",
    exactly_one: false,
    keys: &[required("wire", Shape::Text(Form::Wire), "The text on the wire."), DOC, DEPRECATED],
};

static MODEL: Table = Table {
    name: "model",
    doc: "A JSON object of a fixed shape.",
    exactly_one: false,
    keys: &[
        optional("identity", Shape::Text(Form::Wire), "The field by which a record is known."),
        required("field", Shape::Named(Form::Wire, &FIELD), "The fields, each under its JSON key."),
        DOC,
        SOURCE,
        OPEN,
    ],
};

static FIELD: Table = Table {
    name: "field",
    doc: "One field of a model.",
    exactly_one: false,
    keys: &[
        required(
            "type",
            Shape::Text(Form::TypeRef),
            "`text`, `integer`, `boolean`, or the name of a scalar, enum or model.",
        ),
        required(
            "presence",
            Shape::Choice(&[
                ("required", "Always there and never null."),
                ("optional", "May be absent or null."),
            ]),
            "Whether it must be there.",
        ),
        optional("personal", Shape::Boolean, "Whether it is personal data, never shown in logs."),
        RUST_NAME,
        optional("example", Shape::Text(Form::Line), "A value, as its wire text."),
        DOC,
        SOURCE,
        OPEN,
        DEPRECATED,
    ],
};

static OPERATION: Table = Table {
    name: "operation",
    doc: "One operation.",
    exactly_one: false,
    keys: &[
        required("select", Shape::Text(Form::Select), "The value of the selector, sent verbatim."),
        required("response", Shape::Table(&RESPONSE), "The shape of a successful answer."),
        optional(
            "param",
            Shape::Named(Form::Param, &PARAM),
            "The query parameters, in the order in which they are sent.",
        ),
        DOC,
        SOURCE,
        OPEN,
        DEPRECATED,
    ],
};

static PARAM: Table = Table {
    name: "parameter",
    doc: "One query parameter.",
    exactly_one: false,
    keys: &[
        required(
            "type",
            Shape::Text(Form::TypeRef),
            "`text`, `integer`, `boolean`, or the name of a scalar or enum.",
        ),
        optional(
            "required",
            Shape::Boolean,
            "Whether every call must send it; `false` if not given.",
        ),
        optional(
            "needs",
            Shape::Texts(Form::Param),
            "The parameters without which it must not be sent.",
        ),
        optional(
            "otherwise",
            Shape::Choice(&[("no-effect", "It is ignored."), ("error", "The call is refused.")]),
            "What the service does when it comes without them.",
        ),
        optional(
            "max-chars",
            Shape::Integer(1, 100_000),
            "The longest text that the service takes.",
        ),
        optional(
            "min",
            Shape::Integer(i64::MIN, i64::MAX),
            "The smallest integer that the service takes.",
        ),
        optional(
            "max",
            Shape::Integer(i64::MIN, i64::MAX),
            "The largest integer that the service takes.",
        ),
        RUST_NAME,
        DOC,
        SOURCE,
        OPEN,
        DEPRECATED,
    ],
};

static RESPONSE: Table = Table {
    name: "response",
    doc: "The shape of a successful answer: exactly one of three.",
    exactly_one: true,
    keys: &[
        optional(
            "envelope",
            Shape::Table(&ENVELOPE),
            "An object with a success marker and the list.",
        ),
        optional("array", Shape::Table(&BARE), "The bare list."),
        optional("object", Shape::Table(&BARE), "One object."),
    ],
};

static ENVELOPE: Table = Table {
    name: "envelope",
    doc: "An object with a success marker and a list.",
    exactly_one: false,
    keys: &[
        required("marker", Shape::Text(Form::Wire), "The key of the success marker."),
        required(
            "success",
            Shape::Text(Form::Wire),
            "The value of the marker in a successful answer.",
        ),
        required("items", Shape::Text(Form::Wire), "The key of the list."),
        required("of", Shape::Text(Form::Type), "The model of an item."),
    ],
};

static BARE: Table = Table {
    name: "shape",
    doc: "What the answer is made of.",
    exactly_one: false,
    keys: &[required("of", Shape::Text(Form::Type), "The model.")],
};

static EXAMPLE: Table = Table {
    name: "example",
    doc: "A call and its answer, byte for byte.",
    exactly_one: false,
    keys: &[
        required("name", Shape::Text(Form::Kebab), "The name."),
        required("operation", Shape::Text(Form::Snake), "The operation."),
        DOC,
        optional("params", Shape::Values, "The parameters with their values."),
        required("query", Shape::Text(Form::Query), "The query exactly as it is sent."),
        required("response", Shape::Text(Form::File), "The file that holds the answer."),
        optional(
            "rejected",
            Shape::Positions,
            "Positions of the records that a reader must reject.",
        ),
        optional(
            "applies-to",
            Shape::Texts(Form::Kebab),
            "`client`, `server`, or both if not given.",
        ),
    ],
};

static OPEN_POINT: Table = Table {
    name: "open-point",
    doc: "Something that the service text does not show.",
    exactly_one: false,
    keys: &[
        required("number", Shape::Integer(1, 9999), "The number: 1, 2, 3, …"),
        required("question", Shape::Text(Form::Prose), "What is not shown."),
        required("client", Shape::Text(Form::Prose), "What our libraries accept."),
        required("server", Shape::Text(Form::Prose), "What our server does."),
        SOURCE,
    ],
};
