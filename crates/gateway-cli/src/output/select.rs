//! Which records, which of their fields, and in which order: `--fields`, `--filter`, `--sort`.

use std::cmp::Ordering;

use crate::failure::Failure;
use crate::flags::OutputFlags;
use crate::output::record::Members;
use crate::suggest::closest;

/// The field names of a record by their paths: `id`, `portal`, `portal.name`.
pub(crate) type Fields<'a> = &'a [&'a str];

/// Checks that a record has such a field.
pub(crate) fn check(path: &str, known: Fields<'_>) -> Result<(), Failure> {
    if known.is_empty() || known.contains(&path) {
        return Ok(());
    }
    let hint = match closest(path, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`? All fields: {}", known.join(", ")),
        None => format!("the fields are {}", known.join(", ")),
    };
    Err(Failure::usage(format!("a record has no field `{path}`")).hint(hint))
}

/// Returns the first flag that chooses from what came, if there is one.
pub(crate) fn chooses(flags: &OutputFlags) -> Option<&'static str> {
    let given = [
        ("--fields", flags.fields.is_some()),
        ("--filter", !flags.filter.is_empty()),
        ("--sort", flags.sort.is_some()),
    ];
    given.iter().find(|(_, given)| *given).map(|(flag, _)| *flag)
}

/// Says why nothing can be chosen, if something is to be chosen.
pub(crate) fn refuse(flags: &OutputFlags, because: &str) -> Result<(), Failure> {
    match chooses(flags) {
        None => Ok(()),
        Some(flag) => {
            Err(Failure::usage(format!("{because}, so {flag} has nothing to choose from")))
        }
    }
}

/// A condition that a record must meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) path: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Is(String),
    Contains(String),
}

impl Filter {
    /// Reads `FIELD=TEXT` (is exactly) or `FIELD~TEXT` (contains, in any case).
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let Some((path, value)) = text.split_once(['=', '~']) else {
            return Err("write FIELD=TEXT, or FIELD~TEXT for a part of it".to_owned());
        };
        let condition = match text.as_bytes().get(path.len()) {
            Some(b'~') => Test::Contains(value.to_lowercase()),
            _ => Test::Is(value.to_owned()),
        };
        Ok(Self { path: path.to_owned(), test: condition })
    }

    /// Returns whether the record meets the condition. What is absent reads as empty text.
    pub(crate) fn accepts(&self, record: &Members<'_>) -> bool {
        let cell = record.cell(&self.path);
        match &self.test {
            Test::Is(text) => cell == text.as_str(),
            Test::Contains(text) => cell.to_lowercase().contains(text),
        }
    }
}

/// A field to sort by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sort {
    pub(crate) path: String,
    descending: bool,
}

impl Sort {
    /// Reads `FIELD`, or `-FIELD` for the largest first.
    pub(crate) fn parse(text: &str) -> Self {
        match text.strip_prefix('-') {
            Some(path) => Self { path: path.to_owned(), descending: true },
            None => Self { path: text.to_owned(), descending: false },
        }
    }

    /// Compares two values of this field: numbers by value and before text, text by its characters.
    pub(crate) fn compare(&self, one: &str, other: &str) -> Ordering {
        let ordering = match (number(one), number(other)) {
            (Some(a), Some(b)) => (a.len(), a).cmp(&(b.len(), b)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => one.cmp(other),
        };
        if self.descending { ordering.reverse() } else { ordering }
    }
}

/// Returns the digits of a whole number of any size, without leading zeros.
fn number(text: &str) -> Option<&str> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.trim_start_matches('0'))
}

/// Which fields to keep: a tree, so that `portal.id,portal.name` stay together in one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection(Vec<(String, Self)>);

impl Selection {
    /// Makes the tree of these paths, in their order.
    pub(crate) fn of(paths: &[String]) -> Self {
        let mut root = Self::default();
        for path in paths {
            root.add(path);
        }
        root
    }

    fn add(&mut self, path: &str) {
        let (name, rest) = path.split_once('.').map_or((path, None), |(n, r)| (n, Some(r)));
        let index = self.0.iter().position(|(other, _)| other == name).unwrap_or(self.0.len());
        if index == self.0.len() {
            self.0.push((name.to_owned(), Self::default()));
        }
        if let (Some(rest), Some((_, child))) = (rest, self.0.get_mut(index)) {
            child.add(rest);
        }
    }

    /// Writes the selected members of an object as an object; `null` for what is absent.
    pub(crate) fn write(&self, json: &str, into: &mut String) {
        if self.0.is_empty() || !json.starts_with('{') {
            into.push_str(json);
            return;
        }
        let members = Members::read(json);
        for (index, (name, child)) in self.0.iter().enumerate() {
            into.push(if index == 0 { '{' } else { ',' });
            // A name with a quote in it cannot come from the list of known fields, but from an answer.
            into.push_str(&serde_json::Value::from(name.as_str()).to_string());
            into.push(':');
            child.write(members.get(name).unwrap_or("null"), into);
        }
        into.push('}');
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::{Filter, Selection, Sort};
    use crate::output::record::Members;

    #[test]
    fn only_what_is_asked_for() {
        let paths = ["portal.name", "id", "none", "portal.id"].map(str::to_owned);
        let mut text = String::new();
        Selection::of(&paths)
            .write(r#"{"id":7.10,"x":1,"portal":{"id":"p","name":"n"}}"#, &mut text);
        assert_eq!(text, r#"{"portal":{"name":"n","id":"p"},"id":7.10,"none":null}"#);
        text.clear();
        Selection::of(&paths).write(r#"{"id":7,"portal":null}"#, &mut text);
        assert_eq!(text, r#"{"portal":null,"id":7,"none":null}"#);
    }

    #[test]
    fn filters() {
        let record = Members::read(r#"{"name":"Ada Example","a":{"b":"x=y"}}"#);
        let accepts = |text| Filter::parse(text).unwrap().accepts(&record);
        assert!(accepts("name~EXAM") && accepts("name=Ada Example") && accepts("a.b=x=y"));
        assert!(!accepts("name=Ada") && !accepts("none=x") && accepts("none="));
        assert!(Filter::parse("name").is_err());
    }

    #[test]
    fn numbers_sort_as_numbers() {
        let ascending = Sort::parse("id");
        assert_eq!(ascending.compare("9", "10"), Ordering::Less);
        assert_eq!(ascending.compare("010", "10"), Ordering::Equal);
        assert_eq!(ascending.compare("10", ""), Ordering::Less);
        assert_eq!(ascending.compare("b", "a"), Ordering::Greater);
        assert_eq!(Sort::parse("-id").compare("9", "10"), Ordering::Greater);
    }
}
