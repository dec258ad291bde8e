//! The meanings of scalars: one file for each, with all that the generator knows about it.
//!
//! To add one, write its file and add it to [`MEANINGS`]; `spec/README.md` has the steps.

use crate::ir::Meaning;

mod boolean;
mod civil_date_time;
mod currency;
mod decimal;
mod epoch_milliseconds;
mod epoch_seconds;
mod id;
mod text;

pub use self::id::ID;

/// All meanings, in the order in which messages list them.
pub static MEANINGS: [&Meaning; 8] = [
    &ID,
    &text::TEXT,
    &decimal::DECIMAL,
    &civil_date_time::CIVIL_DATE_TIME,
    &epoch_seconds::EPOCH_SECONDS,
    &currency::CURRENCY,
    &epoch_milliseconds::EPOCH_MILLISECONDS,
    &boolean::BOOLEAN,
];

/// The words of all meanings, each with its description.
pub static WORDS: [(&str, &str); MEANINGS.len()] = words();

/// The words of the meanings of version 1 of the language, which are the first ones.
pub static FIRST_WORDS: [(&str, &str); 6] = words();

#[expect(clippy::indexing_slicing, reason = "the compiler runs it, and checks the indices")]
const fn words<const COUNT: usize>() -> [(&'static str, &'static str); COUNT] {
    let mut words = [("", ""); COUNT];
    let mut index = 0;
    while index < COUNT {
        words[index] = (MEANINGS[index].word, MEANINGS[index].doc);
        index += 1;
    }
    words
}

impl Meaning {
    /// Returns the meaning with this word.
    pub fn of(word: &str) -> Option<&'static Self> {
        MEANINGS.iter().copied().find(|meaning| meaning.word == word)
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST_WORDS, MEANINGS};

    #[test]
    fn the_meanings_of_version_1_are_first() {
        let since: Vec<_> = MEANINGS.iter().map(|meaning| meaning.since).collect();
        assert!(since.is_sorted());
        assert_eq!(since.iter().filter(|since| **since == 1).count(), FIRST_WORDS.len());
    }
}
