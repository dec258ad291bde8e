//! Opens the schema of a mirror, or refuses it and leaves it unchanged.

use ::postgres::types::Type;

use crate::error::{Error, ErrorKind};
use crate::feed::cursor::Identity;
use crate::fields::hash::{Secret, fill};
use crate::source::Source;
use crate::store::postgres::link::Session;
use crate::store::postgres::rows::get;
use crate::store::postgres::table::quoted;

/// Opens the mirror in a schema. With a source, creates one that does not exist.
pub(crate) fn open(
    session: &mut Session,
    schema: &str,
    source: Option<&Source>,
) -> Result<Identity, Error> {
    let refused =
        |kind, why: &str| Error::new(kind, format!("cannot open the schema `{schema}`: {why}"));
    if !has_mirror(session, schema)? {
        let Some(source) = source else {
            return Err(refused(ErrorKind::Io, "it has no mirror; sync the mirror first"));
        };
        session.begin()?;
        let created = create(session, schema, source).and_then(|()| session.commit());
        session.roll_back();
        created?;
    }
    let schema = quoted(schema);
    let meta = session.query(&format!("SELECT version FROM {schema}.mirror_meta"), &[])?;
    let version: i64 = meta.first().map(|row| get(row, 0)).transpose()?.unwrap_or_default();
    if version > VERSION {
        let why = format!(
            "its version {version} is newer than version {VERSION} of this release; use a newer release"
        );
        return Err(refused(ErrorKind::Newer, &why));
    }
    renew(session, &schema)?;
    let meta =
        session.query(&format!("SELECT id, secret, source FROM {schema}.mirror_meta"), &[])?;
    let damaged = || refused(ErrorKind::Foreign, "`mirror_meta` is damaged");
    let row = meta.first().ok_or_else(damaged)?;
    let (id, secret, fingerprint): (&[u8], &[u8], &str) =
        (get(row, 0)?, get(row, 1)?, get(row, 2)?);
    let identity = Identity {
        id: id.try_into().map_err(|_length| damaged())?,
        secret: Secret::from_bytes(secret.try_into().map_err(|_length| damaged())?),
        source: fingerprint.to_owned(),
    };
    if source.is_some_and(|source| !source.is_of(&identity)) {
        let why = "it is the mirror of another account or base URL; use one schema for each";
        return Err(refused(ErrorKind::OtherSource, why));
    }
    Ok(identity)
}

/// Creates the tables in the transaction, unless another process was faster.
fn create(session: &mut Session, schema: &str, source: &Source) -> Result<(), Error> {
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended('gateway-mirror ' || $1, 0))";
    session.execute(lock, &[(&schema, Type::TEXT)])?;
    if has_mirror(session, schema)? {
        return Ok(());
    }
    let tables = "SELECT n.oid IS NOT NULL, EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = n.oid) \
                  FROM (VALUES (1)) AS one LEFT JOIN pg_namespace n ON n.nspname = $1";
    let found = session.query(tables, &[(&schema, Type::TEXT)])?;
    let is = |column| found.first().map_or(Ok(false), |row| get::<bool>(row, column));
    if is(1)? {
        let text = format!(
            "cannot create the mirror in the schema `{schema}`: it has other tables; choose another schema"
        );
        return Err(Error::new(ErrorKind::Foreign, text));
    }
    let name = quoted(schema);
    if !is(0)? {
        session.batch(&format!("CREATE SCHEMA {name}"))?;
    }
    let tables = [
        include_str!("schema.sql"),
        include_str!("consumers.sql"),
        include_str!("notes.sql"),
        include_str!("history.sql"),
        include_str!("spells.sql"),
    ];
    for tables in tables {
        session.batch(&tables.replace("{schema}", &name))?;
    }
    let mut id = [0; 16];
    fill(&mut id)?;
    let secret = Secret::random()?;
    let (id, bytes, source) = (&id[..], secret.to_bytes(), source.fingerprint(&secret));
    let insert = format!(
        "INSERT INTO {name}.mirror_meta (one, version, id, secret, source) VALUES (1, $1, $2, $3, $4)"
    );
    session.execute(
        &insert,
        &[
            (&VERSION, Type::INT8),
            (&id, Type::BYTEA),
            (&&bytes[..], Type::BYTEA),
            (&source, Type::TEXT),
        ],
    )?;
    session.batch(&format!("UPDATE {name}.mirror_meta SET relation = tableoid::bigint"))
}

/// Gives a mirror that was restored from a dump another id, so that it refuses the cursors of before: it uses numbers of changes
/// again.
fn renew(session: &mut Session, schema: &str) -> Result<(), Error> {
    let meta = format!("{schema}.mirror_meta");
    let select = format!("SELECT 1 FROM {meta} WHERE relation <> tableoid::bigint");
    if session.query(&select, &[])?.is_empty() {
        return Ok(());
    }
    let mut id = [0; 16];
    fill(&mut id)?;
    let update = format!(
        "UPDATE {meta} SET id = $1, relation = tableoid::bigint WHERE relation <> tableoid::bigint"
    );
    session.execute(&update, &[(&&id[..], Type::BYTEA)]).map(drop)
}

fn has_mirror(session: &mut Session, schema: &str) -> Result<bool, Error> {
    let select = "SELECT EXISTS (SELECT 1 FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace \
                  WHERE n.nspname = $1 AND relname = 'mirror_meta')";
    let found = session.query(select, &[(&schema, Type::TEXT)])?;
    found.first().map_or(Ok(false), |row| get(row, 0))
}

/// The version of the schema of this release. In version 1, `mirror_hash` had no hash of the text.
pub(crate) const VERSION: i64 = 2;
