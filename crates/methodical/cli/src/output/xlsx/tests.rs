//! Workbooks, as another project's library reads them.

use std::io::Cursor;

use calamine::{Data, Reader as _, Xlsx as Workbook, open_workbook_from_rs};
use methodical_client::model::tables::FieldType;
use proptest::prelude::*;
use serde_json::json;

use super::writer;
use crate::output::record::Path;
use crate::output::{OutputColumn, OutputSetup};

/// Writes records with these fields, and reads the cells of all sheets, row by row.
fn written<T>(columns: &[(&str, T)], records: &[String]) -> Vec<Vec<Data>>
where
    T: Copy + Into<Option<FieldType>>,
{
    let columns = columns
        .iter()
        .map(|(name, ty)| OutputColumn { path: Path::parse(name), field_type: (*ty).into() })
        .collect();
    let setup = OutputSetup { columns, ..OutputSetup::default() };
    let (mut writer, mut out) = (writer(&setup).unwrap(), Vec::new());
    for record in records {
        writer.write(&mut out, record).unwrap();
    }
    assert!(out.is_empty(), "the output has no incomplete workbook");
    writer.finish(&mut out).unwrap();
    let mut book: Workbook<_> = open_workbook_from_rs(Cursor::new(out)).unwrap();
    let sheets = book.worksheets();
    let rows = sheets.iter().flat_map(|(_, sheet)| sheet.rows().map(<[Data]>::to_vec));
    rows.collect()
}

/// Writes one text, and reads it.
fn text(text: &str) -> Data {
    let record = json!({"title": text, "id": "7"}).to_string();
    let columns = [("id", FieldType::Id), ("title", FieldType::Text)];
    let rows = written(&columns, &[record]);
    assert_eq!(rows.len(), 2);
    rows[1][1].clone()
}

#[test]
fn text_is_exact() {
    for hostile in [
        "007",
        "+48 123 456 789",
        "+48123456789",
        "=1+1",
        "=HYPERLINK(\"http://example.com\")",
        "@SUM(1)",
        "-1",
        "12345678901234567890",
        "1e5",
        "TRUE",
        "2024-02-29",
        " outer spaces ",
        "\ttab",
        "line\nline\n",
        "😀 王小明 \u{202e}",
        "<b>&amp;\"'</b>",
        "]]>",
        "_x0041_",
        "_x005F_",
        "a\r\nb",
        "\u{1}\u{1f}",
        "#REF!",
    ] {
        assert_eq!(text(hostile), Data::String(hostile.to_owned()), "{hostile:?}");
    }
}

#[test]
fn dates_numbers_and_booleans_have_types() {
    let columns = [
        ("id", FieldType::Id),
        ("taken", FieldType::DateTime),
        ("likes", FieldType::Integer),
        ("public", FieldType::Boolean),
        ("price", FieldType::Decimal),
    ];
    let record = json!({"id": 7, "taken": "2024-02-29 12:30:05", "likes": 3, "public": true, "price": "12.50"});
    let rows = written(&columns, &[record.to_string()]);
    let Data::DateTime(taken) = &rows[1][1] else { panic!("{:?}", rows[1]) };
    // The calendar, the clock, and milliseconds.
    assert_eq!(taken.to_ymd_hms_milli(), (2024, 2, 29, 12, 30, 5, 0));
    let text = |text: &str| Data::String(text.to_owned());
    assert_eq!(rows[1][0], text("7"));
    assert_eq!(rows[1][2..], [Data::Float(3.0), Data::Bool(true), text("12.50")]);
}

/// Writes a value of this type, given as JSON text, and reads its cell.
fn cell(json: &str, field_type: Option<FieldType>) -> Data {
    let columns = [("id", None), ("value", field_type)];
    let rows = written(&columns, &[format!(r#"{{"id":7,"value":{json}}}"#)]);
    rows[1].get(1).cloned().unwrap_or(Data::Empty)
}

#[test]
fn a_value_that_does_not_fit_its_type_is_text() {
    use FieldType::{Boolean, DateTime, Decimal, Id, Integer, Json, Real};

    let text = |text: &str| Data::String(text.to_owned());
    for (json, field_type, expected) in [
        ("\"2024-02-30 12:00:00\"", DateTime, text("2024-02-30 12:00:00")),
        ("\"0000-00-00 00:00:00\"", DateTime, text("0000-00-00 00:00:00")),
        ("\"1900-02-28 00:00:00\"", DateTime, text("1900-02-28 00:00:00")),
        ("\"2024-02-29\"", DateTime, text("2024-02-29")),
        ("\"2024-02-29T12:00:00Z\"", DateTime, text("2024-02-29T12:00:00Z")),
        ("-12", Integer, Data::Float(-12.0)),
        ("999999999999999", Integer, Data::Float(999_999_999_999_999.0)),
        ("9999999999999999", Integer, text("9999999999999999")),
        ("1e3", Integer, text("1e3")),
        ("\"12\"", Integer, text("12")),
        ("0.5", Real, Data::Float(0.5)),
        ("\"inf\"", Real, text("inf")),
        ("true", Boolean, Data::Bool(true)),
        ("\"true\"", Boolean, text("true")),
        ("7", Id, text("7")),
        ("12.50", Decimal, text("12.50")),
        ("\"\"", DateTime, Data::Empty),
        ("null", Id, Data::Empty),
        ("[1, 2]", Json, text("[1,2]")),
    ] {
        assert_eq!(cell(json, Some(field_type)), expected, "{json}");
    }
    assert_eq!((cell("12.50", None), cell("null", None)), (text("12.50"), Data::Empty));
    let noon = cell("\"2024-02-29 12:00:00\"", Some(DateTime));
    let Data::DateTime(noon) = noon else { panic!("{noon:?}") };
    assert_eq!(noon.to_ymd_hms_milli(), (2024, 2, 29, 12, 0, 0, 0));
}

#[test]
fn a_record_without_values_has_a_row() {
    let columns = [("id", FieldType::Id), ("title", FieldType::Text)];
    // The reader omits empty rows at the end of a sheet.
    let records = ["{}", r#"{"id":null,"title":""}"#, r#"{"id":"7"}"#].map(str::to_owned);
    let rows = written(&columns, &records);
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[3], [Data::String("7".to_owned()), Data::Empty]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn cells_survive_a_round_trip(
        any_text in any::<String>(),
        hostile in "[-+=@<>&'\"_x0041F\r\n\t\u{0}-\u{1f} é😀]{1,20}",
    ) {
        for one in [any_text, hostile].iter().filter(|one| !one.is_empty()) {
            prop_assert_eq!(text(one), Data::String(one.clone()));
        }
    }
}
