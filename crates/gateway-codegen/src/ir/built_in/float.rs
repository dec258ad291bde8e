//! `float`: a finite number with a fraction, as a 64-bit floating-point number.

use crate::ir::{BuiltIn, Form, Primitive};

pub(super) static FLOAT: BuiltIn = BuiltIn {
    word: "float",
    since: 2,
    elsewhere: &["double", "real", "f32", "f64", "float32", "float64"],
    described: "`float` (64-bit floating-point number)",
    form: Form {
        primitive: Primitive::Float,
        fits: |text| Primitive::Float.json(text).is_some(),
        expected: "a number such as `52.25`",
        schema: None,
        kind: None,
        digits: None,
        random: Some("float"),
        field_type: "Real",
        check: "Number",
        import: "Float",
    },
    sample: "52.25",
};
