//! Edits of a text that keep everything else: comments, order and layout.

use std::cmp::Reverse;
use std::ops::Range;

use crate::spec::node::Entry;

/// Edits of a text. One within a part that another removes has no effect.
pub(super) struct Edits<'t> {
    text: &'t str,
    changes: Vec<(Range<usize>, String)>,
}

/// The comments of an entry that was removed.
#[derive(Default)]
pub(super) struct Comments {
    /// The lines above it, each with its line end.
    pub(super) above: String,
    /// The rest of its line, with the space before it.
    pub(super) beside: String,
}

impl<'t> Edits<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self { text, changes: Vec::new() }
    }

    pub(super) fn replace(&mut self, range: Range<usize>, new: impl Into<String>) {
        self.changes.push((range, new.into()));
    }

    /// Returns a part of the text before the edits.
    pub(super) fn part(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    /// Returns the start of the line of a position.
    pub(super) fn line_start(&self, position: usize) -> usize {
        self.part(0..position).rfind('\n').map_or(0, |before| before + 1)
    }

    /// Returns the start of the line after a position, or the end of the text.
    pub(super) fn line_end(&self, position: usize) -> usize {
        let rest = self.part(position..self.text.len());
        rest.find('\n').map_or(self.text.len(), |end| position + end + 1)
    }

    /// Removes a key and its value: the lines if nothing else is on them, otherwise a member of an
    /// inline table.
    pub(super) fn remove(&mut self, entry: &Entry) -> Comments {
        let (key, value) = (entry.key_span.start, entry.node.span.end);
        let mut start = self.line_start(key);
        let (line_end, before) = (self.line_end(value), self.part(start..key).trim());
        let after = self.part(value..line_end);
        let comment = after.trim_start().trim_start_matches(',').trim();
        let is_dotted = before.ends_with('.') && !before.contains(['{', ',']);
        let is_alone = before.is_empty() || is_dotted;
        if !is_alone || !(comment.is_empty() || comment.starts_with('#')) {
            let range = self.member(key, value);
            self.replace(range, "");
            return Comments::default();
        }
        let end = start;
        while start > 0 && self.part(self.line_start(start - 1)..start).trim().starts_with('#') {
            start = self.line_start(start - 1);
        }
        self.replace(start..line_end, "");
        let above = self.part(start..end).to_owned();
        let beside = if comment.is_empty() { String::new() } else { format!(" {comment}") };
        Comments { above, beside }
    }

    /// Returns the range of a member of an inline table, with one of the commas around it.
    fn member(&self, key: usize, value: usize) -> Range<usize> {
        if let Some(before) = self.part(0..key).trim_end().strip_suffix(',') {
            return before.len()..value;
        }
        let after = self.part(value..self.text.len());
        let rest = after.trim_start().strip_prefix(',').unwrap_or(after);
        key..self.text.len() - rest.trim_start_matches([' ', '\t']).len()
    }

    /// Returns the edited text.
    pub(super) fn applied(mut self) -> String {
        self.changes.sort_by_key(|(range, _)| (range.start, Reverse(range.end)));
        let mut text = String::new();
        let mut from = 0;
        for (range, new) in &self.changes {
            if range.start < from {
                continue;
            }
            text.push_str(self.part(from..range.start));
            text.push_str(new);
            from = range.end;
        }
        text + self.part(from..self.text.len())
    }
}
