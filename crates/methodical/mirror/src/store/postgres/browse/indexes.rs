//! The indexes of pages and counts.

use std::collections::HashMap;
use std::sync::Arc;

use ::postgres::types::Type;
use sha2::{Digest as _, Sha256};

use crate::browse::paging::Order;
use crate::error::{Error, ErrorKind};
use crate::store::kept::Index;
use crate::store::postgres::browse::{STATE_OF_VALUES, expression, is_short};
use crate::store::postgres::link::Session;
use crate::store::postgres::rows::get;
use crate::store::postgres::table::{Table, quoted};

/// An index.
#[derive(Debug)]
pub(crate) struct Wanted {
    table: String,
    name: String,
    /// The columns, and the condition of its rows.
    columns: String,
    /// The number of the column that is an expression.
    expression: Option<u32>,
}

impl Wanted {
    fn new(table: &str, by: &str, columns: String) -> Self {
        let name = short(format!("mirror_index_{table}_by_{by}"));
        Self { table: table.to_owned(), name, columns, expression: None }
    }
}

/// Returns the indexes. `tables` has those of the pages and the placements.
pub(crate) fn wanted(
    indexes: &[Index<'_>],
    tables: &HashMap<String, Arc<Table>>,
) -> Result<Vec<Wanted>, Error> {
    let mut all = Vec::new();
    for index in indexes {
        match index {
            Index::Page(table, Order::FirstSeen) => {
                all.push(Wanted::new(table, "state", "(mirror_state, mirror_key)".to_owned()));
            }
            Index::Page(table, Order::Changed) => {
                let columns = "(mirror_state, mirror_changed_at, mirror_key)".to_owned();
                all.push(Wanted::new(table, "changed_at", columns));
            }
            Index::Page(table, order @ Order::Text(name)) => {
                let Some(described) = tables.get(*table) else { continue };
                let order = expression(table, &described.shape, order)?;
                let columns = format!("(mirror_state, ({order}), mirror_key)");
                let wanted = Wanted::new(table, &format!("text_{name}"), columns);
                all.push(Wanted { expression: Some(2), ..wanted });
            }
            Index::Placements(of) => {
                let Some(described) = tables.get(of.table) else { continue };
                let names = [of.group, of.member, of.value];
                let exists = |name: &&str| described.columns.iter().any(|column| column == name);
                if let Some(name) = names.iter().find(|name| !exists(name)) {
                    let text = format!("cannot index `{}`: it has no column `{name}`", of.table);
                    return Err(Error::new(ErrorKind::Table, text));
                }
                let [group, member, value] = names.map(quoted);
                let values = format!(
                    "({STATE_OF_VALUES}, {group}, {value}, mirror_changed_at, mirror_key) WHERE {}",
                    is_short(&value)
                );
                all.push(Wanted::new(of.table, "value", values));
                for (by, column) in [("group", group), ("member", member)] {
                    let columns =
                        format!("(mirror_state, {column}, mirror_changed_at, mirror_key)");
                    all.push(Wanted::new(of.table, by, columns));
                }
            }
            Index::Changes => {
                let columns = "(table_name, record_id, number)".to_owned();
                all.push(Wanted::new("mirror_change", "record", columns));
            }
        }
    }
    Ok(all)
}

/// Returns those of the indexes that do not exist.
pub(crate) fn missing(
    session: &mut Session,
    schema: &str,
    wanted: Vec<Wanted>,
) -> Result<Vec<Wanted>, Error> {
    let mut missing = Vec::new();
    for one in wanted {
        let name = format!("{schema}.{}", quoted(&one.name));
        let found = session.query("SELECT to_regclass($1) IS NULL", &[(&name, Type::TEXT)])?;
        if found.first().map_or(Ok(false), |row| get(row, 0))? {
            missing.push(one);
        }
    }
    Ok(missing)
}

/// Creates indexes in the transaction.
pub(crate) fn create(session: &mut Session, schema: &str, indexes: &[Wanted]) -> Result<(), Error> {
    for Wanted { table, name, columns, expression } in indexes {
        let (index, table) = (quoted(name), quoted(table));
        session
            .batch(&format!("CREATE INDEX IF NOT EXISTS {index} ON {schema}.{table} {columns}"))?;
        if let Some(number) = expression {
            // The statistics of an expression would keep samples of its values after an erasure.
            session.batch(&format!(
                "ALTER INDEX {schema}.{index} ALTER COLUMN {number} SET STATISTICS 0"
            ))?;
        }
    }
    Ok(())
}

/// Shortens a name to the length that PostgreSQL keeps. A hash tells it from others that begin in the same way.
fn short(mut name: String) -> String {
    if name.len() <= LONGEST_NAME {
        return name;
    }
    let hash =
        Sha256::digest(&name).iter().take(4).fold(0, |hash, &byte| hash << 8 | u32::from(byte));
    let mut end = LONGEST_NAME - 9;
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name.truncate(end);
    format!("{name}_{hash:08x}")
}

/// PostgreSQL cuts a name that has more bytes.
const LONGEST_NAME: usize = 63;

#[cfg(test)]
mod tests {
    use super::{LONGEST_NAME, short};

    #[test]
    fn long_names_stay_different() {
        assert_eq!(short("mirror_index_photo_by_state".to_owned()), "mirror_index_photo_by_state");
        let long = |end: &str| short(format!("{}{end}", "é".repeat(40)));
        assert_ne!(long("a"), long("b"));
        assert!(long("a").len() <= LONGEST_NAME);
    }
}
