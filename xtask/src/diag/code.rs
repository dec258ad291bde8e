//! The codes of diagnostics, each with the text that `cargo xtask explain` prints.

/// One kind of mistake.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// The stable name: `GW012`.
    pub id: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What it means and what to do, in sentences. `Code` stands between backticks.
    pub explanation: &'static str,
    /// Whether the spec can be used in spite of it.
    pub warning: bool,
}

/// All codes, by number.
pub static CODES: &[&Code] = &[
    &NOT_TEXT,
    &SYNTAX,
    &UNKNOWN_KEY,
    &MISSING_KEY,
    &WRONG_KIND,
    &UNKNOWN_CHOICE,
    &MALFORMED,
    &OUT_OF_RANGE,
    &LANGUAGE_VERSION,
    &HIDDEN_CHARACTER,
    &UNKNOWN_TYPE,
    &UNKNOWN_PARAM,
    &NEEDS_CYCLE,
    &NEEDS_ORDER,
    &UNKNOWN_OPERATION,
    &UNKNOWN_OPEN_POINT,
    &NAMES_COLLIDE,
    &NO_RUST_NAME,
    &DUPLICATE_WIRE,
    &RESPONSE_SHAPE,
    &EMPTY,
    &UNFIT_TYPE,
    &IDENTITY,
    &ENDLESS,
    &EXAMPLE_QUERY,
    &EXAMPLE_FILE,
    &EXAMPLE_ANSWER,
    &EXAMPLE_PARAMS,
    &NUMBERING,
    &LIMITS_CROSSED,
    &EXAMPLE_VALUE,
    &NO_EXAMPLE,
    &SELECTOR_TAKEN,
    &REQUIRED_NEEDS,
    &UNUSED,
    &COMMANDS_COLLIDE,
];

/// GW001: the spec cannot be read as text.
pub static NOT_TEXT: Code = Code {
    id: "GW001",
    title: "the spec cannot be read as text",
    explanation: "The spec must be a UTF-8 file of at most 4 MiB that is not empty. A byte-order mark \
        at its start and Windows line ends are fine.",
    warning: false,
};

/// GW002: not valid TOML.
pub static SYNTAX: Code = Code {
    id: "GW002",
    title: "not valid TOML",
    explanation: "The file is not TOML 1.1. All syntax errors of the file are reported in one run, so \
        the first one is the place to start: a missing quote or bracket often causes the \
        others.\n\nA key that is given twice is reported here too.",
    warning: false,
};

/// GW003: unknown key.
pub static UNKNOWN_KEY: Code = Code {
    id: "GW003",
    title: "unknown key",
    explanation: "The language has no such key at this place. The help line names the key that was \
        probably meant, or the keys that are possible.",
    warning: false,
};

/// GW004: missing key.
pub static MISSING_KEY: Code = Code {
    id: "GW004",
    title: "missing key",
    explanation: "A key that is required at this place is not there. spec/README.md lists the keys of \
        every table.",
    warning: false,
};

/// GW005: wrong kind of value.
pub static WRONG_KIND: Code = Code {
    id: "GW005",
    title: "wrong kind of value",
    explanation: "The value is text where a number belongs, a table where a list belongs, and so on. \
        Numbers that stand for text need quotes: `version = \"1.0.0\"`.",
    warning: false,
};

/// GW006: not one of the possible values.
pub static UNKNOWN_CHOICE: Code = Code {
    id: "GW006",
    title: "not one of the possible values",
    explanation: "The key takes one of a few fixed words.",
    warning: false,
};

/// GW007: text of the wrong form.
pub static MALFORMED: Code = Code {
    id: "GW007",
    title: "text of the wrong form",
    explanation: "The text does not have the form that its key asks for: a type name is written \
        `LikeThis`, an operation `like_this`, an example `like-this`, a path begins with \
        `/`, a query parameter consists of letters, digits, `-`, `.`, `_` and `~`.",
    warning: false,
};

/// GW008: number out of range.
pub static OUT_OF_RANGE: Code = Code {
    id: "GW008",
    title: "number out of range",
    explanation: "The number is too small or too large for this key. Integers of the spec fit 64 bits.",
    warning: false,
};

/// GW009: another version of the spec language.
pub static LANGUAGE_VERSION: Code = Code {
    id: "GW009",
    title: "another version of the spec language",
    explanation: "`spec-language` says in which version of the language the file is written. This \
        generator reads version 1 only; a spec in a newer version needs a newer generator.",
    warning: false,
};

/// GW010: character that does not show.
pub static HIDDEN_CHARACTER: Code = Code {
    id: "GW010",
    title: "character that does not show",
    explanation: "The text holds a control character, a line separator, or a mark that turns the \
        writing direction. Such characters make a text look like something else than it is \
        (CVE-2021-42574), so no text of a spec may hold them. Write the text without it.",
    warning: false,
};

/// GW011: unknown type.
pub static UNKNOWN_TYPE: Code = Code {
    id: "GW011",
    title: "unknown type",
    explanation: "A field, a parameter or a response names a type that is neither built in (`text`, \
        `integer`, `boolean`) nor declared as `[scalar.…]`, `[enum.…]` or `[model.…]`.",
    warning: false,
};

/// GW012: unknown parameter.
pub static UNKNOWN_PARAM: Code = Code {
    id: "GW012",
    title: "unknown parameter",
    explanation: "`needs` or an example names a parameter that the operation does not have.",
    warning: false,
};

/// GW013: parameters need each other.
pub static NEEDS_CYCLE: Code = Code {
    id: "GW013",
    title: "parameters need each other",
    explanation: "`needs` leads back to the parameter itself, so none of them could ever be sent \
        first.",
    warning: false,
};

/// GW014: parameter before one that it needs.
pub static NEEDS_ORDER: Code = Code {
    id: "GW014",
    title: "parameter before one that it needs",
    explanation: "Parameters are sent in the order in which they stand, and one that needs another \
        stands after it. Move it down.",
    warning: false,
};

/// GW015: unknown operation.
pub static UNKNOWN_OPERATION: Code = Code {
    id: "GW015",
    title: "unknown operation",
    explanation: "An example names an operation that is not declared.",
    warning: false,
};

/// GW016: unknown open point.
pub static UNKNOWN_OPEN_POINT: Code = Code {
    id: "GW016",
    title: "unknown open point",
    explanation: "`open` names an open point that is not declared as `[open-point.…]`.",
    warning: false,
};

/// GW017: two names become one.
pub static NAMES_COLLIDE: Code = Code {
    id: "GW017",
    title: "two names become one",
    explanation: "Two names differ on the wire but are the same word in Rust, in a file name or on \
        the command line: `phoneMobile`, `phone_mobile` and `PhoneMobile` are one name. \
        Give one of them a `rust-name`.",
    warning: false,
};

/// GW018: no Rust name can be made.
pub static NO_RUST_NAME: Code = Code {
    id: "GW018",
    title: "no Rust name can be made",
    explanation: "The wire name has no letter at its start, or letters beyond ASCII, so no name for \
        the generated code can be made of it. Say one with `rust-name`.",
    warning: false,
};

/// GW019: the same text on the wire twice.
pub static DUPLICATE_WIRE: Code = Code {
    id: "GW019",
    title: "the same text on the wire twice",
    explanation: "Two operations have the same `select`, two values of an enum the same `wire`: \
        nobody could tell them apart.",
    warning: false,
};

/// GW020: not exactly one response shape.
pub static RESPONSE_SHAPE: Code = Code {
    id: "GW020",
    title: "not exactly one response shape",
    explanation: "An operation answers in exactly one shape: `response.envelope`, `response.array` or \
        `response.object`.",
    warning: false,
};

/// GW021: nothing in it.
pub static EMPTY: Code = Code {
    id: "GW021",
    title: "nothing in it",
    explanation: "An enum without values, a model without fields or a service without operations \
        cannot be used.",
    warning: false,
};

/// GW022: type that does not fit here.
pub static UNFIT_TYPE: Code = Code {
    id: "GW022",
    title: "type that does not fit here",
    explanation: "The type exists but cannot stand here: a model cannot be a query parameter, a \
        response is made of a model, a decimal or a date is written as a string, and limits \
        fit only the type that they limit (`max-chars` text, `min` and `max` integers).",
    warning: false,
};

/// GW023: identity that identifies nothing.
pub static IDENTITY: Code = Code {
    id: "GW023",
    title: "identity that identifies nothing",
    explanation: "`identity` names the field by which a record is known. It must be a field of the \
        model, be `required`, and be a scalar, text or integer.",
    warning: false,
};

/// GW024: model that never ends.
pub static ENDLESS: Code = Code {
    id: "GW024",
    title: "model that never ends",
    explanation: "A model contains itself through required fields only, so no finite record exists. \
        Make one field on the way `optional`.",
    warning: false,
};

/// GW025: query of an example differs.
pub static EXAMPLE_QUERY: Code = Code {
    id: "GW025",
    title: "query of an example differs",
    explanation: "The query of an example is byte-exact: the selector, then the parameters in the \
        order in which the operation declares them, values percent-encoded except letters, \
        digits, `-`, `.`, `_` and `~`. The help line shows what the client will send.",
    warning: false,
};

/// GW026: answer of an example cannot be read.
pub static EXAMPLE_FILE: Code = Code {
    id: "GW026",
    title: "answer of an example cannot be read",
    explanation: "The file named by `response` is missing, is not UTF-8, or lies outside the folder \
        of the spec.",
    warning: false,
};

/// GW027: answer of an example does not fit.
pub static EXAMPLE_ANSWER: Code = Code {
    id: "GW027",
    title: "answer of an example does not fit",
    explanation: "The file named by `response` is not JSON, or not an answer of this operation: the \
        shape differs, a required field is missing, a value has the wrong type. Records \
        that a reader must reject are listed, by position, in `rejected`.",
    warning: false,
};

/// GW028: parameters of an example do not fit.
pub static EXAMPLE_PARAMS: Code = Code {
    id: "GW028",
    title: "parameters of an example do not fit",
    explanation: "The example gives a value of the wrong kind, leaves out a required parameter, or \
        gives a parameter without one that it needs.",
    warning: false,
};

/// GW029: open points not numbered 1, 2, 3, ….
pub static NUMBERING: Code = Code {
    id: "GW029",
    title: "open points not numbered 1, 2, 3, …",
    explanation: "Open points are quoted by number, so each has its own and none is left out. Add new \
        ones at the end.",
    warning: false,
};

/// GW030: smallest above largest.
pub static LIMITS_CROSSED: Code = Code {
    id: "GW030",
    title: "smallest above largest",
    explanation: "`min` is greater than `max`, so no value is possible.",
    warning: false,
};

/// GW031: example value of the wrong form.
pub static EXAMPLE_VALUE: Code = Code {
    id: "GW031",
    title: "example value of the wrong form",
    explanation: "The `example` of a scalar or field must be a value of its type: a plain decimal for \
        `decimal`, `YYYY-MM-DD HH:MM:SS` for `civil-datetime`, digits where a query sends \
        an integer.",
    warning: false,
};

/// GW032: operation without an example.
pub static NO_EXAMPLE: Code = Code {
    id: "GW032",
    title: "operation without an example",
    explanation: "Every operation has at least one `[[example]]`: the reference pages, the mocks and \
        the contract checks are made from them.",
    warning: false,
};

/// GW033: parameter named like the selector.
pub static SELECTOR_TAKEN: Code = Code {
    id: "GW033",
    title: "parameter named like the selector",
    explanation: "The selector picks the operation; a parameter of the same name would be sent twice.",
    warning: false,
};

/// GW034: required parameter needs an optional one.
pub static REQUIRED_NEEDS: Code = Code {
    id: "GW034",
    title: "required parameter needs an optional one",
    explanation: "A required parameter is always sent, so what it needs must be required too; then \
        `needs` says nothing. Remove `needs`, or make the parameter optional.",
    warning: false,
};

/// GW035: declared and never used.
pub static UNUSED: Code = Code {
    id: "GW035",
    title: "declared and never used",
    explanation: "Nothing refers to the declaration, so it changes nothing. Remove it, or refer to it.",
    warning: true,
};

/// GW036: the same on the command line.
pub static COMMANDS_COLLIDE: Code = Code {
    id: "GW036",
    title: "the same on the command line",
    explanation: "The program has a command for every operation: `vacancies/list` is `vacancies list`, \
        `a/b/c` is `a b-c`. Two operations need two commands, and a selector without `/` needs a \
        command of which no other is a part. A parameter `page_size` is the flag `--page-size`; \
        two parameters of an operation need two flags.",
    warning: false,
};
