//! The tables of a spec about responses: where the data of a body is, and how the body reports a failure.

use crate::spec::grammar::Language::{One, Two};
use crate::spec::grammar::{Form, Key, Shape, Table, only, optional, required, table};

/// The shape of a response.
pub(super) static RESPONSE: Table = Table {
    exactly_one: true,
    ..table(
        "response",
        "The shape of a successful response: exactly one.",
        &[
            only(
                One,
                optional(
                    "envelope",
                    Shape::Table(&MARKED_LIST),
                    "An object with a success marker and the list.",
                ),
            ),
            only(One, optional("array", Shape::Table(&BARE), "A bare list.")),
            only(One, optional("object", Shape::Table(&BARE), "A single object.")),
            only(Two, optional("list", Shape::Table(&LIST), "A list.")),
            only(Two, optional("object", Shape::Table(&OBJECT), "A single object.")),
            only(Two, optional("value", Shape::Table(&VALUE), "A value that is not a record.")),
            only(Two, optional("nothing", Shape::Table(&NOTHING), "No data.")),
        ],
    )
};

static MARKED_LIST: Table = table(
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

const IN_ENVELOPE: Key = optional(
    "envelope",
    Shape::Text(Form::Kebab),
    "The envelope, or `none`; by default the `envelope` of the service.",
);

static LIST: Table = table(
    "list",
    "A list.",
    &[
        required("of", Shape::Text(Form::Type), "The model of an item."),
        optional("at", Shape::Text(Form::Wire), AT),
        IN_ENVELOPE,
        optional(
            "beside",
            Shape::Text(Form::Type),
            "The model of the fields beside the list, in the object that holds it.",
        ),
        optional(
            "beside-at",
            Shape::Text(Form::Wire),
            "The path of the object with the fields beside the list, if it is around the one that holds the list; `$` is the whole body.",
        ),
        optional(
            "lenient",
            Shape::Texts(Form::Kebab),
            "`absent-as-empty`: an empty list may be absent or null. `one-as-list`: a record may replace a list of one.",
        ),
    ],
);

const AT: &str =
    "The keys that lead to the data, with dots between them; without it, the body is the data.";

static OBJECT: Table = table(
    "object",
    "A single object.",
    &[
        required("of", Shape::Text(Form::Type), "The model of the object."),
        optional("at", Shape::Text(Form::Wire), AT),
        IN_ENVELOPE,
    ],
);

static VALUE: Table = table(
    "value",
    "A value that is not a record, such as a text, a number, a list of these, or a map.",
    &[
        required("of", Shape::Text(Form::AnyType), "The type of the value."),
        optional("at", Shape::Text(Form::Wire), AT),
        IN_ENVELOPE,
    ],
);

static NOTHING: Table = table(
    "response without data",
    "A response without data: an empty body, or JSON of which only the envelope matters.",
    &[IN_ENVELOPE],
);

/// A named envelope.
pub(super) static ENVELOPE: Table = table(
    "named envelope",
    "An object around the data, which says whether the call succeeded.",
    &[
        optional("success", Shape::Table(&SUCCESS), "The marker of a successful response."),
        optional("failure", Shape::Table(&FAILURE), "The marker of a failure."),
        optional("error", Shape::Table(&ERROR), "Where the error code and the error message are."),
        optional(
            "error-class",
            Shape::Values,
            "The classes of error codes, or of messages without a code: `auth`, `rate-limit`, `unavailable` or `other`, which is the default. A `*` at the end is any text.",
        ),
        optional("empty", Shape::Table(&EMPTY), "The failures that mean an empty list."),
    ],
);

static SUCCESS: Table = table(
    "success marker",
    "A member that says that the call succeeded.",
    &[
        required(
            "at",
            Shape::Text(Form::Wire),
            "The keys that lead to the marker, with dots between them.",
        ),
        required(
            "is",
            Shape::Texts(Form::Wire),
            "Its values in a successful response; `true` is also the boolean, and `1` the number.",
        ),
    ],
);

static FAILURE: Table = table(
    "failure marker",
    "A member that says that the call failed.",
    &[required(
        "present",
        Shape::Text(Form::Wire),
        "The keys that lead to a member that only a failure has, with dots between them.",
    )],
);

static ERROR: Table = table(
    "place of an error",
    "Where the error code and the error message are.",
    &[
        optional(
            "at",
            Shape::Text(Form::Line),
            "The keys that lead to the object with both; without it, the body.",
        ),
        optional("code", Shape::Text(Form::Wire), "The keys that lead to the code, below `at`."),
        optional(
            "message",
            Shape::Text(Form::Wire),
            "The keys that lead to the message, below `at`.",
        ),
    ],
);

static EMPTY: Table = table(
    "empty list",
    "The failures that mean an empty list.",
    &[
        optional("code", Shape::Texts(Form::Wire), "Their codes."),
        optional("message", Shape::Texts(Form::Wire), "Their messages."),
    ],
);
