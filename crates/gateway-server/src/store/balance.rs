//! The credit balance of an import, which may be given repeatedly but only with one value.

use crate::error::Error;
use crate::generated::record::CreditsRow;
use crate::place::Place;
use crate::store::errors::contradiction;

/// The balance that the import has read so far, with the place where it was first given.
#[derive(Debug, Default)]
pub(super) struct Balance(Option<(Place, String, String)>);

impl Balance {
    /// Keeps the balance; fails if it contradicts the one before.
    pub(super) fn take(&mut self, place: Place, row: &CreditsRow<'_>) -> Result<(), Error> {
        match &self.0 {
            None => {
                let CreditsRow { credits_number, currency } = row;
                self.0 = Some((place, (*credits_number).to_owned(), (*currency).to_owned()));
                Ok(())
            }
            Some((_, number, currency))
                if number == row.credits_number && currency == row.currency =>
            {
                Ok(())
            }
            Some((first, ..)) => Err(contradiction(place, "the credit balance", *first)),
        }
    }

    /// Returns the number and the currency, if the import has a balance.
    pub(super) fn given(&self) -> Option<(&str, &str)> {
        let Self(given) = self;
        given.as_ref().map(|(_, number, currency)| (number.as_str(), currency.as_str()))
    }
}
