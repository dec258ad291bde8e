//! A Rust source file under construction.

use std::fmt;

use crate::text::markdown::{fenced, guard, paragraphs};

/// A Rust source file under construction. rustfmt lays it out later; only doc comments are
/// wrapped here, because rustfmt leaves them alone.
///
/// ```
/// let mut file = xtask::text::Rust::new("Scalars of the service.");
/// file.doc("Identifies a candidate.");
/// file.line("pub struct CandidateId(String);");
/// assert!(file.finish().ends_with("/// Identifies a candidate.\npub struct CandidateId(String);\n"));
/// ```
#[derive(Clone, Debug)]
pub struct Rust {
    text: String,
    depth: usize,
}

impl Rust {
    /// Begins a file with what it is for. The mark of generated files is put before it later.
    pub fn new(purpose: &str) -> Self {
        let mut file = Self { text: String::new(), depth: 0 };
        file.comment("//!", purpose);
        file.blank();
        file
    }

    /// Writes one line of code; several, if the text has several.
    pub fn line(&mut self, code: impl fmt::Display) {
        for line in code.to_string().lines() {
            let depth = if line.is_empty() { 0 } else { self.depth };
            self.text.extend(std::iter::repeat_n("    ", depth));
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// Writes a line that opens a block (`pub struct Candidate {`).
    pub fn open(&mut self, code: impl fmt::Display) {
        self.line(code);
        self.depth += 1;
    }

    /// Closes a block with a line (`}`).
    pub fn close(&mut self, code: impl fmt::Display) {
        self.depth = self.depth.saturating_sub(1);
        self.line(code);
    }

    /// Writes an empty line.
    pub fn blank(&mut self) {
        self.text.push('\n');
    }

    /// Writes a description as a doc comment (`///`). Text that was written before in the same
    /// comment is kept apart by [`doc_break`](Self::doc_break).
    pub fn doc(&mut self, description: &str) {
        self.comment("///", description);
    }

    /// Writes a line of doc comment that is Markdown already: a heading, a link, a list item.
    /// Only for text of the emitter's own; what comes from the spec goes through
    /// [`markdown`](super::markdown()).
    pub fn doc_markdown(&mut self, markdown: impl fmt::Display) {
        for line in markdown.to_string().split('\n') {
            self.line(format_args!("/// {line}").to_string().trim_end());
        }
    }

    /// Writes an empty line of doc comment: a new paragraph begins.
    pub fn doc_break(&mut self) {
        self.line("///");
    }

    /// Writes a block of code into the doc comment. The language `text` or `json` keeps it from
    /// being run as a test.
    pub fn doc_code(&mut self, language: &str, code: &str) {
        self.doc_markdown(fenced(language, code));
    }

    /// The file.
    pub fn finish(self) -> String {
        self.text
    }

    fn comment(&mut self, mark: &str, description: &str) {
        let width = 99_usize.saturating_sub(self.depth * 4 + mark.len()).max(40);
        for (index, words) in paragraphs(description).enumerate() {
            if index > 0 {
                self.line(mark);
            }
            for line in wrapped(&words, width) {
                self.line(format_args!("{mark} {}", guard(&line)));
            }
        }
    }
}

fn wrapped(words: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.clone()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::Rust;

    #[test]
    fn a_comment_cannot_be_left() {
        let mut file = Rust::new("Test.");
        file.doc("Ends.\npub fn evil() {}\n\n```\npanic!()\n```\n*/ #![allow(x)]\r\u{2028}let y;");
        file.line("struct A;");
        assert_eq!(
            file.finish(),
            "//! Test.\n\n/// Ends. pub fn `evil()` {}\n///\n/// \\`\\`\\` `panic!()` \\`\\`\\` \\*/ #!\\[allow(x)\\] let y;\nstruct A;\n"
        );
    }

    #[test]
    fn long_descriptions_are_wrapped() {
        let mut file = Rust::new("Test.");
        file.doc(&"word ".repeat(40));
        assert!(file.finish().lines().all(|line| line.len() <= 100));
    }
}
