//! The grammar of the spec language, as data: which keys stand where, and what they hold.
//!
//! The reader and the JSON Schema for editors are both made from these tables, so they cannot
//! disagree. `spec/README.md` says the same for people.

use crate::text::is_hidden;

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

/// The form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Sentences; line breaks are allowed.
    Prose,
    /// Any text on one line.
    Line,
    /// `CandidateId`.
    Type,
    /// `list_candidates`.
    Snake,
    /// `recruitment-gateway`.
    Kebab,
    /// `D-date`.
    Id,
    /// `phone_mobile` or `phoneMobile`: what `rust-name` takes.
    Ident,
    /// The name of a type, built in or declared.
    TypeRef,
    /// A JSON key or an enum value: any text on one line that is not empty.
    Wire,
    /// A query parameter: unreserved characters of RFC 3986.
    Param,
    /// The value of the selector: unreserved characters and `/`.
    Select,
    /// A URL path from the root.
    Path,
    /// A media type.
    Media,
    /// `1.2.3`.
    Version,
    /// A relative path below the folder of the spec.
    File,
    /// A query string of printable ASCII.
    Query,
}

/// The longest name, in characters.
const LONGEST_NAME: usize = 64;
/// The longest text on one line, in characters.
const LONGEST_LINE: usize = 400;

impl Form {
    /// What a text of the form looks like, for messages.
    pub fn expected(self) -> &'static str {
        match self {
            Self::Prose => "sentences",
            Self::Line => "text on one line",
            Self::Type => {
                "a type name such as `CandidateId`, of at most 64 ASCII letters and digits"
            }
            Self::Snake => {
                "a name such as `list_candidates`, of at most 64 lowercase ASCII letters, digits and `_`"
            }
            Self::Kebab => {
                "a name such as `status-names`, of at most 64 lowercase ASCII letters, digits and `-`"
            }
            Self::Id => "an id such as `D-date`, of at most 64 ASCII letters, digits and `-`",
            Self::Ident => {
                "a Rust name such as `kind`, of at most 64 ASCII letters, digits and `_`"
            }
            Self::TypeRef => "the name of a type",
            Self::Wire => "text on one line that is not empty and has no white space around it",
            Self::Param => "a query parameter of letters, digits, `-`, `.`, `_` and `~`",
            Self::Select => {
                "a selector such as `candidates/list`, of letters, digits, `-`, `.`, `_`, `~` and `/`"
            }
            Self::Path => "a path such as `/c/oauth/v1`, without a slash at its end",
            Self::Media => "a media type such as `application/json`",
            Self::Version => "a version such as `1.0.0`, three numbers",
            Self::File => "a path such as `fixtures/credits.json`, below the folder of the spec",
            Self::Query => "a query string such as `method=credits/get`, of printable ASCII",
        }
    }

    /// Whether a text of the form has only ASCII characters.
    pub fn is_ascii(self) -> bool {
        !matches!(self, Self::Prose | Self::Line | Self::Wire)
    }

    /// The form as a regular expression of JSON Schema.
    pub fn pattern(self) -> &'static str {
        match self {
            Self::Prose => r"\S",
            Self::Line | Self::Wire => r"^\S(.*\S)?$",
            Self::Type => "^[A-Z][A-Za-z0-9]{0,63}$",
            Self::Snake => "^[a-z][a-z0-9]*(_[a-z0-9]+)*$",
            Self::Kebab => "^[a-z][a-z0-9]*(-[a-z0-9]+)*$",
            Self::Id => "^[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*$",
            Self::Ident => "^[A-Za-z][A-Za-z0-9_]{0,63}$",
            Self::TypeRef => "^[A-Za-z][A-Za-z0-9]{0,63}$",
            Self::Param => "^[A-Za-z0-9._~-]+$",
            Self::Select => "^[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*$",
            Self::Path => "^(/[A-Za-z0-9._~-]+)+$",
            Self::Media => r"^[a-z0-9]+/[a-z0-9.+-]+$",
            Self::Version => r"^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$",
            Self::File => r"^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$",
            Self::Query => r"^[!-~]+$",
        }
    }

    /// Whether a text has the form. Says the same as [`pattern`](Self::pattern), plus lengths.
    pub fn fits(self, text: &str) -> bool {
        (1..=self.longest()).contains(&text.chars().count()) && self.shape_fits(text)
    }

    /// The largest number of characters that a text of the form has.
    pub fn longest(self) -> usize {
        match self {
            Self::Prose => 4000,
            Self::Type | Self::Snake | Self::Kebab | Self::Id | Self::Ident | Self::TypeRef => {
                LONGEST_NAME
            }
            Self::Param => 100,
            Self::Line
            | Self::Wire
            | Self::Select
            | Self::Path
            | Self::Media
            | Self::Version
            | Self::File
            | Self::Query => LONGEST_LINE,
        }
    }

    fn shape_fits(self, text: &str) -> bool {
        let words = |separator: char, start: fn(char) -> bool, rest: fn(char) -> bool| {
            text.starts_with(start)
                && text.split(separator).all(|word| !word.is_empty() && word.chars().all(rest))
        };
        let lower_digit = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        match self {
            Self::Prose => !text.trim().is_empty(),
            Self::Line | Self::Wire => !text.contains('\n') && text.trim() == text,
            Self::Type => {
                text.starts_with(|c: char| c.is_ascii_uppercase())
                    && text.chars().all(|c| c.is_ascii_alphanumeric())
            }
            Self::Snake => words('_', |c| c.is_ascii_lowercase(), lower_digit),
            Self::Kebab => words('-', |c| c.is_ascii_lowercase(), lower_digit),
            Self::Id => words('-', |c| c.is_ascii_alphabetic(), |c| c.is_ascii_alphanumeric()),
            Self::Ident => {
                text.starts_with(|c: char| c.is_ascii_alphabetic())
                    && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            }
            Self::TypeRef => {
                text.starts_with(|c: char| c.is_ascii_alphabetic())
                    && text.chars().all(|c| c.is_ascii_alphanumeric())
            }
            Self::Param => text.chars().all(is_unreserved),
            Self::Select => words('/', is_unreserved, is_unreserved),
            Self::Path => {
                text.strip_prefix('/').is_some_and(|rest| rest.split('/').all(is_segment))
            }
            Self::Media => text.split_once('/').is_some_and(|(a, b)| {
                !a.is_empty()
                    && a.chars().all(lower_digit)
                    && !b.is_empty()
                    && b.chars().all(|c| lower_digit(c) || matches!(c, '.' | '+' | '-'))
            }),
            Self::Version => is_version(text),
            Self::File => text.split('/').all(|part| {
                is_segment(part) && !part.starts_with(['.', '~']) && !part.contains('~')
            }),
            Self::Query => text.chars().all(|c| c.is_ascii_graphic()),
        }
    }
}

fn is_segment(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_unreserved)
}

/// Whether a character needs no escaping anywhere in a URL (RFC 3986, section 2.3).
pub fn is_unreserved(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '~')
}

fn is_version(text: &str) -> bool {
    let number = |part: &str| {
        (1..=9).contains(&part.len())
            && part.chars().all(|c| c.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'))
    };
    text.split('.').count() == 3 && text.split('.').all(number)
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
