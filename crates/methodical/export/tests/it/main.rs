//! Tests of copies to a folder. They read the files without the crate's code.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use arrow_json::writer::LineDelimitedWriter;
use arrow_schema::DataType;
use methodical_export::{Copy, Place};
use methodical_mirror::model::tables::{Column, FieldType, Table};
use methodical_mirror::{Mirror, Rules, Source};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use tempfile::TempDir;

static PHOTO: Table = Table::new(
    "photo",
    "id",
    &[
        Column::text(&["id"]),
        Column::text(&["title"]).personal(),
        Column::text(&["taken"]).typed(FieldType::DateTime),
        Column::integer(&["size"]),
        Column::text(&["place", "name"]).personal(),
    ],
);

/// A mirror, and the folder with its copies.
struct Copied {
    folder: TempDir,
    mirror: Mirror,
    place: Place,
}

impl Copied {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = Source::new("https://gateway.example.com", "me");
        // A copy may lack an erasure from the same second, so each event has a separate second.
        let seconds = AtomicU64::new(1_800_000_000);
        let now = move || UNIX_EPOCH + Duration::from_secs(seconds.fetch_add(1, Ordering::Relaxed));
        let mirror = Mirror::open(folder.path().join("mirror.db"), &source).unwrap();
        let mirror = mirror.with_clock(now);
        let place = Place::open(folder.path().join("out").to_str().unwrap()).unwrap();
        Self { folder, mirror, place }
    }

    fn sync(&mut self, records: &[String]) {
        let rules = Rules { accepted_missing: Some(1_000), emits_baseline: true };
        let mut run = self.mirror.begin("photos/list", &PHOTO, rules).unwrap();
        for record in records {
            run.record(record).unwrap();
        }
        run.finish().unwrap();
    }

    /// Copies the mirror. Returns the number of rows by table.
    fn copy(&mut self) -> BTreeMap<String, u64> {
        let copied = Copy::new(&[&PHOTO]).run(&mut self.mirror, &self.place);
        copied.unwrap().into_iter().collect()
    }

    fn rows(&self, table: &str) -> Vec<Value> {
        read(&self.folder.path().join(format!("out/{table}.parquet")))
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path().join("out")).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Returns the rows of a file.
fn read(path: &Path) -> Vec<Value> {
    let file = File::open(path).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let mut writer = LineDelimitedWriter::new(Vec::new());
    for batch in reader {
        // Arrow prints times with a zone only if it has a time zone database.
        let batch = batch.unwrap();
        let has_zone = |index: &usize| {
            matches!(batch.schema().field(*index).data_type(), DataType::Timestamp(_, Some(_)))
        };
        let others: Vec<_> = (0..batch.num_columns()).filter(|index| !has_zone(index)).collect();
        writer.write(&batch.project(&others).unwrap()).unwrap();
    }
    writer.finish().unwrap();
    let text = String::from_utf8(writer.into_inner()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn photos(count: usize) -> Vec<String> {
    (1..=count).map(|id| format!(r#"{{"id":"{id}","title":"Photo {id}"}}"#)).collect()
}

const NAMES: [&str; 6] = [
    "mirror_change.parquet",
    "mirror_past_value.parquet",
    "mirror_run.parquet",
    "mirror_sample.parquet",
    "mirror_scope.parquet",
    "photo.parquet",
];

#[test]
fn each_table_is_one_file_with_typed_columns() {
    let mut copied = Copied::new();
    let unusual = r#"{"id":"007","title":"=1+1","taken":"2026-11-02 06:00:00","size":7,"new":1.0}"#;
    let other = r#"{"id":"008","taken":"0000-00-00 00:00:00","size":"big","place":{"name":null}}"#;
    copied.sync(&[unusual.to_owned(), other.to_owned()]);
    let rows = copied.copy();
    assert_eq!((rows["photo"], rows["mirror_change"], rows["mirror_past_value"]), (2, 2, 0));
    assert_eq!(copied.names(), NAMES);
    let photos = copied.rows("photo");
    let (first, second) = (&photos[0], &photos[1]);
    assert_eq!(first["taken_at"], "2026-11-02T06:00:00");
    assert_eq!((&first["size"], &first["mirror_extra"]), (&7.into(), &r#"{"new":1.0}"#.into()));
    assert_eq!(second["taken_at"], Value::Null);
    assert_eq!(second["taken"], "0000-00-00 00:00:00");
    assert_eq!(second["mirror_extra"], r#"{"size":"big"}"#);
    assert_eq!(second["mirror_nulls"], r#"["place_name"]"#);
    assert_eq!((&second["mirror_key"], &second["mirror_state"]), (&2.into(), &"present".into()));
    assert!(second.get("mirror_hash").is_none());
    let kinds: Vec<_> =
        copied.rows("mirror_change").iter().map(|one| one["kind"].clone()).collect();
    assert_eq!(kinds, ["added", "added"]);
    // A table without rows has a file with only its columns.
    assert!(copied.rows("mirror_sample").is_empty());
}

#[test]
fn the_next_copy_lacks_a_forgotten_person_and_what_killed_copies_left() {
    let mut copied = Copied::new();
    copied.sync(&photos(25_000));
    assert_eq!(copied.copy()["photo"], 25_000);
    let shown = copied.place.to_string();
    assert_eq!(copied.mirror.forget("photo", "4").unwrap().copies, [shown]);
    for left in ["photo.parquet#1", "mirror_past_value.parquet#12"] {
        fs::write(copied.folder.path().join("out").join(left), "Photo 4").unwrap();
    }
    fs::write(copied.folder.path().join("out/notes.txt"), "of another program").unwrap();
    copied.copy();
    assert_eq!(copied.names().len(), NAMES.len() + 1, "another program's file stays");
    let rows = copied.rows("photo");
    assert_eq!(rows.len(), 25_000);
    assert_eq!((&rows[3]["mirror_state"], &rows[3]["title"]), (&"forgotten".into(), &Value::Null));
    assert_eq!(copied.mirror.forget("photo", "4").unwrap().copies, [""; 0]);
}

#[test]
fn a_copy_that_fails_leaves_the_former_files() {
    let mut copied = Copied::new();
    copied.sync(&photos(3));
    copied.copy();
    let before = copied.rows("photo");
    copied.sync(&photos(5));
    let out = copied.folder.path().join("out");
    let moved = copied.folder.path().join("moved");
    fs::rename(&out, &moved).unwrap();
    fs::write(&out, "no folder").unwrap();
    let failed = Copy::new(&[&PHOTO]).run(&mut copied.mirror, &copied.place);
    assert!(failed.unwrap_err().to_string().starts_with("cannot write to "));
    fs::remove_file(&out).unwrap();
    fs::rename(&moved, &out).unwrap();
    assert_eq!(copied.rows("photo"), before);
    assert_eq!(copied.copy()["photo"], 5);
}
