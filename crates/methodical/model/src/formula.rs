//! CSV cells that a spreadsheet may run as formulas.
//!
//! Text from a service is untrusted, because people choose their own names. A spreadsheet runs a cell that starts with
//! `=`, but shows a cell that starts with `'` as text. Guard each cell before you write it to a CSV file.
//!
//! # Examples
//!
//! ```
//! use methodical_model::formula::{guard, unguard};
//!
//! assert_eq!(guard("=1+1").as_deref(), Some("'=1+1"));
//! assert_eq!(guard("+40 21 000 0001"), None);
//! assert_eq!(unguard("'=1+1").as_deref(), Some("=1+1"));
//! ```

use alloc::string::String;
use alloc::vec::Vec;

use crate::scalar::either::{is_digits, is_plain};

/// Returns the cell with a `'` before each part that a spreadsheet may treat as a formula; `None` if nothing changes.
///
/// A spreadsheet whose separator differs from the writer's ignores quotes within a cell and splits `x;=1+1`. A formula
/// may therefore start after any usual separator, or on a new line. If a `'` already precedes a formula, another `'` is
/// added, so that [`unguard`] restores every cell.
#[must_use]
pub fn guard(cell: &str) -> Option<String> {
    changed(cell, |guarded, _| {
        guarded.push('\'');
        0
    })
}

/// Removes what [`guard`] added to a cell. Returns `None` if [`guard`] added nothing.
#[must_use]
pub fn unguard(cell: &str) -> Option<String> {
    // Fast path: nearly every cell has no `'`.
    if !cell.contains('\'') {
        return None;
    }
    // Another program may have written the cell, so change only a cell that `guard` could have written.
    let plain = changed(cell, |_, part| usize::from(part.starts_with('\'')))?;
    (guard(&plain).as_deref() == Some(cell)).then_some(plain)
}

/// Calls `change` at each part of the cell that a spreadsheet may treat as a formula, and returns the new cell, or
/// `None` if there is no such part. `change` appends text and returns how many bytes of the part to leave out.
fn changed(cell: &str, change: impl Fn(&mut String, &str) -> usize) -> Option<String> {
    let places = places(cell);
    if places.is_empty() {
        return None;
    }
    let mut text = String::with_capacity(cell.len() + places.len());
    let mut copied = 0;
    for place in places {
        text.push_str(cell.get(copied..place).unwrap_or_default());
        copied = place + change(&mut text, cell.get(place..).unwrap_or_default());
    }
    text.push_str(cell.get(copied..).unwrap_or_default());
    Some(text)
}

/// Returns the start of each part of a cell that a spreadsheet may treat as a formula, whether it is guarded or not.
fn places(cell: &str) -> Vec<usize> {
    let is_first = is_formula(cell);
    // Fast path: nearly every cell is a single part.
    if !is_first && !cell.bytes().map(char::from).any(is_splitter) {
        return Vec::new();
    }
    let mut places: Vec<usize> = is_first.then_some(0).into_iter().collect();
    let last = cell.rfind(is_splitter);
    for (at, splitter) in cell.match_indices(is_splitter) {
        let start = at + splitter.len();
        // A quote is doubled in CSV. A reader with another separator takes two quotes for an empty cell. A spreadsheet
        // drops NULs.
        let part = cell.get(start..).unwrap_or_default().trim_start_matches(['"', '\'', '\0']);
        // Text that contains a splitter is never a number or a phone number, so only the last part can be one.
        if part.starts_with(STARTS) && (Some(at) != last || is_formula(part)) {
            places.push(start);
        }
    }
    places
}

/// Returns whether some CSV readers end a cell at this character.
fn is_splitter(letter: char) -> bool {
    matches!(letter, ',' | ';' | '\t' | '|' | '\r' | '\n')
}

/// Returns whether a spreadsheet may treat a cell, without its guards, as a formula or as the rest of a formula.
///
/// Plain numbers and phone numbers are not formulas, although they may start with a sign.
fn is_formula(cell: &str) -> bool {
    // Fast path: nearly every cell starts with a letter or a digit.
    if cell.bytes().next().is_none_or(|first| first.is_ascii_alphanumeric()) {
        return false;
    }
    let cell = cell.trim_start_matches('\'');
    let starts = cell.starts_with(STARTS) || cell.starts_with(['\t', '\r', '\n', '\0']);
    let continues = cell.trim_start_matches([' ', '\0']).starts_with(OPERATORS);
    continues || (starts && !is_plain(cell) && !is_phone(cell))
}

/// Returns whether the text is a phone number, such as `+40 21 000 0001` or `+49 (0)30 700-1`: a plus sign, then digits
/// and the usual punctuation.
///
/// A spreadsheet computes `+49-30-700` and reads `+1 1/2` as one and a half. It can do neither if a space separates two
/// groups of digits, or if the only punctuation is spaces, dots and brackets.
fn is_phone(cell: &str) -> bool {
    let rest = cell.strip_prefix('+').unwrap_or_default();
    let plain = |letter: char| letter.is_ascii_digit() || " ()./-".contains(letter);
    starts_group(rest)
        && ends_group(rest.trim_end())
        && rest.chars().all(plain)
        && (!rest.contains(['-', '/']) || (has_separate_groups(rest) && !is_mixed_fraction(rest)))
}

/// Returns whether a space separates two groups without an operator between them, as in `30 700` and `49 (0)30`.
fn has_separate_groups(text: &str) -> bool {
    let parts: Vec<&str> = text.split(' ').filter(|part| !part.is_empty()).collect();
    parts
        .windows(2)
        .any(|pair| matches!(pair, [one, other] if ends_group(one) && starts_group(other)))
}

fn ends_group(text: &str) -> bool {
    text.ends_with(|last: char| last.is_ascii_digit() || last == ')')
}

fn starts_group(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit() || first == '(')
}

/// Returns whether the text is a whole number and a fraction, such as `1 1/2`.
fn is_mixed_fraction(text: &str) -> bool {
    let Some((whole, part)) = text.trim().split_once(' ') else { return false };
    let fraction = part.split_once('/');
    is_digits(whole) && fraction.is_some_and(|(a, b)| is_digits(a.trim()) && is_digits(b.trim()))
}

/// Characters that a formula can start with.
const STARTS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Operators that continue a formula. A spreadsheet that does not split a line at its tabs reads the cells `+6` and
/// `*A1` as one formula.
const OPERATORS: [char; 14] =
    ['*', '/', '^', '%', '&', '<', '>', '＊', '／', '＾', '％', '＆', '＜', '＞'];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_formula_may_start_after_any_separator() {
        for (cell, guarded) in [
            ("x;=cmd|' /C calc'!A0", "x;'=cmd|' /C calc'!A0"),
            ("x\t=1+1", "x\t'=1+1"),
            ("x|@SUM(1)", "x|'@SUM(1)"),
            ("x,-1+1", "x,'-1+1"),
            ("x\r\n=1", "x\r\n'=1"),
            ("x;\"=1+1", "x;'\"=1+1"),
            // A spreadsheet drops the NUL character.
            ("x\r\0-'", "x\r'\0-'"),
            ("=1;=2;＝3", "'=1;'=2;'＝3"),
            // A reader that splits only at `;` reads the rest as one cell.
            ("x;+1,cmd|x", "x;'+1,cmd|x"),
            // The previous cell may be a number with a sign.
            ("*cmd|' /C calc'!A0", "'*cmd|' /C calc'!A0"),
            (" /A1", "' /A1"),
        ] {
            assert_eq!(guard(cell).as_deref(), Some(guarded), "{cell:?}");
        }
        for plain in
            ["Doe, Ada", "a;b|c\td", "10,-5", "Ada;+40 21 000 0001", "a\r\nb", "x - y", "x*y", ""]
        {
            assert_eq!(guard(plain), None, "{plain:?}");
        }
    }

    #[test]
    fn a_guard_in_the_text_is_guarded_too() {
        for (cell, guarded) in [
            ("'=1", "''=1"),
            ("a;'=1", "a;''=1"),
            ("''+x", "'''+x"),
            ("'\t=1", "''\t'=1"),
            ("'*x", "''*x"),
        ] {
            assert_eq!(guard(cell).as_deref(), Some(guarded), "{cell:?}");
            assert_eq!(unguard(guarded).as_deref(), Some(cell), "{guarded:?}");
        }
        for plain in ["'", "O'Neill", "'tis", "'+40 21 000 0001", "x;'+40 21 000 0001"] {
            assert_eq!((guard(plain), unguard(plain)), (None, None), "{plain}");
        }
    }

    proptest! {
        #[test]
        fn every_cell_is_restored(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..9)) {
            let cell = pieces.concat();
            let guarded = guard(&cell).unwrap_or_else(|| cell.clone());
            prop_assert_eq!(unguard(&guarded).unwrap_or_else(|| guarded.clone()), cell);
        }
    }

    const PIECES: &[&str] = &[
        "=", "+", "-", "@", "＝", "*", "'", "\"", ",", ";", "\t", "|", "\r\n", "\n", "\0", "1",
        "40 21", "(0)", "x", " ", "é", ".",
    ];

    #[test]
    fn a_long_hostile_cell_is_guarded_in_linear_time() {
        let count = if cfg!(miri) { 200 } else { 200_000 };
        let cell = "+1;".repeat(count);
        assert_eq!(guard(&cell).map(|guarded| guarded.len()), Some(cell.len() + count));
    }

    #[test]
    fn phones_and_numbers_stay_exact() {
        let plain = "+40 21 000 0001;+49 (0)30-700.1/2;+49 30 700-1;+49(0)30.700;+40210000001;\
                     -12;+0.50;-3.5;Ada;;4711";
        for plain in plain.split(';') {
            assert!(!is_formula(plain), "{plain}");
        }
        let formulas = "+1+1;-1+1;+40 21 x;-;+;@SUM(1);=1;-1-1;\t1;＝1;+1e5;--1;+1-1;+1/0;\
                        +49-30-7001067;+1 - 1;+1 -1;+(1)-1;+1 1/2;+49 30/7001067;+(;+40 (";
        for formula in formulas.split(';') {
            assert!(is_formula(formula), "{formula}");
        }
    }
}
