//! A table as another reader sees it: the log, then the files.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use arrow_json::writer::LineDelimitedWriter;
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;

/// A table of an export.
pub(crate) struct Table(pub(crate) PathBuf);

impl Table {
    /// Returns the numbers of the commits.
    pub(crate) fn versions(&self) -> Vec<u64> {
        let names = names(&self.0.join("_delta_log"));
        let versions = names.iter().filter_map(|name| name.strip_suffix(".json")?.parse().ok());
        versions.collect()
    }

    /// Returns the actions of all commits.
    pub(crate) fn actions(&self) -> Vec<Value> {
        let mut actions = Vec::new();
        for version in self.versions() {
            let text = fs::read_to_string(self.0.join(format!("_delta_log/{version:020}.json")));
            actions.extend(text.unwrap().lines().map(|line| serde_json::from_str(line).unwrap()));
        }
        actions
    }

    /// Returns the paths of the files.
    pub(crate) fn files(&self) -> BTreeSet<String> {
        let mut files = BTreeSet::new();
        for action in self.actions() {
            if let Some(path) = action["add"]["path"].as_str() {
                files.insert(path.to_owned());
            }
            if let Some(path) = action["remove"]["path"].as_str() {
                files.remove(path);
            }
        }
        files
    }

    /// Returns the rows, without their times in UTC.
    pub(crate) fn rows(&self) -> Vec<Value> {
        let mut rows = Vec::new();
        for path in self.files() {
            rows.extend(read(&self.0.join(path)));
        }
        rows
    }

    /// Returns the names of the files that exist, also those that belong to no version.
    pub(crate) fn existing(&self) -> BTreeSet<String> {
        names(&self.0.join("data")).into_iter().map(|name| format!("data/{name}")).collect()
    }
}

pub(crate) fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

pub(crate) fn read(path: &Path) -> Vec<Value> {
    let file = File::open(path).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let mut writer = LineDelimitedWriter::new(Vec::new());
    for batch in reader {
        // Arrow prints times of a zone only with a database of zones.
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
