//! A Markdown page under construction. Everything but [`Page::text`] escapes what it is given.

use crate::text::{inline, is_hidden};

/// A page: blocks, apart by an empty line.
pub(super) struct Page {
    blocks: Vec<String>,
}

impl Page {
    pub(super) fn new(title: &str) -> Self {
        Self { blocks: vec![format!("# {}", inline(title))] }
    }

    pub(super) fn heading(&mut self, title: &str) {
        self.blocks.push(format!("## {}", inline(title)));
    }

    pub(super) fn subheading(&mut self, title: &str) {
        self.blocks.push(format!("### {}", inline(title)));
    }

    /// A block of Markdown, escaped already.
    pub(super) fn text(&mut self, markdown: &str) {
        if !markdown.is_empty() {
            self.blocks.push(markdown.to_owned());
        }
    }

    /// A list of items, escaped already.
    pub(super) fn list(&mut self, items: Vec<String>) {
        let items: Vec<_> = items.into_iter().map(|item| format!("- {item}")).collect();
        self.blocks.push(items.join("\n"));
    }

    /// A table of cells, escaped already and on one line each.
    pub(super) fn table(&mut self, head: &[&str], rows: impl Iterator<Item = Vec<String>>) {
        let mut lines =
            vec![format!("| {} |", head.join(" | ")), format!("|{}", "---|".repeat(head.len()))];
        lines.extend(rows.map(|row| format!("| {} |", row.join(" | "))));
        self.blocks.push(lines.join("\n"));
    }

    pub(super) fn finish(self) -> String {
        self.blocks.join("\n\n") + "\n"
    }
}

/// A piece of code in a table: neither a backtick nor a pipe in it ends anything.
pub(super) fn code(text: &str) -> String {
    let text: String = text.chars().map(|c| if is_hidden(c) { '\u{fffd}' } else { c }).collect();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{}{space}{fence}", text.replace('|', "\\|"))
}
