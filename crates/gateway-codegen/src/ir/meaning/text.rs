//! `text`: text with a type of its own.

use crate::ir::{Form, Meaning, Primitive};

pub(super) static TEXT: Meaning = Meaning {
    word: "text",
    doc: "Text with a named type.",
    since: 1,
    string: Some(Form {
        primitive: Primitive::Text,
        fits: |_| true,
        expected: "text",
        schema: None,
        kind: None,
        digits: None,
        random: Some("text"),
        field_type: "Text",
        check: "Text",
        import: "Text",
    }),
    numeric: true,
    integer: None,
    codes: None,
};
