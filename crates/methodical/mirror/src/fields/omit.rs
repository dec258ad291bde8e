//! Reduces rows to what is not personal, in a mirror that omits personal data.

use crate::error::{Error, ErrorKind};
use crate::fields::difference::PERSONAL;
use crate::fields::hash::{Hasher, hex};
use crate::fields::json::Members;
use crate::fields::meaning;
use crate::fields::row::{Row, is_identity};
use crate::fields::shape::{Column, Shape};
use crate::fields::text::quoted;
use crate::store::Store;

/// The reduction of the rows of one mirror.
pub(crate) struct Omission(Hasher);

impl Omission {
    /// Creates the reduction of a mirror.
    pub(crate) fn new(store: &Store) -> Self {
        Self(Hasher::new(&store.identity().secret, "personal"))
    }

    /// Returns the reduction if the mirror omits personal data.
    pub(crate) fn of(store: &mut Store) -> Result<Option<Self>, Error> {
        Ok(is_on(store)?.then(|| Self::new(store)))
    }

    /// Removes everything that may be personal from a row, and keeps a keyed hash of it.
    pub(crate) fn reduce(&self, row: Row<'_>, shape: &Shape) -> Result<Row<'static>, Error> {
        let names: Vec<String> = match &row.nulls {
            Some(nulls) => serde_json::from_str(nulls).map_err(|error| {
                Error::new(ErrorKind::Store, "cannot read a row: its nulls are damaged")
                    .because(error)
            })?,
            None => Vec::new(),
        };
        let is_kept = |name: &String| {
            shape.columns.iter().any(|column| column.name == *name && !is_omitted(shape, column))
        };
        let (kept_names, names): (Vec<String>, Vec<String>) = names.into_iter().partition(is_kept);
        let mut personal = row.into_owned();
        let mut kept = personal.clone();
        kept.erase(shape);
        kept.nulls = list(&kept_names);
        personal.nulls = list(&names);
        for (column, cell) in shape.columns.iter().zip(&mut personal.cells) {
            if !is_omitted(shape, column) {
                *cell = None;
            }
        }
        if personal.extra.is_some()
            || personal.nulls.is_some()
            || personal.cells.iter().any(Option::is_some)
        {
            let (json, mut bytes) = (personal.to_json(shape)?, Vec::new());
            meaning::write(&Members::of(&json)?, &mut bytes)?;
            let hash = hex(&self.0.hash(&[&bytes]).to_bytes());
            kept.extra = Some(format!("{{{}:{}}}", quoted(PERSONAL), quoted(&hash)));
        }
        Ok(kept)
    }
}

/// Removes the hash of what was omitted from a reduced row.
pub(crate) fn remove_hash(row: &mut Row<'_>) {
    row.extra = None;
}

/// Returns whether the mirror omits personal data.
pub(crate) fn is_on(store: &mut Store) -> Result<bool, Error> {
    Ok(store.note(NOTE)?.is_some())
}

/// Lets the mirror omit personal data from now on.
pub(crate) fn turn_on(store: &mut Store) -> Result<(), Error> {
    store.set_note(NOTE, "yes")
}

fn is_omitted(shape: &Shape, column: &Column) -> bool {
    column.is_personal && !is_identity(shape, column)
}

/// Returns names as a JSON array; `None` instead of an empty one.
fn list(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| serde_json::Value::from(names).to_string())
}

/// The note that the mirror omits personal data.
const NOTE: &str = "omits personal";
