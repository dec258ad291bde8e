//! Filters for records: by state, by column, and by text, ignoring case and accents.

use std::fmt::Write as _;

use rusqlite::types::{Value as SqlValue, ValueRef};
use unicode_normalization::UnicodeNormalization as _;

use crate::error::{Error, debug_with};
use crate::fields::Shape;
use crate::store::rows::State;
use crate::store::{quoted, utc};

/// Selects records of a table. The default is all of them, in every state.
///
/// ```
/// use methodical_mirror::{Filter, State};
///
/// // The records of album 7 that were first seen since 1 November 2026, and that are not deleted.
/// let filter = Filter::new()
///     .state(State::Present)
///     .state(State::Missing)
///     .first_seen_since(1_793_491_200)
///     .column("album_id", "7");
/// # assert_ne!(filter, Filter::new());
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct Filter {
    states: Vec<State>,
    first_seen_since: Option<i64>,
    columns: Vec<(String, Vec<Option<String>>)>,
    pub(crate) text: Option<Wanted>,
}

impl Filter {
    /// Creates a filter that accepts every record.
    pub fn new() -> Self {
        Self::default()
    }

    /// Accepts records in `state`. Call this again to accept further states.
    pub fn state(mut self, state: State) -> Self {
        self.states.push(state);
        self
    }

    /// Accepts only records first seen at or after a time, in seconds since 1970 (UTC).
    pub fn first_seen_since(self, seconds: i64) -> Self {
        Self { first_seen_since: Some(seconds), ..self }
    }

    /// Accepts records whose column `name` contains exactly `value`: text, a number, `true`, `false`, or the text of a
    /// JSON value. All columns of a filter must match. A value that is invalid for the column's type never matches.
    pub fn column(self, name: &str, value: &str) -> Self {
        self.one_of(name, &[Some(value)])
    }

    /// Accepts records whose column `name` has one of the values; see [`column`](Self::column). `None` means no value.
    pub fn one_of(mut self, name: &str, values: &[Option<&str>]) -> Self {
        let values = values.iter().map(|value| value.map(str::to_owned));
        self.columns.push((name.to_owned(), values.collect()));
        self
    }

    /// Accepts records whose identity or any text column contains `text`.
    ///
    /// Case and accents are ignored, in any script, and letters such as `ł`, `ø`, `đ` and `ß` equal `l`, `o`, `d` and
    /// `ss`: `cwik` finds `Ćwik`, and `STRASSE` finds `Straße`. If the text is a number of at least three digits,
    /// spaces and `+-./()` are ignored: `0721000 501` finds `+40 (0721) 000-501`. No character has a special meaning.
    /// Records that are gone or forgotten are not accepted.
    pub fn contains(mut self, text: &str) -> Self {
        self.text = Some(Wanted::new(text));
        self
    }

    pub(crate) fn accepts_state(&self, state: State) -> bool {
        (self.states.is_empty() || self.states.contains(&state))
            && (state.is_live() || self.text.is_none())
    }

    /// Returns the SQL conditions and adds their parameters; `None` if no row can match.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Table`](crate::ErrorKind::Table) if the table has no such column.
    pub(crate) fn conditions(
        &self,
        table: &str,
        shape: &Shape,
        parameters: &mut Vec<SqlValue>,
    ) -> Result<Option<String>, Error> {
        let (mut conditions, mut is_possible) = (String::new(), true);
        if let Some(since) = self.first_seen_since {
            parameters.push(utc(since).into());
            let _ = write!(conditions, " AND mirror_first_seen >= ?{}", parameters.len());
        }
        for (name, values) in &self.columns {
            let kind = shape.column(table, name)?.kind;
            let (name, mut parts) = (quoted(name), Vec::new());
            for value in values {
                if let Some(value) = value {
                    // A value that is invalid for the column's type never matches.
                    let Some(value) = kind.value(value) else { continue };
                    parameters.push(value);
                    parts.push(format!("{name} = ?{}", parameters.len()));
                } else {
                    parts.push(format!("{name} IS NULL"));
                }
            }
            is_possible &= !parts.is_empty();
            let _ = write!(conditions, " AND ({})", parts.join(" OR "));
        }
        Ok(is_possible.then_some(conditions))
    }
}

// Does not show values, which may be personal.
debug_with!(Filter: states, first_seen_since);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    folded: String,
    /// The digits of the text, if it is a number in any notation.
    digits: Option<String>,
}

impl Wanted {
    pub(crate) fn new(text: &str) -> Self {
        let folded = folded(text);
        let digits: String = folded.chars().filter(|one| !is_separator(*one)).collect();
        let is_number = digits.len() >= DIGITS && digits.bytes().all(|one| one.is_ascii_digit());
        Self { folded, digits: is_number.then_some(digits) }
    }

    pub(crate) fn is_within_value(&self, value: ValueRef<'_>) -> bool {
        match value {
            ValueRef::Text(text) => self.is_within(&String::from_utf8_lossy(text)),
            ValueRef::Integer(number) => self.is_within(&number.to_string()),
            _ => false,
        }
    }

    fn is_within(&self, text: &str) -> bool {
        let mut folded = folded(text);
        if folded.contains(&self.folded) {
            return true;
        }
        let Some(digits) = &self.digits else { return false };
        folded.retain(|one| !is_separator(one));
        folded.contains(digits)
    }
}

/// Removes case and accents from text, as [`Filter::contains`] does to compare it.
///
/// ```
/// use methodical_mirror::folded;
///
/// assert_eq!(folded("Łukasz STRAẞE"), folded("lukasz straße"));
/// ```
#[must_use]
pub fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    let lower = text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    // Removes only the combining diacritical marks, because the marks of other blocks are vowels in some scripts.
    for letter in lower.nfd().filter(|letter| !matches!(letter, '\u{300}'..='\u{36f}')) {
        match base(letter) {
            Some(base) => folded.push_str(base),
            None => folded.push(letter),
        }
    }
    folded
}

/// Returns what people type in place of a letter that has no decomposition; `None` for any other letter.
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
        // Only `ẞ` gets here: a lowercase `ß` has already become `ss`.
        'ß' => "ss",
        _ => return None,
    })
}

/// Returns whether people use a character to separate the digits of a number.
fn is_separator(character: char) -> bool {
    matches!(character, ' ' | '\u{a0}' | '\u{202f}' | '+' | '-' | '.' | '/' | '(' | ')')
}

/// Minimum length of a number whose separators are ignored, in digits.
const DIGITS: usize = 3;

#[cfg(test)]
mod tests {
    use super::{Filter, Wanted};

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
            ("strasse", "STRAẞE", true),
            ("k", "\u{212a}", true),
            ("कि", "क", false),
            ("राम", "रम", false),
            ("Işık", "işik", true),
            ("ΟΔΥΣΣΕΎΣ", "οδυσσεύς", true),
            ("ЖУКОВ", "жуков", true),
            ("Sahin", "Şahin", true),
            ("中", "中", true),
            ("100%", "100% sure", true),
            ("100%", "1000 sure", false),
            ("a_b", "aXb", false),
            ("", "anything", true),
        ] {
            let found = Wanted::new(wanted).is_within(text);
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
            let found = Wanted::new(wanted).is_within(text);
            assert_eq!(found, expected, "{wanted} in {text}");
        }
    }

    #[test]
    fn debug_shows_no_value() {
        let filter = Filter::new().column("title", "Zanzibar").contains("Zanzibar");
        assert!(!format!("{filter:?}").contains("anzibar"));
    }
}
