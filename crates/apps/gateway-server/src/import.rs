//! Imports NDJSON, JSON (including responses of the service) and CSV files, atomically.
//!
//! The fields of a record determine its kind, so one file may contain several kinds:
//!
//! | fields | record |
//! |---|---|
//! | `id`, `project`; optionally the other fields of a vacancy | a vacancy |
//! | `id`, `name`; optionally the other fields of a candidate | a candidate |
//! | the fields of a candidate, `vacancy_id`, `status` | a candidate, and its status in a vacancy |
//! | `vacancy_id`, `candidate_id`, `status` | the status of a candidate in a vacancy |
//! | `credits_number`, `currency` | the credit balance |
//! | `status`, `result` | a response of `candidates/list`: each candidate in it |
//!
//! The items of an array are read one after another. No data is lost silently: an unknown field, a field of another
//! kind of record, a response that does not report success, a column that appears twice, and an unclosed quote
//! are errors. A record replaces the one with the same id; fields that it does not contain become empty.

mod csv;
mod input;
mod json;
pub(crate) mod target;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::error::{Error, ErrorKind, Place};
use crate::import::input::{is_standard_input, standard_input};
use crate::import::target::Target;
use crate::store::{AccountId, ImportMode, ImportReport, Removals, Stage, Store};

/// The files to import into one account.
#[derive(Clone, Debug, Default)]
pub struct Import {
    /// The files, in any order. A record may refer to a record in a later file. `-` is standard input, which needs a
    /// [`format`](Self::format).
    pub files: Vec<PathBuf>,
    /// The format of all files. By default, the extension of each file determines its format.
    pub format: Option<ImportFormat>,
    /// A vacancy, and the status in it that every candidate in the files gets. Use it to import the responses to
    /// filtered calls.
    pub application: Option<(i64, String)>,
    /// Whether the files are complete: if so, records of the same kinds that are not in the files are removed, within
    /// these limits. See [`Store::replace`].
    pub replace: Option<Removals>,
    /// Names of columns and fields in the files, each with its name in the contract.
    pub rename: Vec<(String, String)>,
}

/// A format of files to import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum ImportFormat {
    /// CSV in UTF-8 (RFC 4180). The first line names the columns.
    Csv,
    /// One JSON record per line.
    #[value(alias = "jsonl")]
    Ndjson,
    /// A record, an array of records, or a response of the service.
    Json,
}

impl Import {
    /// Reads all files and stores their records atomically. Also returns the number of records that were read.
    ///
    /// # Errors
    ///
    /// Fails if the database fails, or if records are invalid, with the file and line of up to 20 of them. With
    /// [`replace`](Self::replace), fails with [`ErrorKind::RemovalsRefused`] if too many records would be removed.
    pub fn run(
        &self,
        store: &Store,
        account: AccountId,
        mode: ImportMode,
    ) -> Result<(ImportReport, u64), Error> {
        let (mut count, mut refused) = (0, Vec::new());
        let fill: &mut dyn FnMut(&mut dyn Stage) -> Result<(), Error> = &mut |stage| {
            let mut target = Target::new(stage, self, &mut count, &mut refused);
            for (index, path) in (0..).zip(&self.files) {
                let read = self.read(path, index, &mut target);
                target.note(read)?;
            }
            target.finish()
        };
        if self.files.iter().filter(|path| is_standard_input(path)).count() > 1 {
            let text = "cannot import: standard input is given more than once; give it only once";
            return Err(Error::new(ErrorKind::Config, text));
        }
        let result = match self.replace {
            None => store.import(account, mode, fill),
            Some(removals) => store.replace(account, mode, removals, fill),
        };
        result.map(|report| (report, count)).map_err(|error| {
            if refused.is_empty() && error.place().is_none() {
                return error;
            }
            let all = if refused.is_empty() { vec![error] } else { refused };
            let texts: Vec<_> = all.iter().map(|error| self.name_the_file(error)).collect();
            Error::new(ErrorKind::Import, format!("{}; nothing was imported", texts.join("\n")))
        })
    }

    /// Returns the message of an error, preceded by `FILE:LINE:` or `standard input, line LINE:`.
    fn name_the_file(&self, error: &Error) -> String {
        let Some(Place { file, line }) = error.place() else { return error.to_string() };
        let path = usize::try_from(file).ok().and_then(|index| self.files.get(index));
        let place = match path {
            Some(path) if is_standard_input(path) => format!("standard input, line {line}"),
            Some(path) => format!("{}:{line}", path.display()),
            None => line.to_string(),
        };
        format!("{place}: {error}")
    }

    fn read(&self, path: &Path, file: u32, target: &mut Target<'_, '_>) -> Result<(), Error> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let by_name = extension.and_then(|name| ImportFormat::from_str(name, true).ok());
        let Some(format) = self.format.or(by_name) else {
            let path = path.display();
            let text = format!(
                "cannot import {path}: the name must end in .ndjson, .jsonl, .json or .csv; or set --format"
            );
            return Err(Error::new(ErrorKind::Config, text));
        };
        let reader: Box<dyn Read> = if is_standard_input(path) {
            // In the other formats, a truncated record is not valid JSON.
            standard_input(format == ImportFormat::Csv)
        } else {
            let open =
                File::open(path).map_err(|error| Error::unreadable(path.display(), error))?;
            Box::new(BufReader::with_capacity(256 * 1024, open))
        };
        match format {
            ImportFormat::Csv => csv::read(reader, file, target),
            ImportFormat::Ndjson => json::read_lines(reader, file, target),
            ImportFormat::Json => json::read(reader, file, target),
        }
    }
}
