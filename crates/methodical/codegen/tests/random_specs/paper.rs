//! The text of a spec while it is written, with hostile texts.

use std::fmt::{Display, Write as _};

use crate::drawn::dice::Dice;

/// The text of a spec, and the numbers that decide what is written next.
pub(crate) struct Paper {
    pub(crate) dice: Dice,
    pub(crate) text: String,
    /// Whether all descriptions are the same.
    dull: bool,
    /// Number of names that were drawn.
    wires: usize,
}

impl Paper {
    pub(crate) fn new(seed: u64, dull: bool) -> Self {
        Self { dice: Dice::new(seed), text: String::new(), dull, wires: 0 }
    }

    pub(crate) fn line(&mut self, line: impl Display) {
        _ = writeln!(self.text, "{line}");
    }

    /// Returns a description, in quotes.
    pub(crate) fn doc(&mut self) -> String {
        let text = format!("It {}", self.pieces(12));
        if self.dull { "\"Dull.\"".to_owned() } else { quoted(&text) }
    }

    /// Returns a text on one line: a JSON key, an enum value, a marker. No other one is the same.
    pub(crate) fn wire(&mut self) -> String {
        self.wires += 1;
        let text = format!("w{}", self.pieces(5)).replace('\n', "_");
        format!("{}{}", text.trim(), self.wires)
    }

    /// Returns a text like [`wire`](Self::wire) that can be a key in a path, whose keys have dots between them.
    pub(crate) fn key(&mut self) -> String {
        self.wire().replace('.', "_")
    }

    /// Returns some of the optional keys of a declaration about its source.
    pub(crate) fn about(&mut self) -> Vec<String> {
        let mut keys = Vec::new();
        if self.dice.chance(15) {
            keys.push(format!("source = {}", quoted(&self.wire())));
        }
        if self.dice.chance(15) {
            keys.push("open = [\"D-x\"]".to_owned());
        }
        keys
    }

    /// The same for a declaration that can be deprecated.
    pub(crate) fn about_deprecated(&mut self) -> Vec<String> {
        let mut keys = self.about();
        if self.dice.chance(15) {
            keys.push(format!("deprecated = {}", quoted(&self.wire())));
        }
        keys
    }

    fn pieces(&mut self, most: usize) -> String {
        (0..self.dice.below(most)).map(|_| self.dice.of(HOSTILE)).collect()
    }
}

/// Returns a text as a quoted TOML string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Pieces that end comments, literals, Markdown, templates and shells.
const HOSTILE: &[&str] = &[
    "*/",
    "/*",
    "//",
    "\"",
    "\\",
    "'",
    "`",
    "```",
    "#",
    "#![allow(x)]",
    "r#\"",
    "\"#",
    "{",
    "}",
    "{}",
    "${x}",
    "$(x)",
    "{{",
    "]]>",
    "<!--",
    "-->",
    "<script>",
    "\n",
    "\n\n",
    " ",
    "word",
    "é",
    "ключ",
    "☂",
    "|",
    "=1+1",
    "- ",
    "1. ",
    "> ",
    "fn evil() {}",
    "&amp;",
    "snake_case",
    "CamelCase",
    "https://example.com",
    "[a](b)",
    "\u{a0}",
];
