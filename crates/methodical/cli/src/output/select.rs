//! Selection of records and of their fields, for `--filter` and `--fields`.

use std::cmp::Ordering;

use methodical_client::model::Civil;
use unicase::UniCase;
use unicode_normalization::UnicodeNormalization as _;

use crate::output::order::Number;
use crate::output::record::{Object, Path};

/// The paths of fields of a record, such as `id`, `album` and `album.title`.
pub type Fields<'a> = &'a [&'a str];

/// A filter that a record must match.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    pub(crate) path: String,
    condition: Condition,
}

#[derive(Clone, Debug)]
enum Condition {
    /// Equals the text or, if the text is a date, is on this date.
    Equals(String, Option<Bound>),
    Differs(String, Option<Bound>),
    Contains(String),
    Compares(fn(Ordering) -> bool, Bound),
}

impl Filter {
    /// Parses a field, an operator and a value. The operators are `=`, `!=`, `~`, `<`, `<=`, `>` and `>=`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let place = text.find(['=', '!', '~', '<', '>']).unwrap_or(text.len());
        let (path, rest) = text.split_at(place);
        // An operator before its own first character.
        let operators = ["!=", "<=", ">=", "=", "~", "<", ">"];
        let operator = operators.into_iter().find(|operator| rest.starts_with(operator));
        let Some(value) = operator.and_then(|operator| rest.strip_prefix(operator)) else {
            return Err("expected FIELD=TEXT (equals), FIELD!=TEXT (differs), FIELD~TEXT (contains), or FIELD with \
                        <, <=, > or >= and a date or number; quote it, such as 'date>=2026-11-30', because a shell reads < and >"
                .to_owned());
        };
        let compares = |is_wanted| match Bound::parse(value) {
            Some(bound) => Ok(Condition::Compares(is_wanted, bound)),
            None => Err(format!(
                "expected a date such as 2026-11-30 or a number after `{path}{}`",
                operator.unwrap_or_default()
            )),
        };
        let condition = match operator {
            Some("!=") => Condition::Differs(value.to_owned(), Bound::date(value)),
            Some("~") => Condition::Contains(folded(value)),
            Some("<") => compares(Ordering::is_lt)?,
            Some("<=") => compares(Ordering::is_le)?,
            Some(">") => compares(Ordering::is_gt)?,
            Some(">=") => compares(Ordering::is_ge)?,
            _ => Condition::Equals(value.to_owned(), Bound::date(value)),
        };
        Ok(Self { path: path.to_owned(), condition })
    }

    /// Creates the filter of records that are not before a date.
    pub(crate) fn since(path: &str, date: Bound) -> Self {
        let condition = Condition::Compares(Ordering::is_ge, date);
        Self { path: path.to_owned(), condition }
    }

    /// Returns whether the text of the field matches; `None` if it has no date or no number to compare. The text of an absent
    /// field is empty.
    pub(crate) fn accepts(&self, cell: &str) -> Option<bool> {
        Some(match &self.condition {
            Condition::Equals(text, date) => equals(cell, text, date.as_ref()),
            Condition::Differs(text, date) => !equals(cell, text, date.as_ref()),
            Condition::Contains(text) => folded(cell).contains(text),
            Condition::Compares(is_wanted, bound) => is_wanted(bound.compare(cell)?),
        })
    }

    /// Returns the kind of value that the filter compares, with its article.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.condition {
            Condition::Compares(_, bound) => bound.kind(),
            _ => "text",
        }
    }
}

fn equals(cell: &str, text: &str, date: Option<&Bound>) -> bool {
    cell == text || date.is_some_and(|date| date.compare(cell) == Some(Ordering::Equal))
}

/// The fields to keep, as a tree: `studio.id` and `studio.name` stay in one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Whether the whole value is kept, even if some of its fields are also named.
    whole: bool,
    fields: Vec<(String, Self)>,
}

impl Selection {
    /// Creates the tree of these paths, in their order.
    pub(crate) fn of(paths: &[&Path]) -> Self {
        let mut root = Self::default();
        for path in paths {
            root.add(&mut path.names());
        }
        root
    }

    fn add(&mut self, names: &mut dyn Iterator<Item = &str>) {
        let Some(name) = names.next() else {
            self.whole = true;
            return;
        };
        if let Some((_, child)) = self.fields.iter_mut().find(|(other, _)| other == name) {
            child.add(names);
            return;
        }
        let mut child = Self::default();
        child.add(names);
        self.fields.push((name.to_owned(), child));
    }

    /// Writes an object with the selected fields. Absent fields are `null`.
    pub(crate) fn write(&self, json: &str, into: &mut String) {
        if self.whole || !json.starts_with('{') {
            into.push_str(json);
            return;
        }
        let object = Object::parse(json);
        for (index, (name, child)) in self.fields.iter().enumerate() {
            into.push(if index == 0 { '{' } else { ',' });
            // A name from a response may contain a quote.
            into.push_str(&serde_json::Value::from(name.as_str()).to_string());
            into.push(':');
            child.write(object.get(name).unwrap_or("null"), into);
        }
        into.push('}');
    }
}

/// A date or a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// A civil date, with or without a time: `YYYY-MM-DD HH:MM:SS`, or the beginning of it, at least the year.
    Date(String),
    /// A decimal number of any size.
    Number(Number),
}

impl Bound {
    /// Parses a number, or `YYYY-MM`, `YYYY-MM-DD`, `YYYY-MM-DD HH:MM` or `YYYY-MM-DD HH:MM:SS`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Number::parse(text).map(Self::Number).or_else(|| Self::date(text))
    }

    /// Parses a year, a month, or a date with or without a time.
    pub(crate) fn date(text: &str) -> Option<Self> {
        let rest = match text.len() {
            YEAR => "-01-01",
            MONTH => "-01",
            _ => "",
        };
        let mut date = civil(&format!("{text}{rest}"))?;
        // A text that is longer has a fraction or a time zone, which could not be compared.
        (text.len() <= date.len()).then(|| date.truncate(text.len()))?;
        Some(Self::Date(date))
    }

    /// Compares a cell with this; `None` if the cell has no date or no number.
    ///
    /// Dates are compared as precisely as the bound is given: every time of a day equals its date, and its month. A time zone in the cell is
    /// ignored. Numbers are compared by their exact values.
    pub(crate) fn compare(&self, cell: &str) -> Option<Ordering> {
        match self {
            Self::Date(date) => civil(cell)?.get(..date.len()).map(|start| start.cmp(date)),
            Self::Number(number) => Number::parse(cell).map(|cell| cell.cmp(number)),
        }
    }

    /// Returns the text of a date; empty for a number.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Date(date) => date,
            Self::Number(_) => "",
        }
    }

    /// Returns the kind of value, with its article.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Date(_) => "a date",
            Self::Number(_) => "a number",
        }
    }
}

/// Returns the date and time at the start of a text, as `YYYY-MM-DD HH:MM:SS`.
fn civil(text: &str) -> Option<String> {
    let (date, rest) = text.split_at_checked(DATE.len())?;
    let time = match rest.strip_prefix([' ', 'T']) {
        None => rest.is_empty().then_some(MIDNIGHT.to_owned())?,
        Some(minutes) if minutes.len() == MINUTES.len() => format!("{minutes}:00"),
        Some(time) => time.get(..MIDNIGHT.len())?.to_owned(),
    };
    let text = format!("{date} {time}");
    text.parse::<Civil>().is_ok().then_some(text)
}

const DATE: &str = "YYYY-MM-DD";

const YEAR: usize = "YYYY".len();

const MONTH: usize = "YYYY-MM".len();

const MINUTES: &str = "HH:MM";

const MIDNIGHT: &str = "00:00:00";

/// Returns the text with the case folding of Unicode and without accents: `Straße` equals `STRASSE`, and `Zoë` equals `zoe`, however it is
/// composed.
///
/// The letters `İ` and `ı` of Turkish equal `i`, because a person who searches seldom types them.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    // The accents of other scripts, such as Devanagari, are vowels.
    let is_accent = |letter: &char| matches!(letter, '\u{300}'..='\u{36f}');
    let letters: String = text.nfd().filter(|letter| !is_accent(letter)).collect();
    UniCase::unicode(letters).to_folded_case().replace('ı', "i")
}

#[cfg(test)]
mod tests {
    use super::{Filter, Selection};
    use crate::output::record::{Cells, Path};

    #[track_caller]
    fn check(paths: &[&str], json: &str, expected: &str) {
        let paths: Vec<Path> = paths.iter().map(|path| Path::parse(path)).collect();
        let mut text = String::new();
        Selection::of(&paths.iter().collect::<Vec<_>>()).write(json, &mut text);
        assert_eq!(text, expected);
    }

    #[test]
    fn only_the_selected_fields_are_written() {
        let paths = ["studio.name", "id", "none", "studio.id"];
        check(
            &paths,
            r#"{"id":7.10,"x":1,"studio":{"id":"p","name":"n"}}"#,
            r#"{"studio":{"name":"n","id":"p"},"id":7.10,"none":null}"#,
        );
        check(&paths, r#"{"id":7,"studio":null}"#, r#"{"studio":null,"id":7,"none":null}"#);
    }

    #[test]
    fn a_whole_object_includes_its_selected_parts() {
        let json = r#"{"id":7,"studio":{"id":"p","name":"n"}}"#;
        let whole = r#"{"studio":{"id":"p","name":"n"}}"#;
        check(&["studio", "studio.name"], json, whole);
        check(&["studio.name", "studio"], json, whole);
        check(&["id", "id"], json, r#"{"id":7}"#);
    }

    #[test]
    fn field_names_may_contain_dots() {
        let mut text = String::new();
        let paths = [Path::field("a.b"), Path::parse("c")];
        Selection::of(&paths.each_ref()).write(r#"{"a":{"b":1},"a.b":2,"c":3}"#, &mut text);
        assert_eq!(text, r#"{"a.b":2,"c":3}"#);
    }

    #[track_caller]
    fn accepts(filter: &str, expected: Option<bool>) {
        let record =
            r#"{"name":"Ada Example","a":{"b":"x=y"},"n":10.50,"date":"2026-11-01 09:30:00"}"#;
        let filter = Filter::parse(filter).unwrap();
        let found = filter.accepts(&Cells::read(record).cell(&Path::parse(&filter.path)));
        assert_eq!(found, expected, "{filter:?}");
    }

    #[test]
    fn filters_compare_the_text_of_a_field() {
        for filter in
            ["name~EXAM", "name=Ada Example", "a.b=x=y", "none=", "name!=Ada", "name!=", "a.b~=Y"]
        {
            accepts(filter, Some(true));
        }
        for filter in ["name=Ada", "none=x", "none!=", "name~eve"] {
            accepts(filter, Some(false));
        }
    }

    #[test]
    fn a_date_equals_every_time_of_its_day_month_and_year() {
        for filter in [
            "date=2026-11-01",
            "date=2026-11-01 09:30",
            "date!=2026-11-02",
            "date=2026-11",
            "date=2026",
        ] {
            accepts(filter, Some(true));
        }
        for filter in ["date=2026-11-02", "date!=2026-11-01", "date=2026-10", "date!=2026-11"] {
            accepts(filter, Some(false));
        }
    }

    #[test]
    fn filters_compare_dates_and_numbers() {
        for filter in [
            "n>10.4999",
            "n<=10.5",
            "n>=1e1",
            "n<11",
            "date>=2026-11-01",
            "date<=2026-11-01",
            "date<2026-11-02",
            "date<=2026-11",
            "date>2026-10",
        ] {
            accepts(filter, Some(true));
        }
        for filter in ["n<10.5", "n>10.50", "date>2026-11-01", "date<2026-11-01 09:30"] {
            accepts(filter, Some(false));
        }
        for filter in ["date>5", "n<2026-11-01", "none>1", "name>1"] {
            accepts(filter, None);
        }
    }

    #[test]
    fn a_filter_has_an_operator_and_a_value_that_fits() {
        for filter in ["name", "name!Ada", "n<", "n>x", "date>=today", "date>=2026-02-30"] {
            assert!(Filter::parse(filter).is_err(), "{filter}");
        }
    }
}
#[cfg(test)]
mod bound_tests {
    use std::cmp::Ordering::{Equal, Greater, Less};

    use super::Bound;

    #[test]
    fn dates_are_compared_as_precisely_as_the_bound_is_given() {
        let check = |bound, cell, expected| {
            assert_eq!(Bound::parse(bound).unwrap().compare(cell), expected, "{cell} {bound}");
        };
        check("2026-11-01", "2026-11-01 23:59:59", Some(Equal));
        check("2026-11-01", "2026-11-01", Some(Equal));
        check("2026-11-01", "2026-10-31 23:59:59", Some(Less));
        check("2026-11-01", "2026-11-02T00:00:00.5+02:00", Some(Greater));
        check("2026-11-01 09:30", "2026-11-01 09:30:59", Some(Equal));
        check("2026-11-01T09:30:00", "2026-11-01 09:30:01", Some(Greater));
        check("2026-11-01 00:00", "2026-11-01", Some(Equal));
        check("2026-11", "2026-11-30 23:59:59", Some(Equal));
        check("2026-11", "2026-12-01", Some(Greater));
        check("2026-11", "2026-10-31", Some(Less));
        assert_eq!(Bound::date("2026").unwrap().compare("2026-11-01"), Some(Equal));
        for other in ["", "2026", "0000-00-00 00:00:00", "2026-02-30", "2026-11-01x", "é026-11-01"]
        {
            check("2026-11-01", other, None);
        }
    }

    #[test]
    fn numbers_are_compared_by_their_exact_values() {
        let compare = |bound, cell| Bound::parse(bound).unwrap().compare(cell);
        assert_eq!(compare("0.1", "0.10"), Some(Equal));
        assert_eq!(compare("100000000000000000000.01", "100000000000000000000.011"), Some(Greater));
        assert_eq!(compare("-2", "-10"), Some(Less));
        assert_eq!((compare("5", "five"), compare("5", "")), (None, None));
    }

    #[test]
    fn a_bound_is_a_date_that_exists_or_a_number() {
        for text in ["2026-02-30", "2026-13", "2026-11-01 9:30", "2026-11-01T09:30:00Z", "x", ""] {
            assert_eq!(Bound::parse(text), None, "{text}");
        }
        for text in ["20261101", "202", "2026-", "2026-1", "2026-11-", "2026-11-0", "é026"] {
            assert_eq!(Bound::date(text), None, "{text}");
        }
    }
}
#[cfg(test)]
mod fold_tests {
    use super::folded;

    #[test]
    fn letters_of_any_script_have_no_case() {
        for (one, other) in [
            ("İlker", "ILKER"),
            ("Işık", "isik".replace('s', "ş").as_str()),
            ("Straße", "STRASSE"),
            ("ΟΔΥΣΣΕΎΣ", "οδυσσεύς"),
            ("ÉMILE", "émile"),
            ("ЖУКОВ", "жуков"),
        ] {
            assert_eq!(folded(one), folded(other), "{one}");
        }
        for (one, other) in [("é", "e"), ("e\u{301}", "É"), ("Şahin", "sahin"), ("中", "中")] {
            assert_eq!(folded(one), folded(other), "{one}");
        }
        assert_ne!(folded("राम"), folded("रम"));
    }
}
