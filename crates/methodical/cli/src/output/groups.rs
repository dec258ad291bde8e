//! Counts of records by the value of a field, for `--count-by`.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::output::record::{Cells, Path, one_line, text_of};
use crate::output::sort::Key;

/// The number of records with each value of a field. It keeps the values, not the records.
#[derive(Debug)]
pub(crate) struct Groups {
    path: Path,
    name: String,
    /// The counts by the JSON text of the value.
    counts: HashMap<String, u64>,
}

impl Groups {
    /// Creates the groups of the field at a path, without records.
    pub(crate) fn new(path: Path) -> Self {
        let name = path.to_string();
        Self { path, name, counts: HashMap::new() }
    }

    /// Returns the names of the two fields of a group: that of the values, and that of their numbers.
    pub(crate) fn fields(&self) -> [&str; 2] {
        [&self.name, if self.name == COUNT { "records" } else { COUNT }]
    }

    /// Counts a record.
    pub(crate) fn add(&mut self, record: &str) {
        let value = match Cells::read(record).value(&self.path) {
            None => "null".to_owned(),
            // The same text may be escaped in several ways.
            Some(json) if json.starts_with('"') => serde_json::from_str::<String>(json)
                .map_or_else(|_| json.to_owned(), |text| serde_json::Value::from(text).to_string()),
            Some(json) => one_line(json),
        };
        *self.counts.entry(value).or_default() += 1;
    }

    /// Returns the groups as records, the largest first, and equal ones by value.
    pub(crate) fn into_records(self) -> impl Iterator<Item = String> {
        let [name, count] = self.fields().map(|name| serde_json::Value::from(name).to_string());
        let mut groups: Vec<_> = self.counts.into_iter().collect();
        groups.sort_by_cached_key(|(value, count)| {
            let cell = text_of(Some(value));
            (Reverse(*count), Key::of(&cell))
        });
        groups
            .into_iter()
            .map(move |(value, number)| format!("{{{name}:{value},{count}:{number}}}"))
    }
}

const COUNT: &str = "count";

#[cfg(test)]
mod tests {
    use super::Groups;
    use crate::output::record::Path;

    #[test]
    fn groups_are_ordered_by_count_and_then_by_value() {
        let mut groups = Groups::new(Path::parse("a.b"));
        for value in [r#""z""#, "10", "9", r#""\u007a""#, "null", "[1, 2]", r#""y\"""#] {
            groups.add(&format!(r#"{{"a":{{"b":{value}}}}}"#));
        }
        groups.add("{}");
        assert_eq!(
            groups.into_records().collect::<Vec<_>>(),
            [
                r#"{"a.b":"z","count":2}"#,
                r#"{"a.b":null,"count":2}"#,
                r#"{"a.b":9,"count":1}"#,
                r#"{"a.b":10,"count":1}"#,
                r#"{"a.b":[1,2],"count":1}"#,
                r#"{"a.b":"y\"","count":1}"#,
            ]
        );
    }
}
