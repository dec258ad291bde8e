//! `decimal`: a decimal number whose text is kept exactly.

use crate::ir::{Form, Meaning, Primitive};

pub(super) static DECIMAL: Meaning = Meaning {
    word: "decimal",
    doc: "A decimal number; its exact text is kept.",
    since: 1,
    string: Some(Form {
        primitive: Primitive::Text,
        fits: is_decimal,
        expected: "a plain decimal number such as `12.50`",
        schema: Some("decimal"),
        kind: Some("decimal"),
        digits: None,
        random: Some("decimal"),
        field_type: "Decimal",
        check: "Decimal",
        import: "Decimal",
    }),
    numeric: true,
    integer: None,
    codes: None,
};

fn is_decimal(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    unsigned
        .split_once('.')
        .map_or_else(|| digits(unsigned), |(whole, part)| digits(whole) && digits(part))
}

#[cfg(test)]
mod tests {
    use super::is_decimal;

    #[test]
    fn decimals() {
        for good in ["0", "12.50", "-3.0"] {
            assert!(is_decimal(good), "{good}");
        }
        for bad in ["", "1e3", "1,234.50", ".5", "5.", "NaN", "--1"] {
            assert!(!is_decimal(bad), "{bad}");
        }
    }
}
