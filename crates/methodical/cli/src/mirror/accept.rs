//! `--accept-missing`: the numbers of missing records that a person accepts.

use methodical_mirror::{Error, Mirror, SyncReport, TableReport};

use crate::invocation::Invocation;
use crate::mirror::found::Recovered;

/// An accepted number of missing records: of a table, or of each list.
#[derive(Clone, Debug)]
pub(crate) struct Accepted {
    pub(crate) table: Option<String>,
    pub(crate) records: u64,
}

/// Parses `N` or `TABLE=N`.
pub(crate) fn accepted(text: &str) -> Result<Accepted, &'static str> {
    let (table, records) = match text.split_once('=') {
        Some((table, records)) => (Some(table.to_owned()), records),
        None => (None, text),
    };
    let records = records.parse();
    records.map(|records| Accepted { table, records }).map_err(|_invalid| {
        "expected the number of missing records that a refused sync has named, such as 4812, or TABLE=4812"
    })
}

/// Returns the hint of a sync in which the mirror refused lists: the flags that accept all their numbers.
pub(crate) fn hint(
    mirror: &Mirror,
    report: &SyncReport,
    recovered: &[Recovered],
    invocation: &Invocation,
) -> Result<String, Error> {
    let refused = report
        .tables
        .iter()
        .filter_map(|one| Some((one.table, one.result.as_ref().err()?.missing()?)));
    let mut refused: Vec<(&str, u64)> = refused.collect();
    let tables = mirror.tables()?;
    let present =
        |name: &str| tables.iter().find(|one| one.table == name).map_or(0, |one| one.present);
    for of in recovered {
        // Without a member or a group, all placements are missing. Their list is read after the others are accepted.
        let is_emptied = |one: &TableReport| {
            let Some(error) = one.result.as_ref().err() else { return false };
            let absent = error.missing().map(|missing| missing.saturating_sub(error.replaced()));
            [of.members.name(), of.groups.name()].contains(&one.table)
                && absent == Some(present(one.table))
        };
        let placements = present(of.table.name());
        if placements > 0
            && report.tables.iter().any(is_emptied)
            && refused.iter().all(|(table, _)| *table != of.table.name())
        {
            refused.push((of.table.name(), placements));
        }
    }
    let flags = match &*refused {
        [(_, records)] => format!("--accept-missing {records}"),
        several => {
            let flag =
                |(table, records): &(&str, u64)| format!("--accept-missing {table}={records}");
            several.iter().map(flag).collect::<Vec<_>>().join(" ")
        }
    };
    let accept = invocation.command(&format!("mirror sync {flags}"));
    let numbers = if refused.len() == 1 { "this number" } else { "these numbers" };
    Ok(format!("if the list is right, {accept} with the same flags accepts {numbers}"))
}

#[cfg(test)]
mod tests {
    use super::accepted;

    #[test]
    fn a_number_or_a_table_with_a_number_is_accepted() {
        let parts = |text| accepted(text).map(|one| (one.table, one.records));
        assert_eq!(parts("12"), Ok((None, 12)));
        assert_eq!(parts("photo=12"), Ok((Some("photo".to_owned()), 12)));
        for wrong in ["", "x", "photo=", "photo", "-1"] {
            assert!(accepted(wrong).unwrap_err().contains("such as 4812"), "{wrong}");
        }
    }
}
