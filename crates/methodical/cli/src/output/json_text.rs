//! JSON text that is safe on a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::escape::is_hostile;

/// Replaces characters that would act on a terminal with `\u` escapes, if the output is a terminal. The JSON value stays
/// the same.
pub(crate) fn safe(json: &str, terminal: bool) -> Cow<'_, str> {
    if !terminal || !json.contains(is_hostile) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for letter in json.chars() {
        if is_hostile(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(letter);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn escapes_keep_the_value() {
        let json = "{\"n\":\"a\u{9b}\u{202e}\u{7f}é\"}";
        let escaped = safe(json, true);
        assert_eq!(escaped, "{\"n\":\"a\\u009b\\u202e\\u007fé\"}");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&escaped), read(json));
        assert_eq!(safe(json, false), json);
    }
}
