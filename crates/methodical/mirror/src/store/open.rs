//! Opens the file of a mirror, or refuses it and leaves it unchanged.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::error::{Error, ErrorKind};
use crate::feed::cursor::Identity;
use crate::fields::hash::{Secret, fill};
use crate::source::Source;
use crate::store::failure::failed;
use crate::store::files;
use crate::store::traces::BUSY_TIMEOUT;

/// Opens the file, and creates the tables of a new one. Without a source, the file must exist, and may have any source.
pub(crate) fn open(path: &Path, source: Option<&Source>) -> Result<(Connection, Identity), Error> {
    if source.is_none() && matches!(path.try_exists(), Ok(false)) {
        let text =
            format!("cannot open {}: it does not exist; sync the mirror first", path.display());
        return Err(Error::new(ErrorKind::Io, text));
    }
    files::prepare(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
    let refused =
        |kind, why: &str| Error::new(kind, format!("cannot open {}: {why}", path.display()));
    match (header(&connection)?, source) {
        ((0, 0), Some(source)) if is_empty(&connection)? => create(&mut connection, source)?,
        // A write makes an older schema one of this release.
        ((APPLICATION_ID, OLDEST..=VERSION), _) => {}
        ((APPLICATION_ID, newer), _) if newer > VERSION => {
            let why = format!(
                "its schema {newer} is newer than schema {VERSION} of this release; use a newer release"
            );
            return Err(refused(ErrorKind::Newer, &why));
        }
        _ => return Err(refused(ErrorKind::Foreign, "it is not a mirror; choose another file")),
    }
    connection.execute_batch(SETTINGS).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(64);
    renew(&connection, "is_copy = 1")?;
    let identity = identity(&connection)?;
    if source.is_some_and(|source| !source.is_of(&identity)) {
        let why = "it is the mirror of another account or base URL; use one file for each";
        return Err(refused(ErrorKind::OtherSource, why));
    }
    Ok((connection, identity))
}

/// Creates a mirror in memory, of no source.
pub(crate) fn in_memory() -> Result<(Connection, Identity), Error> {
    let mut connection = Connection::open_in_memory().map_err(failed)?;
    create(&mut connection, &Source::new("", ""))?;
    connection.set_prepared_statement_cache_capacity(64);
    let identity = identity(&connection)?;
    Ok((connection, identity))
}

/// Creates the tables, unless another process was faster.
fn create(connection: &mut Connection, source: &Source) -> Result<(), Error> {
    connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    if is_empty(&transaction)? {
        let mut id = [0; 16];
        fill(&mut id)?;
        let secret = Secret::random()?;
        transaction.execute_batch(include_str!("schema.sql")).map_err(failed)?;
        transaction.execute_batch(include_str!("consumers.sql")).map_err(failed)?;
        transaction.execute_batch(include_str!("notes.sql")).map_err(failed)?;
        transaction.execute_batch(include_str!("history.sql")).map_err(failed)?;
        transaction.execute_batch(include_str!("spells.sql")).map_err(failed)?;
        let row = (&id, &secret.to_bytes(), source.fingerprint(&secret));
        let insert = "INSERT INTO mirror_meta (one, id, secret, source) VALUES (1, ?1, ?2, ?3)";
        transaction.execute(insert, row).map_err(failed)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
        transaction.pragma_update(None, "user_version", VERSION).map_err(failed)?;
    }
    transaction.commit().map_err(failed)
}

/// Returns the application id and the version of the schema.
fn header(connection: &Connection) -> Result<(i64, i64), Error> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get(0));
    Ok((pragma("application_id").map_err(failed)?, pragma("user_version").map_err(failed)?))
}

fn is_empty(connection: &Connection) -> Result<bool, Error> {
    let mut statement = connection.prepare("SELECT 1 FROM sqlite_schema").map_err(failed)?;
    Ok(!statement.exists(()).map_err(failed)?)
}

/// Gives a mirror another id, so that it refuses the cursors of before.
pub(crate) fn renew(connection: &Connection, condition: &str) -> Result<(), Error> {
    let select = format!("SELECT 1 FROM mirror_meta WHERE {condition}");
    if !connection.prepare(&select).and_then(|mut meta| meta.exists(())).map_err(failed)? {
        return Ok(());
    }
    let mut id = [0; 16];
    fill(&mut id)?;
    let update = format!("UPDATE mirror_meta SET id = ?1, is_copy = 0 WHERE {condition}");
    connection.execute(&update, (id,)).map(drop).map_err(failed)
}

fn identity(connection: &Connection) -> Result<Identity, Error> {
    let select = "SELECT id, secret, source FROM mirror_meta";
    connection
        .query_row(select, (), |row| {
            let secret = Secret::from_bytes(row.get(1)?);
            Ok(Identity { id: row.get(0)?, secret, source: row.get(2)? })
        })
        .map_err(failed)
}

/// `GWMR`, the application id in the header of every mirror.
const APPLICATION_ID: i64 = 0x4757_4D52;

/// The version of the schema of this release. In version 1, `mirror_hash` had no hash of the text.
pub(crate) const VERSION: i64 = 2;

/// The oldest version that this release opens.
const OLDEST: i64 = 1;

/// FULL, because a change that was read must survive a power cut: its number is not used again.
const SETTINGS: &str =
    "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cache_size = -16384";
