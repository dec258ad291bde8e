//! A copy of a mirror in a schema of a PostgreSQL database.

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use ::postgres::fallible_iterator::FallibleIterator as _;
use ::postgres::types::{ToSql, Type};
use ::postgres::{Row, Transaction};
use methodical_postgres::Connector;
use rusqlite::{Connection, OpenFlags};

use crate::copy::failure::{failed_in, lost, not_connected};
use crate::copy::rows::{RowHash, Table, hash, hex};
use crate::copy::{Copied, CopiedTable};
use crate::error::{Error, ErrorKind};
use crate::store::failure::failed;
use crate::store::table::quoted;
use crate::store::view;

/// Brings the copy in a schema up to date with the mirror in a file.
pub(crate) fn copy(path: &Path, connector: &Connector, schema: &str) -> Result<Copied, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let source = Connection::open_with_flags(path, flags).map_err(failed)?;
    let mut client = connector.open(TIMEOUT).map_err(not_connected)?;
    let target = client.transaction().map_err(|error| failed_in("", error))?;
    let copied = write(Copy { source, target, name: schema, schema: quoted(schema) })?;
    for CopiedTable { table, .. } in copied.tables.iter().filter(|table| table.removed > 0) {
        // Removes what was erased from the pages. If it fails, the database does so later.
        drop(client.batch_execute(&format!("VACUUM {}.{}", quoted(schema), quoted(table))));
    }
    Ok(copied)
}

/// Writes the differences in one transaction.
fn write(mut copy: Copy<'_>) -> Result<Copied, Error> {
    copy.batch(
        "SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '10s'",
    )?;
    // One process copies to a schema at a time. It reads the mirror afterwards, so that no copy becomes older.
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text";
    copy.query(lock, &[(&{ copy.name }, Type::TEXT)])?;
    copy.source.execute_batch("BEGIN; SELECT 1 FROM mirror_meta").map_err(failed)?;

    let (before, now) = (copy.prepare()?, copy.state()?);
    let is_replaced = before.as_ref().is_some_and(|before| before.id != now.id);
    if is_replaced {
        copy.clear()?;
    }
    let position = before.filter(|_| !is_replaced).map_or(0, |before| before.position);
    let mut tables = Vec::new();
    for table in copy.tables()? {
        copy.describe(&table)?;
        tables.push(copy.compare(&table)?);
    }
    tables.push(copy.follow(position, &now)?);
    let update = format!(
        "INSERT INTO {}.mirror_meta (one, id, position, copied_at) VALUES (1, $1, $2, now()) \
         ON CONFLICT (one) DO UPDATE SET id = $1, position = $2, copied_at = now()",
        copy.schema
    );
    copy.query(&update, &[(&&*now.id, Type::BYTEA), (&now.position, Type::INT8)])?;
    copy.target.commit().map_err(|error| failed_in("COMMIT", error))?;
    Ok(Copied { is_replaced, tables })
}

/// A copy that is being written.
struct Copy<'a> {
    source: Connection,
    target: Transaction<'a>,
    name: &'a str,
    /// The schema, as SQL has it.
    schema: String,
}

/// Which mirror a copy is of, and how far.
struct State {
    /// It differs after a restore.
    id: Vec<u8>,
    /// The last number of the feed.
    position: i64,
    /// The last number that was removed from the feed.
    pruned: i64,
}

/// A parameter and its type.
type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

impl Copy<'_> {
    /// Runs a statement. It is not prepared by name, which a pooler may not support.
    fn query(&mut self, sql: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, Error> {
        self.target.query_typed(sql, parameters).map_err(|error| failed_in(sql, error))
    }

    fn batch(&mut self, sql: &str) -> Result<(), Error> {
        self.target.batch_execute(sql).map_err(|error| failed_in(sql, error))
    }

    /// Creates the schema and the table with the state, or reads the state. Refuses a schema with other tables.
    fn prepare(&mut self) -> Result<Option<State>, Error> {
        let found = "SELECT (SELECT count(*) FROM pg_class WHERE relnamespace = n.oid) \
                     FROM pg_namespace n WHERE nspname = $1";
        let found = self.query(found, &[(&{ self.name }, Type::TEXT)])?;
        if found.is_empty() {
            self.batch(&format!("CREATE SCHEMA {}", self.schema))?;
        }
        let columns = self.columns("mirror_meta")?;
        if columns.iter().any(|name| name == "position") {
            let select = format!("SELECT id, position FROM {}.mirror_meta", self.schema);
            let state = |row: &Row| State { id: row.get(0), position: row.get(1), pruned: 0 };
            return Ok(self.query(&select, &[])?.first().map(state));
        }
        if found.first().is_some_and(|row| row.get::<_, i64>(0) > 0) {
            let text = format!(
                "cannot copy to the schema `{}`: it has tables that are not of a copy; drop them, or name another schema: \
                 postgres://…#SCHEMA",
                self.name
            );
            return Err(Error::new(ErrorKind::Foreign, text));
        }
        self.batch(&format!(
            "CREATE TABLE {}.mirror_meta (one bigint PRIMARY KEY CHECK (one = 1), id bytea NOT NULL, \
             position bigint NOT NULL, copied_at timestamptz NOT NULL)",
            self.schema
        ))?;
        Ok(None)
    }

    /// Reads the state of the mirror.
    fn state(&self) -> Result<State, Error> {
        let select = "SELECT id, pruned, \
                      max(pruned, coalesce((SELECT max(number) FROM mirror_change), 0)) FROM mirror_meta";
        let state = |row: &rusqlite::Row<'_>| {
            Ok(State { id: row.get(0)?, pruned: row.get(1)?, position: row.get(2)? })
        };
        self.source.query_row(select, (), state).map_err(failed)
    }

    /// Returns the columns of a table or view; none if it does not exist.
    fn columns(&mut self, table: &str) -> Result<Vec<String>, Error> {
        let select = "SELECT attname::text FROM pg_attribute JOIN pg_class c ON c.oid = attrelid \
                      JOIN pg_namespace n ON n.oid = relnamespace \
                      WHERE nspname = $1 AND relname = $2 AND attnum > 0 AND NOT attisdropped ORDER BY attnum";
        let rows = self.query(select, &[(&{ self.name }, Type::TEXT), (&table, Type::TEXT)])?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// Empties all tables but that of the state.
    fn clear(&mut self) -> Result<(), Error> {
        let select = "SELECT relname::text FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace \
                      WHERE nspname = $1 AND relkind = 'r' AND relname <> 'mirror_meta'";
        for row in self.query(select, &[(&{ self.name }, Type::TEXT)])? {
            self.batch(&format!("DELETE FROM {}.{}", self.schema, quoted(row.get(0))))?;
        }
        Ok(())
    }

    /// Returns the tables whose rows change, with those of the records.
    fn tables(&self) -> Result<Vec<Table>, Error> {
        let mut select = self
            .source
            .prepare("SELECT table_name FROM mirror_scope ORDER BY table_name")
            .map_err(failed)?;
        let names = select.query_map((), |row| row.get(0)).map_err(failed)?;
        let names: Vec<String> = names.collect::<Result<_, _>>().map_err(failed)?;
        let records = names.iter().map(|name| Table::of_records(&self.source, name));
        let own = OWN.iter().map(|(name, columns)| Ok(Table::own(name, columns)));
        records.chain(own).collect()
    }

    /// Creates a table and its view, or adds the columns that they lack.
    fn describe(&mut self, table: &Table) -> Result<(), Error> {
        let (name, existing) = (quoted(&table.name), self.columns(&table.name)?);
        let (schema, mut sql) = (&self.schema, Vec::new());
        if existing.is_empty() {
            let key = table.key();
            let columns = format!("{key} bigint PRIMARY KEY, mirror_copy bytea");
            sql.push(format!("CREATE TABLE {schema}.{name} ({columns})"));
        }
        let is_key = |name: &str| table.columns.first().is_some_and(|key| key.name == name);
        for column in &table.columns {
            if existing.contains(&column.name) || is_key(&column.name) {
                continue;
            }
            let (of, kind) = (quoted(&column.name), column.kind);
            sql.push(format!("ALTER TABLE {schema}.{name} ADD COLUMN {of} {kind}"));
            if column.is_personal {
                // Statistics would keep samples of erased values.
                let statistics = format!("ALTER COLUMN {of} SET STATISTICS 0");
                sql.push(format!("ALTER TABLE {schema}.{name} {statistics}"));
            }
        }
        if !sql.is_empty()
            && let Some(identity) = &table.identity
        {
            if existing.is_empty() {
                let of = quoted(identity);
                sql.push(format!("CREATE UNIQUE INDEX ON {schema}.{name} ({of})"));
            }
            let names: Vec<String> = table.columns.iter().map(|one| one.name.clone()).collect();
            let columns: Vec<_> = view::columns(identity, &names).into_iter().map(quoted).collect();
            let (view, columns) = (quoted(&view::name(&table.name)), columns.join(", "));
            sql.push(format!(
                "CREATE OR REPLACE VIEW {schema}.{view} AS SELECT {columns} FROM {schema}.{name} \
                 WHERE mirror_state = 'present'"
            ));
        }
        self.batch(&sql.join("; "))
    }

    /// Compares each row with its hash in the copy, and writes the differences. The feed does not name each of them: not those of
    /// a first sync, of a purge, or of an erasure of personal fields.
    fn compare(&mut self, table: &Table) -> Result<CopiedTable, Error> {
        let mut others = self.hashes(table)?;
        let mut differs = (!others.is_empty()).then(HashSet::new);
        if let Some(differs) = &mut differs {
            table.each(&self.source, 0, |key, line| {
                if others.get(&key) == Some(&hash(line)) {
                    others.remove(&key);
                } else {
                    differs.insert(key);
                }
                Ok(())
            })?;
        }
        let removed: Vec<i64> = others.into_keys().collect();
        let name = quoted(&table.name);
        let delete = format!("DELETE FROM {}.{name} WHERE {} = ANY($1)", self.schema, table.key());
        self.query(&delete, &[(&removed, Type::INT8_ARRAY)])?;
        let written = self.write(table, 0, true, |key| {
            differs.as_ref().is_none_or(|differs| differs.contains(&key))
        })?;
        Ok(CopiedTable { table: table.name.clone(), written, removed: count(removed.len()) })
    }

    /// Adds the later changes of the feed, and removes those that the mirror removed.
    fn follow(&mut self, position: i64, now: &State) -> Result<CopiedTable, Error> {
        let table = Table::own("mirror_change", CHANGE);
        if self.columns(&table.name)?.is_empty() {
            self.describe(&table)?;
        }
        let delete = format!(
            "WITH removed AS (DELETE FROM {}.mirror_change WHERE number <= $1 RETURNING 1) SELECT count(*) FROM removed",
            self.schema
        );
        let removed = self.query(&delete, &[(&now.pruned, Type::INT8)])?;
        let removed = removed.first().map_or(0, |row| row.get::<_, i64>(0));
        let written = self.write(&table, position, false, |_| true)?;
        let removed = u64::try_from(removed).unwrap_or_default();
        Ok(CopiedTable { table: table.name, written, removed })
    }

    /// Returns the hashes of the rows of the copy, by their keys.
    fn hashes(&mut self, table: &Table) -> Result<HashMap<i64, RowHash>, Error> {
        let (key, name) = (table.key(), quoted(&table.name));
        let select = format!("SELECT {key}, mirror_copy FROM {}.{name}", self.schema);
        let nothing: [Parameter<'_>; 0] = [];
        let rows = self.target.query_typed_raw::<&(dyn ToSql + Sync), _>(&select, nothing);
        let mut rows = rows.map_err(|error| failed_in(&select, error))?;
        let mut hashes = HashMap::new();
        while let Some(row) = rows.next().map_err(|error| failed_in(&select, error))? {
            let hash: Option<&[u8]> = row.get(1);
            let hash = hash.and_then(|hash| hash.try_into().ok());
            hashes.insert(row.get(0), hash.unwrap_or_default());
        }
        Ok(hashes)
    }

    /// Writes the rows of the mirror that are wanted, with a key above this one. Returns how many.
    fn write(
        &mut self,
        table: &Table,
        above: i64,
        has_hash: bool,
        is_wanted: impl Fn(i64) -> bool,
    ) -> Result<u64, Error> {
        let hashed = if has_hash { ", mirror_copy" } else { "" };
        let (columns, name) = (table.list(), quoted(&table.name));
        let sql = format!("COPY {}.{name} ({columns}{hashed}) FROM STDIN", self.schema);
        let mut writer = self.target.copy_in(&sql).map_err(|error| failed_in(&sql, error))?;
        let mut out = Vec::new();
        table.each(&self.source, above, |key, line| {
            if !is_wanted(key) {
                return Ok(());
            }
            out.extend_from_slice(line);
            if has_hash {
                out.push(b'\t');
                out.extend_from_slice(hex(&hash(line)).as_bytes());
            }
            out.push(b'\n');
            if out.len() >= BUFFER {
                writer.write_all(&out).map_err(|error| lost().because(error))?;
                out.clear();
            }
            Ok(())
        })?;
        writer.write_all(&out).map_err(|error| lost().because(error))?;
        writer.finish().map_err(|error| failed_in(&sql, error))
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// The tables beside those of the records, whose rows change or are removed.
const OWN: [(&str, &str); 4] = [
    ("mirror_run", RUN),
    ("mirror_sample", "number:bigint at:timestamptz gauge amount unit"),
    (
        "mirror_scope",
        "rowid:bigint name table_name present:bigint missing:bigint completed_at:timestamptz",
    ),
    ("mirror_spell", SPELL),
];

const CHANGE: &str = "number:bigint at:timestamptz table_name record_id kind fields";

const RUN: &str = "number:bigint started_at:timestamptz ended_at:timestamptz table_name outcome reason is_baseline:boolean \
                   added:bigint changed:bigint unchanged:bigint returned:bigint missing:bigint gone:bigint rejected:bigint \
                   repeated:bigint suppressed:bigint calls:bigint";

const SPELL: &str = "number:bigint table_name record_id group_id member_id value began_at:timestamptz ended_at:timestamptz \
                     began_before:boolean";

/// Timeout of a connection whose peer is silent.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Number of bytes that are sent together.
const BUFFER: usize = 64 << 10;
