//! `boolean`: true or false, written as other JSON values.

use crate::ir::{Form, Meaning, Primitive};

pub(super) static BOOLEAN: Meaning = Meaning {
    word: "boolean",
    doc: "True or false, written as other JSON values, such as 0 and 1.",
    since: 2,
    string: None,
    numeric: false,
    integer: None,
    codes: Some(Form {
        primitive: Primitive::Coded,
        // The reader of specs compares the examples with the codes of the scalar.
        fits: |_| true,
        expected: "one of the codes",
        schema: Some("boolean"),
        kind: Some("boolean"),
        digits: None,
        random: None,
        field_type: "Json",
        check: "Values",
        import: "Codes",
    }),
};
