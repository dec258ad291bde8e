//! `text`: any text.

use crate::ir::{BuiltIn, Form, Primitive};

pub(super) static TEXT: BuiltIn = BuiltIn {
    word: "text",
    since: 1,
    elsewhere: &["string", "str", "varchar", "char"],
    described: "`text`",
    form: Form {
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
    },
    sample: "text",
};
