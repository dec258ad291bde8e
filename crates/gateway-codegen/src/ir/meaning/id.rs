//! `id`: an identifier, which cannot be mixed up with another one. It is text or an integer.

use crate::ir::{Form, Meaning, Primitive};

/// The meaning of identifiers.
pub static ID: Meaning = Meaning {
    word: "id",
    doc: "An identifier.",
    since: 1,
    string: Some(Form {
        primitive: Primitive::Text,
        fits: |_| true,
        expected: "text",
        schema: None,
        kind: None,
        digits: Some("digits"),
        random: Some("identifier"),
        field_type: "Id",
        check: "Text",
        import: "Id",
    }),
    numeric: true,
    integer: Some(Form {
        primitive: Primitive::Unsigned,
        fits: |text| text.parse::<u64>().is_ok(),
        expected: "an unsigned 64-bit integer, because `wire` or `query-wire` is `integer`",
        schema: None,
        kind: None,
        digits: None,
        random: None,
        field_type: "Id",
        check: "Integer",
        import: "Integer { min: 0 }",
    }),
    codes: None,
};
