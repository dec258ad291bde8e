//! `epoch-seconds`: seconds since 1970-01-01 00:00:00 UTC, negative before it. An integer, or text in digits.

use crate::ir::{Form, Meaning, Primitive};

pub(super) static EPOCH_SECONDS: Meaning = Meaning {
    word: "epoch-seconds",
    doc: "Seconds since 1970-01-01 00:00:00 UTC.",
    since: 1,
    string: Some(Form {
        primitive: Primitive::Text,
        fits: is_seconds,
        expected: EXPECTED,
        schema: Some("epoch-seconds"),
        kind: Some("epoch_seconds_text"),
        digits: None,
        random: Some("epoch_seconds_text"),
        field_type: "Text",
        check: "EpochSeconds",
        import: "Text",
    }),
    numeric: true,
    integer: Some(Form {
        primitive: Primitive::Signed,
        fits: is_seconds,
        expected: EXPECTED,
        schema: Some("epoch-seconds"),
        kind: Some("epoch_seconds"),
        digits: None,
        random: Some("epoch_seconds"),
        field_type: "Integer",
        check: "Integer",
        import: "Integer { min: i64::MIN }",
    }),
    codes: None,
};

const EXPECTED: &str = "a whole number of seconds such as `1711850400`";

fn is_seconds(text: &str) -> bool {
    !text.starts_with('+') && text.parse::<i64>().is_ok()
}
