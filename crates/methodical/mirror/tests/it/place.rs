//! A folder with a mirror.

use std::path::{Path, PathBuf};

use methodical_mirror::{Error, Mirror, Source};
use rusqlite::Connection;
use rusqlite::types::Value;
use tempfile::TempDir;

use crate::support::{Clock, source};

/// A folder for one mirror, which any number of connections can open.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn opened() -> (Self, Mirror) {
        let place = Self::new();
        let mirror = place.open();
        (place, mirror)
    }

    /// Returns a new folder, and its mirror with a clock that starts at 1970.
    pub(crate) fn timed() -> (Self, Mirror, Clock) {
        let ((place, mirror), clock) = (Self::opened(), Clock::default());
        (place, clock.of(mirror), clock)
    }

    /// Returns a folder with the file that statements create.
    pub(crate) fn from_sql(sql: &str) -> Self {
        let place = Self::new();
        // Creates a file that only its owner can read.
        drop(tempfile::NamedTempFile::new_in(place.0.path()).unwrap().persist(place.file()));
        place.execute(sql);
        place
    }

    pub(crate) fn open(&self) -> Mirror {
        self.open_of(&source()).unwrap()
    }

    pub(crate) fn open_of(&self, source: &Source) -> Result<Mirror, Error> {
        Mirror::open(self.file(), source)
    }

    pub(crate) fn open_existing(&self) -> Result<Mirror, Error> {
        Mirror::open_existing(self.file())
    }

    /// Runs statements without the library.
    pub(crate) fn execute(&self, sql: &str) {
        Connection::open(self.file()).unwrap().execute_batch(sql).unwrap();
    }

    /// Returns the values of the columns of the first row as text.
    pub(crate) fn row(&self, sql: &str) -> Vec<String> {
        let connection = Connection::open(self.file()).unwrap();
        let mut statement = connection.prepare(sql).unwrap();
        let columns = statement.column_count();
        let value = |row: &rusqlite::Row<'_>, index| match row.get(index).unwrap() {
            Value::Text(text) => text,
            Value::Integer(number) => number.to_string(),
            other => format!("{other:?}"),
        };
        statement
            .query_row((), |row| Ok((0..columns).map(|index| value(row, index)).collect()))
            .unwrap()
    }

    /// Returns whether the files contain this text.
    pub(crate) fn contains(&self, text: &str) -> bool {
        contains(self.0.path(), text)
    }

    /// Creates a folder next to the mirror.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let folder = self.0.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        folder
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.path().join("mirror.db")
    }
}

/// Returns whether the files of a folder contain this text.
pub(crate) fn contains(folder: &Path, text: &str) -> bool {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut contents = paths.filter(|path| path.is_file()).map(|path| std::fs::read(path).unwrap());
    contents.any(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes()))
}
