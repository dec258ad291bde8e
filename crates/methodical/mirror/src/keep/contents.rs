//! The hash of what a row contains.

use crate::error::Error;
use crate::fields::hash::{Hash, Hasher};
use crate::fields::json::Members;
use crate::fields::meaning;
use crate::store::data::Kept;

/// Returns the keyed hash of the contents of a row.
pub(crate) fn hash(kept: &Kept, hasher: &Hasher) -> Result<Hash, Error> {
    let json = kept.row.to_json(&kept.shape)?;
    let mut bytes = Vec::new();
    meaning::write(&Members::of(&json)?, &mut bytes)?;
    Ok(hasher.hash(&[&bytes]))
}
