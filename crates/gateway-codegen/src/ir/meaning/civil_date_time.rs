//! `civil-datetime`: a date and time without a zone. Text that is not a date is kept.

use crate::ir::{Form, Meaning, Primitive};

pub(super) static CIVIL_DATE_TIME: Meaning = Meaning {
    word: "civil-datetime",
    doc: "`YYYY-MM-DD HH:MM:SS` without a time zone.",
    since: 1,
    string: Some(Form {
        primitive: Primitive::Text,
        fits: is_date_time,
        expected: "a date and time such as `2024-03-31 02:30:00`",
        schema: Some("civil-datetime"),
        kind: Some("civil_date_time"),
        digits: None,
        random: Some("date_time"),
        field_type: "DateTime",
        check: "CivilDateTime",
        import: "CivilDateTime",
    }),
    numeric: false,
    integer: None,
    codes: None,
};

fn is_date_time(text: &str) -> bool {
    let pattern = "0000-00-00 00:00:00";
    let same_form = text.len() == pattern.len()
        && text
            .chars()
            .zip(pattern.chars())
            .all(|(c, p)| if p == '0' { c.is_ascii_digit() } else { c == p });
    let part =
        |from: usize, to: usize| text.get(from..to).and_then(|part| part.parse::<u32>().ok());
    let (Some(year), Some(month), Some(day)) = (part(0, 4), part(5, 7), part(8, 10)) else {
        return false;
    };
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    let below = |from, to, end| part(from, to).is_some_and(|number| number < end);
    same_form
        && (1..=days).contains(&day)
        && below(11, 13, 24)
        && below(14, 16, 60)
        && below(17, 19, 60)
}

#[cfg(test)]
mod tests {
    use super::is_date_time;

    #[test]
    fn dates() {
        for good in ["2024-02-29 23:59:59", "2000-02-29 00:00:00"] {
            assert!(is_date_time(good), "{good}");
        }
        for bad in [
            "2023-02-29 00:00:00",
            "1900-02-29 00:00:00",
            "0000-00-00 00:00:00",
            "2024-01-01T00:00:00",
            "2024-01-01 24:00:00",
            "2024-1-01 00:00:00",
            "",
        ] {
            assert!(!is_date_time(bad), "{bad}");
        }
    }
}
