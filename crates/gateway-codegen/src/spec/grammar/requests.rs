//! The tables of a spec about requests: how a call selects its operation, and how it is authenticated.

use crate::spec::grammar::{Form, Shape, Table, optional, required, table};

/// How a call selects its operation.
pub(super) static DISPATCH: Table = table(
    "`[dispatch]`",
    "How a call selects its operation.",
    &[required(
        "selector",
        Shape::Text(Form::Param),
        "The query parameter that selects the operation.",
    )],
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
