//! A line of a spec with a syntax error.

use std::ops::Range;

/// A line, with its position in the text.
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    pub(super) range: Range<usize>,
}

impl<'a> Line<'a> {
    /// Returns the line that contains a byte.
    pub(super) fn at(text: &'a str, byte: usize) -> Self {
        let (before, after) = text.split_at_checked(byte).unwrap_or((text, ""));
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let end = before.len() + after.find('\n').unwrap_or(after.len());
        Self { text: text.get(start..end).unwrap_or_default(), range: start..end }
    }

    /// Returns the last line before this one that is not empty.
    pub(super) fn before(&self, text: &'a str) -> Option<Self> {
        let before = text.get(..self.range.start)?.trim_end();
        (!before.is_empty()).then(|| Self::at(text, before.len()))
    }

    /// Returns the start of the line in which an inline table begins that does not end in this line.
    pub(super) fn start_of_table(&self, text: &'a str) -> usize {
        let (mut open, mut closed) = (0, 0);
        let mut line = Self::at(text, self.range.start);
        loop {
            open += line.text.matches('{').count();
            closed += line.text.matches('}').count();
            if open > closed {
                return line.range.start;
            }
            match line.before(text) {
                Some(before) if !is_header(line.text) => line = before,
                _ => return self.range.start,
            }
        }
    }

    /// Returns whether the line seems to be a header with a missing or additional character.
    pub(super) fn is_malformed_header(&self) -> bool {
        let line = self.text.trim();
        let has_value = line.contains(['"', '\'', ',', '{']);
        !has_value && (is_header(line) || (line.ends_with(']') && !line.contains('=')))
    }

    /// Returns whether only whitespace precedes a byte.
    pub(super) fn is_at_start(&self, byte: usize) -> bool {
        self.up_to(byte).trim().is_empty()
    }

    /// Returns the end of the line without whitespace.
    pub(super) fn end(&self) -> usize {
        self.range.start + self.text.trim_end().len()
    }

    /// Returns a text of which the closing quote is missing. If quotes follow in the line, it is the
    /// text that contains the `=` of the next key.
    pub(super) fn unclosed_text(&self) -> Option<Range<usize>> {
        let mut quotes = Vec::new();
        let mut escaped = false;
        for (at, c) in self.text.char_indices() {
            match c {
                '#' if quotes.len() % 2 == 0 => break,
                '"' if !escaped => quotes.push(at),
                _ => {}
            }
            escaped = c == '\\' && !escaped;
        }
        if quotes.len() % 2 == 0 || self.text.contains("\"\"\"") {
            return None;
        }
        let absorbed = quotes.chunks(2).find_map(|pair| match *pair {
            [open, close] => {
                let text = self.text.get(open + 1..close)?;
                text.trim_end().ends_with('=').then_some(open..close + 1)
            }
            [open] => Some(open..self.text.trim_end().len()),
            _ => None,
        })?;
        // A value that ends with a quote lacks the opening one.
        let opens = self.text.get(..absorbed.start)?.trim_end().ends_with(['=', '[', ',', '{']);
        opens.then(|| self.moved(absorbed))
    }

    /// Returns the key before a colon at this byte.
    pub(super) fn key_before_colon(&self, byte: usize) -> Option<&'a str> {
        let at = byte.checked_sub(self.range.start)?;
        let (before, after) = self.text.split_at_checked(at)?;
        let key = before.rsplit(['{', ',']).next()?.trim();
        let key = key.trim_matches('"');
        let is_key = !key.is_empty() && !key.contains(['=', '"']);
        (is_key && after.starts_with(':')).then_some(key)
    }

    /// Returns the value around a byte if it is not quoted, not a number, not a list and not a table.
    pub(super) fn bare_value(&self, byte: usize) -> Option<Range<usize>> {
        let before = self.up_to(byte);
        let start = before.rfind(['=', '[', ',', '{'])? + 1;
        // A word that follows a brace or a comma is a key, except in a list.
        if !before.get(..start)?.ends_with(['=', '['])
            && before.rfind('[') <= before.rfind([']', '{'])
        {
            return None;
        }
        let after = self.text.get(start..)?;
        let length = if before.contains(['{', '[']) {
            after.find([',', '}', ']']).unwrap_or(after.len())
        } else {
            after.find(" #").unwrap_or(after.len())
        };
        let value = after.get(..length)?;
        let start = start + (value.len() - value.trim_start().len());
        let value = value.trim();
        let is_word = value.starts_with(|c: char| {
            c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '$' | '“' | '”' | '„' | '’')
        });
        (is_word && !value.contains('=')).then(|| self.moved(start..start + value.len()))
    }

    /// Returns whether the text at a byte is a comment of another language.
    pub(super) fn is_comment_at(&self, byte: usize) -> bool {
        let rest = self.text.get(byte.saturating_sub(self.range.start)..).unwrap_or_default();
        rest.trim_start().starts_with("//")
    }

    fn up_to(&self, byte: usize) -> &'a str {
        self.text.get(..byte.saturating_sub(self.range.start)).unwrap_or(self.text)
    }

    fn moved(&self, range: Range<usize>) -> Range<usize> {
        self.range.start + range.start..self.range.start + range.end
    }
}

/// Returns whether a line is the header of a table.
pub(super) fn is_header(line: &str) -> bool {
    line.trim_start().starts_with('[')
}
