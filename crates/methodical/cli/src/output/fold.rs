//! Text without differences of case, for `--filter FIELD~TEXT`.

use unicase::UniCase;

/// Returns the text with the case folding of Unicode: `Straße` equals `STRASSE`.
///
/// The letters `İ` and `ı` of Turkish equal `i`, because a person who searches seldom types them.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    // Unicode folds `İ` to an `i` and a separate dot.
    UniCase::unicode(text).to_folded_case().replace("i\u{307}", "i").replace('ı', "i")
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn letters_of_any_script_have_no_case() {
        for (one, other) in [
            ("İlker", "ILKER"),
            ("Işık", "isik".replace('s', "ş").as_str()),
            ("Straße", "STRASSE"),
            ("ΟΔΥΣΣΕΎΣ", "οδυσσεύς"),
            ("ÉMILE", "émile"),
            ("ЖУКОВ", "жуков"),
        ] {
            assert_eq!(folded(one), folded(other), "{one}");
        }
        assert_ne!(folded("é"), folded("e"));
    }
}
