//! The credit balance of an import, which may be given repeatedly but only with one value.

use crate::error::Error;
use crate::generated::record::CreditsRow;
use crate::place::Place;
use crate::store::errors::contradiction;
use crate::store::rendered;

/// The JSON text of the balance that the import has read so far, with the place where it was first given.
#[derive(Debug, Default)]
pub(super) struct Balance(Option<(Place, String)>);

impl Balance {
    /// Keeps the balance; fails if it contradicts the one before.
    pub(super) fn take(&mut self, place: Place, row: &CreditsRow<'_>) -> Result<(), Error> {
        let record = rendered::credits(row)?;
        match &self.0 {
            None => {
                self.0 = Some((place, record));
                Ok(())
            }
            Some((_, before)) if *before == record => Ok(()),
            Some((first, _)) => Err(contradiction(place, "the credit balance", *first)),
        }
    }

    /// Returns the JSON text, if the import has a balance.
    pub(super) fn given(&self) -> Option<&str> {
        self.0.as_ref().map(|(_, record)| record.as_str())
    }
}
