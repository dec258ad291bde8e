//! Every record can be written as a row of CSV, and no field is lost.

use std::collections::BTreeMap;

use gateway_model::{Candidate, Credits, FlatRow, Portal, Record, Vacancy};
use proptest::prelude::*;
use serde::Serialize;
use serde_json::value::RawValue;

/// Writes records with the crate `csv`, and reads the header and the rows with it.
fn written<R: Record + Serialize>(records: &[R]) -> (Vec<String>, Vec<Vec<String>>) {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer.serialize(FlatRow::of(record)).unwrap();
    }
    let bytes = writer.into_inner().unwrap();
    let mut reader = csv::Reader::from_reader(&*bytes);
    let cells = |row: &csv::StringRecord| row.iter().map(str::to_owned).collect::<Vec<_>>();
    let header = cells(reader.headers().unwrap());
    (header, reader.records().map(|row| cells(&row.unwrap())).collect())
}

/// The fields of a JSON object, with the exact text of each value.
fn fields(json: &str) -> BTreeMap<String, String> {
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(json).unwrap();
    fields.into_iter().map(|(name, value)| (name, value.get().to_owned())).collect()
}

/// Removes a field, and returns its text as a cell shows it.
fn taken(fields: &mut BTreeMap<String, String>, name: &str) -> String {
    let value = fields.remove(name).filter(|value| value != "null").unwrap_or_default();
    serde_json::from_str::<String>(&value).unwrap_or(value)
}

fn unlisted(cell: &str) -> BTreeMap<String, String> {
    if cell.is_empty() { BTreeMap::new() } else { fields(cell) }
}

#[test]
fn a_header_has_the_fields_and_those_of_nested_records() {
    let names = ["id", "name", "portal.id", "portal.name", "extra"];
    assert!(names.iter().all(|name| Candidate::COLUMNS.contains(name)));
    let (header, rows) = written(&[Candidate::new("1")]);
    assert_eq!(header, Candidate::COLUMNS);
    assert_eq!(rows.len(), 1);
    assert_eq!(written(&[Vacancy::new("1")]).0, Vacancy::COLUMNS);
    assert_eq!(written(&[Credits::new("1.50", "EUR")]).0, Credits::COLUMNS);
    for columns in [Candidate::COLUMNS, Vacancy::COLUMNS, Credits::COLUMNS] {
        assert_eq!(columns.last(), Some(&"extra"));
    }
}

#[test]
fn a_row_keeps_unlisted_fields_of_nested_records() {
    let candidate: Candidate = serde_json::from_str(
        r#"{"id":"1","name":"=A,\"b\"\n","portal":{"id":"3","new":[1e400]},"score":7.250,"extra":"x"}"#,
    )
    .unwrap();
    let (header, rows) = written(&[candidate]);
    let cell = |column: &str| {
        rows[0][header.iter().position(|name| name == column).expect("a column")].as_str()
    };
    assert_eq!(cell("name"), "=A,\"b\"\n");
    assert_eq!((cell("portal.id"), cell("portal.name")), ("3", ""));
    assert_eq!(cell("extra"), r#"{"portal":{"new":[1e400]},"score":7.250,"extra":"x"}"#);
}

proptest! {
    #[test]
    #[cfg_attr(miri, ignore = "compiling the patterns of random strings takes minutes")]
    fn no_field_of_a_candidate_is_lost(records in prop::collection::vec(any::<Candidate>(), 1..4)) {
        let (header, rows) = written(&records);
        prop_assert_eq!(header, Candidate::COLUMNS);
        prop_assert_eq!(rows.len(), records.len());
        for (row, record) in rows.iter().zip(&records) {
            let mut left = fields(&serde_json::to_string(record).unwrap());
            let portal = left.remove("portal").filter(|portal| portal != "null");
            let mut portal = portal.map(|portal| fields(&portal)).unwrap_or_default();
            for (column, cell) in Candidate::COLUMNS.iter().zip(row) {
                if let Some(name) = column.strip_prefix("portal.") {
                    prop_assert_eq!(cell, &taken(&mut portal, name), "{}", column);
                } else if *column != "extra" {
                    prop_assert_eq!(cell, &taken(&mut left, column), "{}", column);
                }
            }
            let mut extra = unlisted(row.last().unwrap());
            let below = extra.remove("portal").map(|below| fields(&below)).unwrap_or_default();
            prop_assert_eq!(below, portal);
            prop_assert_eq!(extra, left);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "compiling the patterns of random strings takes minutes")]
    fn no_field_of_a_flat_record_is_lost(portal in any::<Portal>(), vacancy in any::<Vacancy>(), credits in any::<Credits>()) {
        fn check<R: Record + Serialize>(record: &R) {
            let (_, rows) = written(std::slice::from_ref(record));
            let mut left = fields(&serde_json::to_string(record).unwrap());
            let (extra, cells) = rows[0].split_last().unwrap();
            for (column, cell) in R::COLUMNS.iter().zip(cells) {
                assert_eq!(cell, &taken(&mut left, column), "{column}");
            }
            assert_eq!(unlisted(extra), left);
        }
        check(&portal);
        check(&vacancy);
        check(&credits);
    }
}
