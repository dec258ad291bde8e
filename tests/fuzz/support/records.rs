//! Records of a list with any texts in them.

use methodical_cli::OutputColumn;
use serde_json::{Map, Value};

/// The names of the columns, and for each record its cells: a kind, a text and a number.
pub type Input<'a> = (Vec<&'a str>, Vec<Vec<(u8, &'a str, f64)>>);

#[derive(Debug)]
pub struct Records<'a>(pub Input<'a>);

impl Records<'_> {
    /// The columns: at most eight, and at least one.
    pub fn columns(&self) -> Vec<OutputColumn> {
        let columns = self.0.0.iter().take(8).map(|name| OutputColumn::new(name, None));
        let mut columns: Vec<_> = columns.collect();
        if columns.is_empty() {
            columns.push(OutputColumn::new("id", None));
        }
        columns
    }

    /// The records, each as JSON on one line.
    pub fn json(&self) -> Vec<String> {
        self.0.1.iter().take(20).map(|row| self.record(row).to_string()).collect()
    }

    fn record(&self, row: &[(u8, &str, f64)]) -> Value {
        let names = self.0.0.iter().copied().chain(["id", "name", "a.b"]);
        let fields = names.zip(row).filter_map(|(name, (kind, text, number))| {
            let value = match kind % 8 {
                0 => return None,
                1 => Value::Null,
                2 => Value::from(*number),
                3 => Value::from(number.to_bits()),
                4 => Value::Object(Map::from_iter([((*text).to_owned(), Value::from(*text))])),
                _ => Value::from(*text),
            };
            Some((name.to_owned(), value))
        });
        Value::Object(fields.collect())
    }
}
