//! Writes text so that its content cannot break the output.
//!
//! Descriptions and wire names come from the spec and may contain anything. All code that writes them to a file uses
//! this module: [`string`] returns a Rust literal, [`markdown()`] Markdown, and [`comment()`] a doc comment. In
//! Markdown, the reader sees the text of the spec, and none of it acts as markup.

use regex_lite::{Captures, Regex};

/// Returns the text as a Rust string literal, quotes included.
pub fn string(text: &str) -> String {
    format!("{text:?}")
}

/// Returns strings as Rust literals, separated by commas.
pub fn strings(texts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    texts.into_iter().map(|text| string(text.as_ref())).collect::<Vec<_>>().join(", ")
}

/// Joins texts with commas, but puts `before_last`, such as ` or `, before the last one.
pub fn list(texts: &[String], before_last: &str) -> String {
    match texts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{}{before_last}{last}", first.join(", ")),
        None => String::new(),
    }
}

/// Capitalizes the first letter.
pub fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().to_string() + chars.as_str())
}

/// Returns JSON text as a Rust string literal: raw if that avoids escapes and the text cannot end or break it.
pub fn raw_string(text: &str) -> String {
    if !text.contains('"') || text.contains("\"#") || text.chars().any(is_hidden) {
        string(text)
    } else {
        format!("r#\"{text}\"#")
    }
}

/// Returns the text as a JSON string, quotes included.
pub fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns the text on one line: each run of whitespace becomes one space.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Percent-encodes a value for a query: everything except the unreserved characters of RFC 3986, with a space as `%20`.
pub fn percent_encoded(value: &str) -> String {
    let encoded = value.bytes().map(|byte| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    });
    encoded.collect()
}

/// Returns whether a character is invisible or changes how its neighbors are displayed: controls, line and paragraph
/// separators, byte-order marks, and the marks that change the writing direction (CVE-2021-42574).
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns the path of a file relative to a folder. Both are relative to the same root, and use `/` as the separator.
///
/// ```
/// use methodical_codegen::text::relative;
/// assert_eq!(relative("docs/generated/operations", "docs/service.md"), "../../service.md");
/// assert_eq!(relative("docs", "docs/generated/types.md"), "generated/types.md");
/// ```
pub fn relative(folder: &str, file: &str) -> String {
    let parts: Vec<_> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let common = parts.iter().zip(file.split('/')).take_while(|(one, other)| *one == other).count();
    let up = parts.iter().skip(common).map(|_| "..");
    up.chain(file.split('/').skip(common)).collect::<Vec<_>>().join("/")
}

/// Returns a description as Markdown, one line per paragraph, with an empty line between paragraphs.
///
/// `Code` between backticks stays code; everything else is shown as written.
pub fn markdown(text: &str) -> String {
    paragraphs(text).iter().map(|words| guard(&words.join(" "))).collect::<Vec<_>>().join("\n\n")
}

/// Returns a description as Markdown on one line, for a heading, a list item or a table cell.
pub fn inline(text: &str) -> String {
    paragraphs(text).iter().map(|words| words.join(" ")).collect::<Vec<_>>().join(" ")
}

/// Returns code for a table cell. A backtick or a pipe in the text does not end the code or the cell.
pub fn code(text: &str) -> String {
    let text: String = text.chars().map(|c| if is_hidden(c) { '\u{fffd}' } else { c }).collect();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{}{space}{fence}", text.replace('|', "\\|"))
}

/// Returns a fenced code block that its content cannot close.
pub fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let text: String = text.chars().filter(|&c| c == '\n' || !is_hidden(c)).collect();
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// Returns a description as escaped words, by paragraph. A code span is one word, so no line break falls inside it.
fn paragraphs(text: &str) -> Vec<Vec<String>> {
    let blank_line = Regex::new(r"\n\s*\n");
    let paragraphs = blank_line.iter().flat_map(|blank_line| blank_line.split(text));
    paragraphs.map(words).filter(|words| !words.is_empty()).collect()
}

/// Escapes the start of a line where it would begin a heading, a list, a rule or an underline.
fn guard(line: &str) -> String {
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
    // A code span, or several backticks, which do not begin a code span.
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

/// Returns a description as a doc comment. `depth` counts indentation levels of four spaces. `mark` is `///` or `//!`.
///
/// ```
/// let comment = methodical_codegen::text::comment("///", 0, "Identifies a photo.\n\nIt has a `Photo_Id`.");
/// assert_eq!(comment, "/// Identifies a photo.\n///\n/// It has a `Photo_Id`.");
/// ```
pub fn comment(mark: &str, depth: usize, description: &str) -> String {
    let width = 99_usize.saturating_sub(depth * 4 + mark.len()).max(40);
    let paragraphs = paragraphs(description).into_iter().map(|words| {
        let lines = wrapped(&words, width).into_iter();
        lines.map(|line| format!("{mark} {}", guard(&line))).collect::<Vec<_>>().join("\n")
    });
    paragraphs.collect::<Vec<_>>().join(&format!("\n{mark}\n"))
}

/// Wraps words into lines of at most this many characters.
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
    use super::{comment, fenced, markdown, string};

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

    #[test]
    fn a_text_cannot_end_its_literal() {
        assert_eq!(string(r#"a"b\c"#), r#""a\"b\\c""#);
        assert_eq!(string("x\r\n\u{2028}\u{202e}"), r#""x\r\n\u{2028}\u{202e}""#);
        assert_eq!(string("Björn's ☂"), "\"Björn's ☂\"");
    }
}
