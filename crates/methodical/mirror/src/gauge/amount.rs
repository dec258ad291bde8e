//! Decimal numbers, exact.

use rust_decimal::Decimal;

use crate::error::{Error, ErrorKind};
use crate::fields::json::{Json, Members};

/// Reads a decimal number.
pub(crate) fn parse(text: &str) -> Result<Decimal, Error> {
    let parsed = if text.contains(['e', 'E']) {
        Decimal::from_scientific(text)
    } else {
        Decimal::from_str_exact(text)
    };
    parsed.map_err(|error| {
        let text = "cannot read an amount: it is not a decimal number of at most 28 digits";
        Error::new(ErrorKind::Gauge, text).because(error.to_string())
    })
}

/// Returns the text of a field of a JSON object: text, or the spelling of a number.
pub(crate) fn field(json: &str, path: &[&str]) -> Result<Option<String>, Error> {
    let Some((name, rest)) = path.split_first() else { return Ok(None) };
    let members = Members::of(json)?;
    let Some(value) = members.get(name) else { return Ok(None) };
    if !rest.is_empty() {
        return field(value.text, rest);
    }
    Ok(match &value.json {
        Json::Text(text) => Some(text.clone().into_owned()),
        Json::Number(number) => Some((*number).to_owned()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::{field, parse};

    #[test]
    fn amounts_are_exact() {
        let sum = parse("0.1").unwrap() + parse("0.2").unwrap();
        assert_eq!(sum, parse("0.30").unwrap());
        assert_eq!(parse("12.50").unwrap().to_string(), "12.50");
        assert_eq!(parse("1.5e2").unwrap(), parse("150").unwrap());
        for text in ["", "12,5", "NaN", "1e400", "0.00000000000000000000000000001"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_field_is_text_or_the_spelling_of_a_number() {
        let json = r#"{"a":{"b":"12.50"},"c":1.50,"d":null}"#;
        assert_eq!(field(json, &["a", "b"]).unwrap().as_deref(), Some("12.50"));
        assert_eq!(field(json, &["c"]).unwrap().as_deref(), Some("1.50"));
        assert_eq!(field(json, &["d"]).unwrap(), None);
        assert_eq!(field(json, &["e"]).unwrap(), None);
    }
}
