//! The tables of a spec.

use crate::ir::{FIRST_MEANING_WORDS, MEANING_WORDS, Wire};
use crate::spec::grammar::Language::{One, Two};
use crate::spec::grammar::paging::PAGING;
use crate::spec::grammar::requests::{self, AUTH, DISPATCH};
use crate::spec::grammar::responses::{ENVELOPE, RESPONSE};
use crate::spec::grammar::{
    DEPRECATED, DOC, Form, OPEN, RUST_NAME, SOURCE, Shape, Table, only, optional, required, table,
};

/// The whole document.
pub static DOCUMENT: Table = table(
    "spec",
    "A service whose operations share one address. A part of the request selects the operation.",
    &[
        only(
            One,
            required("spec-language", Shape::Integer(1, 1), "The version of the spec language."),
        ),
        only(
            Two,
            required("spec-language", Shape::Integer(2, 2), "The version of the spec language."),
        ),
        required("service", Shape::Table(&SERVICE), "The service."),
        only(
            Two,
            required("dispatch", Shape::Table(&DISPATCH), "How a call selects its operation."),
        ),
        only(Two, required("auth", Shape::Table(&AUTH), "How a call is authenticated.")),
        only(
            Two,
            optional(
                "envelope",
                Shape::Named(Form::Kebab, &ENVELOPE),
                "Objects around the data, which say whether the call succeeded.",
            ),
        ),
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
        only(One, required("path", Shape::Text(Form::Path), "The path that all operations share.")),
        only(
            Two,
            required(
                "path",
                Shape::Text(Form::SecretPath),
                "The path that all operations share; `{secret}` is the place of a secret.",
            ),
        ),
        only(
            One,
            required(
                "selector",
                Shape::Text(Form::Param),
                "The query parameter that selects the operation.",
            ),
        ),
        required("accept", Shape::Text(Form::Media), "The value of the `Accept` header."),
        only(
            One,
            required(
                "auth",
                Shape::Choice(&[("bearer", "`Authorization: Bearer …`, RFC 6750.")]),
                "How a call is authenticated.",
            ),
        ),
        only(
            Two,
            optional(
                "envelope",
                Shape::Text(Form::Kebab),
                "The envelope of all operations that name no other one.",
            ),
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
        only(
            One,
            required("wire", Shape::Choice(&Wire::PLAIN_WORDS), "How it is written in records."),
        ),
        only(Two, required("wire", Shape::Choice(&Wire::WORDS), "How it is written in records.")),
        only(
            Two,
            optional(
                "true",
                Shape::Codes,
                "The JSON values that are true, for the wire `codes`; the first one is written.",
            ),
        ),
        only(
            Two,
            optional(
                "false",
                Shape::Codes,
                "The JSON values that are false, for the wire `codes`; the first one is written.",
            ),
        ),
        optional(
            "query-wire",
            Shape::Choice(&Wire::PLAIN_WORDS),
            "How it is written in a query, if that differs.",
        ),
        optional(
            "digits",
            Shape::Boolean,
            "Whether the text of an id has only decimal digits. Contract checks require it; clients keep any text.",
        ),
        only(
            One,
            required("meaning", Shape::Choice(&FIRST_MEANING_WORDS), "The meaning of the value."),
        ),
        only(Two, required("meaning", Shape::Choice(&MEANING_WORDS), "The meaning of the value.")),
        required("example", Shape::Text(Form::Wire), "A value, as its wire text."),
        DOC,
        SOURCE,
        OPEN,
    ],
);

static ENUM: Table = table(
    "enum",
    "A set of named values, written as strings or integers.",
    &[
        only(
            Two,
            optional(
                "wire",
                Shape::Choice(&Wire::ENUM_WORDS),
                "How the values are written; `string` by default.",
            ),
        ),
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
            "The columns of a table, most important first: fields, or `field.field` of a nested model.",
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
        only(
            One,
            required(
                "type",
                Shape::Text(Form::TypeRef),
                "`text`, `integer`, `boolean`, or the name of a scalar, enum or model.",
            ),
        ),
        only(
            Two,
            required(
                "type",
                Shape::Text(Form::AnyType),
                "`text`, `integer`, `float`, `boolean`, the name of a scalar, enum or model, or `list<…>` or `map<…>` of one of them.",
            ),
        ),
        required(
            "presence",
            Shape::Choice(&[
                ("required", "Always present and never null."),
                ("optional", "May be absent or null."),
            ]),
            "`required` if it is always present, otherwise `optional`.",
        ),
        only(
            Two,
            optional(
                "lenient",
                Shape::Texts(Form::Kebab),
                "Other forms of the value that a reader accepts: `one-as-list`, `empty-array-as-map`, `blank-as-none` or `absent-as-empty`.",
            ),
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
        only(
            One,
            required(
                "select",
                Shape::Text(Form::Select),
                "The value of the selector, sent verbatim.",
            ),
        ),
        only(
            Two,
            required(
                "select",
                Shape::OneOrTwo(Form::Select),
                "The value of the selector, or those of two, sent verbatim.",
            ),
        ),
        only(Two, requests::VERB),
        only(Two, requests::BODY),
        only(Two, requests::IDEMPOTENT),
        required("response", Shape::Table(&RESPONSE), "The shape of a successful response."),
        only(
            Two,
            optional(
                "paging",
                Shape::Table(&PAGING),
                "How the pages of the list follow each other.",
            ),
        ),
        optional(
            "gauge",
            Shape::Table(&GAUGE),
            "The amount that the object reports, of which a mirror keeps samples.",
        ),
        optional(
            "param",
            Shape::Named(Form::Bracketed, &PARAM),
            "The parameters, in the order in which they are sent.",
        ),
        DOC,
        SOURCE,
        OPEN,
        DEPRECATED,
    ],
);

static GAUGE: Table = table(
    "gauge",
    "An amount in an object, such as a balance.",
    &[
        required(
            "value",
            Shape::Text(Form::Wire),
            "The field with the amount: an `integer`, a `float` or a `decimal`, with dots between the keys of nested models.",
        ),
        optional(
            "unit",
            Shape::Text(Form::Wire),
            "The field with the unit, such as a currency code.",
        ),
    ],
);

static PARAM: Table = table(
    "parameter",
    "One parameter, in the query or in the body of a POST.",
    &[
        only(
            One,
            required(
                "type",
                Shape::Text(Form::TypeRef),
                "`text`, `integer`, `boolean`, or the name of a scalar or enum.",
            ),
        ),
        only(
            Two,
            required(
                "type",
                Shape::Text(Form::AnyType),
                "`text`, `integer`, `float`, `boolean`, the name of a scalar or enum, or `list<…>` of one of them.",
            ),
        ),
        only(Two, requests::STYLE),
        only(Two, requests::DEFAULT),
        optional(
            "required",
            Shape::Boolean,
            "Whether every call must send it; `false` by default.",
        ),
        optional(
            "needs",
            Shape::Texts(Form::Bracketed),
            "The parameters that must be sent with it.",
        ),
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

static EXAMPLE: Table = table(
    "example",
    "An exact request and its response.",
    &[
        required("name", Shape::Text(Form::Kebab), "The name."),
        required("operation", Shape::Text(Form::Snake), "The operation."),
        DOC,
        only(One, optional("params", Shape::Values, "The parameters with their values.")),
        only(Two, optional("params", Shape::ValuesOrLists, "The parameters with their values.")),
        only(One, required("query", Shape::Text(Form::Query), "The exact query that is sent.")),
        only(
            Two,
            optional(
                "query",
                Shape::Text(Form::Query),
                "The exact query that is sent; absent if the call has none.",
            ),
        ),
        only(
            Two,
            optional("body", Shape::Text(Form::Line), "The exact body of the POST that is sent."),
        ),
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
