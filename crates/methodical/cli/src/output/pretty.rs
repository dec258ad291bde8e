//! Indents and colours JSON for people. Every number and every string keeps its exact text.

use crate::screen::{Tone, paint};

/// Returns a JSON text on several lines. `level` is the indentation of its first line, which is not included.
///
/// The text must be valid JSON.
pub(crate) fn pretty(json: &str, mut level: usize, color: bool) -> String {
    let mut text = String::with_capacity(json.len() * 2);
    let mut rest = json.trim_ascii_start();
    while let Some(first) = rest.chars().next() {
        let (token, after) = rest.split_at_checked(token_end(rest, first)).unwrap_or((rest, ""));
        let after = after.trim_ascii_start();
        match first {
            '{' | '[' => {
                text.push(first);
                // An empty object or array stays on its line.
                if after.starts_with(['}', ']']) {
                    text.push_str(after.get(..1).unwrap_or_default());
                    rest = after.get(1..).unwrap_or_default().trim_ascii_start();
                    continue;
                }
                level += 1;
                end_line(&mut text, level);
            }
            '}' | ']' => {
                level = level.saturating_sub(1);
                end_line(&mut text, level);
                text.push(first);
            }
            ',' => {
                text.push(',');
                end_line(&mut text, level);
            }
            ':' => text.push_str(": "),
            '"' if after.starts_with(':') => text.push_str(&paint(color, Tone::Name, token)),
            '"' => text.push_str(&paint(color, Tone::Text, token)),
            'n' => text.push_str(&paint(color, Tone::Dim, token)),
            _ => text.push_str(token),
        }
        rest = after;
    }
    text
}

/// Returns the length of the token at the start of a text.
fn token_end(text: &str, first: char) -> usize {
    let mut letters = text.char_indices().skip(1);
    match first {
        '"' => {
            let mut escaped = false;
            let end = letters.find(|(_, letter)| {
                let ends = *letter == '"' && !escaped;
                escaped = *letter == '\\' && !escaped;
                ends
            });
            end.map_or(text.len(), |(at, _)| at + 1)
        }
        '{' | '}' | '[' | ']' | ',' | ':' => 1,
        _ => {
            let ends = |letter: char| ",:{}[]\"".contains(letter) || letter.is_ascii_whitespace();
            letters.find(|(_, letter)| ends(*letter)).map_or(text.len(), |(at, _)| at)
        }
    }
}

fn end_line(text: &mut String, level: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", level));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::pretty;
    use crate::output::record::one_line;

    #[test]
    fn numbers_and_strings_keep_their_text() {
        let json =
            r#"{"a":1.10,"b":{},"c":[],"d":[1e400,-0,{"x":null}],"é\"":"\u0041,\\","t":true}"#;
        let expected = r#"{
  "a": 1.10,
  "b": {},
  "c": [],
  "d": [
    1e400,
    -0,
    {
      "x": null
    }
  ],
  "é\"": "\u0041,\\",
  "t": true
}"#;
        assert_eq!(pretty(json, 0, false), expected);
        assert_eq!(one_line(expected), json);
        assert_eq!(pretty("\"a\"", 0, false), "\"a\"");
    }

    #[test]
    fn names_text_and_null_have_colours() {
        assert_eq!(
            pretty(r#"{"a":["b",null,1]}"#, 1, true),
            "{\n    \u{1b}[1;34m\"a\"\u{1b}[0m: [\n      \u{1b}[32m\"b\"\u{1b}[0m,\n      \u{1b}[2mnull\u{1b}[0m,\n      1\n    ]\n  }"
        );
    }

    proptest! {
        #[test]
        fn only_whitespace_is_added(text in r#"[ -~é"\\\[\]{},:]{0,40}"#) {
            let json = serde_json::json!({ "a": [text, 1.5, [[]], {}], "b": { "": text } }).to_string();
            prop_assert_eq!(one_line(&pretty(&json, 0, false)), json);
        }

        #[test]
        fn no_text_makes_it_fail(text in r#"[ a1"\\\[\]{},:]{0,20}"#) {
            prop_assert!(pretty(&text, 0, true).len() >= text.trim().len() / 2);
        }
    }
}
