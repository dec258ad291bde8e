//! Searches for a text within others, without case and accents.

use unicode_normalization::UnicodeNormalization as _;

/// A text that is searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    folded: String,
    /// The digits, if the text is a number in any form.
    digits: Option<String>,
}

impl Wanted {
    pub(crate) fn new(text: &str) -> Self {
        let (mut folded, mut digits) = (String::new(), String::new());
        fold(text, &mut folded);
        let others = folded.chars().filter(|one| !is_separator(*one));
        digits.extend(others);
        let is_number = digits.len() >= DIGITS && digits.bytes().all(|one| one.is_ascii_digit());
        Self { folded, digits: is_number.then_some(digits) }
    }
}

/// A search for a text within others.
pub(crate) struct Search<'a> {
    wanted: &'a Wanted,
    /// The text that is searched, folded.
    folded: String,
}

impl<'a> Search<'a> {
    pub(crate) fn new(wanted: &'a Wanted) -> Self {
        Self { wanted, folded: String::new() }
    }

    pub(crate) fn is_within(&mut self, text: &str) -> bool {
        fold(text, &mut self.folded);
        if self.folded.contains(&self.wanted.folded) {
            return true;
        }
        let Some(digits) = &self.wanted.digits else { return false };
        self.folded.retain(|one| !is_separator(one));
        self.folded.contains(digits)
    }
}

/// Writes a text without case and accents.
fn fold(text: &str, folded: &mut String) {
    folded.clear();
    if text.is_ascii() {
        folded.push_str(text);
        folded.make_ascii_lowercase();
        return;
    }
    let lower = text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    for letter in lower.nfd().filter(|one| !is_accent(*one)) {
        match base(letter) {
            Some(base) => folded.push_str(base),
            None => folded.push(letter),
        }
    }
}

/// Returns whether a character is one of the combining diacritical marks. The marks of other blocks are vowels of some scripts.
fn is_accent(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

/// Returns the letters that people write instead of one that has no decomposition.
fn base(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ł' => "l",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ŧ' => "t",
        'ı' => "i",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        _ => return None,
    })
}

/// Returns whether people put a character between the digits of a number.
fn is_separator(character: char) -> bool {
    matches!(character, ' ' | '\u{a0}' | '\u{202f}' | '+' | '-' | '.' | '/' | '(' | ')')
}

/// Minimum length of a number whose separators do not count, in digits.
const DIGITS: usize = 3;

#[cfg(test)]
mod tests {
    use super::{Search, Wanted};

    #[test]
    fn case_and_accents_do_not_count_in_any_language() {
        for (wanted, text, expected) in [
            ("müller", "MÜLLER, Zoë", true),
            ("muller zoe", "Müller Zoë", true),
            ("ЖАННА", "жанна", true),
            ("ΟΔΟΣ", "οδός", true),
            ("cwik", "Ćwik", true),
            ("Ćwik", "CWIK", true),
            ("lukasz", "Łukasz", true),
            ("soren", "Søren", true),
            ("dordevic", "Đorđević", true),
            ("aeroe", "Ærø", false),
            ("aero", "Ærø", true),
            ("istanbul", "İSTANBUL", true),
            ("diyarbakir", "Diyarbakır", true),
            ("ghaxaq", "Għaxaq", true),
            ("vuota", "VUOŦA", true),
            ("thordur", "Þórður", true),
            ("coeur", "CŒUR", true),
            ("nguyen", "Nguyễn", true),
            ("e\u{301}", "é", true),
            ("STRASSE", "Straße", true),
            ("k", "\u{212a}", true),
            ("कि", "क", false),
            ("100%", "100% sure", true),
            ("100%", "1000 sure", false),
            ("a_b", "aXb", false),
            ("", "anything", true),
        ] {
            let wanted_text = Wanted::new(wanted);
            let found = Search::new(&wanted_text).is_within(text);
            assert_eq!(found, expected, "{wanted} in {text}");
        }
    }

    #[test]
    fn separators_do_not_count_in_a_number() {
        for (wanted, text, expected) in [
            ("0721000 501", "0721000501", true),
            ("0721000501", "+40 (0721) 000-501", true),
            ("0721 000 501", "0721\u{a0}000.501", true),
            ("+40721", "0040721", true),
            ("12", "1 2", false),
            ("1 2 3", "room 12, floor 3", false),
            ("1 2 3", "12-3", true),
            ("a 12", "a12", false),
        ] {
            let wanted_text = Wanted::new(wanted);
            let found = Search::new(&wanted_text).is_within(text);
            assert_eq!(found, expected, "{wanted} in {text}");
        }
    }
}
