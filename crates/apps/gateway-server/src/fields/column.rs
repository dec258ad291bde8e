//! The columns of a table of records.

use crate::fields::kind::{Field, Kind, Known};

/// A column of a table: a field, or a field of a nested record.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// The name: `portal.id` for the field `id` of the record `portal`, as in the CSV of the `gateway` program.
    pub(crate) name: String,
    pub(super) parents: Vec<&'static str>,
    pub(super) field: &'static str,
}

impl Column {
    /// Returns whether a table names this column so. Where a dot is not allowed in a name, `portal_id` is usual.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.name.replace('.', "_") == name
    }
}

/// Returns the columns of all known fields, without duplicates.
pub(crate) fn columns(known: Known) -> Vec<Column> {
    fn add(all: &mut Vec<Column>, fields: &'static [Field], parents: &[&'static str]) {
        for field in fields {
            let path = [parents, &[field.name]].concat();
            if let Kind::Object(inner) = field.kind {
                add(all, inner, &path);
            } else {
                let column =
                    Column { name: path.join("."), parents: parents.to_vec(), field: field.name };
                if all.iter().all(|other| other.name != column.name) {
                    all.push(column);
                }
            }
        }
    }
    let mut all = Vec::new();
    for fields in known {
        add(&mut all, fields, &[]);
    }
    all
}
