//! The credit balance in an import: it may stand there twice, and not with two values.

use crate::error::Error;
use crate::generated::record::CreditsRow;
use crate::store::Place;

/// The balance an import has met so far.
#[derive(Debug, Default)]
pub(super) struct Balance(Option<(Place, String, String)>);

impl Balance {
    /// Takes the balance, unless it contradicts the one before.
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
            Some((first, ..)) => {
                let line = first.line;
                let text = format!(
                    "the credit balance is given again with other data, first in line {line}"
                );
                Err(Error::at(place, text))
            }
        }
    }

    /// Returns the number and the currency, if there was a balance.
    pub(super) fn given(&self) -> Option<(&str, &str)> {
        let Self(given) = self;
        given.as_ref().map(|(_, number, currency)| (number.as_str(), currency.as_str()))
    }
}
