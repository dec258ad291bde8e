//! Selection of records and of their fields, for `--filter` and `--fields`.

use std::cmp::Ordering;

use methodical_mirror::folded;
use rust_decimal::Decimal;

use crate::output::format::OutputColumn;
use crate::output::record::{Object, date_time};

/// The paths of fields of a record, such as `id`, `album` and `album.title`.
pub type Fields<'a> = &'a [&'a str];

/// A filter that a record must match.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    pub(crate) path: String,
    operator: Operator,
    /// The text to compare with, ignoring case for [`Operator::Contains`].
    text: String,
    /// The text as a date or a number. A date equals every time within its day or month.
    bound: Option<Bound>,
}

#[derive(Clone, Copy, Debug)]
enum Operator {
    Equals,
    Differs,
    Contains,
    Compares(fn(Ordering) -> bool),
}

/// Longer operators come before their prefixes.
const OPERATORS: [(&str, Operator); 7] = [
    ("!=", Operator::Differs),
    ("<=", Operator::Compares(Ordering::is_le)),
    (">=", Operator::Compares(Ordering::is_ge)),
    ("=", Operator::Equals),
    ("~", Operator::Contains),
    ("<", Operator::Compares(Ordering::is_lt)),
    (">", Operator::Compares(Ordering::is_gt)),
];

impl Filter {
    /// Parses a field, an operator and a value.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let place = text.find(['=', '!', '~', '<', '>']).unwrap_or(text.len());
        let (path, rest) = text.split_at(place);
        let found =
            OPERATORS.iter().find_map(|(name, one)| Some((name, one, rest.strip_prefix(name)?)));
        let Some((name, &operator, value)) = found else {
            return Err("expected FIELD=TEXT (equals), FIELD!=TEXT (differs), FIELD~TEXT (contains), or FIELD with \
                        <, <=, > or >= and a date or number; quote it, such as 'date>=2026-11-30', because a shell reads < and >"
                .to_owned());
        };
        let (text, bound) = match operator {
            Operator::Contains => (folded(value), None),
            Operator::Compares(_) => match Bound::parse(value) {
                None => {
                    return Err(format!(
                        "expected a date such as 2026-11-30 or a number after `{path}{name}`"
                    ));
                }
                bound => (value.to_owned(), bound),
            },
            Operator::Equals | Operator::Differs => (value.to_owned(), Bound::date(value)),
        };
        Ok(Self { path: path.to_owned(), operator, text, bound })
    }

    /// Creates the filter of records that are not before a date.
    pub(crate) fn since(path: &str, date: Bound) -> Self {
        let operator = Operator::Compares(Ordering::is_ge);
        Self { path: path.to_owned(), operator, text: String::new(), bound: Some(date) }
    }

    /// Returns whether the text of the field matches; `None` if it has no date or no number to compare. The text of an
    /// absent field is empty.
    pub(crate) fn accepts(&self, cell: &str) -> Option<bool> {
        let compared = || self.bound.as_ref()?.compare(cell);
        let equals = || cell == self.text || compared() == Some(Ordering::Equal);
        Some(match self.operator {
            Operator::Equals => equals(),
            Operator::Differs => !equals(),
            Operator::Contains => folded(cell).contains(&self.text),
            Operator::Compares(is_wanted) => is_wanted(compared()?),
        })
    }

    /// Returns the kind of value that the filter compares, with its article.
    pub(crate) fn kind(&self) -> &'static str {
        match (self.operator, &self.bound) {
            (Operator::Compares(_), Some(Bound::Date(_))) => "a date",
            (Operator::Compares(_), Some(Bound::Number(_))) => "a number",
            _ => "text",
        }
    }
}

/// The fields to keep, as a tree: `studio.id` and `studio.name` stay in one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Whether the whole value is kept, even if some of its fields are also named.
    whole: bool,
    fields: Vec<(String, Self)>,
}

impl Selection {
    /// Creates the tree of these columns, in order.
    pub(crate) fn of(columns: &[OutputColumn]) -> Self {
        let mut root = Self::default();
        for column in columns {
            root.add(&mut column.path.names());
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
    Number(Decimal),
}

impl Bound {
    /// Parses a number, or `YYYY-MM`, `YYYY-MM-DD`, `YYYY-MM-DD HH:MM` or `YYYY-MM-DD HH:MM:SS`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        number(text).map(Self::Number).or_else(|| Self::date(text))
    }

    /// Parses a year, a month, or a date with or without a time.
    pub(crate) fn date(text: &str) -> Option<Self> {
        let mut date = match text.len() {
            YEAR => civil(&format!("{text}-01-01")),
            MONTH => civil(&format!("{text}-01")),
            _ => civil(text),
        }?;
        // Longer text has a fraction or a time zone, which cannot be compared.
        (text.len() <= date.len()).then(|| date.truncate(text.len()))?;
        Some(Self::Date(date))
    }

    /// Compares a cell with this; `None` if the cell has no date or no number.
    ///
    /// Dates are compared with the precision of the bound: every time of a day equals its date, and its month. A time
    /// zone in the cell is ignored. Numbers are compared by their exact values.
    pub(crate) fn compare(&self, cell: &str) -> Option<Ordering> {
        match self {
            Self::Date(date) => civil(cell)?.get(..date.len()).map(|start| start.cmp(date)),
            Self::Number(bound) => number(cell).map(|cell| cell.cmp(bound)),
        }
    }

    /// Returns the text of a date; empty for a number.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Date(date) => date,
            Self::Number(_) => "",
        }
    }
}

/// Parses a JSON number of at most 28 digits, such as `-12.50` or `1e9`. Leading zeros are allowed.
pub(crate) fn number(text: &str) -> Option<Decimal> {
    let is_digit = |letter: char| letter.is_ascii_digit();
    // Decimals have more forms, such as `+1`, `.5` and `1_000`.
    let is_number = text.trim_start_matches('-').starts_with(is_digit)
        && text.ends_with(is_digit)
        && !text.contains('_');
    let parsed = if text.contains(['e', 'E']) {
        Decimal::from_scientific(text)
    } else {
        Decimal::from_str_exact(text)
    };
    parsed.ok().filter(|_| is_number)
}

/// Returns the date and time at the start of text, as `YYYY-MM-DD HH:MM:SS`.
fn civil(text: &str) -> Option<String> {
    let (date, rest) = text.split_at_checked("YYYY-MM-DD".len())?;
    let time = match rest.strip_prefix([' ', 'T']) {
        None if rest.is_empty() => "00:00:00",
        None => return None,
        Some(minutes) if minutes.len() == "HH:MM".len() => &format!("{minutes}:00"),
        Some(time) => time.get(.."HH:MM:SS".len())?,
    };
    let text = format!("{date} {time}");
    date_time(&text).is_some().then_some(text)
}

const YEAR: usize = "YYYY".len();

const MONTH: usize = "YYYY-MM".len();

#[cfg(test)]
mod tests {
    use super::{Filter, Selection};
    use crate::output::format::OutputColumn;
    use crate::output::record::{Cells, Path};

    fn column(path: &str) -> OutputColumn {
        OutputColumn { path: Path::parse(path), field_type: None }
    }

    #[track_caller]
    fn check(paths: &[&str], json: &str, expected: &str) {
        let columns: Vec<_> = paths.iter().map(|path| column(path)).collect();
        let mut text = String::new();
        Selection::of(&columns).write(json, &mut text);
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
        let columns = [Path::field("a.b"), Path::parse("c")]
            .map(|path| OutputColumn { path, field_type: None });
        Selection::of(&columns).write(r#"{"a":{"b":1},"a.b":2,"c":3}"#, &mut text);
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
