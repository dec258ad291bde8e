//! Reports the syntax errors of a spec: the first one of each line, with its fix.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::diag::{Diagnostic, shown};

/// Returns the syntax errors of a text.
pub(super) fn errors(text: &str) -> Vec<Diagnostic> {
    let end = text.trim_end().len();
    let (root, errors) = DeTable::parse_recoverable(text);
    let errors = errors.iter().map(|error| (error.span().unwrap_or(end..end), error.message()));
    let mut errors: Vec<_> = errors.collect();
    errors.sort_by_key(|(span, _)| span.start);
    // A mistake causes further errors in its line.
    errors.dedup_by_key(|(span, _)| {
        text.get(..span.start).and_then(|before| before.rfind('\n')).unwrap_or_default()
    });
    let errors = errors.into_iter().take(MOST);
    errors.map(|(span, message)| mistake(text, root.get_ref(), &span, message)).collect()
}

/// Maximum number of reported mistakes.
const MOST: usize = 20;

/// Returns the diagnostic of an error.
fn mistake(text: &str, root: &DeTable<'_>, span: &Range<usize>, message: &str) -> Diagnostic {
    let (before, rest) = text.split_at_checked(span.start).unwrap_or((text, ""));
    let written = text.get(span.clone()).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |newline| newline + 1);
    let code = text.get(line..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let is_header = code.starts_with('[');
    let (what, help) = if message == "duplicate key" {
        let diagnostic = Diagnostic::new(span, format_args!("duplicate key `{}`", shown(written)));
        let diagnostic = diagnostic.help("remove or rename one of them");
        let same_header = || text.find(&format!("{code}\n")).map(|at| at + span.start - line);
        let first = if is_header {
            same_header().map(|start| start..start + span.len())
        } else {
            earlier(root, written.trim_matches(QUOTES), span.start)
        };
        return match first {
            Some(first) => diagnostic.related(&first, "first used here"),
            None => diagnostic,
        };
    } else if message.starts_with("invalid multi-line basic string") {
        let open = before.rfind("\"\"\"").unwrap_or(span.start);
        return Diagnostic::new(&(open..open + 3), "text without a closing `\"\"\"`");
    } else if message.starts_with("invalid basic string") {
        ("missing closing quote", "end the text with `\"`".to_owned())
    } else if message.starts_with("string values must be quoted") {
        match written.to_lowercase().as_str() {
            "true" | "yes" | "on" => ("malformed boolean", "write `true`".to_owned()),
            "false" | "no" | "off" => ("malformed boolean", "write `false`".to_owned()),
            _ => (
                "text without quotes",
                format!("write `\"{}\"`", shown(written.trim_matches(QUOTES))),
            ),
        }
    } else if message.starts_with("missing escaped value") {
        ("unknown escape sequence", "write `\\\\` for a backslash".to_owned())
    } else if is_header && message.starts_with("unexpected key or value") {
        ("malformed header", "write `[name]`, or `[[name]]` for an example".to_owned())
    } else if rest.starts_with("//") {
        ("`//` does not begin a comment", "write `#`".to_owned())
    } else if rest.starts_with(':') {
        let key = before.rsplit(['{', ',', '\n']).next().unwrap_or_default();
        let key = key.trim().trim_matches(QUOTES);
        ("`:` after a key instead of `=`", format!("write `{} = …`", shown(key)))
    } else {
        let message =
            message.trim_end_matches(", expected `,`").trim_end_matches(", expected nothing");
        (message, String::new())
    };
    Diagnostic::new(span, what).help(help)
}

/// Quotes, including those that text processors write.
const QUOTES: [char; 6] = ['"', '\'', '“', '”', '„', '’'];

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
        let own = (name.get_ref() == key).then(|| name.span());
        [own.filter(|span| span.start < before), inner(value.get_ref())]
    });
    found.flatten().max_by_key(|span| span.start)
}
