//! The separator of CSV cells.

/// Parses a flag: the character itself, or `tab`.
pub(crate) fn parse(text: &str) -> Result<char, String> {
    match text {
        "," | ";" | "|" | ":" | "\t" => Ok(text.chars().next().unwrap_or(',')),
        "tab" => Ok('\t'),
        _ => Err("expected , or ; or | or : or tab".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn other_characters_are_refused() {
        assert_eq!(parse(";"), Ok(';'));
        assert_eq!(parse("tab"), Ok('\t'));
        for no in ["", "a", "\"", "'", ".", "-", "=", ",,", " "] {
            assert!(parse(no).is_err(), "{no}");
        }
    }
}
