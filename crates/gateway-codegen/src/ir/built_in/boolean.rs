//! `boolean`: `true` or `false`.

use crate::ir::{BuiltIn, Form, Primitive};

pub(super) static BOOLEAN: BuiltIn = BuiltIn {
    word: "boolean",
    since: 1,
    elsewhere: &["bool", "flag"],
    described: "`boolean`",
    form: Form {
        primitive: Primitive::Boolean,
        fits: |text| text.parse::<bool>().is_ok(),
        expected: "`true` or `false`",
        schema: None,
        kind: None,
        digits: None,
        random: None,
        field_type: "Boolean",
        check: "Boolean",
        import: "Boolean",
    },
    sample: "true",
};
