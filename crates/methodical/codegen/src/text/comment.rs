//! Doc comments, which rustfmt does not wrap.

use crate::text::markdown::{guard, paragraphs};

/// Returns a description as a doc comment at a depth of indentation. `mark` is `///` or `//!`.
///
/// ```
/// let comment = methodical_codegen::text::comment("///", 0, "Identifies a photo.\n\nIt has a Photo_Id.");
/// assert_eq!(comment, "/// Identifies a photo.\n///\n/// It has a `Photo_Id`.");
/// ```
pub fn comment(mark: &str, depth: usize, description: &str) -> String {
    let width = 99_usize.saturating_sub(depth * 4 + mark.len()).max(40);
    let paragraphs = paragraphs(description).map(|words| {
        let lines = wrapped(&words, width).into_iter();
        lines.map(|line| format!("{mark} {}", guard(&line))).collect::<Vec<_>>().join("\n")
    });
    paragraphs.collect::<Vec<_>>().join(&format!("\n{mark}\n"))
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
    use super::comment;

    #[test]
    fn a_description_cannot_end_its_comment() {
        let text = "Ends.\npub fn evil() {}\n\n```\npanic!()\n```\n*/ #![allow(x)]\r\u{2028}let y;";
        assert_eq!(
            comment("///", 0, text),
            "/// Ends. pub fn `evil()` {}\n///\n/// \\`\\`\\` `panic!()` \\`\\`\\` \\*/ #!\\[allow(x)\\] let y;"
        );
    }

    #[test]
    fn long_descriptions_are_wrapped() {
        let comment = comment("//!", 0, &"word ".repeat(40));
        assert!(comment.lines().all(|line| line.len() <= 100));
    }
}
