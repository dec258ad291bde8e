//! Reads the JSON that most records are, without whitespace, escapes, lists and fractions, faster than a parser of all JSON.

/// Passes the name and the text of each member of an object. Returns `None` for any other text, also for valid JSON, after some
/// members may have been passed.
pub(crate) fn each<'a>(text: &'a str, take: &mut dyn FnMut(&'a str, &'a str)) -> Option<()> {
    let mut scan = Scan { text, at: 0 };
    scan.object(LEVELS, take)?;
    (scan.at == text.len()).then_some(())
}

/// A text, and where the part begins that was not read.
struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, token: &[u8]) -> Option<()> {
        self.rest().starts_with(token).then(|| self.at += token.len())
    }

    fn object(&mut self, levels: u32, take: &mut dyn FnMut(&'a str, &'a str)) -> Option<()> {
        let levels = levels.checked_sub(1)?;
        self.skip(b"{")?;
        if self.skip(b"}").is_some() {
            return Some(());
        }
        loop {
            let name = self.string()?;
            self.skip(b":")?;
            let start = self.at;
            self.value(levels)?;
            take(name, self.text.get(start..self.at)?);
            if self.skip(b",").is_none() {
                return self.skip(b"}");
            }
        }
    }

    fn value(&mut self, levels: u32) -> Option<()> {
        match self.rest().first()? {
            b'"' => self.string().map(drop),
            b'{' => self.object(levels, &mut |_, _| {}),
            b'n' => self.skip(b"null"),
            b't' => self.skip(b"true"),
            b'f' => self.skip(b"false"),
            _ => self.integer(),
        }
    }

    fn string(&mut self) -> Option<&'a str> {
        self.skip(b"\"")?;
        let start = self.at;
        let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
        self.at += self.rest().iter().position(is_special)?;
        let text = self.text.get(start..self.at)?;
        self.skip(b"\"").map(|()| text)
    }

    fn integer(&mut self) -> Option<()> {
        let _positive = self.skip(b"-");
        let digits = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 || (digits > 1 && self.rest().first() == Some(&b'0')) {
            return None;
        }
        self.at += digits;
        (!matches!(self.rest().first(), Some(b'.' | b'e' | b'E'))).then_some(())
    }
}

/// Maximum nesting, in levels.
const LEVELS: u32 = 8;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::each;

    fn members(text: &str) -> Option<BTreeMap<&str, &str>> {
        let mut members = BTreeMap::new();
        each(text, &mut |name, value| {
            members.insert(name, value);
        })?;
        Some(members)
    }

    #[test]
    fn a_plain_object_is_read() {
        let text = r#"{"id":"1","title":"é","size":-7,"zero":0,"place":{"a":{},"b":null},"x":true,"y":false}"#;
        let expected = [
            ("id", r#""1""#),
            ("title", r#""é""#),
            ("size", "-7"),
            ("zero", "0"),
            ("place", r#"{"a":{},"b":null}"#),
            ("x", "true"),
            ("y", "false"),
        ];
        assert_eq!(members(text), Some(BTreeMap::from(expected)));
        assert_eq!(members("{}"), Some(BTreeMap::new()));
    }

    #[test]
    fn any_other_text_is_left_to_the_parser() {
        let deep = format!("{}1{}", r#"{"a":"#.repeat(9), "}".repeat(9));
        for text in [
            "",
            "[]",
            "null",
            "{",
            r#"{"a":1} "#,
            r#"{"a":1}}"#,
            r#"{"a": 1}"#,
            r#"{"a":01}"#,
            r#"{"a":-}"#,
            r#"{"a":1.0}"#,
            r#"{"a":1e2}"#,
            r#"{"a":1a}"#,
            r#"{"a":nul}"#,
            r#"{"a":1,}"#,
            r#"{"a":"\n"}"#,
            "{\"a\":\"\n\"}",
            r#"{"a":"}"#,
            r#"{"a"}"#,
            r"{a:1}",
            r#"{"a":[1]}"#,
            &deep,
        ] {
            assert_eq!(members(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_the_parser_reads(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "{", "}", ":", ",", "\"a\"", "\"b\"", "\"é\"", "1", "-", "0", "null", "true", "{}", "\\", "\"", " ", "[", "]",
                    "\"a\":1", "\"b\":{\"a\":\"\"}", ",\"c\":\"x\"",
                ]),
                0..8,
            ),
        ) {
            for text in [parts.concat(), format!("{{{}}}", parts.concat())] {
                if let Some(found) = members(&text) {
                    let parsed: BTreeMap<String, &RawValue> = serde_json::from_str(&text).unwrap();
                    let parsed = parsed.iter().map(|(name, value)| (&**name, value.get()));
                    prop_assert_eq!(found, parsed.collect::<BTreeMap<_, _>>());
                }
            }
        }
    }
}
