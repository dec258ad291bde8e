//! The tables of a spec about requests: how a call selects its operation, and how it is authenticated.

use crate::spec::grammar::{Form, Shape, Table, optional, table};

/// How a call selects its operation.
pub(super) static DISPATCH: Table = table(
    "`[dispatch]`",
    "How a call selects its operation.",
    &[
        optional(
            "selector",
            Shape::OneOrTwo(Form::Param),
            "The parameter that selects the operation, or two that select it together.",
        ),
        optional(
            "in",
            Shape::Choice(&[
                ("query", "The selector is a query parameter."),
                ("path", "The last segments of the path select the operation."),
            ]),
            "The part of a request that selects the operation; `query` by default.",
        ),
        optional(
            "constants",
            Shape::Values,
            "The parameters, with their values, that every call has.",
        ),
    ],
);

/// How a call is authenticated.
pub(super) static AUTH: Table = Table {
    exactly_one: true,
    ..table(
        "`[auth]`",
        "How a call is authenticated: exactly one.",
        &[optional("bearer", Shape::Table(&BEARER), "`Authorization: Bearer …`, RFC 6750.")],
    )
};

static BEARER: Table = table("`bearer`", "`Authorization: Bearer …`, RFC 6750.", &[]);
