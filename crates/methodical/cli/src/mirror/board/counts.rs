//! Counts the members of each group by their value.

use std::collections::HashMap;

use methodical_mirror::model::{Column, ColumnKind, Table};
use methodical_mirror::{Error, Mirror, State};
use serde_json::{Map, Value};

use crate::mirror::board::columns::{OTHER, TOTAL, UNKNOWN};
use crate::mirror::found::Recovered;

/// The counts of all groups.
#[derive(Debug)]
pub(crate) struct Counts {
    /// The name of the field that identifies a group.
    pub(crate) id: &'static str,
    /// The name of the field with its title; `None` if no field has one.
    pub(crate) title: Option<&'static str>,
    /// The names of the columns of the values: those of the contract, then the others in the order of first sight.
    pub(crate) values: Vec<String>,
    /// How many of them are values of the contract. They are the first ones.
    pub(crate) known: usize,
    /// Whether the column of unknown values is shown.
    pub(crate) has_unknown: bool,
    /// The groups, in the order of first sight.
    pub(crate) groups: Vec<Group>,
}

/// The counts of a group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) id: String,
    pub(crate) title: Value,
    /// For each value.
    pub(crate) counts: Vec<u64>,
    /// Members whose value is unknown.
    pub(crate) unknown: u64,
}

impl Group {
    /// Returns the number of members.
    pub(crate) fn total(&self) -> u64 {
        self.counts.iter().sum::<u64>() + self.unknown
    }
}

impl Counts {
    /// Reads the groups and the placements of a mirror.
    pub(crate) fn read(mirror: &Mirror, of: Recovered) -> Result<Self, Error> {
        let mut counts = Self {
            id: of.groups.identity(),
            title: title(of.groups),
            values: of.known_values.iter().map(|&value| value.to_owned()).collect(),
            known: of.known_values.len(),
            has_unknown: true,
            groups: Vec::new(),
        };
        let mut places = HashMap::new();
        mirror.each_record(of.groups.name(), |record| {
            if record.state == State::Present {
                let mut fields = fields(&record.json);
                let title = counts.title.and_then(|name| fields.remove(name)).unwrap_or_default();
                places.insert(record.id.clone(), counts.groups.len());
                counts.groups.push(Group { id: record.id, title, ..Group::default() });
            }
        })?;
        let mut numbers: HashMap<String, usize> = counts.values.iter().cloned().zip(0..).collect();
        let group_field = format!("{}_id", of.groups.name());
        mirror.each_record(of.table.name(), |record| {
            if record.state != State::Present {
                return;
            }
            let fields = fields(&record.json);
            let group = fields.get(&group_field).map(text).unwrap_or_default();
            let Some(group) = places.get(&*group).and_then(|place| counts.groups.get_mut(*place))
            else {
                return;
            };
            match fields.get(of.value).filter(|value| !value.is_null()).map(text) {
                None => group.unknown += 1,
                Some(value) => {
                    let number = *numbers.entry(value).or_insert_with_key(|value| {
                        counts.values.push(value.clone());
                        counts.values.len() - 1
                    });
                    if group.counts.len() <= number {
                        group.counts.resize(number + 1, 0);
                    }
                    if let Some(count) = group.counts.get_mut(number) {
                        *count += 1;
                    }
                }
            }
        })?;
        for group in &mut counts.groups {
            group.counts.resize(counts.values.len(), 0);
        }
        counts.values = distinct(&counts.values, of.value, counts.id, counts.title);
        Ok(counts)
    }

    /// Returns the sums over all groups.
    pub(crate) fn sum(&self) -> Group {
        let sum = |index: usize| {
            self.groups.iter().filter_map(|group| group.counts.get(index)).sum::<u64>()
        };
        Group {
            id: String::new(),
            title: Value::from("all"),
            counts: (0..self.values.len()).map(sum).collect(),
            unknown: self.groups.iter().map(|group| group.unknown).sum(),
        }
    }
}

/// Returns column names of the values. One that is also the name of another column gets a prefix, such as `status=total`.
fn distinct(values: &[String], field: &str, id: &str, title: Option<&str>) -> Vec<String> {
    let own: Vec<String> =
        [id, UNKNOWN, TOTAL, OTHER].into_iter().chain(title).map(str::to_lowercase).collect();
    let mut names: Vec<String> = Vec::with_capacity(values.len());
    for value in values {
        let mut name = value.clone();
        while name.is_empty()
            || own.contains(&name.to_lowercase())
            || names.contains(&name)
            || (name != *value && values.contains(&name))
        {
            name = format!("{field}={name}");
        }
        names.push(name);
    }
    names
}

/// Returns the name of the first text of a group besides its identity that is not personal.
pub(crate) fn title(groups: &'static Table) -> Option<&'static str> {
    let is_title = |column: &&Column| column.kind() == ColumnKind::Text && !column.is_personal();
    let texts = groups.columns().iter().filter(is_title);
    let mut names = texts.filter_map(|column| match column.path() {
        [name] if *name != groups.identity() => Some(*name),
        _ => None,
    });
    names.next()
}

fn fields(json: &str) -> Map<String, Value> {
    serde_json::from_str(json).unwrap_or_default()
}

/// Returns an identity or a value as text.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::distinct;

    #[test]
    fn a_value_with_the_name_of_another_column_is_renamed() {
        let values = ["New", "total", "ID", "unknown", "", "status=total", "other"];
        let names = distinct(&values.map(str::to_owned), "status", "id", Some("title"));
        let expected = [
            "New",
            "status=status=total",
            "status=ID",
            "status=unknown",
            "status=",
            "status=total",
            "status=other",
        ];
        assert_eq!(names, expected);
    }
}
