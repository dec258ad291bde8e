//! The meaning of a JSON value as bytes: equal for values that mean the same, different for all others.

use crate::error::Error;
use crate::fields::json::{Json, MAX_DEPTH, Members, write_number};

/// Appends the meaning of a record.
///
/// Whitespace, the order of fields, escapes in text, and spellings of numbers do not count. The order of lists does.
pub(crate) fn write(record: &Members<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
    write_members(record, out, MAX_DEPTH)
}

/// Returns the meaning of a value.
pub(crate) fn of(value: &Json<'_>) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    write_json(value, &mut out, MAX_DEPTH)?;
    Ok(out)
}

/// Appends the meaning of a value with at most this many levels of lists below it.
fn write_json(value: &Json<'_>, out: &mut Vec<u8>, depth: usize) -> Result<(), Error> {
    let depth = depth.saturating_sub(1);
    match value {
        Json::Null => out.push(b'n'),
        Json::Boolean(true) => out.push(b't'),
        Json::Boolean(false) => out.push(b'f'),
        Json::Number(text) => {
            out.push(b'#');
            write_number(text, out);
            out.push(b';');
        }
        Json::Text(text) => write_text(text, out),
        Json::List(items) => {
            write_count(b'[', items.len(), out);
            for item in items {
                write_json(&Json::of(item.get(), depth)?, out, depth)?;
            }
        }
        Json::Object(members) => write_members(members, out, depth)?,
    }
    Ok(())
}

fn write_members(members: &Members<'_>, out: &mut Vec<u8>, depth: usize) -> Result<(), Error> {
    write_count(b'{', members.len(), out);
    for (name, member) in members.iter() {
        write_text(name, out);
        write_json(&member.json, out, depth)?;
    }
    Ok(())
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    write_count(b'"', text.len(), out);
    out.extend_from_slice(text.as_bytes());
}

/// The length comes first, so that no text can look like the end of its value.
fn write_count(tag: u8, count: usize, out: &mut Vec<u8>) {
    // Most counts take one byte. Each byte more would cost time when it is hashed.
    match u8::try_from(count) {
        Ok(count) if count < u8::MAX => out.extend_from_slice(&[tag, count]),
        _ => {
            out.extend_from_slice(&[tag, u8::MAX]);
            out.extend_from_slice(&(count as u64).to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::of;
    use crate::error::Error;
    use crate::fields::json::{Json, MAX_DEPTH};

    fn read(text: &str) -> Result<Vec<u8>, Error> {
        of(&Json::of(text, MAX_DEPTH)?)
    }

    fn meaning(text: &str) -> Vec<u8> {
        read(text).unwrap()
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
        let object = |depth| format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
        assert!(read(&nested(127)).is_ok() && read(&object(127)).is_ok());
        for text in [nested(129), object(129), object(100_000)] {
            let error = read(&text).unwrap_err().to_string();
            assert_eq!(error, "cannot read a record: it is nested deeper than 128 levels");
        }
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
