//! The changes of a table that are not committed yet: files that were written, and files to remove.

use std::collections::BTreeMap;
use std::mem;

use crate::columns::Column;
use crate::delta::action::Add;
use crate::delta::commit::{now, random_id};
use crate::error::Error;
use crate::export::report::TableExport;
use crate::file::{File, Upload};
use crate::place::Place;

/// The changes of a table that are not committed yet.
#[derive(Debug)]
pub(crate) struct Draft {
    table: Place,
    /// Maximum number of rows of a file.
    pub(crate) rows_per_file: i64,
    /// The last change of the feed that the table contains.
    pub(crate) before: Option<i64>,
    /// Whether a former file has rows that were removed since.
    pub(crate) erases: bool,
    /// Whether a file replaces that of the same range as soon as it is complete, without a log.
    is_plain: bool,
    added: Vec<Add>,
    removed: Vec<String>,
    rows: u64,
    bytes: u64,
}

/// A file that is being written.
#[derive(Debug)]
pub(crate) struct NewFile {
    pub(crate) rows: File<Upload>,
    name: String,
}

impl Draft {
    pub(crate) fn new(table: Place, rows_per_file: i64, before: Option<i64>) -> Self {
        let (added, removed) = (Vec::new(), Vec::new());
        Self {
            table,
            rows_per_file,
            before,
            erases: false,
            is_plain: false,
            added,
            removed,
            rows: 0,
            bytes: 0,
        }
    }

    /// Creates a draft without a log.
    pub(crate) fn plain(table: Place, rows_per_file: i64) -> Self {
        let mut draft = Self::new(table, rows_per_file, None);
        draft.is_plain = true;
        draft
    }

    /// Begins a file with this range of rows.
    pub(crate) fn begin(&self, columns: &[Column], range: &str) -> Result<NewFile, Error> {
        let name = if self.is_plain {
            format!("{PART}{range}.parquet")
        } else {
            format!("{DATA}/{}.parquet", random_id()?)
        };
        let rows = File::new(Upload::new(&self.table, &name), columns)?;
        Ok(NewFile { rows, name })
    }

    /// Completes a file, and adds it with these tags.
    pub(crate) fn add(&mut self, file: NewFile, tags: &[(&str, String)]) -> Result<(), Error> {
        let NewFile { rows, name } = file;
        let count = rows.count();
        let upload = rows.finish()?;
        let bytes = upload.bytes();
        upload.finish()?;
        self.rows += count;
        self.bytes += bytes;
        let tags = tags.iter().map(|(name, value)| ((*name).to_owned(), Some(value.clone())));
        self.added.push(Add {
            path: name,
            partition_values: BTreeMap::new(),
            size: i64::try_from(bytes).unwrap_or(i64::MAX),
            modification_time: now(),
            data_change: true,
            // No minimum and maximum: the log outlives the files, and must have no value of a person.
            stats: Some(format!("{{\"numRecords\":{count}}}")),
            tags: Some(tags.collect()),
        });
        Ok(())
    }

    /// Removes a file.
    pub(crate) fn remove(&mut self, path: &str) {
        self.removed.push(path.to_owned());
    }

    pub(crate) fn has_removed(&self) -> bool {
        !self.removed.is_empty()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }

    /// Returns the report of the draft.
    pub(crate) fn report(&self, table: &str, lost: u64) -> TableExport {
        let count = |files: usize| u64::try_from(files).unwrap_or(u64::MAX);
        TableExport {
            table: table.to_owned(),
            version: 0,
            rows: self.rows,
            files: count(self.added.len()),
            bytes: self.bytes,
            replaced: count(self.removed.len()),
            deleted: 0,
            lost,
        }
    }

    /// Returns the files that were written, and the paths of those to remove.
    pub(crate) fn finish(mut self) -> (Vec<Add>, Vec<String>) {
        (mem::take(&mut self.added), mem::take(&mut self.removed))
    }
}

impl Drop for Draft {
    /// Deletes the files of a draft that will not be committed.
    fn drop(&mut self) {
        let paths: Vec<_> = self.added.iter().map(|add| add.path.clone()).collect();
        if !self.is_plain && !paths.is_empty() {
            // The failure that led here matters more.
            drop(self.table.delete(&paths));
        }
    }
}

/// The start of the names of files without a log.
pub(crate) const PART: &str = "part-";

/// The folder of the files of a table.
pub(crate) const DATA: &str = "data";
