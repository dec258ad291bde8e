//! The lines below a table on a terminal: the number of records, and the hidden columns.

use crate::output::progress::with_separators;
use crate::record_type::Noun;
use crate::wrap::wrap;

/// Returns the number of records, such as `24 photos` or `no photos`.
pub(super) fn count(records: u64, noun: Noun) -> String {
    let number = if records == 0 { "no".to_owned() } else { with_separators(records) };
    format!("{number} {}", noun.of(records))
}

/// Returns the hidden columns, in lines of this width. The second part of each is the text of all its cells if they are equal.
pub(super) fn hidden(columns: &[(String, Option<&str>)], width: usize) -> String {
    let hidden = columns.iter().map(|(name, constant)| match *constant {
        None => name.clone(),
        Some("") => format!("{name} (always empty)"),
        Some(text) if text.chars().count() <= MAX_CONSTANT => format!("{name} (always {text})"),
        Some(_) => format!("{name} (always the same)"),
    });
    let hidden = hidden.collect::<Vec<_>>().join(", ");
    wrap(&format!("hidden: {hidden}; --wide shows all columns"), width, 2)
}

/// Maximum length of a constant text in the list of hidden columns, in characters.
const MAX_CONSTANT: usize = 24;

#[cfg(test)]
mod tests {
    use super::{count, hidden};
    use crate::record_type::Noun;

    #[test]
    fn records_are_counted_by_their_name() {
        assert_eq!(count(0, Noun::RECORD), "no records");
        assert_eq!(count(1, Noun::RECORD), "1 record");
        assert_eq!(count(1_234_567, Noun::RECORD), "1,234,567 records");
    }

    #[test]
    fn hidden_columns_are_named_with_their_constant_text() {
        let long = "x".repeat(25);
        let columns = [
            ("phone".to_owned(), None),
            ("fax".to_owned(), Some("")),
            ("kind".to_owned(), Some("person")),
            ("note".to_owned(), Some(long.as_str())),
        ];
        insta::assert_snapshot!(hidden(&columns, 40));
    }
}
