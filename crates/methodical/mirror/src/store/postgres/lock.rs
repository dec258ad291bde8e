//! The lock of a mirror: one session syncs, and the error for others names it.

use ::postgres::types::Type;

use crate::error::{Error, ErrorKind};
use crate::feed::cursor::Identity;
use crate::store::postgres::link::Session;
use crate::store::postgres::rows::get;

/// Takes the lock of a mirror until the end of the transaction, without waiting. A lock of a session would stay in the pool of a
/// pooler.
pub(crate) fn take(session: &mut Session, schema: &str, key: i64) -> Result<(), Error> {
    let Some(holder) = attempt(session, key)? else { return Ok(()) };
    Err(Error::new(ErrorKind::Busy, refused(schema, &holder)))
}

/// Returns the text of the error if another session has the lock.
pub(crate) fn refused(schema: &str, holder: &str) -> String {
    format!(
        "cannot change the schema `{schema}`: {holder} is syncing it; try again when it has finished"
    )
}

/// Takes a lock until the end of the transaction, or names the session that holds it.
pub(crate) fn attempt(session: &mut Session, key: i64) -> Result<Option<String>, Error> {
    let rows = session.query("SELECT pg_try_advisory_xact_lock($1)", &[(&key, Type::INT8)])?;
    if rows.first().map_or(Ok(false), |row| get(row, 0))? {
        return Ok(None);
    }
    let holder = holder(session, key)?;
    Ok(Some(holder.unwrap_or_else(|| "another session".to_owned())))
}

/// Returns the key of the lock of a mirror.
pub(crate) fn key(identity: &Identity) -> i64 {
    identity.id.first_chunk().map_or(0, |bytes| i64::from_be_bytes(*bytes))
}

/// Names the session that holds the lock. A role without the rights sees only its number.
fn holder(session: &mut Session, key: i64) -> Result<Option<String>, Error> {
    let select = "SELECT concat(coalesce('`' || nullif(application_name, '') || '`', 'a session'), \
                  ' of ' || usename, ' at ' || host(client_addr), ' (backend ', a.pid, \
                  ', since ' || to_char(xact_start AT TIME ZONE 'UTC', 'HH24:MI:SS') || ' UTC', ')') \
                  FROM pg_locks l JOIN pg_stat_activity a USING (pid) \
                  WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 \
                  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
                  AND (l.classid::bigint << 32 | l.objid::bigint) = $1";
    let rows = session.query(select, &[(&key, Type::INT8)])?;
    rows.first().map(|row| get(row, 0)).transpose()
}
