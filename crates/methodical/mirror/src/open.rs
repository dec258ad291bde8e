//! Opens mirrors in the stores of the features.

use std::path::Path;

#[cfg(feature = "postgres019")]
use methodical_postgres::Connector;

use crate::error::Error;
use crate::mirror::Mirror;
use crate::source::Source;
#[cfg(feature = "postgres019")]
use crate::store::postgres::PostgresStore;
use crate::store::sqlite::SqliteStore;

/// Mirrors in SQLite.
impl Mirror {
    /// Opens the mirror in a SQLite file, or creates it. Only its owner may read a new file or folder.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OtherSource`](crate::ErrorKind::OtherSource) if the mirror was made from another source,
    /// [`Newer`](crate::ErrorKind::Newer) or [`Foreign`](crate::ErrorKind::Foreign) if it is not a mirror that this release
    /// can read, [`Io`](crate::ErrorKind::Io) if other users may read the file, and [`Store`](crate::ErrorKind::Store) if
    /// SQLite fails.
    ///
    /// ```
    /// use methodical_mirror::{ErrorKind, Mirror, Source};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("mirror.db");
    /// drop(Mirror::open(&path, &Source::new("https://gateway.example.com", "me"))?);
    /// let error = Mirror::open(&path, &Source::new("https://gateway.example.com", "you")).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::OtherSource);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(path: impl AsRef<Path>, source: &Source) -> Result<Self, Error> {
        Ok(Self::over(SqliteStore::open(path.as_ref(), Some(source))?))
    }

    /// Opens the mirror in an existing SQLite file, of any source: to read it, or to remove records from it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the file does not exist, and the errors of [`open`](Self::open) except
    /// [`OtherSource`](crate::ErrorKind::OtherSource).
    ///
    /// ```
    /// use methodical_mirror::{Mirror, Source};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("mirror.db");
    /// assert!(Mirror::open_existing(&path).is_err());
    /// drop(Mirror::open(&path, &Source::new("https://gateway.example.com", "me"))?);
    /// assert!(Mirror::open_existing(&path)?.tables()?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, Error> {
        Ok(Self::over(SqliteStore::open(path.as_ref(), None)?))
    }
}

/// Mirrors in PostgreSQL.
#[cfg(feature = "postgres019")]
impl Mirror {
    /// Opens the mirror in a schema of a PostgreSQL database, or creates both. The usual name of the schema is `mirror`.
    ///
    /// A database can have many mirrors, each in a separate schema. A new schema has no rights for other roles: grant
    /// `USAGE` on it and `SELECT` on its tables to those that read it, except on `mirror_meta`, which has the secret of the
    /// hashes.
    ///
    /// The connection is opened when it is needed, and again if it was lost between two syncs. It may lead through a
    /// pooler such as `PgBouncer` in transaction mode. The store works on a separate thread, so that this function can be
    /// called from anywhere, also from an async runtime, whose thread it blocks like a file does.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OtherSource`](crate::ErrorKind::OtherSource) if the mirror was made from another source,
    /// [`Newer`](crate::ErrorKind::Newer) if a newer release wrote it, [`Foreign`](crate::ErrorKind::Foreign) if the schema
    /// has other tables, and [`Store`](crate::ErrorKind::Store) if the database cannot be reached or refuses.
    ///
    /// ```no_run
    /// use methodical_mirror::connector::{Connector, Options};
    /// use methodical_mirror::{Mirror, Source};
    ///
    /// let options = Options::new("photo mirror").notice(|text| eprintln!("{text}"));
    /// let connector = Connector::new("postgres://team@db.example/team?sslmode=verify-full", options)?;
    /// let source = Source::new("https://gateway.example.com", "me");
    /// let mirror = Mirror::open_postgres(&connector, "mirror", &source)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_postgres(
        connector: &Connector,
        schema: &str,
        source: &Source,
    ) -> Result<Self, Error> {
        Ok(Self::over(PostgresStore::open(connector, schema, Some(source))?))
    }

    /// Opens an existing mirror in a schema of a PostgreSQL database. Its source is not checked.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the schema has no mirror, and the errors of
    /// [`open_postgres`](Self::open_postgres) except [`OtherSource`](crate::ErrorKind::OtherSource).
    ///
    /// ```no_run
    /// use methodical_mirror::Mirror;
    /// use methodical_mirror::connector::{Connector, Options};
    ///
    /// let connector = Connector::new("postgres://team@db.example/team", Options::new("board"))?;
    /// for table in Mirror::open_existing_postgres(&connector, "mirror")?.tables()? {
    ///     println!("{}: {} records", table.table, table.present);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_existing_postgres(connector: &Connector, schema: &str) -> Result<Self, Error> {
        Ok(Self::over(PostgresStore::open(connector, schema, None)?))
    }
}
