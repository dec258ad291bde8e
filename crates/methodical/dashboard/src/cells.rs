//! The values of records as text.

use std::fmt;

use askama::filters::{Html, HtmlSafe, escape};
use methodical_mirror::model::tables::{Column, ColumnKind};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

/// The fields of a record.
pub(crate) type Fields = Map<String, Value>;

pub(crate) fn fields(json: &str) -> Fields {
    serde_json::from_str(json).unwrap_or_default()
}

/// Returns the value of a column as text; `None` if it is absent or `null`.
pub(crate) fn cell(fields: &Fields, column: &Column) -> Option<String> {
    let (first, rest) = column.path().split_first()?;
    let mut value = fields.get(*first)?;
    for name in rest {
        value = value.as_object()?.get(*name)?;
    }
    text(value)
}

/// Returns a value as text; `None` for `null`.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// A value on a page. Its display form is HTML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    Text(String),
    /// A link and its text: a record, an e-mail address or a phone number.
    Link(String, String),
    Nothing,
    /// A personal value that the reader has not revealed.
    Hidden,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let escaped = |text: &str| {
            let Ok(safe) = escape(text, Html);
            // An unclosed isolate in the value would swallow the end of the page's isolate.
            safe.to_string().replace(['\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}'], "")
        };
        match self {
            Self::Text(text) => f.write_str(&escaped(text)),
            Self::Link(href, text) => {
                write!(f, r#"<a href="{}">{}</a>"#, escaped(href), escaped(text))
            }
            Self::Nothing => f.write_str(r#"<span class="none">–</span>"#),
            Self::Hidden => f.write_str(r#"<span class="hidden">hidden</span>"#),
        }
    }
}

// The display form escapes the text itself.
impl HtmlSafe for Shown {}

/// Returns the value of a column in its displayed form.
pub(crate) fn shown(fields: &Fields, column: &Column, hides_personal: bool) -> Shown {
    match cell(fields, column).filter(|text| !text.trim().is_empty()) {
        None => Shown::Nothing,
        Some(_) if hides_personal && column.is_personal() => Shown::Hidden,
        Some(text) => match contact(column) {
            Some(Contact::Mail) if text.contains('@') => {
                let address = utf8_percent_encode(text.trim(), ADDRESS);
                Shown::Link(format!("mailto:{address}"), text)
            }
            Some(Contact::Phone)
                if text.len() < 40 && text.contains(|one: char| one.is_ascii_digit()) =>
            {
                let digits = text.chars().filter(|one| one.is_ascii_digit() || *one == '+');
                Shown::Link(format!("tel:{}", digits.collect::<String>()), text)
            }
            _ => Shown::Text(text),
        },
    }
}

/// A way to contact a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contact {
    Mail,
    Phone,
}

/// Returns the way of contact that a text column contains, judging by its name; `None` for other columns.
pub(crate) fn contact(column: &Column) -> Option<Contact> {
    let name = column.path().last().filter(|_| column.kind() == ColumnKind::Text)?;
    let kinds = [("mail", Contact::Mail), ("phone", Contact::Phone)];
    kinds.into_iter().find(|(part, _)| name.contains(part)).map(|(_, kind)| kind)
}

/// The characters of an address that a link encodes.
const ADDRESS: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'@').remove(b'.').remove(b'-').remove(b'_').remove(b'+');

#[cfg(test)]
mod tests {
    use methodical_mirror::model::tables::Column;

    use super::{Shown, fields, shown};

    #[test]
    fn values_are_shown_as_received() {
        let fields =
            fields(r#"{"id":7,"place":{"name":"Köln"},"tags":["a"],"size":null,"note":""}"#);
        let text = |text: &str| Shown::Text(text.to_owned());
        for (column, expected) in [
            (Column::integer(&["id"]), text("7")),
            (Column::text(&["place", "name"]), text("Köln")),
            (Column::json(&["tags"]), text(r#"["a"]"#)),
            (Column::integer(&["size"]), Shown::Nothing),
            (Column::text(&["note"]), Shown::Nothing),
            (Column::text(&["id", "name"]), Shown::Nothing),
        ] {
            assert_eq!(shown(&fields, &column, true), expected);
        }
        let personal = Column::text(&["place", "name"]).personal();
        assert_eq!(shown(&fields, &personal, true), Shown::Hidden);
        assert_eq!(shown(&fields, &personal, false), text("Köln"));
        let open = text("\u{202e}exe.live\u{2066}");
        assert_eq!(open.to_string(), "\u{202e}exe.live", "an isolate that does not end");
    }

    #[test]
    fn addresses_and_numbers_are_links_that_leave_nothing_open() {
        let fields =
            fields(r#"{"email":"a?b&c=\"d\"@example.com","phone":"+31 (0)20-5","mail":"no"}"#);
        let html = |name| shown(&fields, &Column::text(name), true).to_string();
        let href = r#"<a href="mailto:a%3Fb%26c%3D%22d%22@example.com">"#;
        assert!(html(&["email"]).starts_with(href), "{}", html(&["email"]));
        assert_eq!(html(&["phone"]), r#"<a href="tel:+310205">+31 (0)20-5</a>"#);
        assert_eq!(html(&["mail"]), "no");
    }
}
