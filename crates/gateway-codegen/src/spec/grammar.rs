//! The grammar of the spec language, as tables of keys and their values.
//!
//! The reader and the JSON Schema for editors are both derived from these tables, so they agree.
//! `spec/README.md` is the guide for people.

pub use self::form::Form;
use crate::ir::{MEANING_WORDS, Wire};
use crate::text::is_hidden;

mod form;

/// A table with a fixed set of keys.
#[derive(Debug)]
pub struct Table {
    /// The name in messages and in the JSON Schema.
    pub name: &'static str,
    /// The description.
    pub doc: &'static str,
    /// The keys, in the order in which messages list them.
    pub keys: &'static [Key],
    /// Whether exactly one of the keys must be given.
    pub exactly_one: bool,
}

/// One key of a table.
#[derive(Debug)]
pub struct Key {
    /// The name of the key.
    pub name: &'static str,
    /// The form of its value.
    pub shape: Shape,
    /// Whether the key must be present.
    pub required: bool,
    /// The description.
    pub doc: &'static str,
}

/// The form of the value of a key.
#[derive(Debug)]
pub enum Shape {
    /// Text of a form.
    Text(Form),
    /// One of a few words, each with its meaning.
    Choice(&'static [(&'static str, &'static str)]),
    /// An integer between two bounds, inclusive.
    Integer(i64, i64),
    /// `true` or `false`.
    Boolean,
    /// A list of texts of a form.
    Texts(Form),
    /// A list of non-negative integers.
    Positions,
    /// A table whose values are text, integers or booleans.
    Values,
    /// A table.
    Table(&'static Table),
    /// A table of tables, whose names have a form.
    Named(Form, &'static Table),
    /// A list of tables: `[[example]]`.
    Tables(&'static Table),
}

/// Returns the first character of a text that a spec must not contain.
pub fn hidden_in(text: &str) -> Option<char> {
    text.chars().find(|&c| is_hidden(c) && c != '\n')
}

pub(crate) const fn table(name: &'static str, doc: &'static str, keys: &'static [Key]) -> Table {
    Table { name, doc, keys, exactly_one: false }
}

pub(crate) const fn required(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key { name, shape, required: true, doc }
}

pub(crate) const fn optional(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key { name, shape, required: false, doc }
}

const DOC: Key = required(
    "doc",
    Shape::Text(Form::Prose),
    "The description, in sentences; `code` in backticks.",
);
const SOURCE: Key =
    optional("source", Shape::Text(Form::Line), "The sections of the contract that it follows.");
const OPEN: Key = optional("open", Shape::Texts(Form::Id), "The open points that affect it.");
const DEPRECATED: Key = optional(
    "deprecated",
    Shape::Text(Form::Line),
    "Why it is deprecated, and what to use instead.",
);
const RUST_NAME: Key = optional(
    "rust-name",
    Shape::Text(Form::Ident),
    "The name in generated code, if it differs from the wire name.",
);

/// The whole document.
pub static DOCUMENT: Table = table(
    "spec",
    "A service whose operations share one address. A query parameter selects the operation.",
    &[
        required("spec-language", Shape::Integer(1, 1), "The version of the spec language, 1."),
        required("service", Shape::Table(&SERVICE), "The service."),
        optional(
            "scalar",
            Shape::Named(Form::Type, &SCALAR),
            "Scalars: single values with a format and a meaning.",
        ),
        optional("enum", Shape::Named(Form::Type, &ENUM), "Sets of named values."),
        required("model", Shape::Named(Form::Type, &MODEL), "JSON objects."),
        required("operation", Shape::Named(Form::Snake, &OPERATION), "Operations."),
        required("example", Shape::Tables(&EXAMPLE), "Exact requests and responses."),
        optional(
            "open-point",
            Shape::Named(Form::Id, &OPEN_POINT),
            "Questions that the contract leaves open, and how we handle them.",
        ),
    ],
);

static SERVICE: Table = table(
    "service",
    "The service.",
    &[
        required("name", Shape::Text(Form::Kebab), "The name for programs."),
        required("title", Shape::Text(Form::Line), "The name for people."),
        required(
            "version",
            Shape::Text(Form::Version),
            "The version of this spec; the command `spec diff` shows when to raise it.",
        ),
        required("api-version", Shape::Text(Form::Param), "The version segment of the address."),
        required("path", Shape::Text(Form::Path), "The path that all operations share."),
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
);

static SCALAR: Table = table(
    "scalar",
    "A single value with a named type.",
    &[
        required("wire", Shape::Choice(&Wire::WORDS), "How it is written in records."),
        optional(
            "query-wire",
            Shape::Choice(&Wire::WORDS),
            "How it is written in a query, if that differs.",
        ),
        optional(
            "digits",
            Shape::Boolean,
            "Whether the text of an id has only decimal digits. Contract checks require it; clients keep any text.",
        ),
        required("meaning", Shape::Choice(&MEANING_WORDS), "The meaning of the value."),
        required("example", Shape::Text(Form::Wire), "A value, as its wire text."),
        DOC,
        SOURCE,
        OPEN,
    ],
);

static ENUM: Table = table(
    "enum",
    "A set of named values, written as strings.",
    &[
        required(
            "open-ended",
            Shape::Boolean,
            "Whether values outside the list are kept (`true`) or rejected (`false`).",
        ),
        required(
            "value",
            Shape::Named(Form::Type, &VALUE),
            "The values, by the name of their Rust variant.",
        ),
        DOC,
        SOURCE,
        OPEN,
    ],
);

static VALUE: Table = table(
    "value",
    "One value of an enum.",
    &[required("wire", Shape::Text(Form::Wire), "The text on the wire."), DOC, DEPRECATED],
);

static MODEL: Table = table(
    "model",
    "A JSON object of a fixed shape.",
    &[
        optional("identity", Shape::Text(Form::Wire), "The field that identifies a record."),
        optional(
            "columns",
            Shape::Texts(Form::Wire),
            "The columns of a table, in order: fields, or `field.field` of a nested model.",
        ),
        required("field", Shape::Named(Form::Wire, &FIELD), "The fields, by their JSON key."),
        DOC,
        SOURCE,
        OPEN,
    ],
);

static FIELD: Table = table(
    "field",
    "One field of a model.",
    &[
        required(
            "type",
            Shape::Text(Form::TypeRef),
            "`text`, `integer`, `boolean`, or the name of a scalar, enum or model.",
        ),
        required(
            "presence",
            Shape::Choice(&[
                ("required", "Always present and never null."),
                ("optional", "May be absent or null."),
            ]),
            "`required` if it is always present, otherwise `optional`.",
        ),
        optional("personal", Shape::Boolean, "Whether it is personal data, which is never logged."),
        RUST_NAME,
        optional("example", Shape::Text(Form::Line), "A value, as its wire text."),
        DOC,
        SOURCE,
        OPEN,
        DEPRECATED,
    ],
);

static OPERATION: Table = table(
    "operation",
    "One operation.",
    &[
        required("select", Shape::Text(Form::Select), "The value of the selector, sent verbatim."),
        required("response", Shape::Table(&RESPONSE), "The shape of a successful response."),
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
);

static PARAM: Table = table(
    "parameter",
    "One query parameter.",
    &[
        required(
            "type",
            Shape::Text(Form::TypeRef),
            "`text`, `integer`, `boolean`, or the name of a scalar or enum.",
        ),
        optional(
            "required",
            Shape::Boolean,
            "Whether every call must send it; `false` by default.",
        ),
        optional("needs", Shape::Texts(Form::Param), "The parameters that must be sent with it."),
        optional(
            "otherwise",
            Shape::Choice(&[("no-effect", "It is ignored."), ("error", "The call is refused.")]),
            "The effect of the parameter if one of them is missing.",
        ),
        optional(
            "recovers",
            Shape::Text(Form::Snake),
            "The attribute, absent from the records, that the selected records have with this value.",
        ),
        optional(
            "max-chars",
            Shape::Integer(1, 100_000),
            "The maximum number of characters that the service accepts.",
        ),
        optional(
            "min",
            Shape::Integer(i64::MIN, i64::MAX),
            "The smallest integer that the service accepts.",
        ),
        optional(
            "max",
            Shape::Integer(i64::MIN, i64::MAX),
            "The largest integer that the service accepts.",
        ),
        RUST_NAME,
        DOC,
        SOURCE,
        OPEN,
        DEPRECATED,
    ],
);

static RESPONSE: Table = Table {
    exactly_one: true,
    ..table(
        "response",
        "The shape of a successful response: exactly one of three.",
        &[
            optional(
                "envelope",
                Shape::Table(&ENVELOPE),
                "An object with a success marker and the list.",
            ),
            optional("array", Shape::Table(&BARE), "A bare list."),
            optional("object", Shape::Table(&BARE), "A single object."),
        ],
    )
};

static ENVELOPE: Table = table(
    "envelope",
    "An object with a success marker and a list.",
    &[
        required("marker", Shape::Text(Form::Wire), "The key of the success marker."),
        required(
            "success",
            Shape::Text(Form::Wire),
            "The value of the marker in a successful response.",
        ),
        required("items", Shape::Text(Form::Wire), "The key of the list."),
        required("of", Shape::Text(Form::Type), "The model of an item."),
    ],
);

static BARE: Table = table(
    "shape",
    "The content of the response.",
    &[required("of", Shape::Text(Form::Type), "The model.")],
);

static EXAMPLE: Table = table(
    "example",
    "An exact request and its response.",
    &[
        required("name", Shape::Text(Form::Kebab), "The name."),
        required("operation", Shape::Text(Form::Snake), "The operation."),
        DOC,
        optional("params", Shape::Values, "The parameters with their values."),
        required("query", Shape::Text(Form::Query), "The exact query that is sent."),
        required("response", Shape::Text(Form::File), "The file with the response."),
        optional(
            "rejected",
            Shape::Positions,
            "Positions of the records that a reader must reject.",
        ),
        optional(
            "applies-to",
            Shape::Texts(Form::Kebab),
            "`client`, `server`, or both; both by default.",
        ),
    ],
);

static OPEN_POINT: Table = table(
    "open-point",
    "A question that the contract leaves open.",
    &[
        required("number", Shape::Integer(1, 9999), "The number: 1, 2, 3, …"),
        required("question", Shape::Text(Form::Prose), "The question."),
        required("client", Shape::Text(Form::Prose), "How our libraries behave."),
        required("server", Shape::Text(Form::Prose), "How our server behaves."),
        SOURCE,
    ],
);
