//! Breaks text into lines of a terminal.

use unicode_width::UnicodeWidthStr as _;

/// Breaks a text between words, so that each line fits into `width` columns. The lines after the first begin with `indent`
/// spaces. A word that is wider than a line is alone on its line.
pub(crate) fn wrap(text: &str, width: usize, indent: usize) -> String {
    let mut wrapped = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let needed = word.width();
        if used == 0 {
            used = needed;
        } else if used + 1 + needed > width {
            wrapped.push('\n');
            wrapped.extend(std::iter::repeat_n(' ', indent));
            used = indent + needed;
        } else {
            wrapped.push(' ');
            used += 1 + needed;
        }
        wrapped.push_str(word);
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn text_is_broken_between_words() {
        assert_eq!(wrap("", 9, 2), "");
        assert_eq!(wrap("one two three", 80, 2), "one two three");
        assert_eq!(wrap("one two three", 7, 2), "one two\n  three");
        assert_eq!(wrap("one  extraordinary three", 6, 1), "one\n extraordinary\n three");
        assert_eq!(wrap("王王 王王", 8, 0), "王王\n王王");
    }
}
