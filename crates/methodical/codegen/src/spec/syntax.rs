//! Reports the syntax errors of a spec: one for each mistake, in the words of the mistake.
//!
//! After a mistake such as a missing quote, the parser reports further errors that the mistake
//! causes. Only the first one is reported. Its line is then blanked and the rest is parsed again, so
//! that one run still finds the mistakes in all lines.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::diag::{Diagnostic, code, shown};

/// Returns the syntax errors of a text.
pub(super) fn errors(text: &str) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut rest = text.to_owned();
    let mut checked = 0;
    for _ in 0..MOST {
        let Some((error, message)) = next(&rest, checked, &mut diagnostics) else { break };
        let (diagnostic, line) = mistake(text, &error, &message);
        diagnostics.push(diagnostic);
        let end = if is_header(text.get(line.clone()).unwrap_or_default()) {
            next_header(text, line.end)
        } else {
            line.end
        };
        blank(&mut rest, line.start..end);
        checked = end.max(error.start + 1);
    }
    diagnostics
}

/// Maximum number of reported mistakes. The time to find them grows with their number.
const MOST: usize = 20;

/// Returns the first error at or after a byte that stops the parser from reading on. Duplicate keys
/// before it are reported.
fn next(
    text: &str,
    from: usize,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Range<usize>, String)> {
    let end = text.trim_end().len();
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut errors: Vec<_> = errors
        .iter()
        .map(|error| (error.span().unwrap_or(end..end), error.message().to_owned()))
        .filter(|(span, _)| span.start >= from)
        .collect();
    errors.sort_by_key(|(span, _)| span.start);
    for (span, message) in errors {
        let Some(key) = text.get(span.clone()).filter(|_| message == "duplicate key") else {
            return Some((span, message));
        };
        let message = format!("duplicate key `{}`", shown(key));
        let diagnostic =
            Diagnostic::new(code::SYNTAX, &span, message).help("remove or rename one of them");
        let first = same_header(text, &span).or_else(|| earlier(root.get_ref(), key, span.start));
        diagnostics.push(match first {
            Some(first) => diagnostic.related(&first, "first used here"),
            None => diagnostic,
        });
    }
    None
}

/// Returns the position of a key in the same header before, if it is in one.
fn same_header(text: &str, span: &Range<usize>) -> Option<Range<usize>> {
    let line = Line::at(text, span.start);
    let offset = span.start - line.range.start;
    let first = is_header(line.text).then(|| text.find(&format!("{}\n", line.text)))??;
    (first < line.range.start).then(|| first + offset..first + offset + span.len())
}

/// Returns the position of the last key of this name before a byte.
fn earlier(table: &DeTable<'_>, key: &str, before: usize) -> Option<Range<usize>> {
    let inner = |value: &DeValue<'_>| match value {
        DeValue::Table(table) => earlier(table, key, before),
        DeValue::Array(items) => {
            let tables = items.iter().filter_map(|item| item.get_ref().as_table());
            tables.filter_map(|table| earlier(table, key, before)).max_by_key(|span| span.start)
        }
        _ => None,
    };
    let found = table.iter().flat_map(|(name, value)| {
        let own = (name.get_ref() == key.trim_matches(QUOTES)).then(|| name.span());
        [own.filter(|span| span.start < before), inner(value.get_ref())]
    });
    found.flatten().max_by_key(|span| span.start)
}

/// Returns the diagnostic of an error, and the line that contains the mistake.
fn mistake(text: &str, error: &Range<usize>, message: &str) -> (Diagnostic, Range<usize>) {
    let line = Line::at(text, error.start);
    let in_table = message.starts_with("missing comma between key-value pairs")
        || message.starts_with("missing key for inline table");
    if in_table
        && line.is_at_start(error.start)
        && let Some(before) = line.before(text)
    {
        let end = before.end()..before.end();
        let message = "missing `}` or `,` at the end of this line";
        let start = before.start_of_table(text);
        return (Diagnostic::new(code::SYNTAX, &end, message), start..before.range.end);
    }
    let say = |span: &Range<usize>, message: &str, help: Option<String>| {
        let diagnostic = Diagnostic::new(code::SYNTAX, span, message);
        (diagnostic.help(help.unwrap_or_default()), line.range.clone())
    };
    if message.starts_with("unclosed table") {
        return say(error, "missing `]` at the end of the header", None);
    }
    if message.starts_with("missing escaped value") {
        let help = "write `\\\\` for a backslash".to_owned();
        return say(error, "unknown escape sequence", Some(help));
    }
    if message.starts_with("invalid multi-line basic string")
        && let Some(open) = text.get(..error.start).and_then(|text| text.rfind("\"\"\""))
    {
        let message = "text without a closing `\"\"\"`";
        let diagnostic = Diagnostic::new(code::SYNTAX, &(open..open + 3), message);
        return (diagnostic, Line::at(text, open).range.start..text.len());
    }
    if line.is_malformed_header() {
        let help = "write `[name]`, or `[[name]]` for an example".to_owned();
        return say(error, "malformed header", Some(help));
    }
    if line.is_comment_at(error.start) {
        return say(error, "`//` does not begin a comment", Some("write `#`".to_owned()));
    }
    if let Some(open) = line.unclosed_text() {
        return say(&open, "missing closing quote", Some("end the text with `\"`".to_owned()));
    }
    if let Some(key) = line.key_before_colon(error.start) {
        let span = error.start..error.start + 1;
        let help = format!("write `{} = …`", shown(key));
        return say(&span, "`:` after a key instead of `=`", Some(help));
    }
    if let Some(value) = line.bare_value(error.start) {
        let written = text.get(value.clone()).unwrap_or_default();
        let help = match written.to_lowercase().as_str() {
            flag @ ("true" | "false") => format!("write `{flag}`"),
            "yes" | "on" => "write `true`".to_owned(),
            "no" | "off" => "write `false`".to_owned(),
            _ => format!("write `\"{}\"`", shown(written.trim_matches(QUOTES))),
        };
        let is_text = help.contains('"');
        let message = if is_text { "text without quotes" } else { "malformed boolean" };
        return say(&value, message, Some(help));
    }
    if message.starts_with("unexpected key or value") {
        let rest = line.text.get(error.start - line.range.start..).unwrap_or_default().trim();
        let help = matches!(rest, "," | ";").then(|| format!("remove `{rest}`"));
        return say(error, "unexpected text after the value", help);
    }
    let message = message.trim_end_matches(", expected `,`").trim_end_matches(", expected nothing");
    say(error, message, None)
}

/// Quotes, including those that text processors write.
const QUOTES: [char; 6] = ['"', '\'', '“', '”', '„', '’'];

/// Returns the start of the first header after a byte, or the end of the text.
fn next_header(text: &str, from: usize) -> usize {
    let mut line = Line::at(text, from);
    while line.range.end < text.len() {
        line = Line::at(text, line.range.end + 1);
        if is_header(line.text) {
            return line.range.start;
        }
    }
    text.len()
}

/// Replaces a part of a text by spaces.
fn blank(text: &mut String, range: Range<usize>) {
    let part = text.get(range.clone()).unwrap_or_default();
    let spaces: String = part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
    if !part.is_empty() {
        text.replace_range(range, &spaces);
    }
}

/// A line, with its position in the text.
struct Line<'a> {
    text: &'a str,
    range: Range<usize>,
}

impl<'a> Line<'a> {
    /// Returns the line that contains a byte.
    fn at(text: &'a str, byte: usize) -> Self {
        let (before, after) = text.split_at_checked(byte).unwrap_or((text, ""));
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let end = before.len() + after.find('\n').unwrap_or(after.len());
        Self { text: text.get(start..end).unwrap_or_default(), range: start..end }
    }

    /// Returns the last line before this one that is not empty.
    fn before(&self, text: &'a str) -> Option<Self> {
        let before = text.get(..self.range.start)?.trim_end();
        (!before.is_empty()).then(|| Self::at(text, before.len()))
    }

    /// Returns the start of the line in which an inline table begins that does not end in this line.
    fn start_of_table(&self, text: &'a str) -> usize {
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
    fn is_malformed_header(&self) -> bool {
        let line = self.text.trim();
        let has_value = line.contains(['"', '\'', ',', '{']);
        !has_value && (is_header(line) || (line.ends_with(']') && !line.contains('=')))
    }

    /// Returns whether only whitespace precedes a byte.
    fn is_at_start(&self, byte: usize) -> bool {
        self.up_to(byte).trim().is_empty()
    }

    /// Returns the end of the line without whitespace.
    fn end(&self) -> usize {
        self.range.start + self.text.trim_end().len()
    }

    /// Returns a text of which the closing quote is missing. If quotes follow in the line, it is the
    /// text that contains the `=` of the next key.
    fn unclosed_text(&self) -> Option<Range<usize>> {
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
    fn key_before_colon(&self, byte: usize) -> Option<&'a str> {
        let at = byte.checked_sub(self.range.start)?;
        let (before, after) = self.text.split_at_checked(at)?;
        let key = before.rsplit(['{', ',']).next()?.trim();
        let key = key.trim_matches('"');
        let is_key = !key.is_empty() && !key.contains(['=', '"']);
        (is_key && after.starts_with(':')).then_some(key)
    }

    /// Returns the value around a byte if it is not quoted, not a number, not a list and not a table.
    fn bare_value(&self, byte: usize) -> Option<Range<usize>> {
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
    fn is_comment_at(&self, byte: usize) -> bool {
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
fn is_header(line: &str) -> bool {
    line.trim_start().starts_with('[')
}
