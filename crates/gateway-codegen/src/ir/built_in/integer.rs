//! `integer`: a whole number of 64 bits with a sign.

use crate::ir::{BuiltIn, Form, Primitive};

pub(super) static INTEGER: BuiltIn = BuiltIn {
    word: "integer",
    described: "`integer` (64-bit, signed)",
    form: Form {
        primitive: Primitive::Signed,
        fits: |text| text.parse::<i64>().is_ok(),
        expected: "an integer",
        schema: None,
        conversions: None,
        sent_as_integer: None,
        random: None,
        check: "Integer",
        import: "Integer { min: i64::MIN }",
    },
    sample: "1",
};
