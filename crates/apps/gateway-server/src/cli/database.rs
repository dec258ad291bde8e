//! The database that a command works on.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::cli::{note, note_notice, print};
use crate::error::{Error, ErrorKind};
use crate::store;
use crate::store::Store;

/// The flag that names the database.
#[derive(Debug, Args)]
pub(super) struct Database {
    /// Database: a file, or `postgres://USER@HOST/NAME`. Only `serve`, `account create` and `restore` create it if
    /// missing.
    #[arg(long, value_name = "FILE|URL", env = "GATEWAY_DATABASE", hide_env_values = true)]
    database: Option<String>,
}

impl Database {
    /// Opens the database, which must exist, so that a typo does not create a new one.
    pub(super) fn open(&self) -> Result<Store, Error> {
        open(self.database.as_deref(), false, Duration::ZERO, note_notice)
            .inspect(|_store| self.warn_if_exposed())
    }

    /// Opens the database for reading, even a file that this process cannot write.
    pub(super) fn open_to_read(&self) -> Result<Store, Error> {
        match given(self.database.as_deref())? {
            Location::File(path) => Store::open_to_read(Path::new(path)),
            Location::Url(_) => self.open(),
        }
        .inspect(|_store| self.warn_if_exposed())
    }

    /// Returns the database file. Fails with the message `refusal` for a PostgreSQL database.
    pub(super) fn file(&self, refusal: &'static str) -> Result<&Path, Error> {
        match given(self.database.as_deref())? {
            Location::File(path) => Ok(Path::new(path)),
            Location::Url(_) => Err(Error::new(ErrorKind::Config, refusal)),
        }
    }

    /// Returns whether the database is a PostgreSQL server.
    pub(super) fn is_shared(&self) -> bool {
        !matches!(given(self.database.as_deref()), Ok(Location::File(_)))
    }

    /// Opens the database and creates it if it does not exist.
    pub(super) fn open_or_create(&self) -> Result<Store, Error> {
        open(self.database.as_deref(), true, Duration::ZERO, note_notice)
            .inspect(|_store| self.warn_if_exposed())
    }

    fn warn_if_exposed(&self) {
        warn_if_exposed([None, self.database.as_deref().map(Path::new)]);
    }
}

/// Warns about each file with secrets that other users can read.
pub(super) fn warn_if_exposed(files: [Option<&Path>; 2]) {
    for text in exposed(files) {
        note(&format!("warning: {text}"));
    }
}

/// Returns the warnings: 0o004 is the permission of other users to read a file.
pub(super) fn exposed(files: [Option<&Path>; 2]) -> impl Iterator<Item = String> {
    let exposed = files.into_iter().flatten().filter(|path| {
        std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o004 != 0)
    });
    let mend = "set its mode to 0600, or to 0640 for a group";
    exposed.map(move |path| format!("other users can read {}; {mend}", path.display()))
}

/// Opens a database. With `create`, it is created if it does not exist. `wait` limits the time until a PostgreSQL
/// server can be reached. `notice` receives messages about the connection.
pub(super) fn open(
    database: Option<&str>,
    create: bool,
    wait: Duration,
    notice: impl Fn(&str) + Send + Sync + 'static,
) -> Result<Store, Error> {
    match given(database)? {
        Location::File(path) if create => Store::open(path),
        Location::File(path) => Store::open_existing(path),
        Location::Url(url) => Store::connect(&url, create, wait, notice),
    }
}

fn given(database: Option<&str>) -> Result<Location<'_>, Error> {
    let help = "no database given: set --database or GATEWAY_DATABASE to a file or a URL";
    let missing = || Error::new(ErrorKind::Config, help);
    Location::parse(database.filter(|text| !text.is_empty()).ok_or_else(missing)?)
}

/// Where a database is.
pub(super) enum Location<'d> {
    File(&'d str),
    /// The URL of a PostgreSQL database, with the scheme `postgres`.
    Url(String),
}

impl<'d> Location<'d> {
    /// Parses the setting. Errors do not repeat the setting, because a mistyped URL may contain a password.
    pub(super) fn parse(database: &'d str) -> Result<Self, Error> {
        let refuse = |next: &str| {
            Err(Error::new(ErrorKind::Config, format!("cannot open the database: {next}")))
        };
        // A scheme begins with a letter (RFC 3986, section 3.1).
        let is_scheme = |text: &str| {
            let letter = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
            text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.chars().all(letter)
        };
        match database.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) {
            Some((scheme, rest)) => match &*scheme.to_ascii_lowercase() {
                "postgres" | "postgresql" if rest.starts_with("//") => {
                    Ok(Self::Url(format!("postgres:{rest}")))
                }
                _ => refuse(
                    "its URL does not start with postgres:// or postgresql://; for a file with a colon in its name, put \
                     ./ in front of the name",
                ),
            },
            None if database.to_ascii_lowercase().contains("password=") => refuse(
                "key-value settings are not supported; write a URL, such as postgres://USER@HOST/NAME",
            ),
            None => Ok(Self::File(database)),
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct CopyArguments {
    /// The backup: a new file for `backup`, an existing one for `restore`.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    database: Database,
}

pub(super) fn backup(arguments: &CopyArguments) -> Result<(), Error> {
    let database = arguments.database.file("cannot back up a PostgreSQL database; use pg_dump")?;
    store::backup(database, &arguments.file)?;
    arguments.database.warn_if_exposed();
    print(&format!("backup written to {}\n", arguments.file.display()))
}

pub(super) fn restore(arguments: &CopyArguments) -> Result<(), Error> {
    let database =
        arguments.database.file("cannot restore a PostgreSQL database; use pg_restore or psql")?;
    store::restore(&arguments.file, database)?;
    print(&format!("restored {}\n", database.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_recognised_in_any_case() {
        for url in ["Postgres://u@h/d", "postgres://u@h/d", "POSTGRES://u@h/d"] {
            let Location::Url(read) = Location::parse(url).unwrap() else { panic!("{url}") };
            assert_eq!(read, "postgres://u@h/d");
        }
    }

    #[test]
    fn a_file_may_have_any_other_name() {
        for file in ["gateway.db", "/var/lib/a:b.db", "./a:b", "1:2", "a@b", ":memory:", "é:b"] {
            assert!(matches!(Location::parse(file), Ok(Location::File(read)) if read == file));
        }
    }

    #[test]
    fn a_mistyped_url_is_refused_without_repeating_it() {
        for url in [
            "postgress://u:canary@h/d",
            "postgres:/u:canary@h/d",
            "postgres:u:canary@h/d",
            "pg://u:canary@h/d",
            "mysql://u:canary@h/d",
            "u:canary@h/d",
            "host=h user=u PASSWORD=canary",
        ] {
            let Err(error) = Location::parse(url) else { panic!("{url} was accepted") };
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
        }
    }
}
