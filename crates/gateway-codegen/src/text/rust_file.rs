//! A Rust source file under construction.

use std::collections::BTreeSet;
use std::fmt;

use crate::text::markdown::{fenced, guard, paragraphs};

/// A Rust source file under construction. rustfmt lays it out later; only doc comments are
/// wrapped here, because rustfmt does not change them.
///
/// ```
/// let mut file = gateway_codegen::text::RustFile::new("Scalars of the service.");
/// file.doc("Identifies a photo.");
/// file.line("pub struct PhotoId(String);");
/// assert!(file.finish().ends_with("/// Identifies a photo.\npub struct PhotoId(String);\n"));
/// ```
#[derive(Clone, Debug)]
pub struct RustFile {
    text: String,
    depth: usize,
}

impl RustFile {
    /// Creates a file that begins with its purpose. The mark of generated files is added later.
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

    /// Writes a line that opens a block (`pub struct Photo {`).
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

    /// Imports or re-exports names, sorted and without duplicates. Writes nothing if there are no
    /// names. `path` is everything before the names, such as `use crate::decode`.
    pub fn import(&mut self, path: &str, names: impl IntoIterator<Item = impl Into<String>>) {
        let names: BTreeSet<String> = names.into_iter().map(Into::into).collect();
        if !names.is_empty() {
            let names: Vec<_> = names.into_iter().collect();
            self.line(format_args!("{path}::{{{}}};", names.join(", ")));
        }
    }

    /// Writes a description as a doc comment (`///`). To begin a new paragraph in a comment, call
    /// [`doc_break`](Self::doc_break) first.
    pub fn doc(&mut self, description: &str) {
        self.comment("///", description);
    }

    /// Writes doc comment lines that are Markdown already: a heading, a link, a list item. Only for
    /// text that an emitter contains; for text from the spec, use [`doc`](Self::doc).
    pub fn doc_markdown(&mut self, markdown: impl fmt::Display) {
        for line in markdown.to_string().split('\n') {
            self.line(format_args!("/// {line}").to_string().trim_end());
        }
    }

    /// Writes an empty doc comment line, which begins a new paragraph.
    pub fn doc_break(&mut self) {
        self.line("///");
    }

    /// Writes an example into the doc comment, as a new paragraph. `language` is empty for a
    /// documentation test, or holds its attributes, such as `no_run`.
    pub fn doc_example(&mut self, language: &str, code: impl fmt::Display) {
        self.doc_break();
        self.doc_markdown(fenced(language, &code.to_string()));
    }

    /// Returns the text of the file.
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
    use super::RustFile;

    #[test]
    fn a_description_cannot_end_its_comment() {
        let mut file = RustFile::new("Test.");
        file.doc("Ends.\npub fn evil() {}\n\n```\npanic!()\n```\n*/ #![allow(x)]\r\u{2028}let y;");
        file.line("struct A;");
        assert_eq!(
            file.finish(),
            "//! Test.\n\n/// Ends. pub fn `evil()` {}\n///\n/// \\`\\`\\` `panic!()` \\`\\`\\` \\*/ #!\\[allow(x)\\] let y;\nstruct A;\n"
        );
    }

    #[test]
    fn long_descriptions_are_wrapped() {
        let mut file = RustFile::new("Test.");
        file.doc(&"word ".repeat(40));
        assert!(file.finish().lines().all(|line| line.len() <= 100));
    }
}
