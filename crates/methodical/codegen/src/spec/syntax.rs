//! Reports the syntax errors of a spec: the first one of each line.

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
    let mistake = |(span, message): (Range<usize>, &str)| {
        if message.starts_with("invalid multi-line basic string") {
            let open = text.get(..span.start).and_then(|before| before.rfind("\"\"\""));
            let open = open.unwrap_or(span.start);
            return Diagnostic::new(&(open..open + 3), "text without a closing `\"\"\"`");
        }
        if message != "duplicate key" {
            return Diagnostic::new(&span, message);
        }
        let key = text.get(span.clone()).unwrap_or_default();
        let diagnostic = Diagnostic::new(&span, format_args!("duplicate key `{}`", shown(key)));
        let diagnostic = diagnostic.help("remove or rename one of them");
        let line =
            text.get(..span.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let header = text.get(line..).and_then(|rest| rest.lines().next());
        let first = match header.filter(|line| line.starts_with('[')) {
            Some(header) => text.find(&format!("{header}\n")).map(|at| {
                let start = at + span.start - line;
                start..start + span.len()
            }),
            None => earlier(root.get_ref(), key.trim_matches(['"', '\'']), span.start),
        };
        match first {
            Some(first) => diagnostic.related(&first, "first used here"),
            None => diagnostic,
        }
    };
    errors.into_iter().take(MOST).map(mistake).collect()
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
        let own = (name.get_ref() == key).then(|| name.span());
        [own.filter(|span| span.start < before), inner(value.get_ref())]
    });
    found.flatten().max_by_key(|span| span.start)
}

/// Maximum number of reported mistakes.
const MOST: usize = 20;
