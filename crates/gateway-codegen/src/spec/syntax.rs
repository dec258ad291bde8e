//! Reports the syntax errors of a spec: one for each mistake, in the words of the mistake.
//!
//! After a mistake such as a missing quote, the parser reports further errors that the mistake
//! causes. Only the first one is reported. Its line is then blanked and the rest is parsed again, so
//! that one run still finds the mistakes in all lines.

use std::ops::Range;

use toml::de::DeTable;

use crate::diag::{Diagnostic, code, shown};
use crate::spec::syntax::line::{Line, is_header};

mod line;

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
    let (_, errors) = DeTable::parse_recoverable(text);
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
        diagnostics.push(Diagnostic::new(&code::SYNTAX, &span, message));
    }
    None
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
        return (Diagnostic::new(&code::SYNTAX, &end, message), start..before.range.end);
    }
    let say = |span: &Range<usize>, message: &str, help: Option<String>| {
        let diagnostic = Diagnostic::new(&code::SYNTAX, span, message);
        (Diagnostic { help, ..diagnostic }, line.range.clone())
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
        let diagnostic = Diagnostic::new(&code::SYNTAX, &(open..open + 3), message);
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
