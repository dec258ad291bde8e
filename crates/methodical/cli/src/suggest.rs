//! "Did you mean": finds the known word that is closest to a mistyped one.

/// Returns the closest of the known words, if it is close enough.
pub(crate) fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |other: &str| strsim::jaro_winkler(word, other);
    known
        .into_iter()
        .filter(|other| likeness(other) > CLOSE)
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
}

/// Minimum similarity of a suggestion, the same as in clap.
const CLOSE: f64 = 0.7;

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn only_close_words_are_suggested() {
        let known = ["id", "name", "email", "studio.name"];
        assert_eq!(closest("nmae", known), Some("name"));
        assert_eq!(closest("e-mail", known), Some("email"));
        assert_eq!(closest("zzz", known), None);
    }
}
