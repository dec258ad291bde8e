//! Places that keep a mirror: a SQLite file, or a schema of a PostgreSQL database.

use std::path::PathBuf;

use methodical_mirror::{Error, Mirror, Source};
use tempfile::TempDir;

use crate::support::source;

/// A place for one mirror, which any number of connections can open.
pub(crate) enum Place {
    Sqlite(TempDir),
    #[cfg(feature = "postgres019")]
    Postgres(schema::Schema),
}

/// Returns a new place of each kind.
pub(crate) fn places() -> Vec<Place> {
    [Some(Place::in_sqlite()), Place::in_postgres()].into_iter().flatten().collect()
}

/// Returns an empty mirror of each kind, and what keeps them.
pub(crate) fn mirrors() -> (Vec<Mirror>, Vec<Place>) {
    let places = places();
    let kept = places.iter().map(Place::open);
    (kept.collect(), places)
}

impl Place {
    /// Returns a new folder.
    pub(crate) fn in_sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().unwrap())
    }

    /// Returns a new schema; `None` without PostgreSQL.
    pub(crate) fn in_postgres() -> Option<Self> {
        #[cfg(feature = "postgres019")]
        return schema::Schema::new().map(Self::Postgres);
        #[cfg(not(feature = "postgres019"))]
        None
    }

    pub(crate) fn open(&self) -> Mirror {
        self.open_of(&source()).unwrap()
    }

    pub(crate) fn open_of(&self, source: &Source) -> Result<Mirror, Error> {
        match self {
            Self::Sqlite(folder) => Mirror::open(file(folder), source),
            #[cfg(feature = "postgres019")]
            Self::Postgres(schema) => {
                Mirror::open_postgres(&schema.connector(), &schema.name, source)
            }
        }
    }

    pub(crate) fn open_existing(&self) -> Result<Mirror, Error> {
        match self {
            Self::Sqlite(folder) => Mirror::open_existing(file(folder)),
            #[cfg(feature = "postgres019")]
            Self::Postgres(schema) => {
                Mirror::open_existing_postgres(&schema.connector(), &schema.name)
            }
        }
    }

    /// Runs statements without the library.
    pub(crate) fn execute(&self, sql: &str) {
        match self {
            Self::Sqlite(folder) => {
                rusqlite::Connection::open(file(folder)).unwrap().execute_batch(sql).unwrap();
            }
            #[cfg(feature = "postgres019")]
            Self::Postgres(schema) => schema.client().batch_execute(sql).unwrap(),
        }
    }

    /// Returns the values of the columns of the first row as text.
    pub(crate) fn row(&self, sql: &str) -> Vec<String> {
        match self {
            Self::Sqlite(folder) => {
                let connection = rusqlite::Connection::open(file(folder)).unwrap();
                let mut statement = connection.prepare(sql).unwrap();
                let columns = statement.column_count();
                let value = |row: &rusqlite::Row<'_>, index| match row.get(index).unwrap() {
                    rusqlite::types::Value::Text(text) => text,
                    rusqlite::types::Value::Integer(number) => number.to_string(),
                    other => format!("{other:?}"),
                };
                statement
                    .query_row((), |row| Ok((0..columns).map(|index| value(row, index)).collect()))
                    .unwrap()
            }
            #[cfg(feature = "postgres019")]
            Self::Postgres(schema) => schema.row(sql),
        }
    }

    /// Returns whether what is kept contains this text: the files, or a dump and the statistics.
    pub(crate) fn contains(&self, text: &str) -> bool {
        match self {
            Self::Sqlite(folder) => {
                let files = std::fs::read_dir(folder.path()).unwrap();
                let mut contents = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
                let is_within =
                    |bytes: Vec<u8>| bytes.windows(text.len()).any(|part| part == text.as_bytes());
                contents.any(is_within)
            }
            #[cfg(feature = "postgres019")]
            Self::Postgres(schema) => schema.contains(text),
        }
    }
}

fn file(folder: &TempDir) -> PathBuf {
    folder.path().join("mirror.db")
}

#[cfg(feature = "postgres019")]
pub(crate) mod schema {
    //! A schema of the database of this process.

    use std::process::Command;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::{Arc, Mutex, Weak};
    use std::time::{Duration, Instant};

    use methodical_mirror::connector::{Connector, Options};
    use postgres::{Client, NoTls, SimpleQueryMessage};

    use crate::cluster::{Database, database, programs};

    pub(crate) struct Schema {
        pub(crate) url: String,
        pub(crate) name: String,
        /// Shared by the schemas that exist at the same time.
        _database: Arc<Database>,
    }

    impl Schema {
        pub(crate) fn new() -> Option<Self> {
            static DATABASE: Mutex<Weak<Database>> = Mutex::new(Weak::new());
            static COUNT: AtomicU32 = AtomicU32::new(0);
            let mut shared = DATABASE.lock().unwrap();
            let database = match shared.upgrade() {
                Some(database) => database,
                None => Arc::new(database()?),
            };
            *shared = Arc::downgrade(&database);
            // Every statement has to quote this name.
            let name = format!("Mirror \"{}\"", COUNT.fetch_add(1, Ordering::Relaxed));
            Some(Self { url: database.url.clone(), name, _database: database })
        }

        pub(crate) fn connector(&self) -> Connector {
            connector(&self.url)
        }

        /// Returns a connection that looks for tables in the schema.
        pub(crate) fn client(&self) -> Client {
            let mut client = Client::connect(&self.url, NoTls).unwrap();
            let name = self.name.replace('"', "\"\"");
            client.batch_execute(&format!("SET search_path TO \"{name}\"")).unwrap();
            client
        }

        pub(crate) fn row(&self, sql: &str) -> Vec<String> {
            let messages = self.client().simple_query(sql).unwrap();
            let rows = messages.into_iter().find_map(|message| match message {
                SimpleQueryMessage::Row(row) => Some(row),
                _ => None,
            });
            let row = rows.unwrap();
            (0..row.len()).map(|index| row.get(index).unwrap_or("NULL").to_owned()).collect()
        }

        pub(crate) fn contains(&self, text: &str) -> bool {
            let name = self.name.replace('"', "\"\"");
            let program = programs("pg_dump").unwrap().join("pg_dump");
            let mut dump = Command::new(program);
            let dump = dump.arg(&self.url).args(["-n", &format!("\"{name}\"")]).output().unwrap();
            assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
            let mut client = self.client();
            client.batch_execute("ANALYZE").unwrap();
            // Other tests use other schemas.
            let statistics = "SELECT coalesce(string_agg(s::text, ''), '') FROM pg_stats s \
                              WHERE schemaname = $1";
            let statistics: String = client.query_one(statistics, &[&self.name]).unwrap().get(0);
            String::from_utf8(dump.stdout).unwrap().contains(text) || statistics.contains(text)
        }
    }

    /// Waits for the end of all sessions with this application name.
    pub(crate) fn ends(schema: &Schema, name: &str, limit: Duration) {
        let count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 \
                     AND datname = current_database()";
        let (mut client, started) = (schema.client(), Instant::now());
        while client.query_one(count, &[&name]).unwrap().get::<_, i64>(0) > 0 {
            assert!(started.elapsed() < limit, "a session of a killed process does not end");
        }
    }

    /// Returns a connector with a name that the tests look for.
    pub(crate) fn connector(url: &str) -> Connector {
        connector_named("the tests", url)
    }

    pub(crate) fn connector_named(application: &str, url: &str) -> Connector {
        let options = Options::new(application).environment(|_name| None);
        Connector::new(url, options).unwrap()
    }
}
