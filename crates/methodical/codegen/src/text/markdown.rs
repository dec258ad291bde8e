//! Descriptions as Markdown: the reader sees the text of the spec, and none of it acts as markup.

use regex_lite::{Captures, Regex};

use crate::text::{is_hidden, wrapped};

/// Returns a description as Markdown, one line per paragraph, with an empty line between paragraphs.
///
/// `Code` between backticks stays code; everything else is shown as written.
pub fn markdown(text: &str) -> String {
    paragraphs(text).map(|words| guard(&words.join(" "))).collect::<Vec<_>>().join("\n\n")
}

/// Returns a description as Markdown on one line, for a heading, a list item or a table cell.
pub fn inline(text: &str) -> String {
    paragraphs(text).map(|words| words.join(" ")).collect::<Vec<_>>().join(" ")
}

/// Returns code for a table cell. A backtick or a pipe in it does not end the code or the cell.
pub fn code(text: &str) -> String {
    let text: String = text.chars().map(|c| if is_hidden(c) { '\u{fffd}' } else { c }).collect();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{}{space}{fence}", text.replace('|', "\\|"))
}

/// Returns a block of code that its content cannot close.
pub fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let text: String = text.chars().filter(|&c| c == '\n' || !is_hidden(c)).collect();
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// Returns a description as escaped words, by paragraph. A code span is one word, so no line break
/// falls inside it.
pub(super) fn paragraphs(text: &str) -> impl Iterator<Item = Vec<String>> {
    let text = text.replace("\r\n", "\n");
    let mut paragraphs = vec![Vec::new()];
    for line in text.split('\n') {
        if line.trim().is_empty() {
            paragraphs.push(Vec::new());
        } else if let Some(paragraph) = paragraphs.last_mut() {
            paragraph.push(line.to_owned());
        }
    }
    paragraphs.into_iter().filter(|lines| !lines.is_empty()).map(|lines| words(&lines.join(" ")))
}

/// Escapes the start of a line where it would begin a heading, a list, a rule or an underline.
pub(super) fn guard(line: &str) -> String {
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    if matches!(line.chars().next(), Some('#' | '-' | '+' | '=')) {
        return format!("\\{line}");
    }
    if let (1.., Some((number, rest))) = (digits, line.split_at_checked(digits))
        && rest.starts_with(['.', ')'])
    {
        return format!("{number}\\{rest}");
    }
    line.to_owned()
}

/// Returns the escaped words of a paragraph.
fn words(paragraph: &str) -> Vec<String> {
    // A code span, or several backticks, which begin none.
    let span = "``+|`[^`]*[^` ][^`]*`";
    let regexes = (Regex::new(&format!("(?:{span}|[^ ])+")), Regex::new(&format!("{span}|.")));
    let (Ok(word), Ok(piece)) = regexes else { return Vec::new() };
    let escape = |found: &Captures<'_>| {
        let text = found.get(0).map_or("", |found| found.as_str());
        if text.len() > 2 && text.starts_with('`') && !text.starts_with("``") {
            let code = text.trim_matches(['`', ' ']).chars().filter(|&c| !is_hidden(c));
            return format!("`{}`", code.collect::<String>());
        }
        let escaped = text.chars().map(|c| match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '$' => {
                format!("\\{c}")
            }
            c if is_hidden(c) => "\u{fffd}".to_owned(),
            c => c.to_string(),
        });
        escaped.collect()
    };
    let paragraph = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = word.find_iter(&paragraph);
    words.map(|word| piece.replace_all(word.as_str(), escape).into_owned()).collect()
}

/// Returns a description as a doc comment at a depth of indentation. `mark` is `///` or `//!`.
///
/// ```
/// let comment = methodical_codegen::text::comment("///", 0, "Identifies a photo.\n\nIt has a `Photo_Id`.");
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

#[cfg(test)]
mod tests {
    use super::{comment, fenced, markdown};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(markdown(text), expected);
    }

    #[test]
    fn only_text_in_backticks_is_code() {
        check("Ends here.  And `code` there.", "Ends here. And `code` there.");
        check("One.\n\nTwo\nlines.", "One.\n\nTwo lines.");
        check("See (phone_mobile), `a b`.", "See (phone\\_mobile), `a b`.");
        check("Call (evil()), #[allow(x)].", "Call (evil()), #\\[allow(x)\\].");
    }

    #[test]
    fn markup_in_a_description_is_escaped() {
        check("# no heading", "\\# no heading");
        check("12. no list", "12\\. no list");
        check("<script>a*b*</script>", "\\<script\\>a\\*b\\*\\</script\\>");
        check("```\nlet x;\n```", "\\`\\`\\` let x; \\`\\`\\`");
        check("an open ` tick", "an open \\` tick");
        check("[a](javascript:x) ![b]", "\\[a\\](javascript:x) !\\[b\\]");
    }

    #[test]
    fn hidden_characters_are_replaced() {
        check("a\u{202e}b", "a\u{fffd}b");
        check("a\u{2028}b", "a b");
    }

    #[test]
    fn a_fence_is_longer_than_its_content() {
        assert_eq!(fenced("json", "[]\n"), "```json\n[]\n```");
        assert_eq!(fenced("text", "````"), "`````text\n````\n`````");
    }

    #[test]
    fn a_description_cannot_end_its_comment() {
        let text = "Ends.\npub fn evil() {}\n\n```\npanic!()\n```\n*/ #![allow(x)]\r\u{2028}let y;";
        assert_eq!(
            comment("///", 0, text),
            "/// Ends. pub fn evil() {}\n///\n/// \\`\\`\\` panic!() \\`\\`\\` \\*/ #!\\[allow(x)\\] let y;"
        );
    }

    #[test]
    fn long_descriptions_are_wrapped() {
        let comment = comment("//!", 0, &"word ".repeat(40));
        assert!(comment.lines().all(|line| line.len() <= 100));
    }
}
