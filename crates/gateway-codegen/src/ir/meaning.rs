//! The meanings of scalars: one file for each, with all that the generator knows about it.
//!
//! To add one, write its file and add it to [`MEANINGS`]; `spec/README.md` has the steps.

use crate::ir::Meaning;

mod civil_date_time;
mod currency;
mod decimal;
mod epoch_seconds;
mod id;
mod text;

pub use self::id::ID;

/// All meanings, in the order in which messages list them.
pub static MEANINGS: [&Meaning; 6] = [
    &ID,
    &text::TEXT,
    &decimal::DECIMAL,
    &civil_date_time::CIVIL_DATE_TIME,
    &epoch_seconds::EPOCH_SECONDS,
    &currency::CURRENCY,
];

/// The words of all meanings, each with its description.
#[expect(clippy::indexing_slicing, reason = "the compiler runs it, and checks the indices")]
pub static WORDS: [(&str, &str); MEANINGS.len()] = {
    let mut words = [("", ""); MEANINGS.len()];
    let mut index = 0;
    while index < words.len() {
        words[index] = (MEANINGS[index].word, MEANINGS[index].doc);
        index += 1;
    }
    words
};

impl Meaning {
    /// Returns the meaning with this word.
    pub fn of(word: &str) -> Option<&'static Self> {
        MEANINGS.iter().copied().find(|meaning| meaning.word == word)
    }
}
