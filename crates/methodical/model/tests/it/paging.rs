//! The metadata of a page says whether there are other pages.

use methodical_model::paging::{PageMarks, Position};

#[test]
fn numbers_are_read_from_text_and_from_numbers() {
    let marks = PageMarks::new().last(Some(&"12")).total(Some(&u64::MAX));
    assert_eq!((marks.last, marks.total), (Some(12), Some(u64::MAX)));
    assert_eq!((marks.next, marks.more), (None, None));
    for text in ["", "many", "-1", "1.0", "18446744073709551616"] {
        let marks = PageMarks::new().last(Some(&text)).total(Some(&text));
        assert_eq!((marks.last, marks.total), (None, None), "{text}");
    }
    // A client refuses an offset that is not greater than the offset of the page.
    assert_eq!(PageMarks::new().next_offset(Some(&-1)).next, Some(Position::Number(-1)));
    assert_eq!(PageMarks::new().last(None::<&u64>).total(None::<&u64>), PageMarks::new());
}

/// A cursor may contain personal data.
#[test]
fn a_position_shows_only_its_kind() {
    let shown = [Position::Number(7), Position::cursor(&"secret")];
    assert_eq!(format!("{shown:?}"), "[Number, Cursor]");
    assert_eq!(shown.map(|position| position.number()), [Some(7), None]);
}
