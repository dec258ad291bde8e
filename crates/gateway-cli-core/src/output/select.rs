//! Selection of records and of their fields, for `--filter` and `--fields`.

use crate::output::record::{Object, Path};

/// The paths of fields of a record, such as `id`, `album` and `album.title`.
pub type Fields<'a> = &'a [&'a str];

/// A filter that a record must match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) path: String,
    condition: Condition,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    Equals(String),
    Contains(String),
}

impl Filter {
    /// Parses `FIELD=TEXT` (equals) or `FIELD~TEXT` (contains, ignoring case).
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let Some((path, value)) = text.split_once(['=', '~']) else {
            return Err("expected FIELD=TEXT (equals) or FIELD~TEXT (contains)".to_owned());
        };
        let condition = match text.as_bytes().get(path.len()) {
            Some(b'~') => Condition::Contains(value.to_lowercase()),
            _ => Condition::Equals(value.to_owned()),
        };
        Ok(Self { path: path.to_owned(), condition })
    }

    /// Returns whether the text of the field matches. The text of an absent field is empty.
    pub(crate) fn accepts(&self, cell: &str) -> bool {
        match &self.condition {
            Condition::Equals(text) => cell == text,
            Condition::Contains(text) => cell.to_lowercase().contains(text),
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
    /// Creates the tree of these paths, in their order.
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

#[cfg(test)]
mod tests {
    use super::{Filter, Selection};
    use crate::output::record::{Cells, Path};

    #[track_caller]
    fn check(paths: &[&str], json: &str, expected: &str) {
        let paths: Vec<Path> = paths.iter().map(|path| Path::parse(path)).collect();
        let mut text = String::new();
        Selection::of(&paths).write(json, &mut text);
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
        Selection::of(&paths).write(r#"{"a":{"b":1},"a.b":2,"c":3}"#, &mut text);
        assert_eq!(text, r#"{"a.b":2,"c":3}"#);
    }

    #[test]
    fn filters_compare_the_text_of_a_field() {
        let record = r#"{"name":"Ada Example","a":{"b":"x=y"}}"#;
        let accepts = |text| {
            let filter = Filter::parse(text).unwrap();
            filter.accepts(&Cells::read(record).cell(&Path::parse(&filter.path)))
        };
        assert!(accepts("name~EXAM") && accepts("name=Ada Example") && accepts("a.b=x=y"));
        assert!(!accepts("name=Ada") && !accepts("none=x") && accepts("none="));
        assert!(Filter::parse("name").is_err());
    }
}
