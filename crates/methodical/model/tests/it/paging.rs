//! The fields beside a page tell whether there are other pages.

use methodical_model::paging::{PageMarks, PagedBy, Paging, Position};

#[test]
fn numbers_are_read_from_text_and_from_numbers() {
    let marks = PageMarks::new().last(Some(&"12")).total(Some(&u64::MAX));
    assert_eq!((marks.last, marks.total), (Some(12), Some(u64::MAX)));
    assert_eq!((marks.next, marks.more), (None, None));
    for text in ["", "many", "-1", "1.0", "18446744073709551616"] {
        let marks = PageMarks::new().last(Some(&text)).total(Some(&text));
        assert_eq!((marks.last, marks.total), (None, None), "{text}");
    }
    assert_eq!(PageMarks::new().last(None::<&u64>).total(None::<&u64>), PageMarks::new());
}

/// A list must not end early because the service sends an offset that is not a number.
#[test]
fn an_offset_that_is_not_a_number_is_kept() {
    let next = |text: &str| PageMarks::new().next_offset(Some(&text)).next;
    assert_eq!(next("40"), Some(Position::Number(40)));
    assert_eq!(next("-1"), Some(Position::Number(-1)));
    assert_eq!(next("end"), Some(Position::Cursor("end".into())));
    assert_eq!(next(""), None);
    assert_eq!(PageMarks::new().next_offset(None::<&i64>).next, None);
}

#[test]
fn an_empty_cursor_ends_the_list() {
    let next = |text: &str| PageMarks::new().next_cursor(Some(&text)).next;
    assert_eq!(next("b7"), Some(Position::Cursor("b7".into())));
    assert_eq!(next("7"), Some(Position::Cursor("7".into())));
    assert_eq!(next(""), None);
}

#[test]
fn each_mark_keeps_the_others() {
    let marks = PageMarks::new()
        .last(Some(&3))
        .total(Some(&50))
        .next_cursor(Some(&"b7"))
        .more(Some(&true))
        .last(Some(&4));
    let found = (marks.last, marks.total, marks.next, marks.more);
    assert_eq!(found, (Some(4), Some(50), Some(Position::cursor(&"b7")), Some(true)));
    assert_eq!(PageMarks::new().more(Some(&false)).more, Some(false));
}

/// A cursor may contain personal data.
#[test]
fn a_position_shows_only_its_kind() {
    let shown = [Position::Number(7), Position::cursor(&"secret")];
    assert_eq!(format!("{shown:?}"), "[Number, Cursor]");
    assert_eq!(shown.map(|position| position.number()), [Some(7), None]);
}

#[test]
fn each_part_of_a_rule_is_set() {
    let rule = Paging::by(PagedBy::Offset);
    assert_eq!((rule.parameter, rule.has_identity), ("", false));
    let rule = rule.parameter("skip").has_identity();
    assert_eq!((rule.by, rule.parameter), (PagedBy::Offset, "skip"));
    assert!(rule.has_identity);
}
