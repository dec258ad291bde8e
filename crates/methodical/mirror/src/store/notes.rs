//! The table of notes: small texts that the mirror keeps for itself.

use rusqlite::{Connection, OptionalExtension as _, Result};

/// Returns the text of a note.
pub(crate) fn read(connection: &Connection, name: &str) -> Result<Option<String>> {
    let mut statement =
        connection.prepare_cached("SELECT text FROM mirror_note WHERE name = ?1")?;
    statement.query_row((name,), |row| row.get(0)).optional()
}

/// Writes a note, unless it has this text.
pub(crate) fn write(connection: &Connection, name: &str, text: &str) -> Result<()> {
    let insert = "INSERT INTO mirror_note (name, text) VALUES (?1, ?2) \
                  ON CONFLICT (name) DO UPDATE SET text = excluded.text WHERE text <> excluded.text";
    connection.prepare_cached(insert)?.execute((name, text)).map(drop)
}
