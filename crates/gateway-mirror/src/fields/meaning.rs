//! The meaning of a JSON value as bytes: equal for values that mean the same, different for all others.

use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind};
use crate::fields::json::{Json, Members};
use crate::fields::number;

/// Appends the meaning of a record.
///
/// Whitespace, the order of fields, escapes in text, and spellings of numbers do not count. The order of lists does.
pub(crate) fn write(record: &Members<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
    write_members(record, out, MAX_DEPTH)
}

/// Returns the meaning of a value.
pub(crate) fn of(value: &RawValue) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    write_at(value, &mut out, MAX_DEPTH)?;
    Ok(out)
}

fn write_at(value: &RawValue, out: &mut Vec<u8>, depth: usize) -> Result<(), Error> {
    let Some(depth) = depth.checked_sub(1) else {
        let text = format!("cannot read a record: it is nested deeper than {MAX_DEPTH} levels");
        return Err(Error::new(ErrorKind::Record, text));
    };
    match Json::of(value)? {
        Json::Null => out.push(b'n'),
        Json::Boolean(true) => out.push(b't'),
        Json::Boolean(false) => out.push(b'f'),
        Json::Number(text) => {
            out.push(b'#');
            number::write(text, out);
            out.push(b';');
        }
        Json::Text(text) => write_text(&text, out),
        Json::List(items) => {
            write_count(b'[', items.len(), out);
            for item in items {
                write_at(item, out, depth)?;
            }
        }
        Json::Object(members) => write_members(&members, out, depth)?,
    }
    Ok(())
}

fn write_members(members: &Members<'_>, out: &mut Vec<u8>, depth: usize) -> Result<(), Error> {
    write_count(b'{', members.len(), out);
    for (name, member) in members.iter() {
        write_text(name, out);
        write_at(member, out, depth)?;
    }
    Ok(())
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    write_count(b'"', text.len(), out);
    out.extend_from_slice(text.as_bytes());
}

/// The length comes first, so that no text can look like the end of its value.
fn write_count(tag: u8, count: usize, out: &mut Vec<u8>) {
    out.push(tag);
    // Most counts take one byte. Each byte more would cost time when it is hashed.
    match u8::try_from(count) {
        Ok(count) if count < u8::MAX => out.push(count),
        _ => {
            out.push(u8::MAX);
            out.extend_from_slice(&(count as u64).to_le_bytes());
        }
    }
}

/// Maximum nesting of a record, in levels. The decoders have the same limit.
const MAX_DEPTH: usize = 128;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;
    use serde_json::value::RawValue;

    use super::of;

    fn meaning(text: &str) -> Vec<u8> {
        of(serde_json::from_str::<&RawValue>(text).unwrap()).unwrap()
    }

    #[test]
    fn spelling_does_not_count() {
        for (one, other) in [
            (r#"{"a":1,"b":[true,null]}"#, r#" { "b" : [ true , null ] , "a" : 1.0 } "#.trim()),
            (r#""\u0041\/é""#, r#""A/é""#),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            (r#"{"x":{"a":1,"b":2}}"#, r#"{"x":{"b":2,"a":1}}"#),
        ] {
            assert_eq!(meaning(one), meaning(other), "{one}");
        }
    }

    #[test]
    fn other_values_differ() {
        let values = [
            "null",
            "true",
            "false",
            "0",
            "1",
            r#""""#,
            r#""0""#,
            r#""null""#,
            "[]",
            "{}",
            "[null]",
            "[[]]",
            r#"{"a":null}"#,
            r#"{"a":""}"#,
            r#"["a","b"]"#,
            r#"["b","a"]"#,
            r#"["ab"]"#,
            r#"{"a":{}}"#,
            r#"[{"a":1},{}]"#,
            r#"[{},{"a":1}]"#,
        ];
        for (index, one) in values.iter().enumerate() {
            for other in values.iter().skip(index + 1) {
                assert_ne!(meaning(one), meaning(other), "{one} {other}");
            }
        }
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let read = |text: &str| of(&RawValue::from_string(text.to_owned()).unwrap());
        assert!(read(&nested(127)).is_ok());
        let error = read(&nested(129)).unwrap_err();
        assert_eq!(error.to_string(), "cannot read a record: it is nested deeper than 128 levels");
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a\"\\\\é\u{1}]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[ab]{0,2}", inner, 0..4)
                    .prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_meaning_is_that_of_the_parsed_value(one in json(), other in json()) {
            prop_assert_eq!(one == other, meaning(&one.to_string()) == meaning(&other.to_string()));
            prop_assert_eq!(meaning(&format!("{one:#}")), meaning(&one.to_string()));
        }
    }
}
