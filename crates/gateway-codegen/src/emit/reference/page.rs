//! A Markdown page under construction.

use crate::text::{inline, is_hidden};

/// A page: blocks with an empty line between them.
pub(super) struct Page {
    blocks: Vec<String>,
}

impl Page {
    /// Creates a page with a title, which is escaped.
    pub(super) fn new(title: &str) -> Self {
        Self { blocks: vec![format!("# {}", inline(title))] }
    }

    /// Adds a heading, which is escaped.
    pub(super) fn heading(&mut self, title: &str) {
        self.blocks.push(format!("## {}", inline(title)));
    }

    /// Adds a heading of the next level, which is escaped.
    pub(super) fn subheading(&mut self, title: &str) {
        self.blocks.push(format!("### {}", inline(title)));
    }

    /// Adds a block of Markdown that is already escaped.
    pub(super) fn text(&mut self, markdown: &str) {
        if !markdown.is_empty() {
            self.blocks.push(markdown.to_owned());
        }
    }

    /// Adds a list of items that are already escaped.
    pub(super) fn list(&mut self, items: Vec<String>) {
        let items: Vec<_> = items.into_iter().map(|item| format!("- {item}")).collect();
        self.blocks.push(items.join("\n"));
    }

    /// Adds a table of cells that are already escaped and on one line each.
    pub(super) fn table(&mut self, head: &[&str], rows: impl Iterator<Item = Vec<String>>) {
        let mut lines =
            vec![format!("| {} |", head.join(" | ")), format!("|{}", "---|".repeat(head.len()))];
        lines.extend(rows.map(|row| format!("| {} |", row.join(" | "))));
        self.blocks.push(lines.join("\n"));
    }

    /// Returns the text of the page.
    pub(super) fn finish(self) -> String {
        self.blocks.join("\n\n") + "\n"
    }
}

/// Returns code for a table cell. A backtick or a pipe in it ends neither the code nor the cell.
pub(super) fn code(text: &str) -> String {
    let text: String = text.chars().map(|c| if is_hidden(c) { '\u{fffd}' } else { c }).collect();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{}{space}{fence}", text.replace('|', "\\|"))
}
