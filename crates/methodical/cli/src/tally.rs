//! Counts the entries of a list: the records, and those that were skipped.

use methodical_client::model::{ErrorKind, Rejected};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::progress::records;

/// The numbers of entries that were read from a list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    records: u64,
    skipped: u64,
    oversized: u64,
}

impl Tally {
    /// Counts a record.
    pub(crate) fn add(&mut self) {
        self.records += 1;
    }

    /// Counts a record that was skipped.
    pub(crate) fn skip(&mut self, rejected: &Rejected) {
        self.skipped += 1;
        self.oversized += u64::from(rejected.error().kind() == ErrorKind::TooLarge);
    }

    /// Returns whether the list had no records.
    pub(crate) fn is_empty(self) -> bool {
        self.records + self.skipped == 0
    }

    /// Fails if the list has records but none of them could be read. Nothing should be written then.
    pub(crate) fn check_any(self) -> Result<(), Failure> {
        if self.records > 0 || self.skipped == 0 {
            return Ok(());
        }
        let message = match self.skipped {
            1 => "cannot read the only record of the list".to_owned(),
            count => format!("cannot read any of the {} of the list", records(count)),
        };
        Err(self.with_hint(Failure::new(Exit::Contract, message)))
    }

    /// Fails if records were skipped.
    pub(crate) fn check_all(self) -> Result<(), Failure> {
        if self.skipped == 0 {
            return Ok(());
        }
        let message = format!("skipped {}; all other records were written", records(self.skipped));
        Err(self.with_hint(Failure::new(Exit::Rejected, message)))
    }

    fn with_hint(self, failure: Failure) -> Failure {
        match self.oversized {
            0 => failure,
            _ => failure.hint("use `--record-limit MIB` to read larger records"),
        }
    }
}
