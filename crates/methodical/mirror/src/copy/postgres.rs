//! A copy of a mirror in a PostgreSQL schema. Copying again compares each row and writes only the differences.

use std::error::Error as StdError;
use std::io::{self, Write as _};

use ::postgres::types::{ToSql, Type};
use ::postgres::{Row, Transaction};
use methodical_postgres::Connector;

use crate::copy::{CopyKind, CopySource, CopyTable, CopyValue};
use crate::error::{Error, ErrorKind};
use crate::mirror::Mirror;
use crate::queries::Dialect;
use crate::recovery::VIEW;
use crate::store::table::{view_columns, view_name};
use crate::store::{OrFailed as _, quoted};

/// What [`Mirror::copy_to_postgres`] wrote and removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// Whether everything was copied again, because the copy belonged to another mirror or this one before a restore.
    pub is_replaced: bool,
    /// The tables, including the feed and the history.
    pub tables: Vec<CopiedTable>,
}

/// The changes to the copy of one table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopiedTable {
    /// The name of the table.
    pub table: String,
    /// How many rows were written.
    pub written: u64,
    /// How many of the copy's rows were removed or replaced.
    pub removed: u64,
}

impl Mirror {
    /// Copies the mirror to a schema of a PostgreSQL database, or brings this copy up to date: the tables, their views,
    /// the feed and the history, in one transaction. Afterwards the copy equals the mirror.
    ///
    /// The mirror remembers the copy under the name `target`, as [`copy`](Self::copy) does.
    ///
    /// [A copy differs](crate#postgresql) from the mirror in a few points. The call blocks the thread, so do not make
    /// it from an async task. A later copy compares rows in a temporary table, which any role may create by default.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Foreign`] if the schema has other tables, [`ErrorKind::Busy`] if another process is copying
    /// to it, [`ErrorKind::Unreachable`] if the database cannot be reached, and [`ErrorKind::Denied`] if it refuses the
    /// login or a statement. After an error, the copy is unchanged.
    ///
    /// ```no_run
    /// use methodical_mirror::Mirror;
    /// use methodical_mirror::connector::Connector;
    ///
    /// let mut mirror = Mirror::open_existing("mirror.db")?;
    /// let connector = Connector::new("postgres://team@db.example/team", "copy")?;
    /// let copied = mirror.copy_to_postgres(&connector, "mirror", "the database of the team")?;
    /// println!("{} tables", copied.tables.len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn copy_to_postgres(
        &mut self,
        connector: &Connector,
        schema: &str,
        target: &str,
    ) -> Result<Copied, Error> {
        let mut client = connector.open().map_err(not_connected)?;
        let transaction = client.transaction().map_err(failed)?;
        let mut copy = Copy { target: transaction, name: schema, schema: quoted(schema) };
        copy.batch(
            "SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '10s'",
        )?;
        // One process at a time copies to a schema. It reads the mirror under the lock, so a copy never becomes older.
        let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text";
        copy.query(lock, &[(&{ copy.name }, Type::TEXT)])?;
        let copied = self.copy(target, |source| write(copy, source))?;
        for CopiedTable { table, .. } in copied.tables.iter().filter(|table| table.removed > 0) {
            // Removes erased values from the pages. If this fails, the database does it later.
            drop(client.batch_execute(&format!("VACUUM {}.{}", quoted(schema), quoted(table))));
        }
        Ok(copied)
    }
}

/// Writes the differences in one transaction.
fn write(mut copy: Copy<'_>, source: &CopySource) -> Result<Copied, Error> {
    let select = "SELECT id, max(pruned, coalesce((SELECT max(number) FROM mirror_change), 0)) FROM mirror_meta";
    let state = source.0.connection.query_row(select, (), |row| Ok((row.get(0)?, row.get(1)?)));
    let (id, position): (Vec<u8>, i64) = state.or_failed()?;
    // A restored mirror has another id.
    let is_replaced = copy.prepare()?.is_some_and(|before| before != id);
    if is_replaced {
        copy.clear()?;
    }
    let mut tables = Vec::new();
    for table in source.tables()? {
        copy.describe(&table)?;
        tables.push(copy.update(source, &table)?);
    }
    copy.batch(&format!(
        "CREATE INDEX IF NOT EXISTS mirror_past_value_member ON {0}.mirror_past_value (member_id); \
         CREATE OR REPLACE VIEW {0}.mirror_spell AS SELECT * FROM {0}.mirror_past_value",
        copy.schema
    ))?;
    let recovered = source.0.recovered()?.into_keys().next();
    if let Some(table) = recovered.filter(|_| tables.iter().all(|one| one.table != VIEW)) {
        let view = source.0.relation(&table)?.view(Dialect::Postgres(copy.name), "");
        copy.batch(&format!("CREATE OR REPLACE VIEW {}.{VIEW} AS {view}", copy.schema))?;
    }
    let update = format!(
        "INSERT INTO {}.mirror_meta (one, id, position, copied_at) VALUES (1, $1, $2, now()) \
         ON CONFLICT (one) DO UPDATE SET id = $1, position = $2, copied_at = now()",
        copy.schema
    );
    copy.query(&update, &[(&id, Type::BYTEA), (&position, Type::INT8)])?;
    copy.target.commit().map_err(failed)?;
    Ok(Copied { is_replaced, tables })
}

struct Copy<'a> {
    target: Transaction<'a>,
    name: &'a str,
    /// The schema, as an SQL identifier.
    schema: String,
}

type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

impl Copy<'_> {
    /// Runs a statement without preparing it by name, which a pooler may not support.
    fn query(&mut self, sql: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, Error> {
        self.target.query_typed(sql, parameters).map_err(failed)
    }

    fn batch(&mut self, sql: &str) -> Result<(), Error> {
        self.target.batch_execute(sql).map_err(failed)
    }

    /// Creates the schema and the state table, or returns the copied mirror's id. Refuses a schema with other tables.
    fn prepare(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let found = "SELECT (SELECT count(*) FROM pg_class WHERE relnamespace = n.oid) \
                     FROM pg_namespace n WHERE nspname = $1";
        let found = self.query(found, &[(&{ self.name }, Type::TEXT)])?;
        if found.is_empty() {
            self.batch(&format!("CREATE SCHEMA {}", self.schema))?;
        }
        if self.columns("mirror_meta")?.iter().any(|name| name == "position") {
            // Earlier releases had another name for the table of past values.
            if self.columns("mirror_past_value")?.is_empty() {
                self.batch(&format!(
                    "ALTER TABLE IF EXISTS {0}.mirror_spell RENAME TO mirror_past_value; \
                     ALTER INDEX IF EXISTS {0}.mirror_spell_member RENAME TO mirror_past_value_member",
                    self.schema
                ))?;
            }
            let select = format!("SELECT id FROM {}.mirror_meta", self.schema);
            return Ok(self.query(&select, &[])?.first().map(|row| row.get(0)));
        }
        if found.first().is_some_and(|row| row.get::<_, i64>(0) > 0) {
            let text = format!(
                "cannot copy to the schema `{}`: it has tables that no copy created; drop them, or name another \
                 schema: postgres://…#SCHEMA",
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

    /// Returns the columns of a table or view, or nothing if it does not exist.
    fn columns(&mut self, table: &str) -> Result<Vec<String>, Error> {
        let select = "SELECT attname::text FROM pg_attribute JOIN pg_class c ON c.oid = attrelid \
                      JOIN pg_namespace n ON n.oid = relnamespace \
                      WHERE nspname = $1 AND relname = $2 AND attnum > 0 AND NOT attisdropped ORDER BY attnum";
        let rows = self.query(select, &[(&{ self.name }, Type::TEXT), (&table, Type::TEXT)])?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// Empties all tables except the state table.
    fn clear(&mut self) -> Result<(), Error> {
        let select = "SELECT relname::text FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace \
                      WHERE nspname = $1 AND relkind = 'r' AND relname <> 'mirror_meta'";
        for row in self.query(select, &[(&{ self.name }, Type::TEXT)])? {
            self.batch(&format!("DELETE FROM {}.{}", self.schema, quoted(row.get(0))))?;
        }
        Ok(())
    }

    /// Creates a table and its view, or adds missing columns to them.
    fn describe(&mut self, table: &CopyTable) -> Result<(), Error> {
        let (name, existing) = (quoted(&table.name), self.columns(&table.name)?);
        let (schema, mut sql) = (&self.schema, Vec::new());
        if existing.is_empty() {
            sql.push(format!("CREATE TABLE {schema}.{name} ({} bigint PRIMARY KEY)", table.key()));
        }
        let others = table.columns.iter().skip(1);
        for column in others.filter(|column| !existing.contains(&column.name)) {
            let (of, kind) = (quoted(&column.name), type_of(column.kind));
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
            let columns: Vec<_> = view_columns(identity, &names).into_iter().map(quoted).collect();
            let (view, columns) = (quoted(&view_name(&table.name)), columns.join(", "));
            sql.push(format!(
                "CREATE OR REPLACE VIEW {schema}.{view} AS SELECT {columns} FROM {schema}.{name} \
                 WHERE mirror_state = 'present'"
            ));
        }
        self.batch(&sql.join("; "))
    }

    /// Writes the differences between a table of the mirror and its copy. The feed alone is not enough: it lacks the
    /// changes of a first sync, of a purge, and of an erasure of personal fields.
    fn update(&mut self, source: &CopySource, table: &CopyTable) -> Result<CopiedTable, Error> {
        let (to, key) = (format!("{}.{}", self.schema, quoted(&table.name)), table.key());
        let mut copied = CopiedTable { table: table.name.clone(), written: 0, removed: 0 };
        if self.query(&format!("SELECT FROM {to} LIMIT 1"), &[])?.is_empty() {
            copied.written = self.write(source, table, &to)?;
        } else {
            let from = "pg_temp.mirror_new";
            self.batch(&format!("CREATE TEMPORARY TABLE mirror_new (LIKE {to}) ON COMMIT DROP"))?;
            self.write(source, table, from)?;
            copied.removed = self.change(&format!(
                "DELETE FROM {to} a WHERE NOT EXISTS (SELECT FROM {from} b \
                 WHERE b.{key} = a.{key} AND ROW(b.*) IS NOT DISTINCT FROM ROW(a.*))"
            ))?;
            copied.written = self.change(&format!(
                "INSERT INTO {to} SELECT * FROM {from} b WHERE NOT EXISTS (SELECT FROM {to} a WHERE a.{key} = b.{key})"
            ))?;
            self.batch(&format!("DROP TABLE {from}"))?;
        }
        Ok(copied)
    }

    /// Runs a statement and returns how many rows it changed.
    fn change(&mut self, sql: &str) -> Result<u64, Error> {
        self.target.execute_typed(sql, &[]).map_err(failed)
    }

    /// Writes all rows of a mirror table to an empty one. Returns their number.
    fn write(&mut self, source: &CopySource, table: &CopyTable, to: &str) -> Result<u64, Error> {
        let sql = format!("COPY {to} ({}) FROM STDIN", table.list());
        let mut writer = self.target.copy_in(&sql).map_err(failed)?;
        let lost = |error: io::Error| Error::new(ErrorKind::Unreachable, LOST).because(error);
        let mut out = Vec::new();
        source.each_row(table, |row| {
            for (index, (column, value)) in table.columns.iter().zip(row).enumerate() {
                if index > 0 {
                    out.push(b'\t');
                }
                append(&mut out, column.kind, *value);
            }
            out.push(b'\n');
            if out.len() >= BUFFER {
                writer.write_all(&out).map_err(lost)?;
                out.clear();
            }
            Ok::<_, Error>(())
        })?;
        writer.write_all(&out).map_err(lost)?;
        writer.finish().map_err(failed)
    }
}

fn append(line: &mut Vec<u8>, kind: CopyKind, value: CopyValue<'_>) {
    // Writing to memory does not fail.
    let _infallible = match value {
        CopyValue::Null => line.write_all(b"\\N"),
        CopyValue::Integer(number) if kind == CopyKind::Boolean => {
            line.write_all(if number == 0 { b"f" } else { b"t" })
        }
        CopyValue::Integer(number) => write!(line, "{number}"),
        CopyValue::Text(text) => {
            for byte in text.bytes() {
                match byte {
                    // PostgreSQL text cannot contain U+0000.
                    0 => line.extend_from_slice("\u{FFFD}".as_bytes()),
                    b'\\' => line.extend_from_slice(b"\\\\"),
                    b'\t' => line.extend_from_slice(b"\\t"),
                    b'\n' => line.extend_from_slice(b"\\n"),
                    b'\r' => line.extend_from_slice(b"\\r"),
                    _ => line.push(byte),
                }
            }
            Ok(())
        }
    };
}

const fn type_of(kind: CopyKind) -> &'static str {
    match kind {
        CopyKind::Text => "text",
        CopyKind::Integer => "bigint",
        CopyKind::Boolean => "boolean",
        CopyKind::Time => "timestamptz",
    }
}

/// Converts an error. The text of an error from the database is dropped, because it may quote a row.
fn failed(error: ::postgres::Error) -> Error {
    let Some(cause) = error.as_db_error() else {
        let is_lost =
            error.is_closed() || error.source().is_some_and(<dyn StdError>::is::<io::Error>);
        let (kind, text) =
            if is_lost { (ErrorKind::Unreachable, LOST) } else { (ErrorKind::Store, FAILED) };
        return Error::new(kind, text).because(error);
    };
    let code = format!("SQLSTATE {}", cause.code().code());
    let (kind, text) = match cause.code().code() {
        "53100" => (ErrorKind::Store, "cannot write the copy: the disk of the database is full"),
        "40001" | "40P01" | "55P03" => {
            (ErrorKind::Busy, "another session is using the tables of the copy; try again later")
        }
        // The message names the table or schema, but no row.
        "42501" => {
            let text = format!(
                "cannot write the copy: the database role lacks a privilege ({}); grant it, or use the role that created \
                 the copy",
                cause.message()
            );
            return Error::new(ErrorKind::Denied, text).because(code);
        }
        "57P01" | "57P02" | "57P03" => (ErrorKind::Unreachable, LOST),
        _ => (ErrorKind::Store, FAILED),
    };
    Error::new(kind, text).because(code)
}

/// Converts an error of the connector, which names the cause and the next step.
fn not_connected(error: methodical_postgres::Error) -> Error {
    use methodical_postgres::ErrorKind as Cause;

    let kind = match error.kind() {
        Cause::Busy | Cause::Unreachable => ErrorKind::Unreachable,
        _ => ErrorKind::Denied,
    };
    Error::new(kind, format!("cannot connect to the database: {error}")).because(error)
}

const FAILED: &str = "cannot write the copy";

const LOST: &str = "the connection to the database was lost; try again";

/// Number of bytes that are collected before they are sent.
const BUFFER: usize = 64 << 10;
