//! Reports the syntax errors of a spec: one for each mistake, in the words of the mistake.
//!
//! After a mistake such as a missing quote, the parser reports further errors that the mistake
//! causes. Only the first one is reported. Its line is then blanked and the rest is parsed again, so
//! that one run still finds the mistakes in all lines.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::diag::{Diagnostic, shown};

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
        let diagnostic = Diagnostic::new(&span, message).help("remove or rename one of them");
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
    let line = line_at(text, span.start);
    let code = text.get(line.clone()).filter(|code| is_header(code))?;
    let offset = span.start - line.start;
    let first = text.find(&format!("{code}\n"))?;
    (first < line.start).then(|| first + offset..first + offset + span.len())
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
    let line = line_at(text, error.start);
    let code = text.get(line.clone()).unwrap_or_default();
    let (before, rest) = code.split_at_checked(error.start - line.start).unwrap_or((code, ""));
    let in_table = message.starts_with("missing comma between key-value pairs")
        || message.starts_with("missing key for inline table");
    if in_table && before.trim().is_empty() && line.start > 0 {
        let end = text.get(..line.start).unwrap_or_default().trim_end().len();
        let what = "missing `}` or `,` at the end of this line";
        return (Diagnostic::new(&(end..end), what), table_start(text, end)..end);
    }
    if let Some(open) = before_error(text, error, message) {
        let diagnostic = Diagnostic::new(&(open..open + 3), "text without a closing `\"\"\"`");
        return (diagnostic, line_at(text, open).start..text.len());
    }
    let here = error.clone();
    let moved = |range: Range<usize>| line.start + range.start..line.start + range.end;
    let trimmed = code.trim();
    let has_value = trimmed.contains(['"', '\'', ',', '{']);
    let is_malformed_header =
        is_header(trimmed) || trimmed.ends_with(']') && !trimmed.contains('=');
    let (span, what, help) = if message.starts_with("unclosed table") {
        (here, "missing `]` at the end of the header", String::new())
    } else if message.starts_with("missing escaped value") {
        (here, "unknown escape sequence", "write `\\\\` for a backslash".to_owned())
    } else if is_malformed_header && !has_value {
        (here, "malformed header", "write `[name]`, or `[[name]]` for an example".to_owned())
    } else if rest.trim_start().starts_with("//") {
        (here, "`//` does not begin a comment", "write `#`".to_owned())
    } else if let Some(open) = unclosed_text(code) {
        (moved(open), "missing closing quote", "end the text with `\"`".to_owned())
    } else if let Some(key) = key_before_colon(before).filter(|_| rest.starts_with(':')) {
        let help = format!("write `{} = …`", shown(key));
        (here.start..here.start + 1, "`:` after a key instead of `=`", help)
    } else if let Some(value) = bare_value(code, before) {
        let written = code.get(value.clone()).unwrap_or_default();
        let flag = match written.to_lowercase().as_str() {
            "true" | "yes" | "on" => Some("write `true`"),
            "false" | "no" | "off" => Some("write `false`"),
            _ => None,
        };
        let quoted = || format!("write `\"{}\"`", shown(written.trim_matches(QUOTES)));
        let what = if flag.is_some() { "malformed boolean" } else { "text without quotes" };
        (moved(value), what, flag.map_or_else(quoted, str::to_owned))
    } else if message.starts_with("unexpected key or value") {
        let help = Some(rest.trim()).filter(|rest| matches!(*rest, "," | ";"));
        let help = help.map(|rest| format!("remove `{rest}`")).unwrap_or_default();
        (here, "unexpected text after the value", help)
    } else {
        let message =
            message.trim_end_matches(", expected `,`").trim_end_matches(", expected nothing");
        (here, message, String::new())
    };
    (Diagnostic::new(&span, what).help(help), line)
}

/// Returns the opening quotes of a text of several lines that does not end.
fn before_error(text: &str, error: &Range<usize>, message: &str) -> Option<usize> {
    let is_text = message.starts_with("invalid multi-line basic string");
    text.get(..error.start).filter(|_| is_text)?.rfind("\"\"\"")
}

/// Quotes, including those that text processors write.
const QUOTES: [char; 6] = ['"', '\'', '“', '”', '„', '’'];

/// Returns the line that contains a byte.
fn line_at(text: &str, byte: usize) -> Range<usize> {
    let (before, after) = text.split_at_checked(byte).unwrap_or((text, ""));
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    start..before.len() + after.find('\n').unwrap_or(after.len())
}

/// Returns whether a line is the header of a table.
fn is_header(line: &str) -> bool {
    line.trim_start().starts_with('[')
}

/// Returns the start of the first header after a byte, or the end of the text.
fn next_header(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let mut ends = rest.match_indices('\n').map(|(newline, _)| newline + 1);
    let header = ends.find(|&start| {
        rest.get(start..).is_some_and(|rest| is_header(rest.split('\n').next().unwrap_or_default()))
    });
    header.map_or(text.len(), |start| from + start)
}

/// Returns the start of the line in which the inline table begins that does not end in the line before a byte.
fn table_start(text: &str, byte: usize) -> usize {
    let (mut open, mut closed) = (0, 0);
    let last = line_at(text, byte);
    let mut line = last.clone();
    loop {
        let code = text.get(line.clone()).unwrap_or_default();
        open += code.matches('{').count();
        closed += code.matches('}').count();
        if open > closed {
            return line.start;
        }
        if is_header(code) || line.start == 0 {
            return last.start;
        }
        line = line_at(text, line.start - 1);
    }
}

/// Replaces a part of a text by spaces.
fn blank(text: &mut String, range: Range<usize>) {
    let part = text.get(range.clone()).unwrap_or_default();
    let spaces: String = part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
    if !part.is_empty() {
        text.replace_range(range, &spaces);
    }
}

/// Returns a text in a line of which the closing quote is missing. If quotes follow in the line, it is the text that
/// contains the `=` of the next key.
fn unclosed_text(line: &str) -> Option<Range<usize>> {
    let mut quotes = Vec::new();
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        match c {
            '#' if quotes.len() % 2 == 0 => break,
            '"' if !escaped => quotes.push(at),
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    if quotes.len() % 2 == 0 || line.contains("\"\"\"") {
        return None;
    }
    let absorbed = quotes.chunks(2).find_map(|pair| match *pair {
        [open, close] => {
            let text = line.get(open + 1..close)?;
            text.trim_end().ends_with('=').then_some(open..close + 1)
        }
        [open] => Some(open..line.trim_end().len()),
        _ => None,
    })?;
    // A value that ends with a quote lacks the opening one.
    let opens = line.get(..absorbed.start)?.trim_end().ends_with(['=', '[', ',', '{']);
    opens.then_some(absorbed)
}

/// Returns the key at the end of the beginning of a line.
fn key_before_colon(before: &str) -> Option<&str> {
    let key = before.rsplit(['{', ',']).next()?.trim().trim_matches('"');
    (!key.is_empty() && !key.contains(['=', '"'])).then_some(key)
}

/// Returns the value after the beginning of a line if it is not quoted, not a number, not a list and not a table.
fn bare_value(line: &str, before: &str) -> Option<Range<usize>> {
    let start = before.rfind(['=', '[', ',', '{'])? + 1;
    // A word that follows a brace or a comma is a key, except in a list.
    let is_key = !before.get(..start)?.ends_with(['=', '[']);
    if is_key && before.rfind('[') <= before.rfind([']', '{']) {
        return None;
    }
    let after = line.get(start..)?;
    let end =
        if before.contains(['{', '[']) { after.find([',', '}', ']']) } else { after.find(" #") };
    let value = after.get(..end.unwrap_or(after.len()))?;
    let start = start + (value.len() - value.trim_start().len());
    let value = value.trim();
    let is_word = value.starts_with(|c: char| c.is_alphanumeric() || "/._$“”„’".contains(c));
    (is_word && !value.contains('=')).then_some(start..start + value.len())
}
