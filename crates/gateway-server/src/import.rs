//! Importing files: NDJSON, JSON (the service's own answers too) and CSV, all or nothing.
//!
//! What a record is shows in its fields, so that one file may hold several kinds:
//!
//! | fields | record |
//! |---|---|
//! | `id`, `project` | a vacancy |
//! | `id`, `name`, and perhaps `email`, `phone`, `phone_mobile`, `date`, `portal`, `type` | a candidate |
//! | those, `vacancy_id`, `status` | a candidate, and its status in a vacancy |
//! | `vacancy_id`, `candidate_id`, `status` | the status of a candidate in a vacancy |
//! | `credits_number`, `currency` | the credit balance |
//! | `status`, `result` | an answer of `candidates/list`: each candidate in it |
//!
//! An array is as good as its items one by one. Nothing is lost without a word: a field that nobody knows, or that
//! belongs to another kind of record, is an error, and so are an answer that is no success, a column that is named twice
//! and a quote that is never closed. A record replaces the one with its id; what it does not give is empty then.

mod csv;
mod json;
mod quotes;
pub(crate) mod record;
pub(crate) mod target;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use crate::Place;
use crate::error::{Error, ErrorKind};
use crate::store::{AccountId, ImportMode, ImportReport, Stage, Store};

/// Files to import into one account.
#[derive(Clone, Debug, Default)]
pub struct Import {
    /// The files, in any order: a record may refer to one in a later file.
    pub files: Vec<PathBuf>,
    /// Every candidate in the files gets this status in this vacancy, for answers to filtered calls.
    pub application: Option<(i64, String)>,
}

impl Import {
    /// Reads all files and stores what they hold, or nothing at all. Calls `progress` now and then with the number of
    /// records read so far.
    ///
    /// # Errors
    ///
    /// Fails with file and line when a record is wrong, and when the database does.
    pub fn run(
        &self,
        store: &dyn Store,
        account: AccountId,
        mode: ImportMode,
        progress: &mut dyn FnMut(u64),
    ) -> Result<ImportReport, Error> {
        let fill: &mut dyn FnMut(&mut dyn Stage) -> Result<(), Error> = &mut |stage| {
            let mut target = target::Target::new(stage, self.application.as_ref(), progress);
            for (index, path) in (0..).zip(&self.files) {
                read(path, index, &mut target)?;
            }
            target.finish();
            Ok(())
        };
        let result = store.import(account, mode, fill);
        result.map_err(|error| self.name_the_file(error))
    }

    /// Puts `FILE:LINE:` before the text of an error that knows its place.
    fn name_the_file(&self, error: Error) -> Error {
        let Some(Place { file, line }) = error.place() else { return error };
        let path = usize::try_from(file).ok().and_then(|index| self.files.get(index));
        let path = path.map(|path| path.display().to_string()).unwrap_or_default();
        Error::caused(ErrorKind::Import, format!("{path}:{line}: {error}"), Undone)
    }
}

/// The last word of every failed import.
#[derive(Debug)]
struct Undone;

impl std::fmt::Display for Undone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("nothing was imported")
    }
}

impl std::error::Error for Undone {}

fn read(path: &Path, file: u32, target: &mut target::Target<'_, '_>) -> Result<(), Error> {
    let open = File::open(path).map_err(|error| {
        let kind = match error.kind() {
            std::io::ErrorKind::NotFound => ErrorKind::NotFound,
            _ => ErrorKind::Io,
        };
        Error::caused(kind, format!("{} cannot be read", path.display()), error)
    })?;
    let reader: Box<dyn Read> = Box::new(BufReader::with_capacity(256 * 1024, open));
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "csv" => csv::read(reader, file, target),
        "ndjson" | "jsonl" => json::read_lines(reader, file, target),
        "json" => json::read(reader, file, target),
        _ => {
            let text =
                format!("{}: only .ndjson, .jsonl, .json and .csv are known", path.display());
            Err(Error::new(ErrorKind::Config, text))
        }
    }
}
