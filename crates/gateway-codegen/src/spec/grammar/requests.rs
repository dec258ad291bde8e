//! The tables of a spec about requests: how a call selects its operation, and how it is authenticated.

use crate::spec::grammar::{DOC, Form, Key, Shape, Table, optional, required, table};

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
                ("form", "The selector is in the form of every call, which is a POST."),
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

pub(super) const VERB: Key = optional(
    "verb",
    Shape::Choice(&[
        ("get", "GET, with the parameters in the query."),
        ("post", "POST, with the parameters in the body."),
    ]),
    "The HTTP method; `get` by default, but `post` if the selector is in the form.",
);

pub(super) const BODY: Key = optional(
    "body",
    Shape::Choice(&[
        ("form", "Parameters as in a query."),
        ("json", "A JSON object whose members are the parameters."),
    ]),
    "The format of the body of a POST; `form` by default.",
);

pub(super) const IDEMPOTENT: Key = optional(
    "idempotent",
    Shape::Boolean,
    "Whether several calls by POST have the effect of one, so that a client may repeat a call; `false` by default.",
);

pub(super) const STYLE: Key = optional(
    "style",
    Shape::Choice(&[
        ("comma", "`id=1,2`."),
        ("pipe", "`id=1|2`."),
        ("repeat", "`id=1&id=2`."),
        ("bracket", "`id[]=1&id[]=2`."),
        ("index", "`id[0]=1&id[1]=2`."),
    ]),
    "How a list is written in a query or a form.",
);

pub(super) const DEFAULT: Key = optional(
    "default",
    Shape::Value,
    "The value that the service uses without the parameter. A client does not send it.",
);

/// How a call is authenticated.
pub(super) static AUTH: Table = Table {
    exactly_one: true,
    ..table(
        "`[auth]`",
        "How a call is authenticated: exactly one.",
        &[
            optional("none", Shape::Table(&NONE), "Calls are not authenticated."),
            optional("bearer", Shape::Table(&BEARER), "`Authorization: Bearer …`, RFC 6750."),
            optional("secret", Shape::Table(&SECRET), "A secret, such as an API key."),
            optional("secrets", Shape::Tables(&SECRET), "Several secrets."),
        ],
    )
};

static NONE: Table = table("`none`", "Calls are not authenticated.", &[]);

static SECRET: Table = table(
    "secret",
    "A secret of every call, such as an API key: its name and its place, not its value.",
    &[
        required(
            "in",
            Shape::Choice(&[
                ("query", "A query parameter, after all others."),
                ("form", "A parameter of the form in the body, after all others."),
                ("header", "A header."),
                ("path", "The text `{secret}` in the `path` of the service."),
            ]),
            "The place in a request.",
        ),
        optional(
            "name",
            Shape::Text(Form::Param),
            "The name of the parameter or header; `secret` by default for one in the path.",
        ),
        DOC,
    ],
);

static BEARER: Table = table("`bearer`", "`Authorization: Bearer …`, RFC 6750.", &[]);
