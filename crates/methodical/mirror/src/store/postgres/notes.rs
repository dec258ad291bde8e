//! The table of notes: small texts that the mirror keeps for itself.

use ::postgres::types::Type;

use crate::error::Error;
use crate::store::postgres::link::{Parameter, Session};
use crate::store::postgres::rows::get;

/// Returns the text of a note.
pub(crate) fn read(
    session: &mut Session,
    schema: &str,
    name: &str,
) -> Result<Option<String>, Error> {
    let select = format!("SELECT text FROM {schema}.mirror_note WHERE name = $1");
    let rows = session.query(&select, &[(&name, Type::TEXT)])?;
    rows.first().map(|row| get(row, 0)).transpose()
}

/// Writes a note, unless it has this text.
pub(crate) fn write(
    session: &mut Session,
    schema: &str,
    name: &str,
    text: &str,
) -> Result<(), Error> {
    let insert = format!(
        "INSERT INTO {schema}.mirror_note AS n (name, text) VALUES ($1, $2) \
         ON CONFLICT (name) DO UPDATE SET text = excluded.text WHERE n.text <> excluded.text"
    );
    let parameters: [Parameter<'_>; 2] = [(&name, Type::TEXT), (&text, Type::TEXT)];
    session.execute(&insert, &parameters).map(drop)
}
