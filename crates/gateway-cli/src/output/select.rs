//! Which records, and which of their fields: `--fields`, `--filter`.

use crate::failure::Failure;
use crate::output::flags::OutputFlags;
use crate::output::record::{Members, Path};
use crate::suggest::closest;

/// The field names of a record by their paths: `id`, `portal`, `portal.name`.
pub(crate) type Fields<'a> = &'a [&'a str];

/// Checks that a record of this program has such a field.
pub(crate) fn check(path: &str, known: Fields<'_>) -> Result<(), Failure> {
    if known.contains(&path) {
        return Ok(());
    }
    Err(Failure::usage(format!("a record has no field `{path}`")).hint(meant(path, known)))
}

fn meant(path: &str, known: Fields<'_>) -> String {
    match closest(path, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`? All fields: {}", known.join(", ")),
        None => format!("the fields are {}", known.join(", ")),
    }
}

/// Checks a field of a record that the service sends, which may have more than the service text says.
///
/// What reads like a known field is taken for a mistake. Anything else may be there; what is returned says that nobody
/// knows.
pub(crate) fn check_sent(
    path: &str,
    known: Fields<'_>,
    method: &str,
) -> Result<Option<String>, Failure> {
    if known.contains(&path) {
        return Ok(None);
    }
    if closest(path, known.iter().copied()).is_some() {
        let meant = meant(path, known);
        return Err(Failure::usage(format!("a record has no field `{path}`"))
            .hint(format!("{meant}; `gateway api {method}` takes any name that is sent")));
    }
    Ok(Some(format!("the service text names no field `{path}`; it stays empty if none is sent")))
}

/// Checks a field against the members that records have; what is returned says that none has it.
pub(crate) fn check_found(path: &Path, members: Fields<'_>) -> Option<String> {
    let member = path.names().next()?;
    if members.is_empty() || members.contains(&member) {
        return None;
    }
    let meant = closest(member, members.iter().copied());
    let meant = meant.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
    Some(format!("no record has a member `{member}`{meant}"))
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

    /// Returns whether what a person reads in the field meets the condition. What is absent reads as empty text.
    pub(crate) fn accepts(&self, cell: &str) -> bool {
        match &self.test {
            Test::Is(text) => cell == text,
            Test::Contains(text) => cell.to_lowercase().contains(text),
        }
    }
}

/// Which fields to keep: a tree, so that `portal.id,portal.name` stay together in one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Whether everything is kept, whatever else is named in it.
    whole: bool,
    members: Vec<(String, Self)>,
}

impl Selection {
    /// Makes the tree of these paths, in their order.
    pub(crate) fn of(paths: &[Path]) -> Self {
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
        if let Some((_, child)) = self.members.iter_mut().find(|(other, _)| other == name) {
            child.add(names);
            return;
        }
        let mut child = Self::default();
        child.add(names);
        self.members.push((name.to_owned(), child));
    }

    /// Writes the selected members of an object as an object; `null` for what is absent.
    pub(crate) fn write(&self, json: &str, into: &mut String) {
        if self.whole || !json.starts_with('{') {
            into.push_str(json);
            return;
        }
        let members = Members::read(json);
        for (index, (name, child)) in self.members.iter().enumerate() {
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
    use super::{Filter, Selection};
    use crate::output::record::{Members, Path};

    #[track_caller]
    fn check(paths: &[&str], json: &str, expected: &str) {
        let paths: Vec<Path> = paths.iter().map(|path| Path::parse(path)).collect();
        let mut text = String::new();
        Selection::of(&paths).write(json, &mut text);
        assert_eq!(text, expected);
    }

    #[test]
    fn only_what_is_asked_for() {
        let paths = ["portal.name", "id", "none", "portal.id"];
        check(
            &paths,
            r#"{"id":7.10,"x":1,"portal":{"id":"p","name":"n"}}"#,
            r#"{"portal":{"name":"n","id":"p"},"id":7.10,"none":null}"#,
        );
        check(&paths, r#"{"id":7,"portal":null}"#, r#"{"portal":null,"id":7,"none":null}"#);
    }

    #[test]
    fn a_part_takes_nothing_from_the_whole() {
        let json = r#"{"id":7,"portal":{"id":"p","name":"n"}}"#;
        let whole = r#"{"portal":{"id":"p","name":"n"}}"#;
        check(&["portal", "portal.name"], json, whole);
        check(&["portal.name", "portal"], json, whole);
        check(&["id", "id"], json, r#"{"id":7}"#);
    }

    #[test]
    fn dots_may_be_part_of_a_name() {
        let mut text = String::new();
        let paths = [Path::member("a.b"), Path::parse("c")];
        Selection::of(&paths).write(r#"{"a":{"b":1},"a.b":2,"c":3}"#, &mut text);
        assert_eq!(text, r#"{"a.b":2,"c":3}"#);
    }

    #[test]
    fn filters() {
        let record = Members::of_record(r#"{"name":"Ada Example","a":{"b":"x=y"}}"#);
        let accepts = |text| {
            let filter = Filter::parse(text).unwrap();
            filter.accepts(&record.cell(&Path::parse(&filter.path)))
        };
        assert!(accepts("name~EXAM") && accepts("name=Ada Example") && accepts("a.b=x=y"));
        assert!(!accepts("name=Ada") && !accepts("none=x") && accepts("none="));
        assert!(Filter::parse("name").is_err());
    }
}
