//! The keys of the configuration.

use crate::spec::grammar::{Form, Key, Shape, Table, optional, required, table};

/// The whole file.
pub(super) static CONFIGURATION: Table = table(
    "configuration",
    "The files that are generated from a spec, and their locations.",
    &[
        required("spec", Shape::Text(Form::File), "The path of the spec."),
        optional("command", Shape::Text(Form::Line), "The command that generates the files again."),
        optional("crate", Shape::Table(&CRATES), "The generated crates."),
        optional("documents", Shape::Table(&DOCUMENTS), "The generated documents."),
    ],
);

static CRATES: Table = table(
    "`[crate]`",
    "The generated crates.",
    &[
        role("model", "Records, queries and scalars."),
        role("client", "One method for each operation, on an async and a blocking client."),
        role("testkit", "Typed mocks, and the examples of the spec as data."),
        role("server", "The operations and the records of a service."),
        role("cli", "The commands of a program."),
    ],
);

const fn role(name: &'static str, doc: &'static str) -> Key {
    optional(name, Shape::Table(&CRATE), doc)
}

static CRATE: Table = table(
    "crate",
    "A generated crate.",
    &[
        required("name", Shape::Text(Form::Kebab), "The name in its `Cargo.toml`."),
        optional("folder", Shape::Text(Form::File), "Its folder; `crates/NAME` by default."),
    ],
);

static DOCUMENTS: Table = table(
    "`[documents]`",
    "The generated documents.",
    &[
        optional("contract", Shape::Text(Form::File), "The document to which the reference links."),
        optional("reference", Shape::Text(Form::File), "The folder of the reference."),
        optional("openapi", Shape::Text(Form::File), "The folder of the OpenAPI documents."),
        optional("json-schema", Shape::Text(Form::File), "The folder of the JSON Schemas."),
        optional("spec-schema", Shape::Text(Form::File), "The JSON Schema of the spec language."),
    ],
);
