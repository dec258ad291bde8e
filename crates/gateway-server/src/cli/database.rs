//! The database that a command works on.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use crate::error::{Error, ErrorKind};
#[cfg(feature = "postgres")]
use crate::store::postgres::PostgresStore;
use crate::store::sqlite::SqliteStore;
use crate::store::{STATEMENT_BUDGET, StoreAdmin};

/// The flag that names the database.
#[derive(Debug, Args)]
pub(super) struct Database {
    /// Database: a file, or `postgres://USER@HOST/NAME`. Only `serve` and `account create` create it if missing.
    #[arg(long, value_name = "FILE|URL", env = "GATEWAY_DATABASE", hide_env_values = true)]
    database: Option<String>,
}

impl Database {
    /// Opens the database, which must exist: a mistyped name must not create one.
    pub(super) fn open(&self) -> Result<Arc<dyn StoreAdmin>, Error> {
        match Location::parse(self.database.as_deref())? {
            Location::File(path) => Ok(Arc::new(SqliteStore::open_existing(path)?)),
            #[cfg(feature = "postgres")]
            Location::Url(url) => Ok(Arc::new(PostgresStore::connect_existing(url)?)),
        }
    }

    /// Opens the database, and creates it if it does not exist.
    pub(super) fn open_or_create(&self) -> Result<Arc<dyn StoreAdmin>, Error> {
        open_or_create(self.database.as_deref(), STATEMENT_BUDGET)
    }
}

/// Opens a database, and creates it if it does not exist. `budget` limits a statement that a request waits for.
pub(super) fn open_or_create(
    database: Option<&str>,
    budget: Duration,
) -> Result<Arc<dyn StoreAdmin>, Error> {
    match Location::parse(database)? {
        Location::File(path) => {
            Ok(Arc::new(SqliteStore::open(path)?.with_statement_budget(budget)))
        }
        #[cfg(feature = "postgres")]
        Location::Url(url) => {
            Ok(Arc::new(PostgresStore::connect(url)?.with_statement_budget(budget)))
        }
    }
}

/// Where a database is.
enum Location<'d> {
    File(&'d str),
    #[cfg(feature = "postgres")]
    Url(&'d str),
}

impl<'d> Location<'d> {
    fn parse(database: Option<&'d str>) -> Result<Self, Error> {
        let Some(database) = database else {
            let help = "no database given: set --database FILE or GATEWAY_DATABASE";
            return Err(Error::new(ErrorKind::Config, help));
        };
        if !database.starts_with("postgres://") && !database.starts_with("postgresql://") {
            return Ok(Self::File(database));
        }
        #[cfg(feature = "postgres")]
        return Ok(Self::Url(database));
        #[cfg(not(feature = "postgres"))]
        Err(Error::new(
            ErrorKind::Config,
            "cannot open a PostgreSQL database: this program was built without the feature `postgres`",
        ))
    }
}
