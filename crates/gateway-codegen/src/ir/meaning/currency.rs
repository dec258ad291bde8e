//! `currency`: a currency code.

use crate::ir::{Form, Meaning, Primitive};

pub(super) static CURRENCY: Meaning = Meaning {
    word: "currency",
    doc: "A currency code.",
    since: 1,
    string: Some(Form {
        primitive: Primitive::Text,
        fits: |_| true,
        expected: "text",
        schema: Some("currency"),
        kind: None,
        digits: None,
        random: Some("currency"),
        field_type: "Text",
        check: "Currency",
        import: "Text",
    }),
    numeric: false,
    integer: None,
    codes: None,
};
