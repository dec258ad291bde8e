//! The commands `gateway-server backup` and `gateway-server restore`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::database::Database;
use crate::cli::output::print;
use crate::error::Error;
use crate::store;

#[derive(Debug, Args)]
pub(super) struct BackupArguments {
    /// File to create. It must not exist.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    database: Database,
}

pub(super) fn backup(arguments: &BackupArguments) -> Result<(), Error> {
    let database = arguments.database.file("cannot back up a PostgreSQL database; use pg_dump")?;
    store::backup(database, &arguments.file)?;
    print(&format!("backup written to {}\n", arguments.file.display()))
}

#[derive(Debug, Args)]
pub(super) struct RestoreArguments {
    /// Backup to restore.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace a database that exists. No other program may be using it.
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    database: Database,
}

pub(super) fn restore(arguments: &RestoreArguments) -> Result<(), Error> {
    let database =
        arguments.database.file("cannot restore a PostgreSQL database; use pg_restore or psql")?;
    store::restore(&arguments.file, database, arguments.replace)?;
    print(&format!("restored {}\n", database.display()))
}
