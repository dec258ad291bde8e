//! Imports NDJSON, JSON (including responses of the service) and CSV files, atomically.
//!
//! The fields of a record determine its kind, so one file may contain several kinds:
//!
//! | fields | record |
//! |---|---|
//! | `id`, `project`; optionally the other fields of a vacancy | a vacancy |
//! | `id`, `name`; optionally the other fields of a candidate | a candidate |
//! | those of a candidate, `vacancy_id`, `status` | a candidate, and its status in a vacancy |
//! | `vacancy_id`, `candidate_id`, `status` | the status of a candidate in a vacancy |
//! | `credits_number`, `currency` | the credit balance |
//! | `status`, `result` | a response of `candidates/list`: each candidate in it |
//!
//! An array counts as its items, one after another. Nothing is lost silently: it is an error if a field is unknown or
//! belongs to another kind of record, if a response does not report success, if a column is named twice, or if a quote
//! is not closed. A record replaces the one with the same id; the fields that it does not give become empty.

mod csv;
mod json;
mod kinds;
mod quotes;
pub(crate) mod target;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::import::target::Target;
use crate::place::Place;
use crate::store::{AccountId, ImportMode, ImportReport, Stage, StoreAdmin};

/// The files to import into one account.
#[derive(Clone, Debug, Default)]
pub struct Import {
    /// The files in any order. A record may refer to one in a later file.
    pub files: Vec<PathBuf>,
    /// A vacancy, and the status in it that every candidate in the files gets. For responses to filtered calls.
    pub application: Option<(i64, String)>,
}

impl Import {
    /// Reads all files and stores their records atomically. Calls `progress` from time to time with the number of
    /// records read so far.
    ///
    /// # Errors
    ///
    /// Fails with file and line if a record is invalid, and if the database fails.
    pub fn run(
        &self,
        store: &dyn StoreAdmin,
        account: AccountId,
        mode: ImportMode,
        progress: &mut dyn FnMut(u64),
    ) -> Result<ImportReport, Error> {
        let fill: &mut dyn FnMut(&mut dyn Stage) -> Result<(), Error> = &mut |stage| {
            let mut target = Target::new(stage, self.application.as_ref(), progress);
            for (index, path) in (0..).zip(&self.files) {
                read(path, index, &mut target)?;
            }
            target.finish();
            Ok(())
        };
        let result = store.import(account, mode, fill);
        result.map_err(|error| self.name_the_file(error))
    }

    /// Prefixes an error that has a place with `FILE:LINE:`.
    fn name_the_file(&self, error: Error) -> Error {
        let Some(Place { file, line }) = error.place() else { return error };
        let path = usize::try_from(file).ok().and_then(|index| self.files.get(index));
        let path = path.map(|path| path.display().to_string()).unwrap_or_default();
        Error::caused(ErrorKind::Import, format!("{path}:{line}: {error}"), NothingImported)
    }
}

/// The end of the message of every import that fails for an invalid record.
#[derive(Debug)]
struct NothingImported;

impl std::fmt::Display for NothingImported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("nothing was imported")
    }
}

impl std::error::Error for NothingImported {}

fn read(path: &Path, file: u32, target: &mut Target<'_, '_>) -> Result<(), Error> {
    let open = File::open(path).map_err(|error| {
        let kind = match error.kind() {
            std::io::ErrorKind::NotFound => ErrorKind::NotFound,
            _ => ErrorKind::Io,
        };
        Error::caused(kind, format!("cannot read {}", path.display()), error)
    })?;
    let reader: Box<dyn Read> = Box::new(BufReader::with_capacity(256 * 1024, open));
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "csv" => csv::read(reader, file, target),
        "ndjson" | "jsonl" => json::read_lines(reader, file, target),
        "json" => json::read(reader, file, target),
        _ => {
            let path = path.display();
            let text = format!(
                "cannot import {path}: the name must end in .ndjson, .jsonl, .json or .csv"
            );
            Err(Error::new(ErrorKind::Config, text))
        }
    }
}
