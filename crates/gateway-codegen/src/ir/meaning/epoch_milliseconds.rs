//! `epoch-milliseconds`: milliseconds since 1970-01-01 00:00:00 UTC, negative before it. An integer, or text in digits.

use crate::ir::{Form, Meaning, Primitive};

pub(super) static EPOCH_MILLISECONDS: Meaning = Meaning {
    word: "epoch-milliseconds",
    doc: "Milliseconds since 1970-01-01 00:00:00 UTC.",
    since: 2,
    string: Some(Form {
        primitive: Primitive::Text,
        fits: is_milliseconds,
        expected: EXPECTED,
        schema: Some("epoch-milliseconds"),
        kind: Some("epoch_milliseconds_text"),
        digits: None,
        random: Some("epoch_milliseconds_text"),
        field_type: "Text",
        check: "EpochSeconds",
        import: "Text",
    }),
    numeric: true,
    integer: Some(Form {
        primitive: Primitive::Signed,
        fits: is_milliseconds,
        expected: EXPECTED,
        schema: Some("epoch-milliseconds"),
        kind: Some("epoch_milliseconds"),
        digits: None,
        random: Some("epoch_milliseconds"),
        field_type: "Integer",
        check: "Integer",
        import: "Integer { min: i64::MIN }",
    }),
    codes: None,
};

const EXPECTED: &str = "a whole number of milliseconds such as `1711850400000`";

fn is_milliseconds(text: &str) -> bool {
    !text.starts_with('+') && text.parse::<i64>().is_ok()
}
