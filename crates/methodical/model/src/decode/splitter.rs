//! Finds the end of a JSON value from its quotes and brackets, across any number of pieces.

/// The state of the search through one value.
///
/// It does not validate the value; serde does. It never reads past the end of a valid value, so an
/// invalid record cannot swallow its neighbours unnoticed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Splitter {
    /// Number of bytes of the value that have been examined.
    seen: usize,
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// The value is a number or a literal, which ends where something else begins.
    bare: bool,
}

impl Splitter {
    /// Returns the length of the value at the start of `text`, which is complete.
    pub(crate) fn end_of(text: &str) -> Option<usize> {
        Self::default().end(text.as_bytes(), true)
    }

    /// Returns whether the search has begun.
    #[inline]
    pub(crate) fn is_running(&self) -> bool {
        self.seen > 0
    }

    /// Returns the length of the value that `value` starts with, or `None` if it may continue.
    ///
    /// Call it again with the same bytes and more. Bytes already examined are not examined again.
    pub(crate) fn end(&mut self, value: &[u8], last: bool) -> Option<usize> {
        while let Some(&byte) = value.get(self.seen) {
            if self.bare && is_delimiter(byte) {
                return Some(self.seen);
            }
            self.seen += 1;
            if self.ends_with(byte) {
                return Some(self.seen);
            }
        }
        (last && self.bare).then_some(self.seen)
    }

    /// Forgets the bytes already examined: the next call of [`end`](Self::end) passes only the bytes after them.
    pub(crate) fn forget(&mut self) {
        self.seen = 0;
    }

    fn ends_with(&mut self, byte: u8) -> bool {
        if self.escaped {
            self.escaped = false;
            return false;
        }
        if self.in_text {
            match byte {
                b'\\' => self.escaped = true,
                b'"' => {
                    self.in_text = false;
                    return self.depth == 0;
                }
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.in_text = true,
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => self.bare = self.depth == 0,
        }
        false
    }
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b',' | b':' | b']' | b'}' | b'[' | b'{' | b'"' | b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::Splitter;

    #[track_caller]
    fn check(text: &str, value: &str) {
        assert_eq!(Splitter::end_of(text), Some(value.len()), "{text}");
        let mut splitter = Splitter::default();
        for end in 0..value.len() {
            assert_eq!(splitter.end(&text.as_bytes()[..end], false), None, "{text} cut at {end}");
        }
    }

    #[test]
    fn the_end_of_every_kind_of_value_is_found() {
        check(r#"{"a":[1,{"b":"}]"}]} , 1"#, r#"{"a":[1,{"b":"}]"}]}"#);
        check(r#""a\"b\\",1"#, r#""a\"b\\""#);
        check("12.5e3]", "12.5e3");
        check("null\n", "null");
        check("[],", "[]");
    }

    #[test]
    fn only_the_last_piece_ends_a_number() {
        assert_eq!(Splitter::default().end(b"12", false), None);
        assert_eq!(Splitter::default().end(b"12", true), Some(2));
        assert_eq!(Splitter::default().end(b"{\"a\"", true), None);
    }
}
