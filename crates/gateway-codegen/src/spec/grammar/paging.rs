//! The tables of a spec about lists in pages.

use crate::spec::grammar::{Form, Key, Shape, Table, optional, required, table};

/// How the pages of a list follow each other.
pub(super) static PAGING: Table = Table {
    exactly_one: true,
    ..table(
        "paging",
        "How the pages of a list follow each other: exactly one.",
        &[
            optional("page", Shape::Table(&PAGE), "A parameter is the number of the page."),
            optional(
                "offset",
                Shape::Table(&OFFSET),
                "A parameter is the number of records before the page.",
            ),
            optional(
                "cursor",
                Shape::Table(&CURSOR),
                "A parameter is a text that the page before contains.",
            ),
            optional(
                "continuation",
                Shape::Table(&CONTINUATION),
                "The page before contains an object with the parameters.",
            ),
        ],
    )
};

const PARAM: Key = required(
    "param",
    Shape::Text(Form::Bracketed),
    "The parameter whose value changes from page to page.",
);
const SIZE: Key = optional(
    "size",
    Shape::Text(Form::Bracketed),
    "The parameter with the maximum number of records of a page.",
);
const SHORT: Key = optional(
    "short-page-ends",
    Shape::Boolean,
    "Whether a page with fewer records than its size is the last one.",
);
const TOTAL: Key = optional(
    "total",
    Shape::Text(Form::Wire),
    "The field beside the list with the number of records of all pages.",
);
const MORE: Key = optional(
    "more",
    Shape::Text(Form::Wire),
    "The boolean field beside the list that is false on the last page.",
);
const NEXT: &str =
    "The field beside the list with the value for the next page. The last page lacks it.";

static PAGE: Table = table(
    "paging by page",
    "A parameter is the number of the page.",
    &[
        PARAM,
        optional("first", Shape::Integer(0, 1), "The number of the first page; 1 by default."),
        SIZE,
        optional(
            "last",
            Shape::Text(Form::Wire),
            "The field beside the list with the number of pages.",
        ),
        TOTAL,
        MORE,
        SHORT,
    ],
);

static OFFSET: Table = table(
    "paging by offset",
    "A parameter is the number of records before the page.",
    &[PARAM, SIZE, TOTAL, optional("next", Shape::Text(Form::Wire), NEXT), MORE, SHORT],
);

static CURSOR: Table = table(
    "paging by cursor",
    "A parameter is a text that the page before contains.",
    &[PARAM, SIZE, required("next", Shape::Text(Form::Wire), NEXT), MORE],
);

static CONTINUATION: Table = table(
    "paging by continuation",
    "The page before contains an object with the parameters.",
    &[SIZE, required("next", Shape::Text(Form::Wire), NEXT), MORE],
);
