//! `integer`: a whole number of 64 bits with a sign.

use crate::ir::{BuiltIn, Form, Primitive};

pub(super) static INTEGER: BuiltIn = BuiltIn {
    word: "integer",
    since: 1,
    elsewhere: &[
        "int", "long", "short", "uint", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
        "int32", "int64", "bigint",
    ],
    described: "`integer` (64-bit, signed)",
    form: Form {
        primitive: Primitive::Signed,
        fits: |text| text.parse::<i64>().is_ok(),
        expected: "an integer",
        schema: None,
        kind: None,
        digits: None,
        random: None,
        field_type: "Integer",
        check: "Integer",
        import: "Integer { min: i64::MIN }",
    },
    sample: "1",
};
